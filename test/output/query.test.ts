import { expect, test } from 'vitest'
import { TugError } from '../../src/core/errors.ts'
import { parseJson, stringifyJson } from '../../src/core/json.ts'
import { applyQuery, compileQuery, dropsEverything, itemQuery } from '../../src/output/query.ts'
import { says, told } from '../support/told.ts'

const jobs =
  '[{"ID":"b","SubmitTime":1763709321123456790,"n":10},{"ID":"a","SubmitTime":1763709321123456789,"n":9},' +
  '{"ID":"c","SubmitTime":5,"n":100}]'

function query(expression: string, json: string): string {
  return stringifyJson(applyQuery(expression, parseJson(json)))
}

test.each([
  ['digits beyond a double', '[].SubmitTime', jobs, '[1763709321123456790,1763709321123456789,5]'],
  ['inside what is selected', '[1]', jobs, '{"ID":"a","SubmitTime":1763709321123456789,"n":9}'],
  ['spellings', '[a, b]', '{"a":1.0,"b":1e400}', '[1.0,1e400]'],
  ['through a pipe and a hash', '[?n==`9`] | [0].{t: SubmitTime}', jobs, '{"t":1763709321123456789}'],
  ['through let', 'let $t = [0].SubmitTime in [$t]', jobs, '[1763709321123456790]'],
])('numbers that are only passed on keep their digits: %s', (_, expression, json, expected) => {
  expect(query(expression, json)).toBe(expected)
})

test.each([
  ['compared', '[?SubmitTime > `1000`].ID', '["b","a"]'],
  ['compared to each other', '[?SubmitTime > `6`] | [0].SubmitTime > [1].SubmitTime', 'true'],
  ['equal only to itself', '[?SubmitTime == $[1].SubmitTime].ID', '["a"]'],
  ['compared to the digits of the expression', '[?SubmitTime > `1763709321123456789`].ID', '["b"]'],
  ['equal to those digits only', '[?SubmitTime == ` 1763709321123456789 ` || ID == `"c"`].ID', '["a","c"]'],
  ['written in the expression', '`1763709321123456789`', '1763709321123456789'],
  ['sorted by value, not by text', 'sort([].n)', '[9,10,100]'],
  ['sorted with their digits', 'sort([].SubmitTime)', '[5,1763709321123456789,1763709321123456790]'],
  ['items sorted by them', 'sort_by(@, &SubmitTime)[].ID', '["c","a","b"]'],
  ['greatest', 'max([].SubmitTime)', '1763709321123456790'],
  ['least', 'min([].SubmitTime)', '5'],
  ['item of the greatest', 'max_by(@, &SubmitTime).ID', '"b"'],
  ['item of the least', 'min_by([?n > `9`], &SubmitTime).ID', '"c"'],
  ['item of the last name', 'max_by(@, &ID).ID', '"c"'],
  ['summed', 'sum([].n)', '119'],
  ['averaged', 'avg([0:2].n)', '9.5'],
  ['a number by type', 'type([0].SubmitTime)', '"number"'],
  ['computed', '[2].SubmitTime + [2].n * `2`', '205'],
  ['negated', '-[1].n', '-9'],
  ['as text', 'to_string([1].SubmitTime)', '"1763709321123456789"'],
  ['from text', "to_number('1763709321123456789')", '1763709321123456789'],
  ['found in a list', 'contains([].SubmitTime, [1].SubmitTime)', 'true'],
  ['without members', '[0].SubmitTime.text', 'null'],
  ['without values', '[0].SubmitTime.*', 'null'],
])('numbers beyond a double are %s', (_, expression, expected) => {
  expect(query(expression, jobs)).toBe(expected)
})

test.each([
  ['@', '{"10":1,"9":2,"b":3}'],
  ['keys(@)', '["10","9","b"]'],
  ['values(@)', '[1,2,3]'],
  ['*', '[1,2,3]'],
  ['items(@)[0]', '["10",1]'],
  ['from_items(items(@))', '{"10":1,"9":2,"b":3}'],
  ['merge(@, {b: `4`})', '{"10":1,"9":2,"b":4}'],
  ['{z: b, "1": b}', '{"z":3,"1":3}'],
])('%s keeps the order of keys', (expression, expected) => {
  expect(query(expression, '{"10":1,"9":2,"b":3}')).toBe(expected)
})

