/** How functions are declared. */

import { anyType, numberType, textType, textsType, valueTypeName } from './types.ts'
import type { Type } from './types.ts'
import { Mapping, Sequence } from './values.ts'
import type { Value } from './values.ts'

export interface Parameter {
  readonly name: string
  readonly type: Type
  readonly nullable?: boolean
}

/** Arguments arrive converted to the types of the parameters; `rest` takes all further ones. */
export interface HclFunction {
  readonly parameters: readonly Parameter[]
  readonly rest?: Parameter
  readonly run: (...values: never[]) => Value
}

/** A call that cannot be answered; the message ends the server's sentence. */
export class FunctionError extends Error {}

export const text = (name: string): Parameter => ({ name, type: textType })
export const number = (name: string): Parameter => ({ name, type: numberType })
export const any = (name: string): Parameter => ({ name, type: anyType })
export const nullable = (name: string): Parameter => ({ name, type: anyType, nullable: true })
export const texts = (name: string): Parameter => ({ name, type: textsType })

/** The items of a list, set or tuple. */
export function itemsOf(value: Value): readonly Value[] {
  if (value instanceof Sequence) return value.items
  throw new FunctionError(`a list, set or tuple is required, but have ${valueTypeName(value)}`)
}

/** The entries of a map or object. */
export function entriesOf(value: Value): ReadonlyMap<string, Value> {
  if (value instanceof Mapping) return value.entries
  throw new FunctionError(`a map or object is required, but have ${valueTypeName(value)}`)
}
