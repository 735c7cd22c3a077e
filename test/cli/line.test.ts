import { expect, test } from 'vitest'
import { configured, tug } from '../support/run.ts'
import { mentions } from '../support/told.ts'

const asked = (line: string | readonly string[]) => tug(line, { env: configured })

test.each([
  'explorer query workspaces --org acme --sort name',
  '--org acme explorer --sort name query workspaces',
  '--sort=name explorer query --org=acme workspaces',
  'explorer -s name query workspaces --org other --org acme',
  'explorer query --sort x --sort name -- workspaces',
  'explorer query workspaces -s=name --all=false',
])('flags work anywhere before --, in every spelling, and the last one wins: %s', async (line) => {
  const { exit, stdout } = await asked(
    `${line} --no-check --dry-run`.replace(
      ' -- workspaces --no-check --dry-run',
      ' --no-check --dry-run -- workspaces',
    ),
  )
  expect(exit).toBe(0)
  expect(stdout).toContain("'http://127.0.0.1:1/api/v2/organizations/acme/explorer?type=workspaces&sort=name'")
})

test.each(['kv delete app/db --yess', 'kv export app --forced', 'explorer query workspaces --desc name'])(
  'no flag that skips a question is suggested: %s',
  async (line) => {
    const { exit, stderr } = await asked(line)
    expect({ exit, suggested: /Did you mean[^?]*--(?:yes|force)/.test(stderr) }).toEqual({ exit: 2, suggested: false })
  },
)

test.each([
  ['--hlep', "tug: … '--hlep'. … '--help'?"],
  ['--verison', "tug: … '--verison'. … '--version'?"],
  ['api secrets', '<METHOD|path> …'],
  ['-x', "tug: … '-x'\n"],
  ['-qx', "tug: … '-x'\n"],
  ['explorer -V', "tug: … '-V'\n"],
  ['explorer query workspaces -V', "tug: … '-V'\n"],
  ['explorer --nope', "tug: … '--nope'\n"],
  ['explorer query workspaces --flter x', "… '--filter'?"],
  ['kv get app/db --cas 3', "… '--cas'; … kv set, kv put, kv patch\n"],
  ['-- explorer query workspaces', "command… '--'"],
  ['explorer -- query workspaces', "command… '--'"],
  ["explorer ''", "command ''"],
  ['explorer query -- workspaces --limit 1', '2 … --limit, 1\nhint: …: tug explorer query <view> [flags]\n'],
  ['profile show one two', 'one argument … two\nhint: …: tug profile show [name] [flags]\n'],
  ['kv get app/db extra more', 'one argument …: more\nhint: …: tug kv get <path> [key] [flags]\n'],
  ['login', '<service> … (explorer, secrets, scheduler)\nhint: …: tug login secrets\n'],
  ['kv get x --raw --query data', '--raw … --query\n'],
  ['kv get x --raw --columns key', '… --columns\n'],
  ['kv get x --raw -o csv', '… -o csv\n'],
  ['kv list -o yaml --csv-safe', '--csv-safe … -o csv …'],
  ['kv list --csv-bom', '--csv-bom … -o csv …'],
  ['kv export app/ --csv-safe', '--csv-safe … -o csv …'],
  ['help --csv-bom', '--csv-bom … -o csv …'],
  ['completion zsh --csv-safe', 'raw … --csv-safe …'],
  ['explorer export workspaces --csv-safe -0', 'raw … -0 …'],
  ['profile set prod', '<key=value> … <name>: …\n'],
  [
    "explorer diff drift.csv -f 'drifted is true'",
    "<view> … <baseline-file> 'drift.csv': workspaces, tf_versions, providers or modules\nhint: tug explorer diff workspaces drift.csv -f '…\n",
  ],
  ['explorer diff workspaces', '<baseline-file> … <view>: …'],
  ['explorer diff', '<view> and <baseline-file> …\nhint: …: tug explorer diff workspaces '],
  ['explorer diff drift.csv workspaces', "<view>: 'drift.csv' …\n"],
  [
    "kmip cred renew 'two words' backup 123",
    "hint: …: tug kmip cred renew 'two words' backup 123 --out-dir ./netapp-a1\n",
  ],
  ['kv destroy app/db', '--versions, … --versions 1..3\nhint: …: tug kv history app/db\n'],
  ['explorer query workspaces --filter --all', "--filter …; '--all' …"],
  ['explorer query workspaces --filter', '--filter …'],
  ['explorer query workspaces --all=maybe', '--all …'],
  ['explorer query workspaces -o JSON', "--output: 'JSON' … table"],
])('a usage error is one line and exit 2: %s', async (line, words) => {
  const { exit, stdout, stderr } = await asked(line)
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr).toContain(`tug: `)
  expect(stderr).toMatch(mentions(words))
})

test('-0 is a flag, negative numbers are values', async () => {
  const names = await asked('explorer fields tf_versions -o name -0')
  expect(names.stdout).toBe('version\0workspace_count\0workspaces\0')
  expect(await asked('explorer fields tf_versions -0')).toMatchObject({ exit: 2, stdout: '' })
  const { exit, stderr } = await asked('explorer query workspaces --page-size -1')
  expect(exit).toBe(2)
  expect(stderr).toMatch(mentions('--page-size: -1 …'))
})

