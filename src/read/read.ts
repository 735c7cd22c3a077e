import { asJson, printWarningsIn } from '../core/answer.ts'
import type { Command, CommandDeclaration, View } from '../core/command.ts'
import { command } from '../core/command.ts'
import type { Context } from '../core/context.ts'
import type { Endpoint, RouteNames, SettingNames } from '../core/endpoint.ts'
import { requestOf } from '../core/endpoint.ts'
import { isRedrawn } from '../core/environment.ts'
import { TugError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { Input, Params } from '../core/param.ts'
import { flag, query } from '../core/param.ts'
import type { HttpRequest } from '../core/request.ts'

/** Flags of reads that support blocking queries. */
export const watchFlags = {
  watch: flag.boolean('show it again on every change, until Ctrl-C'),
  stale: query.boolean('accept an answer from a server behind the leader'),
} as const

/** The response to a read. */
interface Answer<T> {
  readonly value: T
  /** The server's bytes, for `--raw`, if they are the result. */
  readonly body?: Uint8Array
}

/**
 * A read: one GET, filled by its path and query params, and a view of the response. The rest is for responses that need more. An
 * endpoint that supports blocking queries adds `--watch` and `--stale`.
 */
export interface ReadDeclaration<R extends string, P extends Params, T, A> extends Omit<
  CommandDeclaration<P>,
  'run' | 'endpoint'
> {
  readonly endpoint: Endpoint<R, T>
  /** Sends the request in another way, such as a list in the form that the server supports. */
  readonly send?: (context: Context, request: HttpRequest<T>, input: Input<P>) => Promise<Answer<A>>
  /** Rewords the error of a failed request, such as a 404 without a message. */
  readonly failure?: (error: TugError, input: Input<P>, context: Context) => TugError | Promise<TugError>
  /** The part of the response that is the result; by default the whole body. Throws if the response lacks it. */
  readonly select?: (answer: A, input: Input<P>, context: Context) => unknown
  /** How the result is shown. `answer` is undefined with `--watch`. */
  readonly view: View | ((input: Input<P>, context: Context, answer: A | undefined) => View | Promise<View>)
  /** Called after the result was printed, for messages on stderr. */
  readonly finish?: (answer: A, input: Input<P>, context: Context) => void
}

/** Declares a command that reads one thing from a service. */
export function read<const R extends string, const P extends Params, T, A = T>(
  declaration: ReadDeclaration<R, P, T, A> & {
    readonly params: Record<Exclude<RouteNames<R>, SettingNames>, P[string]>
  },
): Command {
  const { endpoint, send, failure, select, view, finish, params: declared, ...rest } = declaration
  const params: Params = endpoint.blocking === true ? { ...declared, ...watchFlags } : declared
  const sent = send ?? (sendOnce as unknown as NonNullable<typeof send>)
  return {
    ...command({
      ...rest,
      endpoint,
      params,
      run: async (typed, context) => {
        const input = typed as Input<P>
        const request = requestOf(endpoint, params, typed)
        const selected = (answer: A) => asJson(select === undefined ? answer : select(answer, input, context))
        const shown = async (answer?: A) => (typeof view === 'function' ? view(input, context, answer) : view)
        if (typed['watch'] === true) {
          return { snapshots: snapshots(context, request as unknown as HttpRequest<A>, selected), view: await shown() }
        }
        const { value, body } = await sent(context, request, input).catch(async (error: unknown) => {
          throw failure !== undefined && error instanceof TugError ? await failure(error, input, context) : error
        })
        return {
          data: selected(value),
          view: await shown(value),
          ...(body === undefined ? {} : { rawBody: body }),
          ...(finish === undefined ? {} : { finish: () => finish(value, input, context) }),
        }
      },
    }),
    isRead: true,
  }
}

/** Successive states of a response, as it changes. */
export async function* snapshots<T>(
  context: Context,
  request: HttpRequest<T>,
  select: (answer: T) => unknown = (answer) => answer,
): AsyncIterable<Json> {
  const { blockingQuery } = await import('../api/blocking.ts')
  const { io, settings } = context
  const everyAnswer = isRedrawn(settings.format, io.terminal.stdout, io.env)
  for await (const { value } of blockingQuery(context, request, { everyAnswer })) yield asJson(select(value))
}

async function sendOnce<T>({ http, io }: Context, request: HttpRequest<T>): Promise<Answer<T>> {
  const response = await http.send(request)
  printWarningsIn(io, response.json())
  return response
}
