import { requests } from '../support/requests.ts'
import { configured } from '../support/run.ts'

const at = '/api/v2/organizations/acme/explorer'
/** A query parameter of a filter, encoded. */
const filter = (index: number, field: string, operator: string, value: string) =>
  `filter%5B${index}%5D%5B${field}%5D%5B${operator}%5D%5B0%5D=${value}`

requests('query', [
  ['explorer query workspaces', `GET ${at}?type=workspaces`],
  ['explorer query tf-versions', `GET ${at}?type=tf_versions`],
  ['explorer query workspaces --org umbra', 'GET /api/v2/organizations/umbra/explorer?type=workspaces'],
  [
    "explorer query workspaces -f 'workspace_name contains prod' -f 'drifted is true' --sort=-workspace_name",
    `GET ${at}?type=workspaces&${filter(0, 'workspace_name', 'contains', 'prod')}&${filter(1, 'drifted', 'is', 'true')}&sort=-workspace_name`,
  ],
  [
    'explorer query workspaces -s project_name --fields id,workspace-name,drifted',
    `GET ${at}?type=workspaces&sort=project_name&fields=workspace_name%2Cdrifted`,
  ],
  ['explorer query modules --page 2 --page-size 50', `GET ${at}?type=modules&page%5Bnumber%5D=2&page%5Bsize%5D=50`],
  ['explorer query modules --all', `GET ${at}?type=modules&page%5Bnumber%5D=1&page%5Bsize%5D=100`],
  [
    'explorer query modules --all --page-size 30 --limit 5',
    `GET ${at}?type=modules&page%5Bnumber%5D=1&page%5Bsize%5D=30`,
  ],
  ['explorer query modules --limit 5', `GET ${at}?type=modules&page%5Bnumber%5D=1&page%5Bsize%5D=5`],
  [
    "explorer query workspaces -f 'project = Data' -f 'drift count>3' -f 'Workspace Name ~ prod' --sort=-drift_count --fields project,'run status'",
    `GET ${at}?type=workspaces&${filter(0, 'project_name', 'is', 'Data')}&${filter(1, 'resources_drifted', 'gt', '3')}&${filter(2, 'workspace_name', 'contains', 'prod')}&sort=-resources_drifted&fields=project_name%2Ccurrent_run_status`,
  ],
  [
    "explorer query gadgets --no-check -f 'cog-count rounds_to 5' --sort cogs --fields cogs",
    `GET ${at}?type=gadgets&${filter(0, 'cog-count', 'rounds_to', '5')}&sort=cogs&fields=cogs`,
  ],
  [
    'explorer query gadgets --no-check --sort=-cog-count --fields cog-count',
    `GET ${at}?type=gadgets&sort=-cog-count&fields=cog-count`,
  ],
  ['explorer query gadgets --no-check --sort cog-count', `GET ${at}?type=gadgets&sort=cog-count`],
])

requests(
  'query as typed',
  [
    [
      "explorer query workspaces -f 'workspace_terraform_version does_not_contain 1.9' --sort=-workspace-terraform-version --fields workspace_terraform_version",
      `GET ${at}?type=workspaces&${filter(0, 'workspace_terraform_version', 'does_not_contain', '1.9')}&sort=-workspace_terraform_version&fields=workspace_terraform_version`,
    ],
    [
      "explorer query workspaces -f 'workspace_tool_version !~ 1.9' --fields workspace_tool_version,tags",
      `GET ${at}?type=workspaces&${filter(0, 'workspace_tool_version', 'does%20not%20contain', '1.9')}&fields=workspace_tool_version%2Ctags`,
    ],
    ['explorer query resources', `GET ${at}?type=resources`],
  ],
  {},
  ['auto'],
)

requests(
  'query in the neutral dialect',
  [
    [
      "explorer query workspaces -f 'workspace_terraform_version !~ 1.9' --fields workspace_terraform_version",
      `GET ${at}?type=workspaces&${filter(0, 'workspace_tool_version', 'does%20not%20contain', '1.9')}&fields=workspace_tool_version`,
    ],
  ],
  {},
  ['neutral'],
)