test.each([
  ['{"b":[2],"a":1}', true],
  ['{"a":1,"b":[2,3]}', false],
  ['{"a":1,"c":[2]}', false],
  ['{"a":1}', false],
  ['[1]', false],
])('%s is an item of the list: %s', (item, expected) => {
  expect(query('contains(list, item)', `{"list":[{"a":1,"b":[2]},[]],"item":${item}}`)).toBe(String(expected))
})

test('keys that JavaScript uses itself are ordinary keys', () => {
  const json = '{"__proto__":{"x":1},"expref":true,"k":"__proto__"}'
  expect(query('"__proto__".x', json)).toBe('1')
  expect(query('{"__proto__": k}', json)).toBe('{"__proto__":"__proto__"}')
  expect(query('group_by([@], &k)."__proto__"[0].k', json)).toBe('"__proto__"')
  expect(query('[toString, constructor, length(@)]', '{"a":1}')).toBe('[null,null,1]')
  expect(query('type(@)', json)).toBe('"object"')
})

test.each([
  ['foo.]', "… ']' at character 5"],
  ['foo[?a==', '… early, … character 9'],
  ['foo[?a== ', '… early, … character 10'],
  ['[', '… early, … character 2'],
  ['', '… empty'],
  [' ', '… empty'],
  ['[0].a] b]', "… ']' at character 6"],
  ['a b c b', "… 'b' at character 3"],
  ['a]"b"', `… ']"' at character 2`],
  ['a\u00a0b', "… '\u00a0' at character 2"],
  ['"é" é', "… 'é' at character 5"],
  ['foo bar', "… 'bar' at character 5"],
  ['a # b', "… '#' at character 3"],
  ['#', "… '#' at character 1"],
  ['a #', "… '#' at character 3"],
  ['é', "… 'é' at character 1"],
  ['"b', '"b at character 1 …'],
  ['`{`', '`{` at character 1 …'],
  ['a == `{`', '`{` at character 6 …'],
  ['a."b', '"b at character 3 …'],
  ['a `1763709321123456789`', '`1763709321123456789` at character 3 …'],
  ['[?n > `{`]', '`{`] at character 7 …'],
  ['wholly_other(@)', "… 'wholly_other'"],
  ['sort_bye(@, &n)', "… 'sort_bye'. … 'sort_by'?"],
])('a bad expression is a usage error: %s', (expression, message) => {
  const error = caught(() => compileQuery(expression))
  expect(error).toMatchObject({
    code: 'usage',
    message: says(`--query: ${message}`),
    hints: expression.includes('(@') ? [] : [`the expression: ${expression}`],
  })
  expect(caught(() => applyQuery(expression, null))).toMatchObject({ message: error.message })
})

test.each(['a.{b: sort_bye(@)}', '[].sort_bye(@)', 'keys(sort_bye(@))', 'map(&sort_bye(@), @)', 'a[?sort_bye(@)]'])(
  'an unknown function is found anywhere: %s',
  (expression) => {
    expect(caught(() => compileQuery(expression))).toMatchObject({
      code: 'usage',
      message: says("… 'sort_bye'. … 'sort_by'?"),
    })
  },
)

test('a function in a literal is not called', () => {
  expect(query('`{"type":"Function","name":"nope"}`', 'null')).toBe('{"type":"Function","name":"nope"}')
})

test.each([
  [`x${' '.repeat(198)}]`, `x${' '.repeat(198)}]`],
  [`x${' '.repeat(199)}]`, `x${' '.repeat(199)}…`],
])('of a long expression the first 200 characters are shown: %#', (expression, shown) => {
  expect(caught(() => compileQuery(expression)).hints).toEqual([`the expression: ${shown}`])
})

test.each([
  [2000, "… ']' at character 2000"],
  [2001, '--query: syntax error: … ]'],
])('in an expression of %i characters a mistake is %s', (length, message) => {
  expect(caught(() => compileQuery(`x${' '.repeat(length - 2)}]`)).message).toMatch(told(message))
})

