import * as api from '../../api/kv.ts'
import type { RequestParts } from '../../core/endpoint.ts'
import { at, text } from '../../core/answer.ts'
import type { ValueResult } from '../../core/command.ts'
import { record } from '../../core/command.ts'
import type { Context, HttpResponse } from '../../core/context.ts'
import { shellQuote } from '../../core/shell.ts'
import { TugError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectFrom } from '../../core/json.ts'
import type { HttpRequest } from '../../core/request.ts'
import { registerSecrets } from './read.ts'
import { misplaced } from './place.ts'
import { readableTime } from './versions.ts'
import { sayWarnings } from '../../api/secrets-warnings.ts'

/** A write's answer: the metadata of the new version. */
export interface Written {
  readonly version: Json
  readonly answer: Json
  readonly response: HttpResponse
}

/** POST of a secret's whole value; without `cas`, it replaces any version. */
export async function writeSecret(
  context: Context,
  path: string,
  data: JsonObject | null,
  cas: Json | undefined,
): Promise<Written> {
  const request = api.writeData({ path }, dataParts(context, path, data, cas))
  try {
    return written(context, path, await sendWrite(context, path, request))
  } catch (error) {
    // A server may echo what it refused.
    registerSecrets(context.io, data, path)
    throw error
  }
}

/** Creates a secret; with `force`, writes a new version of an existing one. */
export async function writeNew(
  context: Context,
  path: string,
  data: JsonObject | null,
  force: boolean,
): Promise<Written> {
  try {
    return await writeSecret(context, path, data, force ? undefined : 0)
  } catch (error) {
    if (force || !(error instanceof TugError) || error.code !== 'conflict') throw error
    throw error.with({
      message: `${path} exists already; nothing was written to it (${error.message})`,
      hints: ['--force writes a new version of it'],
    })
  }
}

/** What a write of data adds to its route; check-and-set makes it safe to repeat. */
export function dataParts(
  context: Context,
  path: string,
  data: JsonObject | null,
  cas: Json | undefined,
): RequestParts {
  return {
    body: dataBody(data, cas),
    secretBody: ['data'],
    guarded: cas !== undefined,
    findOut: context.commandLine('kv history', path),
  }
}

/** `{data, options: {cas}}`. */
function dataBody(data: JsonObject | null, cas: Json | undefined): JsonObject {
  return objectFrom([['data', data], ...(cas === undefined ? [] : [['options', { cas }] as const])])
}

const hinted = new WeakSet<Context>()

/** Sends a write; adds hints to its failure and prints its warnings. */
export async function sendWrite(context: Context, path: string, request: HttpRequest): Promise<HttpResponse> {
  const hint = misplaced(context, path)
  if (hint !== undefined && !hinted.has(context)) context.io.hint(hint)
  hinted.add(context)
  try {
    const response = await context.http.send(request)
    sayWarnings(context.io, response)
    return response
  } catch (error) {
    throw error instanceof TugError ? explained(error, path, request) : error
  }
}

function explained(error: TugError, path: string, { method }: HttpRequest): TugError {
  const add = (...hints: string[]) => error.with({ hints: [...error.hints, ...hints] })
  const { message } = error
  if (/did not match/.test(message)) return add(`current version: tug kv history ${shellQuote(path)}`)
  if (/check-and-set parameter required/.test(message)) {
    return add(
      `its writes must name the version they replace: tug kv put ${shellQuote(path)} … --cas <n> does; tug kv set reads and names it itself`,
    )
  }
  if (/maximum number of strings/.test(message)) {
    return add(
      'this server takes at most 1,000 strings (keys and values) in a request: write a part with tug kv put, add the rest with tug kv patch',
    )
  }
  if (error.facts.status === 413) return add('servers take at most 32 MiB in a request')
  if (method === 'PATCH' && (error.facts.status === 403 || error.facts.status === 405)) {
    return add(`tug kv set does it by reading and writing, which needs read and update on ${path} instead of patch`)
  }
  if (method === 'PATCH' && /resource does not exist/.test(message)) {
    return add(`its value is null, which cannot be patched; write it with tug kv put ${shellQuote(path)}`)
  }
  return error
}

/** The new version from a write's answer. Throws if there is none: a version 1 engine stored a literal key. */
export function written(context: Context, path: string, response: HttpResponse): Written {
  const answer = response.status === 204 ? null : (at(response.json(), 'data') ?? null)
  const version = at(answer, 'version')
  if (version !== undefined) return { version, answer, response }
  const { mount } = context.settings.route
  if (response.status !== 204) {
    throw new TugError('failed', 'the answer has no version, so it is unknown whether anything was written', {
      status: response.status,
      service: 'secrets',
    })
  }
  throw new TugError(
    'failed',
    `'${mount}' is no version-2 engine: it stored the whole request as the plain key 'data/${path}' (members data and options), not as a version of ${path}`,
    {
      status: 204,
      service: 'secrets',
      hints: [
        `remove it: ${context.commandLine('api secrets DELETE', `${mount}/data/${path}`)}`,
        'version-1 engines have no versions: name another mount by --mount',
      ],
    },
  )
}

const version = { name: 'version', value: (value: Json) => at(value, 'version') }
const createdTime = {
  name: 'created_time',
  value: (value: Json) => at(value, 'created_time'),
  show: (value: Json) => readableTime(text(value, 'created_time') ?? ''),
}
const others = ['deletion_time', 'destroyed', 'custom_metadata'].map((name) => ({
  name,
  value: (value: Json) => at(value, name),
}))

/** A write's answer as a result: the new version and any other useful members. */
export function writtenResult({ answer, response }: Written): ValueResult {
  const telling = others.filter(({ value }) => ![null, undefined, '', false].includes(value(answer) as null))
  const view = record<Json>([version, createdTime, ...telling], (value) => text(value, 'version') ?? '')
  return { data: answer, view, rawBody: response.body }
}
