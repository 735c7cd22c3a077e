const clause = /^\s*(=|!=|>=|<=|>|<|~>)?\s*v?([\d.]+)\s*$/

/** True if a version meets every constraint of a list such as `>= 1.6, < 2`. What follows its numbers doesn't count. */
export function versionMeets(version: string, list: string): boolean {
  const own = numbersOf(/^v?([\d.]+)/.exec(version)?.[1] ?? '')
  return list.split(',').every((part) => {
    const [, operator = '=', text = ''] = clause.exec(part) ?? []
    const wanted = numbersOf(text)
    const order = compareNumbers(own, wanted)
    if (operator === '~>') return order >= 0 && wanted.slice(0, -1).every((number, place) => number === own[place])
    if (order === 0) return operator !== '!=' && operator.endsWith('=')
    return operator === '!=' || (operator.startsWith('>') ? order > 0 : operator.startsWith('<') && order < 0)
  })
}

function numbersOf(text: string): number[] {
  return text.split('.').map(Number)
}

function compareNumbers(left: readonly number[], right: readonly number[]): number {
  const place = left.findIndex((number, at) => number !== (right[at] ?? 0))
  return place === -1 ? left.length - Math.max(left.length, right.length) : (left[place] ?? 0) - (right[place] ?? 0)
}
