import { expect, test } from 'vitest'
import { catalogue, changesNothing } from './faults/lines.ts'
import { credentials } from './support/credentials.ts'
import { sharedDevServer } from './support/dev.ts'
import { exampleServer, examples, runHere, runInShell, workshop } from './support/examples.ts'

/** Examples whose exit status isn't 0. */
const endings: Readonly<Record<string, number>> = {
  // There are changes.
  'job plan web.hcl --exit-code': 9,
  'job apply jobs/ --plan --exit-code': 9,
  // A workspace has drifted since.
  "explorer diff workspaces yesterday.json -f 'drifted is true' --exit-code": 9,
  // The demo has credentials that expire within a week.
  'kmip cred list --expiring 30d --exit-code': 9,
  // One of the demo's services cannot be placed.
  'job status --filter \'Type == "service"\' --exit-code -q': 9,
}

/** Standard input. */
const piped: Readonly<Record<string, string>> = {
  'kv set app/db password=- --cas 4': 'a new one\n',
  'kv find --values - team/ --exit-code': 'a leaked one\n',
  'login explorer --address https://app.example.com --token-file -': credentials.explorer.token,
}

/** Examples that ask: the answer typed on a terminal, and what the message without a terminal names. */
const questions: Readonly<Record<string, readonly [typed: string, instead: string]>> = {
  'kv put app/queue password user=app': ['a new one\r', 'password=-'],
  'kv patch app/db password': ['a new one\r', 'password=-'],
  'kv destroy app/db --versions 1..3': ['y\n', '--yes'],
  'kv delete team/search/ --recursive': ['y\n', '--yes'],
  'kv move app/api app/gateway': ['y\n', '--yes'],
  'kv metadata delete team/payments/old-gateway': ['y\n', '--yes'],
  "explorer views delete 'Modules by use'": ['y\n', '--yes'],
  'kmip scope delete finance': ['y\n', '--yes'],
  'kmip role delete storage backup': ['y\n', '--yes'],
  'kmip cred revoke storage backup 728181095563584845125173905844944137943705466376': ['y\n', '--yes'],
  'job apply web.hcl': ['y\n', '--yes'],
  'profile delete old': ['y\n', '--yes'],
  'job stable web 2 --unset': ['y\n', '--yes'],
  'job stop web --wait': ['y\n', '--yes'],
  'job restart web': ['y\n', '--yes'],
  'job stop --filter \'Meta.owner == "team-b"\'': ['y\n', '--yes'],
  'job action web migrate': ['1\n', '--alloc'],
  'job action web hello --group app --tty': ['1\n', '--alloc'],
  'kv move app/db app/new --versions current': ['y\n', '--yes'],
  'login secrets': [`${credentials.secrets.token}\r`, '--token-file'],
}

/** What the user did before. */
const before: Readonly<Record<string, string>> = {
  // Its CSR has a key of 521 bits.
  'kmip cred sign storage backup --csr client.csr --out-dir ./client':
    'kmip role set storage backup --tls-client-key-type ec --tls-client-key-bits 521',
  'kmip scope delete finance': 'kmip scope create finance',
  'profile show': 'profile set default output=json',
  'profile use prod': 'profile set prod secrets.address=https://vault.example.com',
  'profile delete old': 'profile set old secrets.address=https://vault.example.com',
}

/** Only products are asked about. */
const askedOfProducts = new Set(['job stable web 2 --unset'])

/** Every example, with servers of the specification and with those of the products. */
const runs = (['neutral', 'hashicorp'] as const).flatMap((dialect) => examples.map((one) => ({ ...one, dialect })))

const shared = {
  neutral: sharedDevServer({ dialect: 'neutral', strict: true }),
  hashicorp: sharedDevServer({ dialect: 'hashicorp', strict: true }),
}

/** Examples that leave a server as it is. */
const reads = new Set(
  catalogue.filter(changesNothing).flatMap(({ command }) => command.examples.map(({ line }) => line)),
)

test.each(runs)('tug $line ($dialect)', async ({ line: example, shell, dialect }) => {
  const place = await workshop(
    example,
    reads.has(example) && !/\bwait\b/.test(example) ? shared[dialect]() : await exampleServer(dialect),
  )
  const first = before[example]
  if (first !== undefined) expect(await runHere({ ...place, line: first })).toMatchObject({ exit: 0 })

  const question = dialect === 'neutral' && askedOfProducts.has(example) ? undefined : questions[example]
  if (question !== undefined) {
    const unasked = await runHere(place)
    expect(unasked.exit).toBe(2)
    expect(unasked.stderr).toContain(question[1])
  }
  const terminals = question === undefined ? {} : { stdin: true, stdout: 100, stderr: 100 }
  const stdin = question?.[0] ?? piped[example] ?? ''
  const outcome = shell ? await runInShell(place) : await runHere(place, { stdin, terminals })
  const expected = endings[example] ?? (example.includes('--watch') ? 130 : 0)
  expect(outcome, `${outcome.stdout}\n${outcome.stderr}`).toMatchObject({ exit: expected })
  expect(outcome.stderr).not.toMatch(/cannot reach|internal error/)
})

test('notes on single examples refer to existing ones', () => {
  const lines = new Set(examples.map(({ line }) => line))
  const tables = [endings, piped, questions, before]
  expect(tables.flatMap(Object.keys).filter((line) => !lines.has(line))).toEqual([])
})
