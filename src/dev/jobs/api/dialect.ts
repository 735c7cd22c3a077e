import { entriesOf, isObject, objectFrom, type Json } from '../../../core/json.ts'

/** Members named after a product, and their names in the neutral dialect (docs/servers.md, Dialects). */
export const neutralNames: Readonly<Record<string, string>> = {
  NomadTokenID: 'SchedulerTokenID',
  ConsulNamespace: 'DiscoveryNamespace',
  Consul: 'Discovery',
  VaultNamespace: 'SecretsNamespace',
  VaultToken: 'SecretsToken',
  ConsulToken: 'DiscoveryToken',
  VaultError: 'SecretsError',
  VaultGrace: 'SecretsGrace',
  Vault: 'Secrets',
}

export const productNames = Object.fromEntries(
  Object.entries(neutralNames).map(([product, neutral]) => [neutral, product]),
)

/** Members whose keys are the user's own. */
const free = new Set(['Config', 'Env', 'Meta', 'Headers', 'Header', 'Details', 'VariableFlags', 'Source'])

/**
 * A document with its members renamed. The product's newer `Secrets` of a task, a list, has the name that the neutral dialect
 * gives to the `Vault` block, an object; there a task that has both shows the latter.
 */
export function renamed(value: Json, names: Readonly<Record<string, string>>): Json {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names))
  if (!isObject(value)) return value
  const given = entriesOf(value)
  const nameOf = (key: string): string => names[key] ?? key
  const replaced = new Set(given.map(([key]) => nameOf(key)).filter((name, index) => name !== given[index]?.[0]))
  const entries = given
    .filter(([key]) => !replaced.has(key))
    .map(([key, item]) => [nameOf(key), free.has(key) ? item : renamed(item, names)] as const)
  return objectFrom(entries)
}
