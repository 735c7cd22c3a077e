import type { Alias, Document, Node, Pair, Scalar } from 'yaml'
import { isAlias, isScalar, isSeq, parseDocument, visit } from 'yaml'
import type { Json, JsonObject } from '../../../core/json.ts'
import { entriesOf, isObject, objectFrom, parseJson } from '../../../core/json.ts'

/** The maximum number of nodes after expanding aliases, more than any secret has. */
const mostNodes = 1_000_000

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Parses YAML 1.2. Numbers keep their digits and keys their order. Throws RangeError with the line and the reason,
 * never with a part of the text, which may be secret.
 */
export function parseYaml(text: string): Json {
  // The library compares each key with all others before it, so duplicates are found below.
  const document = parseDocument(text, { intAsBigInt: true, uniqueKeys: false, prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) throw failure(error.pos[0], reasons[error.code] ?? 'a syntax error')
  let nodes = 0
  const targets = aliasTargets(document)
  /** The aliases in scope. */
  const open = new Set<Node>()

  function failure(offset: number | undefined, reason: string): RangeError {
    return new RangeError(`line ${text.slice(0, offset ?? 0).split('\n').length}: ${reason}`)
  }

  function refuse(node: Node, reason: string): never {
    throw failure(node.range?.[0], reason)
  }

  function valueOf(node: Node | null | undefined): Json {
    nodes += 1
    if (node === null || node === undefined) return null
    if (nodes > mostNodes) refuse(node, 'aliases of aliases make it too large')
    if (isAlias(node)) return aliasOf(node)
    if (isScalar(node)) return scalarOf(node)
    if (isSeq(node)) return node.items.map((item) => valueOf(item as Node))
    return mapOf(node.items as Pair<Node, Node>[])
  }

  function aliasOf(alias: Alias): Json {
    const target = targets.get(alias)
    if (target === undefined) return refuse(alias, 'an alias (*) names an undefined anchor (&)')
    if (open.has(target)) refuse(alias, 'an alias (*) is inside its own anchor')
    open.add(target)
    const value = valueOf(target)
    open.delete(target)
    return value
  }

  function mapOf(pairs: readonly Pair<Node, Node>[]): JsonObject {
    const keys = new Set<string>()
    for (const { key } of pairs) {
      const name = keyOf(key)
      if (keys.has(name)) refuse(key, 'duplicate key')
      keys.add(name)
    }
    const own = pairs.filter(({ key }) => !isMerge(key))
    const merged = pairs.filter(({ key }) => isMerge(key)).flatMap(({ key, value }) => mergedInto(key, valueOf(value)))
    const entries = own.map(({ key, value }) => [keyOf(key), valueOf(value)] as const)
    return objectFrom(new Map([...merged, ...entries]))
  }

  /** The entries that `<<` adds: of a map, or of several, of which the first counts. A key of the map itself counts more. */
  function mergedInto(key: Node, value: Json): [string, Json][] {
    const maps = Array.isArray(value) ? value : [value]
    if (!maps.every(isObject)) return refuse(key, 'a merge (<<) of something that is not a map')
    return maps.toReversed().flatMap((map) => entriesOf(map))
  }

  function keyOf(key: Node): string {
    if (!isScalar(key)) return refuse(key, 'a key is not plain text')
    return key.source ?? String(key.value)
  }

  function scalarOf(node: Scalar): Json {
    const { value, source } = node
    if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
    if (source !== undefined && jsonNumber.test(source)) return parseJson(source)
    if (source !== undefined && /^(?:\+|-?0\d)/.test(source))
      refuse(node, 'a number begins with + or 0, which would be lost; quote it to keep it as text')
    if (typeof value === 'bigint') return parseJson(value.toString())
    if (typeof value === 'number' && Number.isFinite(value)) return value
    return refuse(node, 'a value that JSON cannot express (infinity, a date, bytes)')
  }

  return valueOf(document.contents)
}

/** True for a key that merges a map, unless it is quoted. */
function isMerge(key: Node): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.source === '<<'
}

/** The target of each alias: the last node before it with its anchor. The library would walk the document for each alias. */
function aliasTargets(document: Document.Parsed): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  visit(document, {
    Node(_, node) {
      const target = isAlias(node) ? anchors.get(node.source) : undefined
      if (isAlias(node) && target !== undefined) targets.set(node, target)
      else if (!isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node)
    },
  })
  return targets
}

const reasons: Readonly<Record<string, string>> = {
  RESOURCE_EXHAUSTION: 'nested too deeply',
  BAD_INDENT: 'wrong indentation',
  TAB_AS_INDENT: 'a tab in the indentation; use blanks',
  MULTIPLE_DOCS: 'more than one document',
  MISSING_CHAR: 'a closing quotation mark or bracket is missing',
}
