import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { root } from '../../support/process.ts'
import { story } from '../../support/story.ts'

const example = (name: string) => readFileSync(join(root, 'examples', name), 'utf8')
const files = {
  'web.hcl': example('web.hcl'),
  'web-2.hcl': example('web-2.hcl'),
  'api.json':
    '{"ID":"api","Type":"service","Datacenters":["dc1"],"TaskGroups":[{"Name":"a","Count":1,"Tasks":[{"Name":"t","Driver":"docker","Config":{"image":"x"}}]},{"Name":"b","Count":1,"Tasks":[{"Name":"t","Driver":"docker","Config":{"image":"x"}}]}]}',
  'stopped.json':
    '{"ID":"off","Stop":true,"Type":"service","Datacenters":["dc1"],"TaskGroups":[{"Name":"a","Count":1,"Tasks":[{"Name":"t","Driver":"docker","Config":{"image":"x"}}]}]}',
  'day.txt': 'a payload',
}

const writes = [
  'job run web-2.hcl',
  'job run web-2.hcl',
  'job run web-2.hcl --check-index 999',
  'job apply web.hcl --no-wait --yes',
  'job apply web.hcl --no-wait --yes',
  'job run api.json --no-submission',
  'job run stopped.json',
  'job update web web-2.hcl',
  'job update api web-2.hcl',
  'job scale web app 5',
  'job scale web 5',
  'job scale api 5',
  'job scale web nosuch 5',
  'job scale web app --message "hold" --meta a=1',
  'job scale web app --error "too much"',
  'job evaluate web',
  'job evaluate web --force-reschedule',
  'job stable web 5',
  'job stable web 5 --unset',
  'job stable web 5 --yes',
  'job stable web 7 --unset',
  'job stable web 99 --yes',
  'job versions web',
  'job revert web 5',
  'job revert web 6',
  'job revert web 4 --enforce-prior-version 1',
  'job revert web 99',
  'job periodic force cleanup',
  'job periodic force web',
  'job dispatch nightly',
  'job dispatch nightly --meta source=a',
  'job dispatch nightly day.txt --meta source=a --idempotency-token t-1',
  'job dispatch nightly day.txt --meta source=a --idempotency-token t-1',
  'job dispatch nightly --meta other=1',
  'job dispatch web',
  'job stop web',
  'job stop web --global',
  'job stop web --purge',
  'job stop cleanup --yes',
  'job start cleanup',
  'job stop nightly --yes --purge',
  'job stop web --yes',
  'job stop web --yes',
  'job scale web 4',
  'job scale web --message hold',
  'job start web',
  'job start web',
  'job stop web --purge --yes',
  'job stop web --purge --yes',
  'job start web',
  'job versions web',
]

test('what changes jobs says so', () => story('job-writes', writes, { files, dialect: 'both' }))

test('an unknown job is said to be unknown by every command', () =>
  story(
    'job-unknown',
    [
      'job get nosuch',
      'job status nosuch',
      'job status wep',
      'job allocs nosuch',
      'job evals nosuch',
      'job deployments nosuch',
      'job deployment nosuch',
      'job deployment nightly',
      'job versions nosuch',
      'job submission nosuch --version 0',
      'job submission stuck --version 0 --source',
      'job submission web --version 99',
      'job summary nosuch',
      'job scale-status nosuch',
      'job services nosuch',
      'job services batch-broken',
      'job actions nosuch',
      'job actions stuck',
      'job action nosuch flush',
      'job action web nosuch',
      'job action web flusch',
      'job action stuck flush',
      'job action web flush --group nosuch',
      'job action web flush --task nosuch',
      'job action web flush --group nosuch --task none',
      'job action web flush --alloc 00000000',
      'job action web --group app',
      'job action web --alloc 00000000',
      'job evaluate nosuch',
      'job scale nosuch 3',
      'job scale nosuch app 3',
      'job scale nosuch app 3 --wait',
      'job stop nosuch --yes',
      'job stop nosuch --yes --purge',
      'job stop nosuch --yes -n other',
      'job start nosuch',
      'job revert nosuch 1',
      'job stable nosuch 1 --yes',
      'job periodic force nosuch',
      'job dispatch nosuch',
      'job list --prefix nosuch',
    ],
    { files },
  ))

