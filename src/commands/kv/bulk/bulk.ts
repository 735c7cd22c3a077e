import type { Endings } from '../../../bulk/endings.ts'
import { createEndings as endingsOf } from '../../../bulk/endings.ts'
import { secretsAtOnce } from '../../../bulk/flags.ts'
import type { Io } from '../../../core/context.ts'
import { TugError } from '../../../core/errors.ts'

/** One item of a bulk operation that failed. */
export interface Failure {
  readonly what: string
  readonly error: TugError
}

/** Decides which failures end a bulk operation on secrets. */
export function createEndings(): Endings {
  return endingsOf(secretsAtOnce)
}

/** Lets a few calls run at a time; the others, from wherever they come, wait their turn. */
export function limiter(most = secretsAtOnce): <T>(call: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (call) => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go))
    else running += 1
    try {
      return await call()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

const mostNamed = 20

/** Throws the failures of a bulk operation as one error: the failure itself if nothing else was tried, else "partial". */
export function throwFailures(failures: readonly Failure[], done: number, isPartial = done > 0): void {
  const [first] = failures
  if (first === undefined) return
  const lines = failures.slice(0, mostNamed).map(({ what, error }) => lineOf(what, error))
  if (failures.length > mostNamed) lines.push(`and ${failures.length - mostNamed} more`)
  const alike = failures.every(({ error }) => error.code === first.error.code)
  const total = failures.length + done
  throw new TugError(
    !isPartial && alike ? first.error.code : 'partial',
    total === 1 ? lines.join('') : [`${failures.length} of ${total} failed`, ...lines].join('\n  '),
    { hints: [...new Set(failures.flatMap(({ error }) => error.hints))].slice(0, 3) },
  )
}

/** Names each failed item on stderr, up to a screenful. */
export function warnFailures(io: Io, failures: readonly Failure[]): void {
  for (const { what, error } of failures.slice(0, mostNamed)) io.warn(lineOf(what, error))
  if (failures.length > mostNamed) io.warn(`and ${failures.length - mostNamed} more`)
}

/** An item and its failure, whose message may begin with the item itself. */
function lineOf(what: string, { message }: TugError): string {
  return message.startsWith(`${what} `) ? message : `${what}: ${message}`
}