requests(
  'query in the hashicorp dialect',
  [
    [
      "explorer query workspaces -f 'workspace_tool_version does not contain 1.9' --sort workspace_tool_version",
      `GET ${at}?type=workspaces&${filter(0, 'workspace_terraform_version', 'does_not_contain', '1.9')}&sort=workspace_terraform_version`,
    ],
    [
      "explorer query resources -f 'billable_rum = true'",
      `GET ${at}?type=resources&${filter(0, 'billable_rum', 'is', 'true')}`,
    ],
    ['explorer query workspaces --fields tags', `GET ${at}?type=workspaces&fields=tags`],
  ],
  {},
  ['hashicorp'],
)

requests('usage', [
  [
    'explorer usage providers hashicorp/aws --below 6',
    'GET /api/v2/organizations/acme/explorer?type=providers&fields=name%2Csource%2Cversion%2Cworkspace_count%2Cworkspaces&page%5Bnumber%5D=1&page%5Bsize%5D=100',
  ],
])

requests('export and summary', [
  ['explorer export workspaces', `GET ${at}/export/csv?type=workspaces`],
  [
    "explorer export workspaces -f 'drifted is true' -s=-resources_drifted --fields workspace_name -O - --force",
    `GET ${at}/export/csv?type=workspaces&${filter(0, 'drifted', 'is', 'true')}&sort=-resources_drifted&fields=workspace_name`,
  ],
  [
    'explorer summary workspaces --by project_name,workspace-name --sum resources_drifted --sum module_count',
    `GET ${at}?type=workspaces&fields=project_name%2Cworkspace_name%2Cresources_drifted%2Cmodule_count&page%5Bnumber%5D=1&page%5Bsize%5D=100`,
  ],
  [
    "explorer summary workspaces --by current_run_status -f 'drifted is true'",
    `GET ${at}?type=workspaces&${filter(0, 'drifted', 'is', 'true')}&fields=current_run_status&page%5Bnumber%5D=1&page%5Bsize%5D=100`,
  ],
])

requests(
  'diff',
  [
    [
      "explorer diff workspaces - -f 'drifted is true' --fields workspace_name --sort project_name",
      `GET ${at}?type=workspaces&${filter(0, 'drifted', 'is', 'true')}&sort=project_name&fields=workspace_name&page%5Bnumber%5D=1&page%5Bsize%5D=100`,
    ],
  ],
  { env: configured, stdin: '[]' },
)

requests('views', [
  ['explorer views list', `GET ${at}/views`],
  ['explorer views list -o name', `GET ${at}/views`],
  ['explorer views get sq-1', `GET ${at}/views/sq-1`],
  ['explorer views get sq-%2F1', `GET ${at}/views/sq-%252F1`],
  ['explorer views get Drifted', 'GET /api/v2/organizations/acme/explorer/views'],
  [
    "explorer views delete 'Failed checks' -y",
    'GET /api/v2/organizations/acme/explorer/views',
    'GET /api/v2/organizations/acme/explorer/views/sq-qG179vzlMqQbLeHy',
    'DELETE /api/v2/organizations/acme/explorer/views/sq-qG179vzlMqQbLeHy',
  ],
  ['explorer views results Drifted --limit 5', 'GET /api/v2/organizations/acme/explorer/views'],
  ['explorer views export Drifted', 'GET /api/v2/organizations/acme/explorer/views'],
  ['explorer views results sq-1', `GET ${at}/views/sq-1/results`],
  [
    'explorer views results sq-1 --page 3 --page-size 7',
    `GET ${at}/views/sq-1/results?page%5Bnumber%5D=3&page%5Bsize%5D=7`,
  ],
  ['explorer views results sq-1 --all', `GET ${at}/views/sq-1/results?page%5Bnumber%5D=1&page%5Bsize%5D=100`],
])

const put = (method: string, place: string, body: string) => `${method} ${at}/${place} --data-binary ${body}`

requests('views export', [['explorer views export sq-1', `GET ${at}/views/sq-1/csv`]], {}, ['neutral', 'auto'])

