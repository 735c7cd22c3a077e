/** How functions are declared. */

import { anyType, numberType, textType } from './types.ts'
import type { Type } from './types.ts'
import { ValueError, isMap, itemsIn, typeOf } from './values.ts'
import type { Value, ValueMap } from './values.ts'

export interface Parameter {
  readonly type: Type
  readonly nullable: boolean
  /** Whether it takes all further arguments. */
  readonly rest: boolean
}

/** Arguments arrive converted to the types of the parameters. */
export interface HclFunction {
  readonly parameters: readonly Parameter[]
  readonly run: (...values: never[]) => Value
}

const types: Readonly<Record<string, Type>> = {
  text: textType,
  number: numberType,
  any: anyType,
  texts: { kind: 'list', element: textType },
}

/** A function of such parameters as `text any? number...`: `?` may be null, `...` takes the rest. */
export function define(parameters: string, run: HclFunction['run']): HclFunction {
  const words = parameters === '' ? [] : parameters.split(' ')
  return {
    parameters: words.map((word) => ({
      type: types[word.replace(/\W+$/, '')] as Type,
      nullable: word.includes('?'),
      rest: word.endsWith('...'),
    })),
    run,
  }
}

/** The items of a list, set or tuple. */
export function listed(value: Value): readonly Value[] {
  const items = itemsIn(value)
  if (items === undefined) throw new ValueError(`a list, set or tuple is required, but have ${typeOf(value)}`)
  return items
}

/** The entries of a map or object. */
export function mapped(value: Value): ValueMap {
  if (isMap(value)) return value
  throw new ValueError(`a map or object is required, but have ${typeOf(value)}`)
}
