import { entriesOf, isObject, objectFrom, type Json, type JsonObject } from '../../../core/json.ts'
import { objects } from '../state/documents.ts'

/** Members named after a product, and their names in the neutral dialect (docs/servers.md, Dialects). */
const neutralNames: Readonly<Record<string, string>> = {
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

const productNames = Object.fromEntries(Object.entries(neutralNames).map(([product, neutral]) => [neutral, product]))

/** Members whose keys are the user's own. */
const free = new Set(['Config', 'Env', 'Meta', 'Headers', 'Header', 'Details', 'VariableFlags', 'Source'])

/**
 * An answer in the neutral dialect. The product's newer `Secrets` of a task, a list, has the name that this dialect gives to
 * the `Vault` block, an object; a task that has both shows the latter.
 */
export function neutralWords(value: Json): Json {
  return renamed(value, neutralNames, (key, item) => (key === 'Networks' ? wholeNetworks(item) : item))
}

/** A request in the neutral dialect, in the product's names. */
export function productWords(value: Json): Json {
  return renamed(value, productNames, (_, item) => item)
}

type Change = (key: string, item: Json) => Json

function renamed(value: Json, names: Readonly<Record<string, string>>, change: Change): Json {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names, change))
  if (!isObject(value)) return value
  const given = entriesOf(value)
  const nameOf = (key: string): string => names[key] ?? key
  const replaced = new Set(given.map(([key]) => nameOf(key)).filter((name, index) => name !== given[index]?.[0]))
  const entries = given
    .filter(([key]) => !replaced.has(key))
    .map(([key, item]) => [nameOf(key), free.has(key) ? item : renamed(change(key, item), names, change)] as const)
  return objectFrom(entries)
}

const emptyNetwork = { CIDR: '', DNS: null, Device: '', IP: '', MBits: 0, Mode: '' }

/** Networks with the members that products omit when they are zero. */
function wholeNetworks(networks: Json): Json {
  if (!Array.isArray(networks)) return networks
  const port = { HostNetwork: '', Label: '', To: 0, Value: 0 }
  const whole = (network: JsonObject, key: string) => objects(network, key).map((item) => ({ ...port, ...item }))
  return networks.filter(isObject).map((network) => ({
    ...emptyNetwork,
    ...network,
    DynamicPorts: whole(network, 'DynamicPorts'),
    ReservedPorts: whole(network, 'ReservedPorts'),
  }))
}
