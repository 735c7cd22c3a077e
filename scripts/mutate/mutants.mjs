// The mutants of a source file: small changes that a test ought to notice.
import { parseSync, visitorKeys } from 'oxc-parser'

/** Comparisons become the boundary beside them and their opposite, arithmetic the inverse operation. */
const operators = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
}

/** Methods whose neighbour does something else with the same arguments; `undefined` drops the call. */
const methods = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  find: 'findLast',
  indexOf: 'lastIndexOf',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  floor: 'ceil',
  ceil: 'floor',
  filter: undefined,
  trim: undefined,
  trimEnd: undefined,
  toSorted: undefined,
  toReversed: undefined,
  slice: undefined,
}

/** Types around an expression, which is mutated like any other. */
const wrappers = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])

/** Each as `{ start, end, text, kind, place }`: the text that replaces a range, and the function it is in (0: the module). */
export function mutantsOf(source) {
  const { program, errors } = parseSync('source.ts', source)
  if (errors.length > 0) throw new Error(errors[0].message)
  const found = []
  let functions = 0
  const text = (node) => source.slice(node.start, node.end)
  const visit = (node, parent, key, place) => {
    if (node.type.startsWith('TS') && !wrappers.has(node.type)) return
    if (node.type === 'ImportDeclaration' || node.type === 'ImportExpression' || typeof node.directive === 'string')
      return
    if ((node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration') && node.source !== null) return
    const add = (target, replacement, kind) =>
      found.push({ start: target.start, end: target.end, text: replacement, kind, place })
    mutations[node.type]?.(node, add, { text, source, parent, key })
    const inner = isFunction(node) ? (functions += 1) : place
    for (const name of visitorKeys[node.type] ?? []) {
      for (const child of [node[name]].flat()) if (child?.type !== undefined) visit(child, node, name, inner)
    }
  }
  visit(program, undefined, undefined, 0)
  return found.filter((mutant) => parseSync('source.ts', mutated(source, mutant)).errors.length === 0)
}

/** The source with one mutant in it. */
export function mutated(source, { start, end, text }) {
  return source.slice(0, start) + text + source.slice(end)
}

const mutations = {
  BinaryExpression: binary,
  LogicalExpression(node, add, tools) {
    if (node.operator === '??') add(node, `(${tools.text(node.right)})`, 'operator')
    else binary(node, add, tools)
  },
  AssignmentExpression(node, add, { source }) {
    if (isText(node.right)) return
    for (const other of operators[node.operator] ?? []) add(between(source, node, node.operator), other, 'operator')
  },
  UnaryExpression(node, add, { text }) {
    if (node.operator === '!' || node.operator === '-') add(node, text(node.argument), 'operator')
  },
  UpdateExpression(node, add, { text }) {
    add(node, node.operator === '++' ? `${text(node.argument)}--` : `${text(node.argument)}++`, 'operator')
  },
  IfStatement: condition,
  ConditionalExpression: condition,
  WhileStatement(node, add) {
    add(node.test, 'false', 'condition')
  },
  Literal(node, add, { text, parent, key }) {
    if (key === 'key' || parent.type === 'TSLiteralType') return
    if (typeof node.value === 'number') {
      add(node, String(node.value + 1), 'number')
      add(node, node.value === 0 ? '-1' : String(node.value - 1), 'number')
    } else if (typeof node.value === 'bigint') add(node, `${node.value + 1n}n`, 'number')
    else if (typeof node.value === 'boolean') add(node, String(!node.value), 'boolean')
    else if (typeof node.value === 'string') add(node, node.value === '' ? "'mutant'" : "''", 'string')
    else if (node.regex !== undefined) anchors(text(node)).forEach((other) => add(node, other, 'pattern'))
  },
  TemplateLiteral(node, add, { parent }) {
    if (parent.type !== 'TaggedTemplateExpression') add(node, '``', 'string')
  },
  ArrayExpression(node, add, { parent }) {
    // An empty tuple of a table rarely type-checks, so only lists.
    if (node.elements.length > 0 && parent.type !== 'ArrayExpression') add(node, '[]', 'list')
  },
  CallExpression(node, add, { text }) {
    const { callee } = node
    if (callee.type !== 'MemberExpression' || callee.computed || !Object.hasOwn(methods, callee.property.name)) return
    const other = methods[callee.property.name]
    if (other === undefined) add(node, text(callee.object), 'call')
    else add(callee.property, other, 'call')
  },
  ExpressionStatement(node, add) {
    add(node, ';', 'removal')
  },
  ThrowStatement(node, add) {
    add(node, ';', 'removal')
  },
  ReturnStatement(node, add, { text }) {
    // What is false is seldom told apart from what is undefined; it becomes true, too.
    if (node.argument !== null && !['undefined', 'false'].includes(text(node.argument)))
      add(node, 'return undefined as never', 'return')
  },
}

function binary(node, add, { source }) {
  if (node.operator === '+' && (isText(node.left) || isText(node.right))) return
  for (const other of operators[node.operator] ?? []) add(between(source, node, node.operator), other, 'operator')
}

function condition(node, add) {
  add(node.test, 'true', 'condition')
  add(node.test, 'false', 'condition')
}

/** The range of the operator between the sides of a node. */
function between(source, { left, right }, operator) {
  const gap = source.slice(left.end, right.start)
  // Comments and parentheses may be in between, but never the operator itself.
  const start = left.end + gap.indexOf(operator)
  return { start, end: start + operator.length }
}

function anchors(pattern) {
  const without = [pattern.replace(/^\/\^/, '/'), pattern.replace(/(?<!\\)\$(\/[a-z]*)$/, '$1')]
  return without.filter((other) => other !== pattern && !other.startsWith('//'))
}

const isText = ({ type, value }) => type === 'TemplateLiteral' || typeof value === 'string'
const isFunction = ({ type, body }) =>
  body !== null &&
  (type === 'ArrowFunctionExpression' || type === 'FunctionExpression' || type === 'FunctionDeclaration')

/** The source with a call of `hit(place)` at the start of each function, counted as in {@link mutantsOf}. */
export function withHits(source, hit) {
  const { program } = parseSync('source.ts', source)
  const inserts = []
  let functions = 0
  const visit = (node) => {
    if (node.type.startsWith('TS') && !wrappers.has(node.type)) return
    if (node.type === 'ImportDeclaration' || node.type === 'ImportExpression' || typeof node.directive === 'string')
      return
    if ((node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration') && node.source !== null) return
    if (isFunction(node)) {
      functions += 1
      const { body } = node
      if (body.type === 'BlockStatement') inserts.push([body.start + 1, `${hit(functions)};`])
      else {
        // The parentheses around an expression are not part of its range.
        const arrow = source.lastIndexOf('=>', body.start)
        inserts.push([arrow + 2, `(${hit(functions)},`], [node.end, ')'])
      }
    }
    for (const name of visitorKeys[node.type] ?? []) {
      for (const child of [node[name]].flat()) if (child?.type !== undefined) visit(child)
    }
  }
  visit(program)
  let changed = source
  for (const [at, inserted] of inserts.toSorted(([a], [b]) => b - a))
    changed = changed.slice(0, at) + inserted + changed.slice(at)
  return `${hit(0)};${changed}`
}