test.each([
  ['version -o yaml', /^version: "[^",]+"\nnode: "[^",]+"\nplatform: \w+\n$/],
  ['--version -o csv', /^version,node,platform\n[^",]+,[^",]+,\w+\n$/],
  ['-V -o json', /^\{"version":"[^",]+","node":"[^",]+","platform":"\w+"\}\n$/],
  ['version --query version', /^[^",]+\n$/],
  ['version -o wide', /^[^",]+\n$/],
])('%s', async (line, printed) => {
  expect((await asked(line)).stdout).toMatch(printed)
})

test('--version is global only before a command', async () => {
  for (const line of ['-V', '--version', '--version explorer']) {
    expect((await asked(line)).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/)
  }
  expect((await asked('kv get --version 3 app/db --dry-run')).stdout).toContain('/v1/secret/data/app/db?version=3')
})

test('help works with any other flags, without any words, and for a group alone', async () => {
  for (const line of ['', '-h', '--help', '-q --help explorer query --nope', 'kv', 'explorer views -o json']) {
    const { exit, stdout, stderr } = await asked(line)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).toContain('Usage')
  }
})

test.each([
  ['kv patch app/db a=1 --cas -1 --dry-run', '--cas: -1 …'],
  ['kv put app/db -1', "… '-1'\nhint: … --: tug kv put app/db -- -1"],
  ['job init ""', '<file>: …'],
  ['kv export app -O ""', '--output-file: …'],
  ['kv import - app', 'standard input …'],
  ['api secrets GET sys/health -o name', '… -… --query'],
  ['kv history -- app/db --field', 'one argument …: --field\n'],
  ['kv get app/db --field=--version --version', '--version …'],
  ['kv get app/db -qp', '-p …'],
  ['kv exec app/db --', 'command… -- …'],
  ['kv list --insecure=', "--insecure … --insecure, --insecure=true or --insecure=false, not ''"],
])('what looks like a flag is one: %s', async (line, words) => {
  const { exit, stderr } = await asked(line)
  expect(exit).toBe(2)
  expect(stderr).toMatch(mentions(words))
})

test.each([
  ['kv get app/db --version=3 --version 4 --dry-run', '?version=4'],
  ['-o json -n team kv --mount other get app/db --dry-run', '/v1/other/data/app/db'],
  ['kv list -- -x --dry-run', undefined],
  ['kv put app/db a=1 --cas=1 --cas 2 --no-verify --dry-run', '"cas":2'],
  ['explorer query workspaces --sort=-name --no-check --dry-run', 'sort=-name'],
])('a value is used literally: %s', async (line, words) => {
  const { exit, stdout } = await tug(line, { env: configured })
  if (words === undefined) expect(exit).toBe(2)
  else expect(stdout).toContain(words)
})

test.each([
  ['job run web.hcl -hcl2-strict=false', "'-hcl2-strict'"],
  ['job list -non-interactive', "'-non-interactive'"],
  ['job run web.hcl -priority=80', "'-priority'"],
  ['job list -nprod', '-n <ns> or --namespace=<ns>'],
  ['job list -q=true', "'-q=': … long flags"],
  ['job list -qn prod', '-n needs a value: … -n <ns> or --namespace=<ns>'],
  ['explorer query workspaces -sname', '--sort=<field>'],
  ['-qh', "'-qh': -h …"],
  ['kv -qh get', "'-qh': -h …"],
  ['kv get app/db -yh', "'-yh': -h …"],
  ['kv delete app/db -yes', "'-yes': … two dashes, --yes"],
  ['kv get app/db -oxml', "'-ox…"],
  ['kv get app/db -ojsonx', "'-ojsonx'"],
])('a word with one dash that is no cluster of switches is refused, and never help: %s', async (line, words) => {
  const { exit, stdout, stderr } = await asked(line)
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
  expect(stderr.split('\n')[0]).toMatch(mentions(words))
})

test.each([
  ['kv get app/db -version=3', 'version=3'],
  ['kv list -mount=other', '/v1/other/'],
  ['kv list -yq -ojson', '/v1/secret/'],
  ['kv list -output json', '/v1/secret/'],
  ['-output json kv list', '/v1/secret/'],
  ['kv list -n=team', 'Namespace: team'],
])('one that is understood and harmless is obeyed: %s', async (line, words) => {
  const { exit, stdout } = await asked(`${line} --dry-run`)
  expect({ exit, hasWords: stdout.includes(words) }).toEqual({ exit: 0, hasWords: true })
})

test.each(['nope -o json', '--output=ndjson kv nope', 'kv get -ojson --nope', '-o json kv get'])(
  'a usage error with -o json is reported as JSON: %s',
  async (line) => {
    const { exit, stderr } = await asked(line)
    expect(exit).toBe(2)
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage', exit: 2 } })
  },
)