test('nesting that is too deep is named', () => {
  const deep = `${'!'.repeat(20_000)}@`
  for (const refused of [() => compileQuery(deep), () => applyQuery(deep, null)])
    expect(caught(refused)).toMatchObject({ code: 'usage', message: says('--query: … nested …') })
})

test.each([
  ['sum([].ID)', 'invalid type: sum() expected argument 1 to be type (Array<number>) but received type array instead.'],
  ['sort_by(@, &missing)', 'sort_by() … number… string…'],
  ['max_by(@, &missing)', 'max_by() … number… string…'],
  ['group_by(@, &n)', 'group_by() … string…'],
  ['from_items([].[n, ID])', 'from_items() … pairs …'],
  ['[0].ID + `1`', 'not-a-number'],
  ['$missing', 'error referencing undefined variable missing'],
])("an expression that doesn't fit the data is a usage error: %s", (expression, words) => {
  const { code, message, hints } = caught(() => query(expression, jobs))
  const isOurs = /^\w+\(\) … /.test(words)
  expect({ code, message, hints }).toEqual({
    code: 'usage',
    message: says(`--query: ${words}`),
    hints: isOurs ? [] : [`the expression: ${expression}`],
  })
})

test('a good expression passes the check', () => {
  expect(compileQuery('[?n > `1`].{id: ID} | sort_by(@, &id)')).toMatchObject({ type: 'Pipe' })
})

