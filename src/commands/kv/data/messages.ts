import { usageError } from '../../../core/errors.ts'
import { fileWords } from '../../../core/words.ts'

// Arguments
export const mapOnCommandLine = () =>
  usageError('JSON on the command line is not data', 'pass it with @file.json, or pipe it in and write -')
export const notKeyValue = (key: string) =>
  usageError(`${key}: not key=value`, 'write key=value for text, key:=json for JSON')
export const missingKey = () => usageError('a key is missing before the = sign')
export const missingFile = () => usageError("a file's name is missing after the @ sign")
export const notJsonValue = (key: string, reason: string) =>
  usageError(`${key}: ${reason}`, `for text, write '${key}=…' without the colon`)
export const nothingPiped = (key: string) =>
  usageError(`${key}: standard input is empty`, `for an empty value write '${key}='`)
export const notTextValue = (key: string, file: string) =>
  usageError(
    `${key}: ${fileWords(file)} is not UTF-8 text`,
    `encode it first: base64 < ${file === '-' ? 'file' : file} | tug … ${key}=-`,
  )
export const waysToPass = (key: string) => `use '${key}=-' for standard input, '${key}=@file' or '${key}=value'`
export const inShellHistory =
  'a value on the command line stays in the shell history; key alone asks for it, key=- reads it from a pipe'

// Whole maps
export const emptyText = (label: string) => usageError(`${label} is empty`)
export const notFormat = (label: string, format: string, reason: string) =>
  usageError(`${label} is not ${format}: ${reason}`)
export const notMap = (label: string, kind: string) =>
  usageError(`${label} contains ${kind}; a secret is a map of keys and values`)
export const usingDataOf = (kind: string) => `using the data of ${kind}; --literal writes the whole document`
export const twoCas = (cas: number, other: number) =>
  usageError(`--cas ${cas} contradicts options.cas ${other} of the data`, 'omit one of them')

// Values that servers would change
export const tornText = (key: string) =>
  usageError(`${key}: half of a surrogate pair is not text; encode binary data first, with base64`)
export const tooLargeNumber = (key: string) =>
  usageError(`${key}: a number is larger than a 64-bit float; write it as text to keep it`)
export const roundedNumbers = (keys: string) =>
  `${keys}: servers round a number with more digits than a 64-bit float; write it as text to keep it`
