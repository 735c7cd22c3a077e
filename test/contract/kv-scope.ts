import type { Policy } from '../../src/dev/secrets/request.ts'

/**
 * How the recorded exchanges are replayed: tokens, unrecorded requests, and exchanges that the local server doesn't support. Rate
 * limits, response wrapping, sealed and standby nodes and TLS were recorded too, and are not kept here: the local server
 * has none of them.
 */

/** The one token of the recordings that the local server could have. */
export const policies: ReadonlyMap<string, Policy> = new Map([['root', 'root']])

export interface Step {
  /** Secrets that existed without a recorded request. */
  readonly write?: readonly (readonly [path: string, data: Record<string, string>])[]
  /** Milliseconds that pass before. */
  readonly wait?: number
  /** The body, if the recording doesn't have its bytes. */
  readonly body?: Buffer
}

/** By file and number of the exchange. */
export const steps: Readonly<Record<string, Step>> = {
  '03 45': { body: Buffer.concat([Buffer.from('{"data":{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}}')]) },
  '13 5': { wait: 2500 },
  '13 11': { wait: 2500 },
  '14 16': {
    write: [['secret/data/acl/one', { a: '1' }]],
  },
}

const reasons = {
  unasked: 'tug never asks for it',
  ownMounts: 'lists every mount of the recorded server, with its identity store and per-token storage',
  noHelp: 'help texts are not served',
  scan: 'recursive listing (SCAN) is one vendor’s own',
  detailed: 'detailed-metadata is one vendor’s own',
  uncleaned: 'tug never asks for a path that a server would clean',
  hugeNumbers: 'numbers that a double cannot hold are stored',
  otherProducts: 'other products’ clients get a 404 for their paths',
  front: 'answered in front of the services',
  options: 'refused like any other method that no path has',
  fixedTokens: 'tokens and policies are fixed: one that may do everything, and one that reads below app/',
  tokenLife: 'tokens of the local server neither expire nor run out of uses',
  tokenFacts: 'the facts of a token are the local server’s own',
}

/** Exchanges that are not replayed, by file and number, and why. */
export const outOfScope: Readonly<Record<string, string>> = {
  ...those(reasons.ownMounts, '01 17', '01 18', '01 21', '01 24'),
  ...those(reasons.noHelp, '03 63'),
  ...those(reasons.options, '03 65'),
  ...those(reasons.front, '03 85'),
  ...those(reasons.uncleaned, '08 40', '09 58', '09 59', '09 61', '09 62', '09 63', '09 64'),
  ...those(reasons.hugeNumbers, '10 1'),
  ...those(reasons.scan, '08 34', '08 35', '08 36'),
  ...those(reasons.detailed, '08 37', '16 21'),
  ...those(reasons.fixedTokens, ...Array.from({ length: 15 }, (_, index) => `14 ${index + 1}`)),
  ...those(reasons.fixedTokens, ...Array.from({ length: 29 }, (_, index) => `14 ${index + 26}`)),
  ...those(reasons.tokenFacts, '14 56'),
  ...those(reasons.tokenLife, '14 57', '14 59', '14 60', '14 61', '14 62', '14 63'),
  ...those(reasons.otherProducts, '14 17'),
  ...those(reasons.unasked, '01 25', '01 26', '14 55', '18 1'),
}

function those(reason: string, ...places: readonly string[]): Record<string, string> {
  return Object.fromEntries(places.map((place) => [place, reason]))
}
