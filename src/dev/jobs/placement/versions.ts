/** Constraints on versions such as `>= 1.6, < 2`, for the operands `version` (which also has `~>`) and `semver`. */

export type VersionOperand = 'version' | 'semver'

interface Version {
  readonly numbers: readonly number[]
  readonly prerelease: readonly string[]
}

const shape = /^v?(\d+(?:\.\d+)*)(?:-?([A-Za-z~-][\w.~-]*|(?<=-)\d[\w.~-]*))?(?:\+[\w.~-]+)?$/
const clause = /^(=|!=|>=|<=|>|<|~>)?\s*(\S+)$/

/** The first invalid part of a list of version constraints. */
export function unreadableVersion(list: string, operand: VersionOperand): string | undefined {
  return list.split(',').find((part) => readClause(part, operand) === undefined)
}

/** True if a version meets every constraint of the list. Other text meets none. */
export function versionMeets(text: string, list: string, operand: VersionOperand): boolean {
  const version = readVersion(text)
  if (version === undefined) return false
  return list.split(',').every((part) => {
    const wanted = readClause(part, operand)
    return wanted !== undefined && meets(version, wanted.operator, wanted.version, operand)
  })
}

function readClause(part: string, operand: VersionOperand) {
  const [, operator = '=', text = ''] = clause.exec(part.trim()) ?? []
  const version = readVersion(text)
  return version === undefined || (operator === '~>' && operand === 'semver') ? undefined : { operator, version }
}

function readVersion(text: string): Version | undefined {
  const found = shape.exec(text.trim())
  if (found === null) return undefined
  return { numbers: (found[1] ?? '').split('.').map(Number), prerelease: found[2]?.split('.') ?? [] }
}

function meets(version: Version, operator: string, wanted: Version, operand: VersionOperand): boolean {
  const order = compareVersions(version, wanted)
  if (operator === '=') return order === 0
  if (operator === '!=') return order !== 0
  // `version` matches prereleases only against prereleases; `semver` compares by order alone.
  const released = version.prerelease.length === 0 || wanted.prerelease.length > 0
  if (operand === 'version' && !released) return false
  if (operator === '~>') {
    const fixed = wanted.numbers.slice(0, -1)
    return order >= 0 && fixed.every((number, place) => number === (version.numbers[place] ?? 0))
  }
  if (order === 0) return operator.endsWith('=')
  return operator.startsWith('>') ? order > 0 : order < 0
}

function compareVersions(left: Version, right: Version): number {
  const length = Math.max(left.numbers.length, right.numbers.length)
  for (let place = 0; place < length; place += 1) {
    const difference = (left.numbers[place] ?? 0) - (right.numbers[place] ?? 0)
    if (difference !== 0) return difference
  }
  return comparePrereleases(left.prerelease, right.prerelease)
}

function comparePrereleases(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) return right.length - left.length
  for (const [place, one] of left.entries()) {
    const other = right[place]
    if (other === undefined) return 1
    if (one === other) continue
    const [oneIsNumber, otherIsNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
    if (oneIsNumber && otherIsNumber) return Number(one) - Number(other)
    if (oneIsNumber !== otherIsNumber) return oneIsNumber ? -1 : 1
    return one < other ? -1 : 1
  }
  return left.length - right.length
}
