import type { Command, View, RequestDeclaration } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { Json } from '../../core/json.ts'
import type { Input, Params } from '../../core/param.ts'
import { flag, path, query } from '../../core/param.ts'
import { asJson } from '../../core/answer.ts'
import { requestOf } from '../../core/endpoint.ts'
import type { HttpRequest } from '../../core/request.ts'
import { isRedrawn } from '../../core/environment.ts'
import { blockingQuery } from '../../api/blocking.ts'

/** The job argument: a whole ID, never a prefix. */
export const jobArgument = path.segment("the job's whole ID", { complete: 'job' })

/** Flags of every read that supports blocking queries. */
export const watchParams = {
  watch: flag.boolean('show it again on every change, until Ctrl-C'),
  stale: query.boolean('accept an answer from any server, even one behind the leader'),
} as const

/** What {@link watchable} takes: a read that supports blocking queries. */
interface WatchableDeclaration<R extends string, P extends Params, T> extends Omit<
  RequestDeclaration<R, P, T>,
  'output' | 'select'
> {
  /** Throws a usage error for flags that cannot be used together. */
  readonly check?: (input: Input<P> & Input<typeof watchParams>) => void
  /** The part of the answer that is the result; throws if the answer doesn't have it. */
  readonly select?: (answer: T, input: Input<P>, context: Context) => unknown
  /** How it is shown; `answer` is undefined if answers are watched. */
  readonly view: View | ((input: Input<P>, context: Context, answer: T | undefined) => View | Promise<View>)
  /** Called after a single answer was printed, for messages on stderr. */
  readonly finish?: (answer: T, input: Input<P>, context: Context) => void
}

/** A read of one request, with `--watch` and `--stale`. */
export function watchable<const R extends string, const P extends Params, T>(
  declaration: WatchableDeclaration<R, P, T>,
): Command {
  const { endpoint, select = (answer: T): unknown => answer, view, finish, check, params: own, ...rest } = declaration
  const params = { ...own, ...watchParams }
  return command({
    ...rest,
    params,
    endpoint,
    run: async (typed, context) => {
      const input = typed as unknown as Input<P> & Input<typeof watchParams>
      check?.(input)
      const request = requestOf(endpoint, params, input)
      const shown = (answer?: T) => (typeof view === 'function' ? view(input, context, answer) : view)
      if (input.watch === true) {
        return {
          snapshots: snapshots(context, request, (answer) => select(answer, input, context)),
          view: await shown(),
        }
      }
      const response = await context.http.send(request)
      const answer = response.value
      return {
        data: asJson(select(answer, input, context)),
        view: await shown(answer),
        rawBody: response.body,
        ...(finish === undefined ? {} : { finish: () => finish(answer, input, context) }),
      }
    },
  })
}

/** The states of what a request reads, as it changes. */
export async function* snapshots<T>(
  context: Context,
  request: HttpRequest<T>,
  select: (answer: T) => unknown = (answer) => answer,
): AsyncIterable<Json> {
  const options = { everyAnswer: redraws(context) }
  for await (const { value } of blockingQuery(context, request, options)) yield asJson(select(value))
}

/** {@link isRedrawn} for the output of a command. */
export function redraws({ io, settings }: Context): boolean {
  return isRedrawn(settings.format, io.terminal.stdout, io.env)
}
