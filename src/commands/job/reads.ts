import type { Command, View, RequestDeclaration } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { Json } from '../../core/json.ts'
import type { Input, Params } from '../../core/param.ts'
import { flag, path, query } from '../../core/param.ts'
import { known } from '../../core/answer.ts'
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
interface WatchableDeclaration<R extends string, P extends Params> extends Omit<
  RequestDeclaration<R, P>,
  'output' | 'asks' | 'select' | 'failure'
> {
  /** Throws a usage error for flags that exclude each other. */
  readonly check?: (input: Input<P> & Input<typeof watchParams>) => void
  /** The part of the answer that is the result; throws if the answer doesn't have it. */
  readonly select?: (body: Json, input: Input<P>, context: Context) => Json
  /** How it is shown; `body` is the answer, undefined if answers are watched. */
  readonly view: View | ((input: Input<P>, context: Context, body: Json | undefined) => View | Promise<View>)
  /** Called after a single answer was printed, for messages on stderr. */
  readonly finish?: (body: Json, input: Input<P>, context: Context) => void
}

/** A read of one request, with `--watch` and `--stale`. */
export function watchable<const R extends string, const P extends Params>(
  declaration: WatchableDeclaration<R, P>,
): Command {
  const { endpoint, select = (body: Json) => body, view, finish, check, params: own, ...rest } = declaration
  const params = { ...own, ...watchParams }
  return command({
    ...rest,
    params,
    endpoint,
    run: async (typed, context) => {
      const input = typed as unknown as Input<P> & Input<typeof watchParams>
      check?.(input)
      const request = requestOf(endpoint, params, input)
      const shown = (body?: Json) => (typeof view === 'function' ? view(input, context, body) : view)
      if (input.watch === true) {
        return { snapshots: snapshots(context, request, (body) => select(body, input, context)), view: await shown() }
      }
      const response = await context.http.send(request)
      const body = known(response.json())
      return {
        data: select(body, input, context),
        view: await shown(body),
        rawBody: response.body,
        ...(finish === undefined ? {} : { finish: () => finish(body, input, context) }),
      }
    },
  })
}

/** The states of what a request reads, as it changes. */
export async function* snapshots(
  context: Context,
  request: HttpRequest,
  select: (body: Json) => Json = (body) => body,
): AsyncIterable<Json> {
  const options = { everyAnswer: redraws(context) }
  for await (const { body } of blockingQuery(context, request, options)) yield select(known(body))
}

/** {@link isRedrawn} for the output of a command. */
export function redraws({ io, settings }: Context): boolean {
  return isRedrawn(settings.format, io.terminal.stdout, io.env)
}
