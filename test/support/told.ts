import { expect } from 'vitest'

/** Matches a whole text by its facts; … stands for the words between them, which only stories know. */
export function told(facts: string): RegExp {
  return new RegExp(`^${source(facts)}$`)
}

/** Matches a text that mentions these facts; … stands for words. */
export function mentions(facts: string): RegExp {
  return new RegExp(source(facts))
}

/** `told` as a value inside an object or array. */
export function says(facts: string): string {
  return expect.stringMatching(told(facts)) as string
}

function source(facts: string): string {
  return facts
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^\\n]*')
}
