/** Cron expressions of periodic jobs: five fields, or six with seconds first, or seven with a year last; `@daily` and the like. */

const shorthands: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

interface Field {
  readonly name: string
  readonly least: number
  readonly most: number
  readonly words?: readonly string[]
}

const fields: readonly Field[] = [
  { name: 'second', least: 0, most: 59 },
  { name: 'minute', least: 0, most: 59 },
  { name: 'hour', least: 0, most: 23 },
  { name: 'day of month', least: 1, most: 31 },
  { name: 'month', least: 1, most: 12, words: months },
  { name: 'day of week', least: 0, most: 7, words: days },
]

/** The values that each field allows; undefined where it allows all. */
export type Cron = readonly (ReadonlySet<number> | undefined)[]

/** The parsed expression, or what is wrong with it in the server's words. */
export function parseCron(spec: string): Cron | { readonly fault: string } {
  const words = (shorthands[spec.trim()] ?? spec).trim().split(/\s+/)
  if (words.length < 5) return { fault: 'missing field(s)' }
  const aligned = words.length === 5 ? ['0', ...words] : words.slice(0, 6)
  const parsed: (ReadonlySet<number> | undefined)[] = []
  for (const [place, field] of fields.entries()) {
    const word = aligned[place] as string
    const values = word === '*' || word === '?' ? undefined : valuesOf(word, field)
    if (values === 'fault') return { fault: `syntax error in ${field.name} field: '${word}'` }
    parsed.push(values)
  }
  return parsed
}

function valuesOf(word: string, field: Field): ReadonlySet<number> | 'fault' {
  const values = new Set<number>()
  for (const item of word.split(',')) {
    const match = /^(\*|[\da-z]+)(?:-([\da-z]+))?(?:\/(\d+))?$/i.exec(item)
    if (match === null) return 'fault'
    const [, from, to, step] = match
    const first = from === '*' ? field.least : valueOf(from as string, field)
    const open = from === '*' || step !== undefined ? field.most : first
    const last = to === undefined ? open : valueOf(to, field)
    if (first === undefined || last === undefined || Number(step ?? 1) === 0) return 'fault'
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value)
  }
  if (field.name === 'day of week' && values.has(7)) values.add(0)
  return values
}

function valueOf(word: string, field: Field): number | undefined {
  const named = field.words?.indexOf(word.slice(0, 3).toLowerCase()) ?? -1
  if (named >= 0) return named + field.least
  const value = /^\d+$/.test(word) ? Number(word) : Number.NaN
  return value >= field.least && value <= field.most ? value : undefined
}

/** The first time after `from` that the expression names, in a time zone; undefined when none comes within five years. */
export function nextLaunch(cron: Cron, from: Date, timeZone = 'UTC'): Date | undefined {
  const offset = offsetOf(from, timeZone)
  const time = new Date(Math.floor((from.getTime() + offset) / 1000) * 1000 + 1000)
  const limit = time.getTime() + 5 * 366 * 86_400_000
  const [seconds, minutes, hours, , monthsOfYear] = cron
  while (time.getTime() < limit) {
    if (!allows(monthsOfYear, time.getUTCMonth() + 1)) toMidnight(time).setUTCMonth(time.getUTCMonth() + 1, 1)
    else if (!isDay(cron, time)) toMidnight(time).setUTCDate(time.getUTCDate() + 1)
    else if (!allows(hours, time.getUTCHours())) time.setUTCHours(time.getUTCHours() + 1, 0, 0)
    else if (!allows(minutes, time.getUTCMinutes())) time.setUTCMinutes(time.getUTCMinutes() + 1, 0)
    else if (!allows(seconds, time.getUTCSeconds())) time.setUTCSeconds(time.getUTCSeconds() + 1)
    else return new Date(time.getTime() - offset)
  }
  return undefined
}

function toMidnight(time: Date): Date {
  time.setUTCHours(0, 0, 0)
  return time
}

/** Where both day fields are restricted, either is enough. */
function isDay([, , , dayOfMonth, , dayOfWeek]: Cron, time: Date): boolean {
  const byMonth = allows(dayOfMonth, time.getUTCDate())
  const byWeek = allows(dayOfWeek, time.getUTCDay())
  return dayOfMonth !== undefined && dayOfWeek !== undefined ? byMonth || byWeek : byMonth && byWeek
}

function allows(values: ReadonlySet<number> | undefined, value: number): boolean {
  return values === undefined || values.has(value)
}

function offsetOf(time: Date, timeZone: string): number {
  if (timeZone === 'UTC' || timeZone === '') return 0
  try {
    const options = { timeZone, timeZoneName: 'longOffset' } as const
    const name = new Intl.DateTimeFormat('en', options).formatToParts(time).find((part) => part.type === 'timeZoneName')
    const match = /([+-])(\d\d):(\d\d)/.exec(name?.value ?? '')
    if (match === null) return 0
    return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) * 60_000
  } catch {
    return 0
  }
}