// The form and the path of the product's public clients.
requests(
  'views on a product',
  [
    ['explorer views export sq-1', `GET ${at}/views/sq-1/export/csv`],
    [
      "explorer views create Drifted --type workspaces -f 'drifted is true' --fields workspace_name,drifted -s project_name,-workspace_name",
      `GET ${at}/views`,
      put(
        'POST',
        'views',
        '{"data":{"type":"explorer-saved-queries","attributes":{"name":"Drifted","query-type":"workspaces","query":{"type":"workspaces","filter":[{"drifted":{"is":["true"]}}],"fields":{"workspaces":["workspace_name","drifted"]},"sort":["project_name","-workspace_name"]}}}}',
      ),
    ],
    [
      'explorer views update sq-qG179vzlMqQbLeHy --name New',
      'GET /api/v2/organizations/acme/explorer/views/sq-qG179vzlMqQbLeHy',
      'PATCH /api/v2/organizations/acme/explorer/views/sq-qG179vzlMqQbLeHy --data-binary {"data":{"type":"explorer-saved-queries","id":"sq-qG179vzlMqQbLeHy","attributes":{"name":"New","query":{"type":"workspaces","filter":[{"checks_failed":{"gt":["0"]}}],"fields":{"workspaces":[]},"sort":[]}}}}',
    ],
  ],
  {},
  ['hashicorp'],
)

requests(
  'views create',
  [
    [
      'explorer views create Drifted --type workspaces',
      `GET ${at}/views`,
      put('POST', 'views', '{"data":{"name":"Drifted","query_type":"workspaces","query":{}}}'),
    ],
    [
      "explorer views create Drifted --type workspaces -f 'drifted is true' --fields workspace_name,drifted -s project_name,-workspace_name",
      `GET ${at}/views`,
      put(
        'POST',
        'views',
        '{"data":{"name":"Drifted","query_type":"workspaces","query":{"filter":[{"field":"drifted","operator":"is","value":["true"]}],"fields":["workspace_name","drifted"],"sort":["project_name","-workspace_name"]}}}',
      ),
    ],
  ],
  {},
  ['neutral', 'auto'],
)

requests(
  'views apply',
  [
    [
      'explorer views apply -',
      'GET /api/v2/organizations/acme/explorer/views',
      'POST /api/v2/organizations/acme/explorer/views --data-binary {"data":{"name":"Drifted","query_type":"workspaces","query":{"filter":[],"fields":[],"sort":[]}}}',
    ],
  ],
  {
    env: configured,
    stdin: '{"name":"Drifted","query_type":"workspaces"}',
  },
  ['neutral', 'auto'],
)

requests(
  'views update',
  [
    [
      "explorer views update 'Failed checks' --name New --clear-filter --clear-fields --clear-sort",
      'GET /api/v2/organizations/acme/explorer/views',
      'GET /api/v2/organizations/acme/explorer/views/sq-qG179vzlMqQbLeHy',
      'PATCH /api/v2/organizations/acme/explorer/views/sq-qG179vzlMqQbLeHy --data-binary {"data":{"name":"New","query":{"filter":[],"fields":[],"sort":[]}}}',
    ],
    [
      'explorer views update sq-qG179vzlMqQbLeHy --name New',
      'GET /api/v2/organizations/acme/explorer/views/sq-qG179vzlMqQbLeHy',
      'PATCH /api/v2/organizations/acme/explorer/views/sq-qG179vzlMqQbLeHy --data-binary {"data":{"name":"New","query":{"filter":[{"field":"checks_failed","operator":"gt","value":["0"]}],"fields":[],"sort":[]}}}',
    ],
    [
      "explorer views update sq-qG179vzlMqQbLeHy -f 'workspace_name ~ aws' --clear-fields --clear-sort",
      'GET /api/v2/organizations/acme/explorer/views/sq-qG179vzlMqQbLeHy',
      'PATCH /api/v2/organizations/acme/explorer/views/sq-qG179vzlMqQbLeHy --data-binary {"data":{"name":"Failed checks","query":{"filter":[{"field":"workspace_name","operator":"contains","value":["aws"]}],"fields":[],"sort":[]}}}',
    ],
  ],
  {},
  ['neutral', 'auto'],
)
