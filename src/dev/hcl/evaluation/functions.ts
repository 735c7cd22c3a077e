/** The functions of job files. */

import { collectionFunctions } from './functions-collection.ts'
import { encodingFunctions } from './functions-encoding.ts'
import type { HclFunction } from './function-types.ts'
import { numberFunctions } from './functions-number.ts'
import { textFunctions } from './functions-text.ts'

/** All functions by name, except `try`, `can` and `convert`, which choose what to evaluate. */
export const functions: ReadonlyMap<string, HclFunction> = new Map(
  Object.entries({ ...collectionFunctions, ...encodingFunctions, ...numberFunctions, ...textFunctions }),
)

/** Functions that a server refuses, since they would read its own files. */
export const fileFunctions: readonly string[] =
  'abspath basename dirname file filebase64 fileexists fileset pathexpand'.split(' ')
