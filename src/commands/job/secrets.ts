import { revertTokens } from '../../api/scheduler-dialect.ts'
import type { Io } from '../../core/context.ts'
import type { Json } from '../../core/json.ts'
import { entriesOf, isObject } from '../../core/json.ts'
import { urlSecrets } from '../../core/secret-names.ts'
import { looksSecret } from '../../output/redact.ts'
import { secretsIn } from '../../output/secret-text.ts'

const tokenNames: readonly string[] = revertTokens.flat()

const task = 'TaskGroups.*.Tasks.*'

/** Members of services, of groups and of tasks. */
const placesInServices = [
  'Meta',
  'CanaryMeta',
  'Tags',
  'CanaryTags',
  'Checks.*.Header',
  'Checks.*.Args',
  'Checks.*.Body',
].concat(
  ['SidecarTask.Env', 'SidecarTask.Config', 'SidecarService.Proxy.Config', 'SidecarService.Tags'].map(
    (one) => `Connect.${one}`,
  ),
)

/** Members of a driver's configuration. */
const placesInConfig = [
  'auth',
  'args',
  'command',
  'entrypoint',
  'env',
  'environment',
  'labels',
  'logging',
  'mount',
  'mounts',
]

/** Paths in a job that may contain secrets; `*` is any item or name. Used by traces, dry runs and messages. */
const placesInJob = [
  ...tokenNames,
  'Meta',
  'Payload',
  'TaskGroups.*.Meta',
  'TaskGroups.*.Volumes.*.MountOptions',
  `${task}.Env`,
  `${task}.Meta`,
  `${task}.Actions.*.Args`,
  `${task}.Templates.*.EmbeddedTmpl`,
  `${task}.Artifacts.*.GetterOptions`,
  `${task}.Artifacts.*.GetterHeaders`,
  ...placesInConfig.map((place) => `${task}.Config.${place}`),
  ...['TaskGroups.*', task].flatMap((holder) => placesInServices.map((place) => `${holder}.Services.*.${place}`)),
]

/** The paths of a registration that `--dry-run` and `--trace` withhold. */
export const registrationSecrets: readonly string[] = [
  ...placesInJob.map((place) => `Job.${place}`),
  'Submission.Source',
  'Submission.VariableFlags',
  'Submission.Variables',
]

/** The same for a request to parse a job file. */
export const parseSecrets: readonly string[] = ['JobHCL', 'Variables', 'VariableFlags']

/** Keeps tokens and likely secrets of a job off stderr, where a server's error may repeat them. */
export function keepJobSecrets(io: Io, job: Json): void {
  jobTree ??= treeOf(placesInJob)
  if (isObject(job)) for (const member of ['ID', 'Name']) if (typeof job[member] === 'string') io.name(job[member])
  for (const [name, text] of stringsAt(jobTree, job, '')) {
    io.name(name)
    if (tokenNames.includes(name) || looksSecret(text, name)) io.secret(text, { name })
    else keepSourceSecrets(io, text)
  }
  keepUrlSecrets(io, job)
}

/** Keeps values of variables that look like secrets off stderr. */
export function keepVariableSecrets(io: Io, variables: readonly (readonly [name: string, value: string])[]): void {
  for (const [name, value] of variables) {
    io.name(name)
    if (looksSecret(value, name)) io.secret(value, { name })
  }
}

/** Keeps likely secrets in an HCL file, or another text of a job, off stderr, where messages quote its lines. */
export function keepSourceSecrets(io: Io, source: string): void {
  for (const [secret, name] of secretsIn(source)) io.secret(secret, { name })
}

/** Paths as a tree, by key; an empty one is the end of a path, and stands for everything below. */
interface PathTree extends Map<string, PathTree> {}

let jobTree: PathTree | undefined

function treeOf(paths: readonly string[]): PathTree {
  const root: PathTree = new Map()
  for (const path of paths) {
    let tree = root
    for (const key of path.split('.')) {
      const below: PathTree = tree.get(key) ?? new Map()
      tree.set(key, below)
      tree = below
    }
  }
  return root
}

/** The strings at the paths of a tree, each with its key. */
function* stringsAt(tree: PathTree, value: Json, name: string): Generator<[name: string, text: string]> {
  if (typeof value === 'string') {
    if (tree.size === 0 && value !== '') yield [name, value]
  } else if (Array.isArray(value)) {
    for (const item of value) yield* stringsAt(tree.get('*') ?? tree, item, name)
  } else if (isObject(value)) {
    for (const [key, item] of entriesOf(value)) {
      const below = tree.size === 0 ? tree : (tree.get(key) ?? tree.get('*'))
      if (below !== undefined) yield* stringsAt(below, item, key)
    }
  }
}

function keepUrlSecrets(io: Io, value: Json): void {
  if (typeof value === 'string') for (const secret of urlSecrets(value)) io.secret(secret)
  if (Array.isArray(value)) for (const item of value) keepUrlSecrets(io, item)
  else if (isObject(value)) for (const [, item] of entriesOf(value)) keepUrlSecrets(io, item)
}
