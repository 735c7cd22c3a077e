import { expect, test } from 'vitest'
import { declaredIn } from '../../../src/commands/job/file/variables.ts'

test('variables and the namespace are read from the text alone', () => {
  const source = [
    '# variable "comment" {}',
    'variable "one" {',
    '  default = <<-EOT',
    'variable "in_a_heredoc" {}',
    '  }',
    '  EOT',
    '}',
    'variable "two" { default = "}" }',
    'variables {',
    '  three = "${ { a = "}" }.a }"',
    '  four = [',
    '    "x"',
    '  ]',
    '}',
    '/* job "no" {} */ job "web" {',
    '  group "g" { consul { namespace = "other" } }',
    '  namespace = "team-a" // ours',
    '}',
  ]
  for (const end of ['\n', '\r\n']) {
    const { variables, ...namespace } = declaredIn(source.join(end))
    expect([...(variables?.keys() ?? [])]).toEqual(['one', 'two', 'three', 'four'])
    expect(namespace).toEqual({ hasJob: true, namesNamespace: true, namespace: 'team-a' })
  }
})

test.each([
  ['job "a" {}', { namesNamespace: false, namespace: undefined }],
  ['job a { namespace = var.ns }', { namesNamespace: true, namespace: undefined }],
  ['job "a" { namespace = "team-${var.x}" }', { namesNamespace: true, namespace: undefined }],
  ['job "a" { namespace = "" }', { namesNamespace: true, namespace: undefined }],
  ['job "a" { "namespace" = "x" }', { namesNamespace: true, namespace: 'x' }],
])('%s', (source, expected) => {
  expect(declaredIn(source)).toMatchObject(expected)
})

test.each(['job "a" {', '}', 'variable "a" = 1', '<<X', ''])(
  'nothing is known of %j beyond what can be read',
  (source) => {
    const { variables, namespace } = declaredIn(source)
    expect([...(variables?.keys() ?? [])]).toEqual([])
    expect(namespace).toBeUndefined()
  },
)

test.each([
  ['job\u00a0"a" {}', undefined],
  ['job “a” {}', undefined],
  ['job“a” {}', undefined],
  ['variable “x” {}\njob "a" {}', undefined],
  ['variable "größe" {}\njob "a" {}', ['größe']],
  ['variables {\n größe = 1\n 変数 = 2\n}\njob "a" {}', ['größe', '変数']],
])('a job file with letters beyond ASCII, or with typographic quotes or spaces, is a job file: %j', (source, names) => {
  const { hasJob, variables } = declaredIn(source)
  expect([hasJob, variables && [...variables.keys()]]).toEqual([true, names])
})
