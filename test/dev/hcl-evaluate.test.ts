import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { complaint, value } from './hcl-support.ts'

const locals = `locals {
  names = ["b", "a"]
  ports = { http = 80, admin = 81 }
  hosts = [{ name = "n1", up = true }, { name = "n2", up = false }]
  nothing = null
  yes = true
}`

const values: readonly (readonly [expression: string, value: Json])[] = [
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['7 % 4 - -1', 4],
  ['1 / 4', 0.25],
  ['1.5e3', 1500],
  ['007', 7],
  ['!true || 2 >= 2 && 1 < 2', true],
  ['"a" == "a"', true],
  ['1 == "1"', false],
  ['[1, { a = 2 }] != [1, { a = 2 }]', false],
  ['null', null],
  ['true ? "yes" : "no"', 'yes'],
  ['false ? 1 : "2"', '2'],
  ['true ? 1 : "2"', '1'],
  ['true ? ["a"] : []', ['a']],
  ['local.yes ? 1 : [][0]', 1],
  ['"a${1 + 1}b"', 'a2b'],
  ['"${local.ports.http}"', 80],
  ['" ${local.ports.http}"', ' 80'],
  ['"tab\\t quote\\" slash\\\\ \\u00e9 \\U0001F600"', 'tab\t quote" slash\\ é 😀'],
  ['"$${x} %%{y} $x 5%"', '${x} %{y} $x 5%'],
  ['"%{ if local.yes }on%{ else }off%{ endif }"', 'on'],
  ['"%{ if false }on%{ endif }"', ''],
  ['"%{ for n in local.names }<${n}>%{ endfor }"', '<b><a>'],
  ['"%{ for k, v in local.ports ~}  ${k}=${v};%{ endfor }"', 'admin=81;http=80;'],
  ['"a  ${~ 1 ~}  b"', 'a1b'],
  ['local.names[0]', 'b'],
  ['local.names.1', 'a'],
  ['local.names[1 - 1]', 'b'],
  ['local.ports["http"]', 80],
  ['local.hosts[*].name', ['n1', 'n2']],
  ['local.hosts.*.name', ['n1', 'n2']],
  ['local.hosts[0][*].name', ['n1']],
  ['local.nothing[*]', []],
  ['[for n in local.names : upper(n)]', ['B', 'A']],
  ['[for i, n in local.names : "${i}${n}"]', ['0b', '1a']],
  ['[for h in local.hosts : h.name if h.up]', ['n1']],
  ['{ for k, v in local.ports : upper(k) => v }', { ADMIN: 81, HTTP: 80 }],
  ['{ for n in ["a", "b", "a"] : n => n... }', { a: ['a', 'a'], b: ['b'] }],
  ['{ a = 1, "b c" : 2, (local.names[0]) = 3 }', [{ a: 1, b: 3, 'b c': 2 }]],
  ['{ true = 1, if = 2 }', [{ if: 2, true: 1 }]],
  ['concat([1], [\n 2, # two\n 3,\n])', [1, 2, 3]],
  ['concat([[1], [2]]...)', [1, 2]],
  ['<<EOF\n  a\n b ${1}\nEOF', '  a\n b 1\n'],
  ['<<-EOF\n    a\n\n      b ${1}\n    EOF', 'a\n\n  b 1\n'],
  ['<<-EOF\n    ${1}\n     b\n    EOF', '1\n b\n'],
  ['<<EOF\n%{ for n in local.names ~}\n- ${n}\n%{ endfor ~}\nEOF', '- b\n- a\n'],
  ['<<EOF\n{{ env "X" }} $$ %% \\n\nEOF', '{{ env "X" }} $$ %% \\n\n'],
]

const kept: readonly string[] = [
  '${attr.kernel.name}',
  '${node.unique.id}',
  '${NOMAD_PORT_http}',
  '${meta.rack-unit}',
  '${env["HOME"]}',
  '${device.attr.memory[0]}',
]

