import { expect, test } from 'vitest'
import { credentials } from '../../support/credentials.ts'
import { startDevServer } from '../../support/dev.ts'
import { PastClock, senderTo } from '../../support/histories.ts'
import { Random } from '../../support/random.ts'
import { failure, tug } from '../../support/run.ts'
import { story } from '../../support/story.ts'

const { token } = credentials.secrets

test('how a folder goes back to a moment', () =>
  story('kv-past', [
    'kv put team/tmp a=b -q',
    'kv delete team/search/index -q',
    'kv set team/payments/ledger password=x -q',
    'kv destroy app/cache --versions 1 -q --yes',
    'kv rollback team/ --at 1m --plan',
    'kv rollback team/ --at 1m --plan --exit-code -q -o json',
    'kv rollback team/ --at 1m',
    'kv rollback team/ --at 1m --plan --exit-code',
    'kv rollback app/ --at 2026-11-14 --plan',
    'kv rollback app/ --at 2026-11-14',
    'kv rollback app/cache --at 2026-11-14',
    'kv rollback app --at 2h',
    'kv rollback app/db --at 2030-01-01',
    'kv rollback app/ --to 3',
    'kv rollback app/db --plan --to 3',
    'kv rollback app/db --at 2h --to 3',
  ]))

test.each([1, 2, 3, 4])('a folder goes back to any moment that its stored times show (%i)', async (seed) => {
  const random = new Random(seed)
  const clock = new PastClock()
  const { env, origin } = await startDevServer({ empty: true, clock })
  const send = senderTo({ origin, token, mount: 'secret' })
  const paths = Array.from({ length: 12 }, (_, index) => `f/s${index}`)
  const live = new Map<string, unknown>()
  const current = new Map<string, number>()
  const states: { moment: string; live: Map<string, unknown> }[] = []
  for (let minutes = 240; minutes > 0; minutes -= 1) {
    clock.offset = minutes * 60_000
    const path = random.pick(paths)
    const version = current.get(path) ?? 0
    if (random.chance(0.7) || version === 0) {
      const data = { n: random.next() }
      await send('POST', `data/${path}`, { data })
      current.set(path, version + 1)
      live.set(path, data)
    } else if (random.chance(0.6)) {
      await send('DELETE', `data/${path}`)
      live.delete(path)
    } else {
      const old = 1 + random.below(version)
      await send('PUT', `destroy/${path}`, { versions: [old] })
      if (old === version) live.delete(path)
    }
    states.push({ moment: new Date(Date.now() - clock.offset + 500).toISOString(), live: new Map(live) })
  }
  clock.offset = 0
  const { moment, live: wanted } = random.pick(states.slice(60))
  const plan = await tug(`kv rollback f/ --at ${moment} --plan -o json`, { env, now: new Date() })
  const lostIn = (stdout: string) =>
    (JSON.parse(stdout) as { items: { item: string; action: string }[] }).items.flatMap(({ item, action }) =>
      action === 'not_found' ? [item] : [],
    )
  const lost = lostIn(plan.stdout)
  const { exit, stdout } = await tug(`kv rollback f/ --at ${moment} -o json`, { env, now: new Date() })
  expect(exit).toBe(lost.length > 0 ? 10 : 0)
  expect(lostIn(stdout)).toEqual(lost)
  for (const path of paths.filter((one) => !lost.includes(one))) {
    const found = await send('GET', `data/${path}`)
    expect({ path, data: found?.['data'] ?? undefined }).toEqual({ path, data: wanted.get(path) })
  }
})

test('a secret that was destroyed at a moment that is not known is not guessed', async () => {
  const { env } = await startDevServer()
  await tug('kv destroy app/api --versions 1 --yes', { env })
  expect(await failure('kv rollback app/api --at 1d', { env })).toMatchObject({ exit: 3, code: 'not_found' })
})
