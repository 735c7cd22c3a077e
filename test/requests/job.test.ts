import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { configured } from '../support/run.ts'
import { requests } from '../support/requests.ts'

const cwd = mkdtempSync(join(tmpdir(), 'tug-job-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))
const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
write('web.hcl', 'job "web" {\n  group "app" {\n    task "srv" { driver = "docker" }\n  }\n}')
write('vars.hcl', 'variable "image" {}\nvariable "count" {}\njob "web" {}')
write('team.hcl', 'job "web" { namespace = "team-a" }')
write('team.json', '{"ID":"web","Namespace":"team-a"}')
write(
  'web.json',
  '{"ID":"web","Priority":50,"SubmitTime":1763709321123456789,"TaskGroups":[{"Name":"app","Tasks":[{"Name":"srv","Driver":"docker"}]}]}',
)
write('wrapped.json', '{"Job":{"ID":"web"}}')
write('a.vars', 'image = "a"\n')
write('b.vars', 'count = 2\n')
write('rows', 'hello')
write('request.json', '{"Job":{"ID":"web"},"EnforceIndex":true,"JobModifyIndex":7,"PreserveCounts":true,"Other":1}')
write('orders.ndjson', '{"meta":{"day":1},"payload":{"a":1}}\n{}\n')
write('token', 'sesame-open-please\n')

const machine = { cwd }
const hcl = '"JobHCL":"<redacted>","Canonicalize":true'
const submission = '"Submission":{"Source":"<redacted>","Format":"hcl2","VariableFlags":{},"Variables":"<redacted>"}'
const json =
  '{"ID":"web","Priority":50,"SubmitTime":1763709321123456789,"TaskGroups":[{"Name":"app","Tasks":[{"Name":"srv","Driver":"docker"}]}]}'
const jsonSubmission = submission.replace('hcl2', 'json')

requests(
  'job',
  [
    ['job list', 'GET /v1/jobs'],
    [
      `job list --prefix we --filter 'Status == "running"' --per-page 10 --next-token default.web --meta --stale`,
      'GET /v1/jobs?prefix=we&filter=Status%20%3D%3D%20%22running%22&per_page=10&next_token=default.web&meta=true&stale=true',
    ],
    [
      'job list --status stopped --status running --type periodic --filter Owned --sort=-id',
      `GET /v1/jobs?filter=${encodeURIComponent('((Status == "dead" and Stop == true) or (Status == "running" and Stop == false)) and (Periodic is not nil) and (Owned)').replaceAll('(', '%28').replaceAll(')', '%29')}`,
    ],
    ['job list --per-page 0', 'GET /v1/jobs?per_page=0'],
    ['job list --type system', 'GET /v1/jobs?filter=Type%20%3D%3D%20%22system%22'],
    ["job list --all -n '*' --region eu", 'GET /v1/jobs?namespace=*&region=eu'],
    ['job list --watch', 'GET /v1/jobs'],

    ['job parse web.hcl', `POST /v1/jobs/parse --data-binary {"JobHCL":"<redacted>"}`],

    [
      'job run web.hcl',
      'POST /v1/jobs/parse',
      'POST /v1/jobs --data-binary {"Job":…,"Submission":{"Source":"<redacted>","Format":"hcl2","VariableFlags":{},"Variables":"<redacted>"}}',
    ],
    [
      'job update web team.json -n team-a',
      'POST /v1/job/web?namespace=team-a --data-binary {"Job":{"ID":"web","Namespace":"team-a"},"Submission":{"Source":"<redacted>","Format":"json","VariableFlags":{},"Variables":"<redacted>"}}',
    ],
    ['job run web.json', `POST /v1/jobs --data-binary {"Job":${json},${jsonSubmission}}`],
    [
      'job apply web.json --keep-counts --policy-override --no-wait',
      'GET /v1/job/web',
      'POST /v1/job/web/plan',
      'POST /v1/jobs --data-binary {"Job":{"ID":"web","Priority":50,"SubmitTime":1763709321123456789,"TaskGroups":[{"Name":"app","Tasks":[{"Name":"srv","Driver":"docker"}],"Count":3}]},"Submission":{"Source":"<redacted>","Format":"json","VariableFlags":{},"Variables":"<redacted>"},"EnforceIndex":true,"JobModifyIndex":…,"PolicyOverride":true}',
    ],
    [
      'job apply web.hcl --prune --filter "ID == web" --yes',
      'GET /v1/jobs?namespace=*&filter=ID%20%3D%3D%20web&per_page=1',
      'POST /v1/jobs/parse',
      'GET /v1/job/web',
      'POST /v1/job/web/plan',
      'GET /v1/jobs?filter=ID%20%3D%3D%20web',
      'POST /v1/jobs --data-binary {"Job":…,"Submission":{"Source":"<redacted>","Format":"hcl2","VariableFlags":{},"Variables":"<redacted>"},"EnforceIndex":true,"JobModifyIndex":…}',
    ],
    ['job plan web.json --keep-counts', 'GET /v1/job/web'],

    [
      'job update web web.json --check-index 0 --eval-priority 1 --policy-override',
      `POST /v1/job/web --data-binary {"Job":${json},${jsonSubmission},"EnforceIndex":true,"JobModifyIndex":0,"EvalPriority":1,"PolicyOverride":true}`,
    ],

    ['job plan web.hcl', 'POST /v1/jobs/parse --data-binary {"JobHCL":"<redacted>","Canonicalize":true}'],
    ['job plan web.json --no-diff --policy-override --exit-code --show-values', 'GET /v1/job/web'],

    ['job status a/b --stale', 'GET /v1/job/a%2Fb?stale=true'],
    ['job status web --watch -n ops', 'GET /v1/job/web?namespace=ops'],
    ['job status', 'GET /v1/jobs'],
    ['job get batch/dispatch-1', 'GET /v1/job/batch%2Fdispatch-1'],
    ['job get web --stale --watch', 'GET /v1/job/web?stale=true'],
    ['job submission web', 'GET /v1/job/web'],
    ['job submission web --version 0', 'GET /v1/job/web/submission?version=0'],
    ['job submission a/b --version 7 --source', 'GET /v1/job/a%2Fb/submission?version=7'],
    ['job versions web', 'GET /v1/job/web/versions'],
    ['job diff web 1 v2', 'GET /v1/job/web/versions'],
    ['job get a/b --version v2', 'GET /v1/job/a%2Fb/versions'],
    ['job versions a/b --diffs --stale', 'GET /v1/job/a%2Fb/versions?diffs=true&stale=true'],
    ['job allocs web', 'GET /v1/job/web/allocations'],
    ['job allocs a/b --all --stale', 'GET /v1/job/a%2Fb/allocations?all=true&stale=true'],
    ['job evals web', 'GET /v1/job/web/evaluations'],
    ['job evals a/b --stale', 'GET /v1/job/a%2Fb/evaluations?stale=true'],
    ['job deployments web', 'GET /v1/job/web/deployments'],
    ['job deployments a/b --all --stale', 'GET /v1/job/a%2Fb/deployments?all=true&stale=true'],
    ['job deployment web', 'GET /v1/job/web/deployment'],
    ['job deployment a/b --stale', 'GET /v1/job/a%2Fb/deployment?stale=true'],
    ['job summary web', 'GET /v1/job/web/summary'],
    ['job summary a/b --stale', 'GET /v1/job/a%2Fb/summary?stale=true'],
    ['job services web', 'GET /v1/job/web/services'],
    ['job services web --consistent', 'GET /v1/job/web/services?consistent=true'],
    ['job services a/b --stale', 'GET /v1/job/a%2Fb/services?stale=true'],
    ['job actions web', 'GET /v1/job/web/actions'],
    ['job actions a/b -n ops', 'GET /v1/job/a%2Fb/actions?namespace=ops'],

    [
      'job revert web 1',
      'GET /v1/job/web/versions',
      'POST /v1/job/web/revert --data-binary {"JobID":"web","JobVersion":1}',
    ],
    ['job stable web 2', 'GET /v1/job/web', 'GET /v1/job/web/versions'],
    ['job stable web 3', 'GET /v1/job/web'],
    ['job scale web app 3', 'GET /v1/job/web/scale'],
    [
      'job revert web --stable',
      'GET /v1/job/web/versions',
      'POST /v1/job/web/revert --data-binary {"JobID":"web","JobVersion":2,"EnforcePriorVersion":3}',
    ],
    [
      'job stable web 0 --unset',
      'GET /v1/job/web',
      'GET /v1/job/web/versions',
      'POST /v1/job/web/stable --data-binary {"JobID":"web","JobVersion":0,"Stable":false}',
    ],
    [
      'job evaluate web',
      'POST /v1/job/web/evaluate --data-binary {"JobID":"web","EvalOptions":{"ForceReschedule":false}}',
    ],
    [
      'job evaluate a/b --force-reschedule',
      'POST /v1/job/a%2Fb/evaluate --data-binary {"JobID":"a/b","EvalOptions":{"ForceReschedule":true}}',
    ],
    ['job periodic force cleanup --force', 'POST /v1/job/cleanup/periodic/force'],
    ['job periodic force a/b --force --wait', 'POST /v1/job/a%2Fb/periodic/force'],

    ["job export -n '*' -O jobs", 'GET /v1/jobs?namespace=*'],
    ['job export a/b -O jobs', 'GET /v1/job/a%2Fb'],
    [
      'job run request.json',
      `POST /v1/jobs --data-binary {"Job":{"ID":"web"},${jsonSubmission},"EnforceIndex":true,"JobModifyIndex":7,"PreserveCounts":true}`,
    ],
    ['job stop web', 'GET /v1/job/web', 'DELETE /v1/job/web'],
    ['job stop legacy', 'GET /v1/job/legacy'],
    ['job stop web api --parallel 1', 'GET /v1/job/web', 'GET /v1/job/api', 'DELETE /v1/job/web', 'DELETE /v1/job/api'],
    [
      'job stop --filter "ID == web" --yes',
      'GET /v1/jobs?filter=ID%20%3D%3D%20web',
      'GET /v1/job/web',
      'DELETE /v1/job/web',
    ],
    ['job start web api', 'GET /v1/job/web', 'GET /v1/job/api'],
    [
      'job restart web',
      'GET /v1/job/web',
      'POST /v1/jobs --data-binary {"Job":…,"EnforceIndex":true,"JobModifyIndex":…,"PreserveCounts":true}',
    ],
    ['job stop web --purge', 'GET /v1/job/web', 'DELETE /v1/job/web?purge=true'],
    ['job stop web --purge --wait', 'GET /v1/job/web', 'DELETE /v1/job/web'],
    [
      'job stop café --purge --global --no-shutdown-delay --eval-priority 80',
      'GET /v1/job/caf%C3%A9',
      'DELETE /v1/job/caf%C3%A9?purge=true&global=true&no_shutdown_delay=true&eval_priority=80',
    ],

    [
      'job start legacy --wait',
      'GET /v1/job/legacy',
      'POST /v1/jobs --data-binary {"Job":…,"EnforceIndex":true,"JobModifyIndex":…}',
    ],
    ['job scale-status web', 'GET /v1/job/web/scale'],
    ['job scale-status a/b --stale', 'GET /v1/job/a%2Fb/scale?stale=true'],
    [
      'job scale web app 5 --message more --meta by=me --policy-override',
      'GET /v1/job/web/scale',
      'POST /v1/job/web/scale --data-binary {"Count":5,"Target":{"Group":"app"},"Message":"more","Meta":{"by":"me"},"PolicyOverride":true}',
    ],
    [
      'job scale legacy 0 --message none',
      'GET /v1/job/legacy/scale',
      'POST /v1/job/legacy/scale --data-binary {"Count":0,"Target":{"Group":"app"},"Message":"none"}',
    ],
  ],
  machine,
)

/** What contradicts: `auto` begins with the specification's words. */
requests(
  'job, what cannot be sent in both dialects',
  [
    [
      'job parse vars.hcl --canonicalize --hcl1 --var-file a.vars --var-file b.vars --var image=b',
      `POST /v1/jobs/parse --data-binary {${hcl},"Variables":"<redacted>","VariableFlags":{"image":"<redacted>"},"HCLv1":true}`,
    ],
    [
      'job run web.hcl --check-index 7 --eval-priority 60 --policy-override --preserve-counts --no-submission -n ops',
      'POST /v1/jobs/parse?namespace=ops',
      'POST /v1/jobs?namespace=ops --data-binary {"Job":…,"EnforceIndex":true,"JobModifyIndex":7,"EvalPriority":60,"PolicyOverride":true,"PreserveCounts":true}',
    ],
    [
      'job run vars.hcl --var image=b --var-file b.vars --wait --wait-timeout 5m --until healthy',
      'POST /v1/jobs/parse',
      'POST /v1/jobs --data-binary {"Job":…,"Submission":{"Source":"<redacted>","Format":"hcl2","VariableFlags":{"image":"<redacted>"},"Variables":"<redacted>"}}',
    ],
    [
      'job run web.json --keep-counts --no-submission',
      'GET /v1/job/web',
      'POST /v1/jobs --data-binary {"Job":{"ID":"web","Priority":50,"SubmitTime":1763709321123456789,"TaskGroups":[{"Name":"app","Tasks":[{"Name":"srv","Driver":"docker"}],"Count":3}]}}',
    ],
    ['job run wrapped.json --no-submission', 'POST /v1/jobs --data-binary {"Job":{"ID":"web"}}'],
    ['job update web web.hcl --no-submission', 'POST /v1/jobs/parse', 'POST /v1/job/web --data-binary {"Job":…}'],
    [
      'job scale web app --error broken',
      'POST /v1/job/web/scale --data-binary {"Target":{"Group":"app"},"Error":"broken"}',
    ],
  ],
  machine,
  ['auto', 'neutral'],
)

requests(
  'job, after a read',
  [
    [
      'job revert web 0 --enforce-prior-version 3 --secrets-token-file token --discovery-token-file token',
      'GET /v1/job/web/versions',
      'POST /v1/job/web/revert --data-binary {"JobID":"web","JobVersion":0,"EnforcePriorVersion":3,"SecretsToken":"<redacted>","DiscoveryToken":"<redacted>"}',
    ],
    [
      'job dispatch nightly rows --idempotency-token t1',
      'GET /v1/jobs?prefix=nightly%2Fdispatch-&filter=DispatchIdempotencyToken%20%3D%3D%20%22t1%22',
      'POST /v1/job/nightly/dispatch?IdempotencyToken=t1 --data-binary {"Payload":"<redacted>"}',
    ],
    [
      'job dispatch a/b --meta day=1 --meta eq=a=b --id-prefix-template nightly --idempotency-token t1 --wait',
      'GET /v1/jobs?prefix=a%2Fb%2Fdispatch-&filter=DispatchIdempotencyToken%20%3D%3D%20%22t1%22',
      'POST /v1/job/a%2Fb/dispatch?IdempotencyToken=t1 --data-binary {"Meta":{"day":"<redacted>","eq":"<redacted>"},"IdPrefixTemplate":"nightly"}',
    ],
    [
      'job dispatch nightly --from orders.ndjson --run 20261121-073000-5b2e91c4a07f --meta source=y',
      'GET /v1/jobs?prefix=nightly%2F',
      'GET /v1/job/nightly',
      'POST /v1/job/nightly/dispatch?IdempotencyToken=20261121-073000-5b2e91c4a07f-1-1025ea345748-1 --data-binary {"Payload":"<redacted>","Meta":{"source":"<redacted>","day":"<redacted>"},"IdPrefixTemplate":"20261121-073000-5b2e91c4a07f-1-1025ea345748-1"}',
      'POST /v1/job/nightly/dispatch?IdempotencyToken=20261121-073000-5b2e91c4a07f-2-33de338d6424-1 --data-binary {"Meta":{"source":"<redacted>"},"IdPrefixTemplate":"20261121-073000-5b2e91c4a07f-2-33de338d6424-1"}',
    ],
  ],
  machine,
  ['neutral'],
)

requests(
  'job, hashicorp dialect',
  [
    [
      'job run vars.hcl --var image=007 --var-file b.vars --no-submission',
      'POST /v1/jobs/parse',
      'POST /v1/jobs --data-binary {"Job":…,"Submission":{}}',
    ],
    [
      'job dispatch nightly --idempotency-token t',
      'POST /v1/job/nightly/dispatch?idempotency_token=t --data-binary {}',
    ],
    [
      'job revert web 1 --secrets-token-file token --discovery-token-file token',
      'GET /v1/job/web/versions',
      'POST /v1/job/web/revert --data-binary {"JobID":"web","JobVersion":1,"VaultToken":"<redacted>","ConsulToken":"<redacted>"}',
    ],
    [
      'job scale web app --error broken',
      'POST /v1/job/web/scale --data-binary {"Target":{"Group":"app"},"Message":"broken","Error":true}',
    ],
  ],
  machine,
  ['hashicorp'],
)

requests(
  'job, namespace of the file and variables of the environment',
  [
    ['job parse team.hcl', `POST /v1/jobs/parse?namespace=team-a --data-binary {"JobHCL":"<redacted>"}`],
    [
      'job run team.json --no-submission',
      'POST /v1/jobs?namespace=team-a --data-binary {"Job":{"ID":"web","Namespace":"team-a"}}',
    ],
    ['job plan team.json', 'GET /v1/job/web?namespace=team-a'],
    [
      'job parse vars.hcl --canonicalize --var count=1',
      `POST /v1/jobs/parse?namespace=default --data-binary {${hcl},"VariableFlags":{"image":"<redacted>","count":"<redacted>"}}`,
    ],
    [
      'job parse vars.hcl --canonicalize --var-file a.vars',
      `POST /v1/jobs/parse?namespace=default --data-binary {${hcl},"Variables":"<redacted>","VariableFlags":{"count":"<redacted>"}}`,
    ],
  ],
  {
    cwd,
    env: {
      ...configured,
      TUG_SCHEDULER_NAMESPACE: 'default',
      NOMAD_VAR_image: 'env',
      NOMAD_VAR_count: '2',
      NOMAD_VAR_other: 'unused',
    },
  },
  ['neutral'],
)

/** A product reads variables in another place, so `auto` sends them in both. */
requests(
  'job, variables in both places',
  [
    [
      'job parse vars.hcl --var image=b',
      'POST /v1/jobs/parse --data-binary {"JobHCL":"<redacted>","VariableFlags":{"image":"<redacted>"},"Variables":"<redacted>"}',
    ],
  ],
  machine,
  ['auto'],
)
