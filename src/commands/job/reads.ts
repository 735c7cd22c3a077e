import type { Command, CommandDeclaration, View } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { Context } from '../../core/context.ts'
import type { Json } from '../../core/json.ts'
import type { Input, Params } from '../../core/param.ts'
import { flag, path, query } from '../../core/param.ts'
import type { Endpoint, HttpRequest } from '../../core/request.ts'
import { parseRoute, toRequest } from '../../core/request.ts'
import { blockingQuery } from '../../api/blocking.ts'

/** The job that a command is about; IDs are taken whole, never as a prefix. */
export const jobArgument = path.segment("the job's ID, whole", { complete: 'job' })

/** The capability that reading a job needs, and what belongs to it. */
export const readCapability = 'namespace:read-job'

/** Flags of every read that a blocking query can follow. */
export const watchParams = {
  watch: flag.boolean('show it again on every change, until Ctrl-C'),
  stale: query.boolean('let any server answer, also one that is behind the leader'),
} as const

/** What {@link watchable} takes: one read that the spec marks as supporting blocking queries. */
interface WatchableDeclaration<P extends Params> extends Omit<CommandDeclaration<P>, 'endpoints' | 'run'> {
  readonly route: string
  readonly acl?: string
  /** The part of the answer that is the result; throws where the answer means that there is none. */
  readonly select?: (body: Json, input: Input<P>, context: Context) => Json
  readonly view: View | ((input: Input<P>, context: Context) => View)
}

/** A read of one request, with `--watch` and `--stale` (spec: Blocking column; contract c). */
export function watchable<const P extends Params>(declaration: WatchableDeclaration<P>): Command {
  const { route, acl, select = (body: Json) => body, view, params: own, ...rest } = declaration
  const params = { ...own, ...watchParams }
  const facts: Endpoint = { ...parseRoute(route), ...(acl === undefined ? {} : { acl }), blocking: true }
  return command({
    ...rest,
    params,
    endpoints: [{ route, ...(acl === undefined ? {} : { acl }), blocking: true }],
    run: async (typed, context) => {
      const input = typed as unknown as Input<P> & Input<typeof watchParams>
      const request = toRequest(facts, params, input, context.settings.route)
      const shown = typeof view === 'function' ? view(input, context) : view
      if (input.watch === true && !context.http.dryRun) {
        return { snapshots: snapshots(context, request, (body) => select(body, input, context)), view: shown }
      }
      const response = await context.http.send(request)
      const body = response.json()
      if (context.http.dryRun) return undefined
      return { data: select(body, input, context), view: shown, rawBody: response.body }
    },
  })
}

/** The states of what a request reads, as it changes. */
export async function* snapshots(
  context: Context,
  request: HttpRequest,
  select: (body: Json) => Json = (body) => body,
): AsyncIterable<Json> {
  for await (const { body } of blockingQuery(context, request)) yield select(body)
}
