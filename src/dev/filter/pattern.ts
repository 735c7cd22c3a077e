/** Regular expressions as Go understands them: in linear time, without lookaround and back references. */

import { RE2JS } from 're2js'

/** A compiled expression: `test` finds it anywhere in a text. Throws the library's error when the expression is invalid. */
export function patternOf(expression: string): RE2JS {
  return RE2JS.compile(expression)
}