function caught(call: () => unknown): TugError {
  try {
    call()
  } catch (error) {
    if (error instanceof TugError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test.each([
  ['max(@)', '[1,1.0]', '1'],
  ['max(@)', '[1.0,1]', '1.0'],
  ['min(@)', '[1.0,1]', '1.0'],
  ['max_by(@, &a).b', '[{"a":1,"b":"x"},{"a":1,"b":"y"}]', '"x"'],
  ['min_by(@, &a).b', '[{"a":"k","b":"x"},{"a":"k","b":"y"}]', '"x"'],
  ['sort_by(@, &a)[].b', '[{"a":1,"b":"x"},{"a":1,"b":"y"}]', '["x","y"]'],
  ['max(@)', '[]', 'null'],
  ['max_by(@, &a)', '[]', 'null'],
])('of equals the first wins, and of none nothing: %s of %s', (expression, json, expected) => {
  expect(query(expression, json)).toBe(expected)
})

test.each([
  ['max(@)', '[1,2,3,2]', '3'],
  ['max(@)', '[1.5,2.5,1]', '2.5'],
  ['max(@)', '["b","c","a"]', '"c"'],
  ['max(@)', '[9007199254740992,9007199254740993]', '9007199254740993'],
  ['min(@)', '[2,1,3]', '1'],
  ['min(@)', '["b","a","c"]', '"a"'],
  ['min(@)', '[9007199254740993,9007199254740992]', '9007199254740992'],
  ['min(@)', '[]', 'null'],
  ['max_by(@, &[0])[1]', '[[1,"x"],[2,"y"],[1,"z"]]', '"y"'],
  ['min_by(@, &[0])[1]', '[[2,"x"],[1,"y"],[2,"z"]]', '"y"'],
  ['min_by(@, &a)', '[]', 'null'],
  ['sort(@)', '["b","é","a","Z"]', '["Z","a","b","é"]'],
  ['sort(@)', '[2,9007199254740993,1.5,9007199254740992]', '[1.5,2,9007199254740992,9007199254740993]'],
])('%s of %s is %s', (expression, json, expected) => {
  expect(query(expression, json)).toBe(expected)
})

test.each([
  'null',
  'true',
  '1',
  '1.5',
  '12345678901234567890',
  '"a"',
  '[]',
  '{}',
  '{"expref":true}',
  '{"type":"Function"}',
])('%s has the type that JSON says', (json) => {
  const value = JSON.parse(json) as unknown
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  expect(query('type(@)', json)).toBe(`"${type}"`)
  expect(query('not_null(@, `"none"`)', json)).toBe(value === null ? '"none"' : json)
})

test('arguments that may be omitted are', () => {
  expect(query("find_first(@, 'b')", '"abc"')).toBe('1')
})

test.each([
  ['"abc"', '"b"', 'true'],
  ['"abc"', '"d"', 'false'],
  ['"a1"', '1', 'null'],
  ['[1,"a"]', '"a"', 'true'],
  ['[]', '1', 'false'],
])('contains(%s, %s) is %s', (searched, wanted, expected) => {
  expect(query('contains([0], [1])', `[${searched},${wanted}]`)).toBe(expected)
})

test.each([
  ['"1"', '1'],
  ['"-1.50"', '-1.50'],
  ['"1e3"', '1e3'],
  ['""', 'null'],
  ['"x"', 'null'],
  ['"x1"', 'null'],
  ['"1x"', 'null'],
  ['"01"', 'null'],
  ['" 1"', 'null'],
  ['"1 "', 'null'],
  ['"[1]"', 'null'],
  ['"true"', 'null'],
  ['1.50', '1.50'],
  ['true', 'null'],
  ['null', 'null'],
  ['[1]', 'null'],
])('to_number(%s) is %s', (json, expected) => {
  expect(query('[to_number(@), type(to_number(@))]', json)).toBe(
    `[${expected},"${expected === 'null' ? 'null' : 'number'}"]`,
  )
})

test.each([
  ['[["a",1],["b"]]', false],
  ['[["a",1,2]]', false],
  ['[[1,"a"]]', false],
  ['[["a",1]]', true],
])('from_items needs pairs of a name and a value: %s', (json, isGood) => {
  if (isGood) expect(query('from_items(@)', json)).toBe('{"a":1}')
  else expect(caught(() => query('from_items(@)', json)).message).toMatch(told('--query: from_items() …'))
})

test.each([
  ['1', '<', '2'],
  ['2', '=', '2'],
  ['3', '>', '2'],
  ['1.5', '<', '2.5'],
  ['9007199254740992', '<', '9007199254740993'],
  ['9007199254740993', '=', '9007199254740993'],
  ['9007199254740993', '>', '9007199254740992'],
  ['9007199254740993', '>', '1'],
  ['-9007199254740993', '<', '-9007199254740992'],
  ['9007199254740993.0', '>', '9007199254740992'],
  ['9007199254740993.0', '=', '9007199254740993'],
  ['9007199254740993e2', '=', '900719925474099300'],
  ['0.10000000000000000001', '>', '0.1'],
  ['-0.10000000000000000001', '<', '-0.1'],
  ['1e400', '<', '1e401'],
  ['1e400', '=', '10e399'],
  ['-1e400', '>', '-1e401'],
  ['-1e400', '<', '1e400'],
  ['1e-400', '>', '0'],
  ['1e-400', '>', '-1e-400'],
  ['0', '>', '-1e-400'],
  ['0.0', '=', '-0'],
])('the numbers %s %s %s are compared by each operator and sorted so', (left, order, right) => {
  const json = `{"a":${left},"b":${right}}`
  const found = query('[a < b, a <= b, a > b, a >= b, a == b, a != b]', json)
  const [isLess, isGreater] = [order === '<', order === '>']
  const isSame = order === '='
  expect(JSON.parse(found)).toEqual([isLess, !isGreater, isGreater, !isLess, isSame, !isSame])
  expect(query('sort([b, a])', json)).toBe(isLess ? `[${left},${right}]` : `[${right},${left}]`)
})

test.each([
  ['"a"', '1'],
  ['1', '"a"'],
  ['"a"', '"b"'],
  ['null', '1'],
])('%s and %s have no order', (left, right) => {
  expect(query('[a < b, a <= b, a > b, a >= b][].type(@)', `{"a":${left},"b":${right}}`)).toBe(
    '["null","null","null","null"]',
  )
})

test.each([
  ['a + b', '2'],
  ['a - b', '1'],
  ['a * b', '0.75'],
  ['a / b', '3'],
  ['a % b', '0'],
  ['a // b', '3'],
  ['-a', '-1.5'],
  ['+a', '1.50'],
  ['a + c', '3.5'],
])('fractions are computed with: %s', (expression, expected) => {
  expect(query(expression, '{"a":1.50,"b":0.5,"c":2}')).toBe(expected)
})

test.each(['a + n', 'n + a', '-n', '+n', '-s', '+s', '-t'])('only numbers are computed with: %s', (expression) => {
  const { code, message } = caught(() => query(expression, '{"a":1.5,"n":null,"s":"x","t":true}'))
  expect({ code, message }).toEqual({ code: 'usage', message: says('--query: not-a-number…') })
})

test('long numbers of the expression keep their digits beside other literals', () => {
  expect(
    query(
      '[`1763709321123456789`, ` -1763709321123456790 `, `""`, `1`, `"1763709321123456789"`, `[1]`, \'`1234567890123456`\']',
      '1',
    ),
  ).toBe('[1763709321123456789,-1763709321123456790,"",1,"1763709321123456789",[1],"`1234567890123456`"]')
})

test('what is null is left out of a projection of values', () => {
  expect(query('*.a', '{"p":{"a":1},"q":{}}')).toBe('[1]')
  expect(query('[*.a, @.*]', '[1]')).toBe('[null,null]')
})

test.each([
  ['[].x', '[{"a":1}]', true],
  ['[].a', '[{"a":1}]', false],
  ['[].x', '[]', false],
  ['[].x', '[null]', false],
  ['[?a].x', '[{"a":1}]', true],
  ['[?b].x', '[{"a":1}]', false],
  ['*.x', '{"k":{"a":1}}', true],
  ['*.x', '{}', false],
  ['a', '{"a":[]}', false],
  ['a', '{"a":1}', false],
  ['[0]', '[[]]', false],
])('%s of %s drops all that it finds: %s', (expression, json, expected) => {
  const data = parseJson(json)
  expect(dropsEverything(expression, data, applyQuery(expression, data))).toBe(expected)
})

test.each([
  ['a', '[{"a":1}]', '[].a'],
  [' a ', '[1,{"b":1},{"a":null}]', '[].a'],
  ['"a-b"', '[{"a-b":1}]', '[]."a-b"'],
  ['a', '[{"b":1}]', undefined],
  ['a', '[]', undefined],
  ['a', '{"a":1}', undefined],
  ['a.b', '[{"a":1}]', undefined],
  ['toString', '[{"a":1}]', undefined],
])('what selects from the items of a list where %s does not, of %s: %s', (expression, json, expected) => {
  expect(itemQuery(expression, parseJson(json))).toBe(expected)
})

test.each([
  ['[1,2]', '[1,2]', true],
  ['[1,2]', '[1,3]', false],
  ['[1,2]', '[3,2]', false],
  ['[1]', '[1,2]', false],
  ['[]', '[]', true],
  ['{"a":1,"b":2}', '{"b":2,"a":1}', true],
  ['{"a":1,"b":2}', '{"a":1,"b":3}', false],
  ['{"a":1}', '{"a":1,"b":2}', false],
  ['{"a":null}', '{"b":null}', false],
  ['[]', '{}', false],
  ['{}', '[]', false],
  ['"a"', '["a"]', false],
  ['["a"]', '"a"', false],
  ['{"length":0}', '[]', false],
  ['{}', 'null', false],
  ['null', '{}', false],
  ['1', 'true', false],
  ['1', '"1"', false],
  ['1.0', '1', true],
  ['null', 'null', true],
])('%s equals %s: %s', (left, right, expected) => {
  expect(query('a == b', `{"a":${left},"b":${right}}`)).toBe(String(expected))
  expect(query('a != b', `{"a":${left},"b":${right}}`)).toBe(String(!expected))
  expect(query('contains(a, b)', `{"a":[0,${left}],"b":${right}}`)).toBe(String(expected))
})

test.each(['sort_by(@, &a)', 'max_by(@, &a)', 'min_by(@, &a)'])('%s needs keys of one kind', (expression) => {
  for (const keys of ['["x",1]', '[1,"x"]', '["x",null]', '[1,true]'])
    expect(() =>
      query(expression, `[${(JSON.parse(keys) as unknown[]).map((a) => JSON.stringify({ a })).join(',')}]`),
    ).toThrow(expression.slice(0, 6))
})
