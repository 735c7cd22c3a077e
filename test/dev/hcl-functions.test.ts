import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { functions } from '../../src/dev/hcl/functions.ts'
import { complaint, value } from './hcl-support.ts'

const calls: readonly (readonly [call: string, value: Json])[] = [
  ['abs(-2)', 2],
  ['base64decode("w6k=")', 'é'],
  ['base64encode("é")', 'w6k='],
  ['can(local.nope)', false],
  ['can(1)', true],
  ['ceil(1.2)', 2],
  ['chomp("a\\n\\n")', 'a'],
  ['chunklist([1, 2, 3], 2)', [[1, 2], [3]]],
  ['chunklist([1, 2], 0)', [[1, 2]]],
  ['coalesce(null, "a")', 'a'],
  ['coalescelist([], ["a"])', ['a']],
  ['compact(["a", "", "b"])', ['a', 'b']],
  ['concat(["a"], [1], [])', ['a', 1]],
  ['contains(["a"], "a")', true],
  ['convert("5", number)', 5],
  ['distinct([1, 2, 1])', [1, 2]],
  ['element(["a", "b"], 3)', 'b'],
  ['endswith("abc", "bc")', true],
  ['flatten([[1, [2]], 3])', [1, 2, 3]],
  ['floor(1.8)', 1],
  [
    'format("%s-%03d %5.2f|%-4s|%q %v %t %x %X %o %b %%", "a", 7, 1.5, "b", "c", [1], true, 255, 255, 8, 5)',
    'a-007  1.50|b   |"c" [1] true ff FF 10 101 %',
  ],
  ['format("%[2]s %[1]s", "a", "b")', 'b a'],
  ['format("%+d %e %#v %g %v", 3, 1500, "q", 0.5, 10)', '+3 1.500000e+03 "q" 0.5 10'],
  ['formatlist("%s.%s", ["a", "b"], "c")', ['a.c', 'b.c']],
  ['indent(2, "a\\nb")', 'a\n  b'],
  ['index(["a", "b"], "b")', 1],
  ['join(", ", ["a", "b"], ["c"])', 'a, b, c'],
  ['join("", [1, true])', '1true'],
  ['jsondecode("{\\"b\\": [1, null, 1.0], \\"a\\": \\"x\\"}")', { a: 'x', b: [1, null, 1] }],
  ['jsonencode({ b = [1, null], a = "<&>\\n" })', '{"a":"\\u003c\\u0026\\u003e\\n","b":[1,null]}'],
  ['keys({ b = 1, a = 2 })', ['a', 'b']],
  ['length([1, 2])', 2],
  ['length({ a = 1 })', 1],
  ['log(8, 2)', 3],
  ['lookup({ a = 1 }, "a", 2)', 1],
  ['lookup({ a = 1 }, "b", 2)', 2],
  ['lower("AbC")', 'abc'],
  ['max(1, 3, 2)', 3],
  ['md5("a")', '0cc175b9c0f1b6a831c399e269772661'],
  ['merge({ a = 1, b = 2 }, null, { b = 3 })', { a: 1, b: 3 }],
  ['min(3, 1)', 1],
  ['parseint("ff", 16)', 255],
  ['pow(2, 10)', 1024],
  ['range(3)', [0, 1, 2]],
  ['range(1, 3)', [1, 2]],
  ['range(5, 0, -2)', [5, 3, 1]],
  ['range(0)', []],
  ['regex_replace("a1b22", "[0-9]+", "<$${0}>")', 'a<1>b<22>'],
  ['regex_replace("k=v", "(k)=(?P<b>v)", "$2-$1-$${b}")', 'v-k-v'],
  ['replace("a.b.c", ".", "$&")', 'a$&b$&c'],
  ['reverse("abc")', 'cba'],
  ['reverse([1, 2])', [2, 1]],
  ['setintersection([1, 2], [2, 3])', [2]],
  [
    'setproduct(["a", "b"], [1])',
    [
      ['a', 1],
      ['b', 1],
    ],
  ],
  ['setsubtract(["a", "b"], ["a"])', ['b']],
  ['setunion(["b"], ["a", "b"])', ['a', 'b']],
  ['sha1("a")', '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'],
  ['sha256("")', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['strlen(sha512("a"))', 128],
  ['signum(-3)', -1],
  ['slice(["a", "b", "c"], 1, 2)', ['b']],
  ['sort(["b", "a"])', ['a', 'b']],
  ['split(",", "a,b")', ['a', 'b']],
  ['startswith("abc", "ab")', true],
  ['strcontains("abc", "b")', true],
  ['strlen("é👍🏽")', 2],
  ['strrev("né")', 'én'],
  ['substr("hello", 1, 3)', 'ell'],
  ['substr("hello", -3, -1)', 'llo'],
  ['title("hello there")', 'Hello There'],
  ['tobool("true")', true],
  ['tolist(["a"])', ['a']],
  ['tomap({ a = 1 })', { a: 1 }],
  ['tonumber("1.5")', 1.5],
  ['toset(["b", "a", "b"])', ['a', 'b']],
  ['tostring(1.50)', '1.5'],
  ['tostring(1e30)', '1000000000000000019884624838656'],
  ['tostring(0.0000001)', '0.0000001'],
  ['trim("--a-b-", "-")', 'a-b'],
  ['trim("---", "-")', ''],
  ['trimprefix("ab", "a")', 'b'],
  ['trimspace("  a\\n")', 'a'],
  ['trimsuffix("ab", "b")', 'a'],
  ['try(local.nope, [][0], "rescued")', 'rescued'],
  ['upper("é")', 'É'],
  ['urlencode("a b/é!")', 'a+b%2F%C3%A9%21'],
  ['strlen(uuidv4())', 36],
  ['values({ b = 1, a = 2 })', [2, 1]],
  ['zipmap(["a", "b"], [1, 2])', { a: 1, b: 2 }],
]

const failures: readonly (readonly [call: string, complaint: string])[] = [
  ['uper("a")', 'Call to unknown function; There is no function named "uper". Did you mean "upper"?'],
  ['zzzzzzzz("a")', 'Call to unknown function; There is no function named "zzzzzzzz".'],
  ['constructor()', 'Call to unknown function; There is no function named "constructor".'],
  ['upper()', 'Not enough function arguments; Function "upper" expects 1 argument(s). Missing value for "str".'],
  [
    'join(",")',
    'Not enough function arguments; Function "join" expects at least 2 argument(s). Missing value for "lists".',
  ],
  ['upper("a", "b")', 'Too many function arguments; Function "upper" expects only 1 argument(s).'],
  ['upper([])', 'Invalid function argument; Invalid value for "str" parameter: string required, but have tuple.'],
  ['upper(null)', 'Invalid function argument; Invalid value for "str" parameter: argument must not be null.'],
  [
    'max("a"...)',
    'Invalid expanding argument value; The expanding argument (indicated by ...) must be of a tuple, list, or set type.',
  ],
  ['max(null...)', 'Invalid expanding argument value; The expanding argument (indicated by ...) must not be null.'],
  ['max(nope()...)', 'Call to unknown function; There is no function named "nope".'],
  ['upper(local.nope)', 'Unsupported attribute; This object does not have an attribute named "nope".'],
  ['filebase64("x")', 'Error in function call; Call to function "filebase64" failed: filesystem function disabled.'],
  [
    'base64decode("*")',
    'Error in function call; Call to function "base64decode" failed: failed to decode base64 data \'*\'.',
  ],
  ['jsondecode("{")', 'Error in function call; Call to function "jsondecode" failed: the JSON ends too early.'],
  [
    'element([], 0)',
    'Error in function call; Call to function "element" failed: cannot use element function with an empty list.',
  ],
  [
    'element([1], -1)',
    'Error in function call; Call to function "element" failed: cannot use element function with a negative index.',
  ],
  ['index([], 0)', 'Error in function call; Call to function "index" failed: cannot search an empty list.'],
  ['index([1], 0)', 'Error in function call; Call to function "index" failed: item not found.'],
  ['coalesce(null)', 'Error in function call; Call to function "coalesce" failed: no non-null arguments.'],
  ['coalescelist([])', 'Error in function call; Call to function "coalescelist" failed: no non-null arguments.'],
  [
    'chunklist([], -1)',
    'Error in function call; Call to function "chunklist" failed: the size argument must be positive.',
  ],
  [
    'length("abc")',
    'Error in function call; Call to function "length" failed: collection must be a list, a map or a tuple, but have string.',
  ],
  [
    'concat("a")',
    'Error in function call; Call to function "concat" failed: a list, set or tuple is required, but have string.',
  ],
  ['keys([])', 'Error in function call; Call to function "keys" failed: a map or object is required, but have tuple.'],
  [
    'setproduct([1])',
    'Error in function call; Call to function "setproduct" failed: at least two arguments are required.',
  ],
  [
    'slice([1], -1, 1)',
    'Error in function call; Call to function "slice" failed: start index must not be less than zero.',
  ],
  [
    'slice([1], 0, 2)',
    'Error in function call; Call to function "slice" failed: end index must not be greater than the length of the list.',
  ],
  [
    'slice([1, 2], 2, 1)',
    'Error in function call; Call to function "slice" failed: start index must not be greater than end index.',
  ],
  [
    'zipmap(["a"], [])',
    'Error in function call; Call to function "zipmap" failed: number of keys (1) does not match number of values (0).',
  ],
  [
    'join(",", [null])',
    'Error in function call; Call to function "join" failed: element 0 is null; cannot concatenate null values.',
  ],
  [
    'formatlist("%s%s", [1], [1, 2])',
    'Error in function call; Call to function "formatlist" failed: all list arguments must have the same length.',
  ],
  [
    'format("%s")',
    'Error in function call; Call to function "format" failed: not enough arguments for "%s" at 0: need index 0 but have 0 total.',
  ],
  [
    'format("a", 1)',
    'Error in function call; Call to function "format" failed: too many arguments; only 0 used by format string.',
  ],
  ['format("%z", 1)', 'Error in function call; Call to function "format" failed: unsupported format verb \'z\'.'],
  [
    'format("%d", "a")',
    'Error in function call; Call to function "format" failed: unsupported value: a number is required.',
  ],
  [
    'format("%s", null)',
    'Error in function call; Call to function "format" failed: unsupported value: null value cannot be formatted.',
  ],
  [
    'regex_replace("a", "(", "b")',
    'Error in function call; Call to function "regex_replace" failed: invalid regexp pattern: (.',
  ],
  ['max()', 'Error in function call; Call to function "max" failed: must pass at least one number.'],
  [
    'parseint("1", 99)',
    'Error in function call; Call to function "parseint" failed: base must be a whole number between 2 and 62 inclusive.',
  ],
  [
    'parseint("zz", 10)',
    'Error in function call; Call to function "parseint" failed: cannot parse "zz" as a base 10 integer.',
  ],
  ['range()', 'Error in function call; Call to function "range" failed: must have one, two, or three arguments.'],
  ['range(0, 3, 0)', 'Error in function call; Call to function "range" failed: step must not be zero.'],
  [
    'range(3, 0, 1)',
    'Error in function call; Call to function "range" failed: end must be greater than start when step is positive.',
  ],
  [
    'range(0, 3, -1)',
    'Error in function call; Call to function "range" failed: end must be less than start when step is negative.',
  ],
  [
    'range(2000)',
    'Error in function call; Call to function "range" failed: more than 1024 values were generated; either decrease the difference between start and end or use a smaller step.',
  ],
  ['tonumber("x")', 'Error in function call; Call to function "tonumber" failed: a number is required.'],
  ['try(local.nope)', 'Error in function call; Call to function "try" failed: no expression succeeded.'],
  ['convert("x", number)', 'Error in function call; Call to function "convert" failed: a number is required.'],
  ['convert("x")', 'Error in function call; Call to function "convert" failed: a value and a type are required.'],
  ['convert("x", nope)', 'Invalid type specification; The keyword "nope" is not a valid type specification.'],
]

describe('functions', () => {
  test.each(calls)('%s', (call, expected) => {
    expect(value(call)).toEqual(expected)
  })

  test.each(failures)('%s fails', (call, expected) => {
    expect(complaint(call)).toBe(expected)
  })

  test('each function is called above', () => {
    const uncalled = [...functions.keys()].filter((name) => !calls.some(([call]) => call.includes(`${name}(`)))
    expect(uncalled).toEqual([])
  })
})
