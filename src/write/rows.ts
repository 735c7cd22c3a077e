import { list } from '../core/command.ts'
import type { ListView, WriteRow } from '../core/command.ts'
import type { Json } from '../core/json.ts'
import { isObject } from '../core/json.ts'
import type { Column } from '../core/output.ts'
import type { Action } from './actions.ts'
import { actions } from './actions.ts'
import type { Applied, Decision, Verdict, Work } from './work.ts'

/** A row, with the result of the write and of the wait. */
export interface Row extends WriteRow {
  applied?: Applied | undefined
  verdict?: Verdict | undefined
}

/** An action with the mark of its rows. */
export function markedAs(action: Action): { action: Action; mark: string; tone: WriteRow['tone'] } {
  const { mark, tone } = actions[action] as { mark: string; tone?: WriteRow['tone'] }
  return { action, mark, tone }
}

/** The row of a decision, with all members from the start. */
export function rowOf(item: string, decision: Decision): Row {
  const { action, words, isUnseen, facts, guard, error, below, more } = decision
  const { mark, tone } = markedAs(action)
  return {
    item,
    action,
    mark,
    tone,
    words: isUnseen !== true ? words : words === '' ? 'not looked at' : `not looked at: ${words}`,
    below,
    more,
    before: guard,
    facts,
    newFacts: undefined,
    error,
    outcome: action === 'unknown' ? 'unknown' : undefined,
    index: undefined,
    after: undefined,
    applied: undefined,
    verdict: undefined,
    verdictWords: undefined,
    requestId: undefined,
    isOld: undefined,
  }
}

/** The columns of a write's rows in csv and similar formats. */
export function rowsView({ columns = [] }: Pick<Work, 'columns'>): ListView {
  const member = (name: string): Column<Json> => ({ name, value: (row) => (isObject(row) ? row[name] : undefined) })
  const message = (row: Json) => {
    const error = isObject(row) ? row['error'] : undefined
    return isObject(error) ? error['message'] : undefined
  }
  return list<Json>(
    [
      { ...member('item'), whole: true },
      member('action'),
      { ...member('detail'), long: true },
      ...columns.map(member),
      member('outcome'),
      { name: 'error', value: message, long: true },
    ],
    (row) => (isObject(row) && typeof row['item'] === 'string' ? row['item'] : ''),
    { empty: '' },
  )
}
