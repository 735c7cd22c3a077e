import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { liveServer, runSteps, testThatAllRan, type Live } from './live.ts'

const live = liveServer('secrets')

describe.skipIf(live === undefined)('secrets store', () => {
  if (live !== undefined) testSecrets(live)
})

/** Everything happens in two mounts of the run's own. */
function testSecrets(server: Live): void {
  const { tug, prefix } = server
  const versioned = prefix
  const plain = `${prefix}-v1`
  const made: string[] = []

  beforeAll(async () => {
    for (const [mount, version] of [
      [versioned, '2'],
      [plain, '1'],
    ] as const) {
      const body = JSON.stringify({ type: 'kv', options: { version } })
      const mounted = await tug(`api secrets POST sys/mounts/${mount} --data '${body}'`)
      expect(mounted, mounted.stderr).toMatchObject({ exit: 0 })
      made.push(mount)
    }
    // A new versioned mount refuses requests for a moment.
    const isReady = async () => expect((await tug(`kv config get --mount ${versioned}`)).exit).toBe(0)
    await vi.waitFor(isReady, { timeout: 30_000 })
  })

  afterAll(async () => {
    for (const mount of made) await tug(`api secrets DELETE sys/mounts/${mount} --yes`)
    const mounts = await tug('api secrets GET sys/mounts')
    expect([mounts.exit, mounts.stdout.includes(prefix)]).toEqual([0, false])
  })

  const env = { TUG_KV_MOUNT: versioned, EDITOR: 'sed -i.old -e s/app/owner/' }

  runSteps(
    server,
    [
      ['kv put app/db user=app password=one', 0],
      ['kv get app/db user', 0, 'app'],
      ['kv get app/db -o json', 0, /"password": *"one"/],
      ['kv set app/db password=two', 0],
      ['kv get app/db password', 0, 'two'],
      ['kv get app/db password --version 1', 0, 'one'],
      ['kv put app/db a=1 --cas 1', 5],
      ['kv put app/db a=1 --cas 0', 5],
      ['kv get app/none', 3],
      ['kv get app/db --version 9', 3],
      ['kv patch app/db extra=x', 0],
      ['kv subkeys app/db -o json', 0, /"extra": *null/],
      ['kv list app -o name', 0, 'db'],
      ['kv list none', 3],
      ['kv tree -o name', 0, /app\/db/],
      ['kv find db -o name', 0, /app\/db/],
      ['kv history app/db -o json', 0, /"version": *3/],
      ['kv diff app/db 1 2 --exit-code', 9],
      ['kv rollback app/db 1 --yes', 0],
      ['kv get app/db password', 0, 'one'],
      ['kv delete app/db --yes', 0],
      ['kv get app/db', 3],
      ['kv undelete app/db --versions 4 --yes', 0],
      ['kv destroy app/db --versions 2 --yes', 0],
      ['kv get app/db --version 2', 3],
      ['kv edit app/db', 0],
      ['kv get app/db user', 0, 'owner'],
      ['kv copy app/db app/copy --yes', 0],
      ['kv copy app/ team/ --recursive --yes', 0],
      ['kv list team -o name', 0, 'copy\ndb'],
      ['kv move app/copy app/moved --versions all --yes', 0],
      ['kv get app/copy', 3],
      ['kv get app/moved user', 0, 'owner'],
      ['kv export app/ -O app.json', 0],
      ['kv import app.json imported/ --yes', 0],
      ['kv get imported/db user', 0, 'owner'],
      ['kv audit', 0],
      ['kv metadata put app/db --max-versions 5 --delete-version-after 1h --custom-metadata owner=me --yes', 0],
      ['kv metadata patch app/db --custom-metadata team=a', 0],
      ['kv metadata get app/db -o json', 0, /"owner": *"me"[^]*"team": *"a"/],
      ['kv metadata put app/db --delete-version-after 0 --yes', 0],
      ['kv backup -O backup.json', 0],
      ['kv verify backup.json', 0],
      ['kv metadata delete team/db --yes', 0],
      ['kv verify backup.json', 9],
      ['kv restore backup.json --yes', 0],
      ['kv verify backup.json', 0],
      ['kv exec app/db -- printenv user', 0, 'owner'],
      ['kv config set --max-versions 7 --yes', 0],
      ['kv config get -o json', 0, /"max_versions": *7/],
    ],
    env,
  )

  runSteps(server, [['kv list -o name', 0, 'app/\nimported/\nteam/']], { ...env, TUG_LIST_METHOD: 'list' })

  runSteps(
    server,
    [
      [`api secrets PUT ${plain}/app/x --data '{"a":1}'`, 0],
      [`api secrets LIST ${plain}/app --query data.keys[0]`, 0, /x/],
      [`api secrets GET sys/internal/ui/mounts/${plain} --query data.options.version`, 0, /1/],
      ['kv metadata put app/x --max-versions 3 --yes', 1],
    ],
    { TUG_KV_MOUNT: plain },
  )

  runSteps(server, [['kv get app/db', 4]], { ...env, TUG_SECRETS_TOKEN: 'no-such-token' })

  testThatAllRan(server, 'kv')

  test('the certificate engine, which only some editions have, answers or is reported as missing', async () => {
    const { exit, stderr } = await tug('kmip scope list')
    if (exit !== 0) process.stderr.write(`\nSKIPPED: no kmip command was tried: ${stderr}\n`)
    expect([0, 3]).toContain(exit)
  })
}
