import { entriesOf, isObject, objectFrom, type Json } from '../../../core/json.ts'

/** Members whose own name is a product's, and the spec's word for each (contract a). */
const neutralNames: Readonly<Record<string, string>> = {
  NomadTokenID: 'SchedulerTokenID',
  VaultNamespace: 'SecretsNamespace',
  VaultToken: 'SecretsToken',
  ConsulToken: 'DiscoveryToken',
  VaultError: 'SecretsError',
  Vault: 'Secrets',
}

const productNames = Object.fromEntries(Object.entries(neutralNames).map(([product, neutral]) => [neutral, product]))

/** Members that hold names of the user's own. */
const free = new Set(['Config', 'Env', 'Meta', 'Headers', 'Header', 'Details', 'VariableFlags', 'Source'])

/** An answer in the words of the spec. A task's newer member `Secrets` gives way to the one that the spec calls so. */
export function neutralWords(value: Json): Json {
  return renamed(value, neutralNames)
}

/** A request in the words of the spec, in the scheduler's own. */
export function productWords(value: Json): Json {
  return renamed(value, productNames)
}

function renamed(value: Json, names: Readonly<Record<string, string>>): Json {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names))
  if (!isObject(value)) return value
  const targets = new Set(Object.keys(value).map((key) => names[key]))
  const entries = entriesOf(value)
    .filter(([key]) => !targets.has(key))
    .map(([key, item]) => [names[key] ?? key, free.has(key) ? item : renamed(item, names)] as const)
  return objectFrom(entries)
}
