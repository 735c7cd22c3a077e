import { text as textAt } from '../../../core/answer.ts'
import { usageError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, isObject, keysOf, objectFrom } from '../../../core/json.ts'
import { flag } from '../../../core/param.ts'
import { below } from './paths.ts'
import { mapOf } from './values.ts'

// What other tools write, as secrets by their paths. A secret without a path of its own has the path ''.

const formNames = ['tug', 'medusa', 'vkv', 'kubernetes'] as const

/** The form of a file of secrets. */
export type Form = (typeof formNames)[number]

export const formFlag = flag.choice('what wrote the file, if it cannot be recognized', formNames)

type Secrets = (readonly [path: string, data: JsonObject | null])[]

/** The form of a file that only one tool writes. */
export function formOf(map: JsonObject): Form {
  if (map['apiVersion'] === 'v1' && map['kind'] === 'Secret') return 'kubernetes'
  const keys = keysOf(map)
  return keys.length > 0 && keys.every((key) => key.endsWith('/')) ? 'vkv' : 'tug'
}

/** The secrets in a file of another tool. Throws usage errors that never contain a value. */
export function readForm(map: JsonObject, form: Exclude<Form, 'tug'>, label: string): Secrets {
  if (form === 'kubernetes') return [['', kubernetesSecret(map, label)]]
  return form === 'medusa' ? nestedSecrets(map, '') : vkvSecrets(map, label)
}

/** Maps of maps: each name is a segment of a path, and what isn't a map is a key of the secret there. */
function nestedSecrets(map: JsonObject, path: string): Secrets {
  const entries = entriesOf(map)
  const data = entries.filter(([, value]) => !isObject(value))
  const own: Secrets = data.length > 0 || (entries.length === 0 && path !== '') ? [[path, objectFrom(data)]] : []
  return [
    ...own,
    ...entries.flatMap(([name, value]) => (isObject(value) ? nestedSecrets(value, below(path, name)) : [])),
  ]
}

/** The engine, whose name is dropped, and below it folders, which end with a slash, and secrets. */
function vkvSecrets(map: JsonObject, label: string): Secrets {
  const [engine, ...others] = entriesOf(map)
  if (engine === undefined || others.length > 0)
    throw usageError(`${label} has ${others.length + 1} engines; import one at a time`)
  const walk = (folder: Json, path: string): Secrets =>
    entriesOf(mapOf(folder)).flatMap(([name, value]): Secrets => {
      if (name.endsWith('/')) return walk(value, below(path, name.slice(0, -1)))
      if (!isObject(value)) throw usageError(`${label}: '${below(path, name)}' is not a map of keys and values`)
      return [[below(path, name), value]]
    })
  const secrets = walk(engine[1], '')
  const values = secrets.flatMap(([, data]) => Object.values(data ?? {}))
  if (values.length > 0 && values.every((value) => typeof value === 'string' && /^\*+$/.test(value)))
    throw usageError(`${label} has masks in place of values`, 'export it again with vkv export --show-values')
  return secrets
}

/** A Kubernetes Secret: `data` is base64, and `stringData`, which is text, comes last. */
function kubernetesSecret(map: JsonObject, label: string): JsonObject {
  const decoded = entriesOf(mapOf(map['data'])).map(([key, value]) => {
    const encoded = typeof value === 'string' ? value.replace(/\s/g, '') : undefined
    if (encoded === undefined || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded))
      throw usageError(`${label}: ${key} is not base64, as in data of a Secret`)
    try {
      const bytes = Buffer.from(encoded, 'base64')
      return [key, new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)] as const
    } catch {
      throw usageError(`${label}: ${key} is not UTF-8 text; a secret has text`)
    }
  })
  return objectFrom(new Map<string, Json>([...decoded, ...entriesOf(mapOf(map['stringData']))]))
}

/** Refuses a file that SOPS has encrypted: what is readable in it are not the values. */
export function refuseEncrypted(map: JsonObject, label: string): void {
  if (textAt(map, 'sops', 'mac') === undefined && textAt(map, 'sops_mac') === undefined) return
  throw usageError(`${label} is encrypted with SOPS`, `decrypt it first: sops decrypt ${label} | tug … -`)
}