test('many jobs are stopped, started and restarted', () =>
  story('job-many', [
    'job restart web',
    'job restart web --yes --no-wait',
    'job restart web café nightly --yes --no-wait --plan',
    'job restart café --yes --allow-downtime --no-wait -o json',
    'job stop web api',
    'job stop web api nosuch --yes --parallel 1',
    'job stop web api --yes --parallel 1 -o json',
    `job stop --filter 'Type == "batch"'`,
    `job stop --filter 'Type == "batch"' --yes -o ndjson`,
    `job stop --filter 'Type == "batch"' --plan -o wide`,
    `job stop --filter 'Name == "nosuch"' --yes`,
    'job start web api café --parallel 1',
    'job start web api --parallel 1 -o json',
  ]))

test('jobs are exported as the files they were registered with', () =>
  story('job-export', [
    'job export -O jobs',
    '! find jobs -type f | sort',
    'job export web -O jobs',
    'job export web -O jobs --force -o json',
    `job export --filter 'Type == "sysbatch"' -O none`,
    'job export nosuch -O none',
    'job apply jobs --plan --exit-code',
  ]))

test('an instance is started for each row', () =>
  story(
    'job-dispatch-rows',
    [
      'job dispatch nightly --from orders.csv --run 20261121-070000-5b2e91c4a07f',
      'job dispatch nightly --from orders.csv --run 20261121-070000-5b2e91c4a07f -o wide',
      'job dispatch nightly --from bills.csv --run 20261121-070000-5b2e91c4a07f -o json',
      'job dispatch nightly --from orders.csv --run 20261121-040000-5b2e91c4a07f',
      'job dispatch nightly --from short.csv',
      'job dispatch nosuch --from orders.csv',
      'job dispatch nightly --from bad.ndjson',
      'job dispatch nightly --from bare.csv',
      'job dispatch nightly orders.csv --from orders.csv',
    ],
    {
      files: {
        'orders.csv': 'meta.source,payload\norders,a\nbills,b\n',
        'bills.csv': 'meta.source,payload\nbills,b\n',
        'bare.csv': 'source\norders\n',
        'short.csv': 'payload\na\nb\n',
        'bad.ndjson': '{"meta":{"source":"orders"}}\n{"other":1}\n',
      },
    },
  ))

test('many job files are planned and applied', () =>
  story(
    'job-apply',
    [
      'job plan web-2.hcl api.json stopped.json',
      'job plan web-2.hcl api.json -o wide',
      'job plan web-2.hcl api.json -o csv',
      'job plan web-2.hcl api.json bad.hcl',
      'job apply web-2.hcl api.json',
      'job apply web-2.hcl api.json --yes --no-wait',
      'job apply web-2.hcl api.json --yes --no-wait',
      'job plan web.hcl api.json --save plan.json',
      'job apply --saved plan.json',
      'job apply --saved plan.json --yes --no-wait -o json',
      'job apply --saved plan.json --yes --no-wait',
      `job apply web.hcl --prune --filter 'ID == "api"'`,
    ],
    { files: { ...files, 'bad.hcl': 'job "bad" {\n  nonsense = 1\n}\n' } },
  ))

test('a file for a new job is written once', () =>
  story('job-init', [
    'job init',
    'job init',
    "job init 'my cache.hcl' --short",
    "job plan 'my cache.hcl'",
    'job run example.nomad.hcl',
  ]))

test('a plan that is shown first is asked about, and registered only as it was planned', () =>
  story(
    'job-plan-first',
    [
      { line: 'job apply web-2.hcl --no-wait', terminals: { stdin: true, stdout: 80, stderr: 80 }, stdin: 'n\n' },
      { line: 'job apply web-2.hcl --no-wait', terminals: { stdin: true, stdout: 80, stderr: 80 }, stdin: 'y\n' },
      'job plan web-2.hcl --no-diff',
      'job plan web.hcl --exit-code --var greeting=hi --policy-override',
      'job plan web.hcl --show-values',
      'job plan web.hcl -o md',
      'job plan web.hcl -o csv',
      'job plan vars.hcl --var image=x --var api_token=s3cr3t-t0ken-42 --var-file vars.txt',
      'job run vars.hcl --var imgae=1',
      'job run vars.hcl --var nothing=1',
      'job run web-2.hcl --var-file vars.txt',
      'job run bare.hcl --var image=1',
      'job parse web.hcl -o csv',
      'job submission web --version 4',
    ],
    {
      files: {
        ...files,
        'vars.hcl':
          'variable "image" {}\nvariable "api_token" {}\njob "v" {\n  datacenters = ["dc1"]\n  group "g" {\n    task "t" {\n      driver = "docker"\n    }\n  }\n}\n',
        'vars.txt': 'image = "y"\n',
        'bare.hcl': 'job "v" {}\n',
      },
    },
  ))
