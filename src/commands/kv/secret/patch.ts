import * as api from '../../../api/kv.ts'
import type { HttpResponse } from '../../../core/connection.ts'
import type { Context } from '../../../core/context.ts'
import { mergePatch } from '../../../core/endpoint.ts'
import { TugError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Decision } from '../../../write/work.ts'
import { unseen } from '../../../write/work.ts'
import { changeWords, keyChanges, keyFacts, mapOf, patched, registerSecrets, same } from '../data/values.ts'
import { momentOf, stateOf } from '../data/versions.ts'
import { refuseVersion1 } from '../mount/engine.ts'
import { failureFor404, goneVersionIn } from './missing.ts'
import type { Gone } from './read.ts'
import { findSecret } from './read.ts'
import { checkVersion, dataParts, guardedBy, sendWrite, writtenVersion } from './write.ts'

/** What a merge patch would do to a secret. Throws for a missing secret, and a conflict if the latest version is not live. */
export async function decidePatch(
  context: Context,
  path: string,
  data: JsonObject,
  cas: number | undefined,
): Promise<Decision> {
  const current = await findSecret(context, path).catch((error: unknown) => {
    if (error instanceof TugError && error.code === 'not_allowed') return undefined
    throw error
  })
  if (current?.state === 'missing') throw await current.explain()
  if (current !== undefined && current.state !== 'live') throw patchOfGone(context, path, current.error, current)
  // The server applies the merge patch.
  const parts = dataParts(data, cas)
  const request = api.patchData({ path }, { ...parts, ...mergePatch(parts.body ?? null), allow: [404] })
  const applying = (from: number | undefined, changes: readonly string[]) =>
    guardedBy(cas, async ({ context: own }) => {
      const response = await sendWrite(own, path, request, (error, missing) =>
        missing === undefined ? withPatchHints(own, path, error) : patchFailure(own, missing, path),
      )
      return writtenVersion(own, path, response, { from, changes: () => changes })
    })
  if (current === undefined) {
    await refuseVersion1(context, `data/${path}`)
    return { ...unseen, ...applying(undefined, []) }
  }
  const { version, metadata } = current
  registerSecrets(context.io, current.data, path)
  checkVersion(context, path, current, cas)
  const before = mapOf(current.data)
  const after = patched(before, data)
  const keys = keyChanges(before, after)
  const facts = keyFacts(keys)
  if (same(before, after) && (metadata.deletion_time ?? '') === '')
    return { action: 'unchanged', words: `unchanged at version ${version}`, facts, guard: version }
  const changes = changeWords(keys)
  return { action: 'change', words: changes.join('   '), facts, guard: version, ...applying(version, changes) }
}

/** The error of a refused patch, with what to do about it. */
function withPatchHints(context: Context, path: string, error: TugError): TugError {
  const line = (words: string) => `${context.commandLine(words, path)} key=value`
  const isForbidden = error.facts.status === 403 || error.facts.status === 405
  if (!isForbidden && !/resource does not exist/.test(error.message)) return error
  const hint = isForbidden
    ? `kv set reads and writes instead, which needs read and update on ${path}: ${line('kv set')}`
    : `its value is null, which cannot be patched; write a new one: ${line('kv put')}`
  return error.with({ hints: [...error.hints, hint] })
}

/** The error for a 404: a deleted version if the answer has its metadata, else a missing secret (docs/servers.md, Patching). */
function patchFailure(context: Context, response: HttpResponse, path: string): TugError {
  const data = goneVersionIn(response)
  // Servers put the metadata directly into `data`; one level deeper is read too.
  const metadata = data?.metadata ?? data
  const version = metadata?.version ?? undefined
  if (metadata === undefined || version === undefined) return failureFor404(context, response, path, undefined)
  const state = stateOf(metadata, momentOf(context, response)) === 'destroyed' ? 'destroyed' : 'deleted'
  return patchOfGone(context, path, response.failure(), { version, state })
}

/** The conflict of a patch with a deleted or destroyed version. */
function patchOfGone(
  { commandLine }: Context,
  path: string,
  failure: TugError,
  { version, state }: Pick<Gone, 'version' | 'state'>,
): TugError {
  return failure.with({
    code: 'conflict',
    message: `the latest version (${version}) is ${state}, and only a live one can be patched`,
    reason: `version_${state}`,
    hints: [
      ...(state === 'deleted' ? [`undelete it first: ${commandLine('kv undelete', path)}`] : []),
      `write a new value: ${commandLine('kv put', path, ['--cas', String(version)])} key=value`,
    ],
  })
}
