import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/core/json.ts'
import { complaint, diagnostics, value } from './support.ts'

const locals = `locals {
  names = ["b", "a"]
  ports = { http = 80, admin = 81 }
  hosts = [{ name = "n1", up = true }, { name = "n2", up = false }]
  nothing = null
  yes = true
}`

const values: readonly (readonly [expression: string, value: Json])[] = [
  ['1.5e3', 1500],
  ['007', 7],
  ['null', null],
  ['local.nothing', null],
  ['"${null}"', null],
  ['"${7}"', 7],
  ['"${local.ports.http}"', 80],
  ['" ${local.ports.http}"', ' 80'],
  ['"tab\\t quote\\" slash\\\\ \\u00e9 \\U0001F600"', 'tab\t quote" slash\\ é 😀'],
  ['"$${x} %%{y} $x 5%"', '${x} %{y} $x 5%'],
  ['local.names[0]', 'b'],
  ['local.names.1', 'a'],
  ['local.ports["http"]', 80],
  ['{ a = 1, "b c" : 2 }', [{ a: 1, 'b c': 2 }]],
  ['{ true = 1, if = 2 }', [{ if: 2, true: 1 }]],
  ['[\n 2, # two\n 3,\n]', [2, 3]],
  ['-1.5', -1.5],
  ['format("%s:%d %v", "a", 1, true)', 'a:1 true'],
  ['join("-", ["a", 1])', 'a-1'],
  ['jsonencode({ b = [1, null], c = 12345678901234567890 })', '{"b":[1,null],"c":12345678901234567890}'],
  ['(local.ports.http)', 80],
  ['upper(lower("A"))', 'A'],
  ['merge({ a = 1 }, { b = 2 }).b', 2],
  ['<<EOF\n  a\n b ${1}\nEOF', '  a\n b 1\n'],
  ['<<-EOF\n    a\n\n      b ${1}\n    EOF', 'a\n\n  b 1\n'],
  ['<<-EOF\n    ${1}\n     b\n    EOF', '1\n b\n'],
  // A blank line keeps its blanks, and doesn't count.
  ['<<-EOF\n    a\n      \n  \n    EOF', 'a\n      \n  \n'],
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
  ['"a${[1]}"', 'Invalid template interpolation value'],
  ['"a${null}"', 'Invalid template interpolation value'],
  ['"a${local.nothing}"', 'Invalid template interpolation value'],
  ['local.nope', 'Unsupported attribute'],
  ['local.nothing.x', 'Unsupported attribute'],
  ['local.names.x', 'Unsupported attribute'],
  ['local.names[2]', 'Unsupported attribute'],
  ['local.ports[0]', 'Unsupported attribute'],
  ['{ a.b = 1 }', 'Ambiguous attribute key'],
  ['join(",", "a")', 'Error in function call'],
  ['upper(null)', 'Error in function call'],
  ['format("%s")', 'Error in function call'],
  ['file("/etc/passwd")', 'Error in function call'],
  ['constructor("a")', 'Error in function call'],
]

const unsupported: readonly (readonly [expression: string, named: string])[] = [
  ['1 + 2', 'operators such as "+"'],
  ['var.a == "b"', 'operators such as "=="'],
  ['local.yes ? 1 : 2', 'operators such as "?"'],
  ['!local.yes', 'operators such as "!"'],
  ['-local.ports.http', 'operators such as "-"'],
  ['"${local.yes && true}"', 'operators such as "&&"'],
  ['[for x in [1] : x]', 'expressions such as "for x in"'],
  ['{ for k, v in local.ports : k => v }', 'expressions such as "for k,"'],
  ['local.hosts[*].name', 'splat expressions such as "*"'],
  ['local.hosts.*.name', 'splat expressions such as "*"'],
  ['"%{ if true }a%{ endif }"', 'directives such as "%{ if"'],
  ['abs(1)', 'function named "abs"'],
]

describe('expressions', () => {
  test.each(unsupported)('%s is refused: the local server has no %s', (expression, named) => {
    const [, detail = ''] = diagnostics(`job "x" {\n meta = { v = ${expression} }\n}`).split('; ')
    expect(detail).toContain(`he local server has no ${named}`)
  })

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