const complaints: readonly (readonly [expression: string, complaint: string])[] = [
  ['1 + "a"', 'Invalid operand; Unsuitable value for right operand: a number is required.'],
  ['null + 1', 'Invalid operand; Unsuitable value for left operand: argument must not be null.'],
  ['[] && true', 'Invalid operand; Unsuitable value for left operand: bool required, but have tuple.'],
  ['!"maybe"', 'Invalid operand; Unsuitable value for unary operand: a bool is required.'],
  [
    '!"True"',
    'Invalid operand; Unsuitable value for unary operand: a bool is required; to convert from string, use lowercase "true".',
  ],
  ['1 / 0', 'Division by zero; Cannot divide by zero.'],
  ['null ? 1 : 2', 'Null condition; The condition value is null. Conditions must either be true or false.'],
  ['"x" ? 1 : 2', 'Incorrect condition type; The condition expression must be of type bool.'],
  [
    'true ? 1 : [1]',
    "Inconsistent conditional result types; The true and false result expressions must have consistent types. The 'true' value is number, but the 'false' value is tuple.",
  ],
  [
    '"a${null}"',
    'Invalid template interpolation value; The expression result is null. Cannot include a null value in a string template.',
  ],
  [
    '"a${[1]}"',
    'Invalid template interpolation value; Cannot include the given value in a string template: string required, but have tuple.',
  ],
  ['local.nope', 'Unsupported attribute; This object does not have an attribute named "nope".'],
  [
    'local.nothing.x',
    'Attempt to get attribute from null value; This value is null, so it does not have any attributes.',
  ],
  ['local.yes.x', "Unsupported attribute; Can't access attributes on a primitive-typed value (bool)."],
  ['local.names.x', 'Unsupported attribute; This value does not have any attributes.'],
  ['convert({ a = 1 }, map(number)).b', 'Missing map element; This map does not have an element with the key "b".'],
  ['local.nothing[0]', 'Attempt to index null value; This value is null, so it does not have any indices.'],
  ['local.names[null]', "Invalid index; Can't use a null value as an indexing key."],
  ['local.yes[0]', 'Invalid index; This value does not have any indices.'],
  [
    'local.names[2]',
    'Invalid index; The given key does not identify an element in this collection value: the given index is greater than or equal to the length of the collection.',
  ],
  [
    '[][0]',
    'Invalid index; The given key does not identify an element in this collection value: the collection has no elements.',
  ],
  [
    'local.names[-1]',
    'Invalid index; The given key does not identify an element in this collection value: a negative number is not a valid index for a sequence.',
  ],
  [
    'local.names[0.5]',
    'Invalid index; The given key does not identify an element in this collection value: indexing a sequence requires a whole number, but the given index has a fractional part.',
  ],
  [
    'local.names["x"]',
    'Invalid index; The given key does not identify an element in this collection value: a number is required.',
  ],
  [
    'local.ports[0]',
    'Invalid index; The given key does not identify an element in this collection value. An object only supports looking up attributes by name, not by numeric index.',
  ],
  [
    'toset(["a"])[0]',
    "Invalid index; Elements of a set are identified only by their value and don't have any separate index or key to select with, so it's only possible to perform operations across all elements of the set.",
  ],
  [
    '[for x in null : x]',
    "Iteration over null value; A null value cannot be used as the collection in a 'for' expression.",
  ],
  [
    '[for x in 5 : x]',
    "Iteration over non-iterable value; A value of type number cannot be used as the collection in a 'for' expression.",
  ],
  ['[for x in [1] : x if null]', "Condition is null; The value of the 'if' clause must not be null."],
  ['[for x in [1] : x if "x"]', "Invalid 'for' condition; The 'if' clause value is invalid: a bool is required."],
  [
    '{ for x in ["a", "a"] : x => x }',
    'Duplicate object key; Two different items produced the key "a" in this \'for\' expression. If duplicates are expected, use the ellipsis (...) after the value expression to enable grouping by key.',
  ],
  [
    '{ for x in [1] : null => x }',
    "Invalid object key; Key expression in 'for' expression must not produce a null value.",
  ],
  ['{ (null) = 1 }', "Null value as key; Can't use a null value as a key."],
  ['{ ([]) = 1 }', "Incorrect key type; Can't use this value as a key: string required, but have tuple."],
  [
    '{ a.b = 1 }',
    "Ambiguous attribute key; If this expression is intended to be a reference, wrap it in parentheses. If it's instead intended as a literal name containing periods, wrap it in quotes to create a string literal.",
  ],
]

describe('expressions', () => {
  test.each(values)('%s', (expression, expected) => {
    expect(value(expression, locals)).toEqual(expected)
  })

  test.each(kept)('%s is left to the scheduler', (text) => {
    expect(value(`"${text}"`)).toBe(text)
    expect(value(`"a ${text} b"`)).toBe(`a ${text} b`)
    expect(value(text.slice(2, -1))).toBe(text)
  })

  test.each(complaints)('%s is refused', (expression, expected) => {
    expect(complaint(expression, locals)).toBe(expected)
  })
})
