/** Constraints on versions such as `>= 1.6, < 2`, for the operands `version` (which also has `~>`) and `semver`. */

type VersionOperand = 'version' | 'semver'

interface Version {
  readonly numbers: readonly number[]
  /** Empty for a release. */
  readonly prerelease: string
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
  return found === null ? undefined : { numbers: (found[1] ?? '').split('.').map(Number), prerelease: found[2] ?? '' }
}

function meets(version: Version, operator: string, wanted: Version, operand: VersionOperand): boolean {
  const order = compareVersions(version, wanted)
  if (operator === '=') return order === 0
  if (operator === '!=') return order !== 0
  // `version` matches prereleases only against prereleases; `semver` compares by order alone.
  if (operand === 'version' && version.prerelease !== '' && wanted.prerelease === '') return false
  if (operator === '~>') {
    const fixed = wanted.numbers.slice(0, -1)
    return order >= 0 && fixed.every((number, place) => number === (version.numbers[place] ?? 0))
  }
  if (order === 0) return operator.endsWith('=')
  return operator.startsWith('>') ? order > 0 : order < 0
}

function compareVersions(left: Version, right: Version): number {
  for (let place = 0; place < Math.max(left.numbers.length, right.numbers.length); place += 1) {
    const difference = (left.numbers[place] ?? 0) - (right.numbers[place] ?? 0)
    if (difference !== 0) return difference
  }
  if (left.prerelease === '' || right.prerelease === '') return right.prerelease.length - left.prerelease.length
  return left.prerelease.localeCompare(right.prerelease, 'en', { numeric: true })
}
