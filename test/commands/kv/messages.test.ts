import { expect, test } from 'vitest'
import * as backup from '../../../src/commands/kv/backup/messages.ts'
import * as change from '../../../src/commands/kv/change-messages.ts'
import * as copy from '../../../src/commands/kv/copy/messages.ts'
import * as diff from '../../../src/commands/kv/diff/messages.ts'
import * as edit from '../../../src/commands/kv/edit/messages.ts'
import * as folder from '../../../src/commands/kv/folder-messages.ts'
import * as kv from '../../../src/commands/kv/messages.ts'
import * as restore from '../../../src/commands/kv/restore/messages.ts'
import * as rollback from '../../../src/commands/kv/rollback/messages.ts'
import type { Context } from '../../../src/core/context.ts'
import { TugError } from '../../../src/core/errors.ts'
import { mentions } from '../../support/told.ts'
import { plainLine } from '../../support/line.ts'

const context = {
  commandLine: plainLine,
  commandPath: ['kv', 'put'],
  io: { platform: 'linux' },
  settings: { route: { mount: 'secret' } },
} as unknown as Context

const conflict = new TugError('conflict', 'theirs', { hints: ['first'] })
const doubt = new TugError('failed', 'cut', { reason: 'in_doubt' })

/** What a message is about: a text, or the code, message and hints of an error. */
test.each<[string | TugError, string, ...string[]]>([
  [backup.unreadableFile('f', 'why'), 'usage: … f: why'],
  [backup.emptyFile('-'), 'failed: standard input …: … empty'],
  [backup.cutFile('f'), 'failed: f …: … last line …', '… --partial …'],
  [backup.changedFile('f'), 'failed: f …: … checksum …'],
  [backup.otherFile('f'), 'failed: f …: … kv backup'],
  [backup.otherVersion('f', 3, 1), 'failed: f …: … 3… 1 …'],
  [backup.malformedLine('f', 7, 'how'), 'failed: f …: line 7 how'],
  [backup.baseMissing('f'), 'failed: f … changes …', '… first, …'],
  [backup.secondBase('f'), 'failed: f … full …'],
  [backup.otherBase('f', 'g'), 'failed: f … g'],
  [backup.otherPlaces('f', 's/a', 'g', 's/b'), 'failed: f … s/a, but g … s/b'],
  [backup.sinceElsewhere('f', 's/a', 's/b'), 'usage: f … s/a, not … s/b', '… --since'],
  [backup.keptChanging('a'), 'failed: a …'],
  [backup.stillReadable('a', [1, 2], 'line'), 'versions 1, 2 of a …: line'],
  [backup.engineUnreadable, "engine's settings"],
  [backup.notInBackup('a', 'code'), '…: a (code)'],
  [backup.incompleteBackup(1), 'partial: … 1 path …'],
  [restore.cutOff('f'), 'f …: …'],
  [restore.lacksPaths('f', ['a', 'b']), 'f … 2 paths …: a, b'],
  [restore.mountNotGiven('m', 'secret'), 'usage: … m/, …', '… --mount m, … --mount secret'],
  [restore.otherHistory(context, 'a', 'why'), 'conflict: a …: why', '…: tug kv history a'],
  [restore.restoreUnconfirmed('a', ['x', 'y']), 'a …: x; y'],
  [restore.notShownYet, 'server …'],
  [restore.unreadablePaths(2), 'partial: 2 paths …'],
  [restore.willExpire('1h'), '… 1h: …'],
  [restore.settingsKept('line'), '…: line'],
  [restore.settingsLeft('line'), '…: line'],
  [restore.settingsFailed(conflict, 'line'), 'conflict: …: theirs', '…: line', 'first'],
  [copy.missingTarget(), 'usage: <to> …', '… --to-mount, --to-profile, --to-namespace'],
  [copy.emptyNamespace(), 'usage: --to-namespace …'],
  [copy.forceOverHistory(), 'usage: --force …', '… --versions all'],
  [copy.samePaths(), 'usage: both …'],
  [copy.nestedPrune(), 'usage: --prune …'],
  [copy.overlap('a', 'b'), 'usage: b … a …', '… --force'],
  [copy.moveQuestion('a', []), 'a? …'],
  [copy.moveQuestion('a', ['x', 'y']), 'a? … (x, y) …'],
  [copy.historyMoveQuestion('a to b', 'a', 2), 'a to b, … 2 versions, … a?'],
  [copy.folderMoveQuestion('a', 1, true), '1 secret … a … version, … path?'],
  [copy.folderMoveQuestion('a', 2, true), '2 secrets … a … version, … paths?'],
  [copy.folderMoveQuestion('a', 1, false), '1 secret … a? Its …'],
  [copy.folderMoveQuestion('a', 2, false), '2 secrets … a? Their …'],
  [copy.removedMeanwhile('a'), 'usage: a …'],
  [copy.writtenMeanwhile(2, 3, 'hint'), 'conflict: … (version 2 …, 3 …)', 'hint'],
  [copy.sameSecret(), 'conflict: both …'],
  [copy.copyUnconfirmed('a', 'b'), 'conflict: … b, … a: …', '… --update: …'],
  [copy.sourceKept(conflict, 'a', 'wrote b', 'line'), 'conflict: wrote b, … a: theirs', 'first'],
  [copy.sourceKept(doubt, 'a', 'wrote b', 'line'), 'failed: wrote b, but removing a: cut', '… a: line'],
  [
    copy.sourceKept(doubt.with({ reason: 'unavailable' }), 'a', 'wrote b', 'l'),
    'failed: wrote b, … could not remove a: cut',
    '… a: l',
  ],
  [copy.historyKept, 'history …'],
  [copy.leftOut(1), '1 secret …'],
  [copy.dataLeftOut(2), '2 deleted versions …'],
  [rollback.nameMoment('line'), '…: line --at <time>'],
  [rollback.momentInFuture(), 'usage: --at …'],
  [rollback.whichVersion(context, 'a'), 'usage: … version …', '…: tug kv rollback a --to <n>', '…: tug kv history a'],
  [rollback.twoVersions(context, 'a'), 'usage: two …', '…: tug kv history a'],
  [rollback.nearestLive([]), 'no version …'],
  [rollback.nearestLive([1, 2]), '…: 1, 2'],
  [rollback.noVersion('a', 3, 'hint'), 'not_found: a … 3: …', 'hint'],
  [diff.compareFoldersBy('line'), '…: line'],
  [diff.needsTwoFolders(), 'usage: --recursive …', '… --other-mount … --other-profile'],
  [diff.versionsOfTwoSecrets(), 'usage: versions …'],
  [diff.notNewerVersion(), 'usage: …: tug kv diff <path> <older> <newer>'],
  [diff.versionsTwice(), 'usage: … flags'],
  [diff.notVersion('why'), 'usage: version why'],
  [diff.firstVersion('a'), 'not_found: version 1 of a …'],
  [diff.ofSide('b', conflict), 'conflict: b: theirs', 'first'],
  [edit.noPrivateFolder('/t'), 'failed: … /t'],
  [edit.editorFailed('failed', 3), 'failed: … 3; …'],
  [edit.editorLeftNothing(), 'failed: … file; …'],
  [change.setAndRemoved('k'), "usage: … 'k' …"],
  [change.nothingRemovable('a'), 'not_found: … a, …'],
  [change.seeChanges(context, 'a', ['--from', '1']), '…: tug kv diff a --from 1'],
  [change.notAtVersion(context, 'a', 2, 3), 'conflict: a … 3, not 2; …', '…: tug kv diff a --from 2 --to 3'],
  [change.notAtVersion(context, 'a', 3, 2), 'conflict: a … 2, not 3; …'],
  [change.notAtVersion(context, 'a', 2, 2), 'conflict: a … 2, not 2; …'],
  [change.notAtVersion(context, 'a', 0, 2), 'conflict: a … 2, not 0; …'],
  [change.notAtVersion(context, 'a', 1, 2), 'conflict: a … 2, not 1; …', '…: tug kv diff a --from 1 --to 2'],
  [change.notAtVersion(context, 'a', 2, undefined), "conflict: a doesn't exist, … 2; …"],
  [change.passRecursive, '--recursive …'],
  [change.deleteQuestion(['a/b', 'a/c'], 'a'), '2 secrets below a: a/b, a/c?'],
  [change.toUndo('line'), '…: line'],
  [change.unknownLatest('line'), 'usage: --no-verify … --versions: …', '…: line --versions <n>'],
  [change.nameVersion('line'), '…: line --versions <n>'],
  [change.nothingChanged(conflict, 'deleted'), 'conflict: theirs; … deleted', 'first'],
  [change.changeUnconfirmed(context, 'a', 'deletion'), '… deletion …: tug kv history a'],
  [
    change.noSuchVersions(context, 'a', 'version 9', [2, 1]),
    'not_found: a … version 9; …: 2, 1; …',
    '…: tug kv history a',
  ],
  [change.noSuchVersions(context, 'a', 'versions', []), 'not_found: a … versions; … metadata only; …', '…'],
  [change.resetByPatch('line'), 'usage: --delete-version-after 0 …', '…: line'],
  [change.createIt('line'), '…: line …'],
  [change.putInstead('line'), '…: line …'],
  [folder.emptySource('the file'), 'usage: the file …, … --prune …', '… kv delete --recursive'],
  [folder.surplusQuestion(['a'], 'the file'), "1 secret that the file doesn't …: a?"],
  [folder.invalidName(), 'failed: … name, …'],
  [folder.tooDeep(100), 'failed: … 100 levels …'],
  [folder.foundByAudit(1, 2, 3), '1 finding … 2 of 3 secrets'],
  [folder.passUpdate, '--update …'],
  [folder.pruneOfOne(), 'usage: --prune …'],
  [folder.incompleteExport('f', 'why', '# x'), 'usage: f …: why', '… "# x" …'],
  [folder.entryNotMap('f', 'a'), "usage: f: 'a' …", '…: tug kv put <path> @file'],
  [folder.withoutPath('f'), 'usage: f … path', '…: tug kv import <file> <path>'],
  [folder.notPath('f', 'a', 'why'), "usage: f: 'a' …: why"],
  [kv.listHint('it', context, ''), 'list it: tug kv list'],
  [kv.listHint('it', context, 'a'), 'list it: tug kv list a'],
  [kv.twoFields(), 'usage: --field …'],
  [kv.noField('a', []), "not_found: … 'a'", '… no keys'],
  [kv.noField('a', ['b', 'c']), "not_found: … 'a'", '…: b, c'],
  [
    kv.withoutVersions(context, 200, 'data/a'),
    'failed: secret/ … 2 …',
    '…: tug api secrets GET secret/data/a',
    '… --mount',
  ],
  [
    kv.storedLiterally(context, 'a'),
    "failed: secret/ … 2 … 'data/a' … of a",
    '…: tug api secrets DELETE secret/data/a',
    '… --mount',
  ],
  [kv.wouldBePlainKey(context, 'x', 'data/a'), "failed: secret/ is x; 'data/a' …", '… --mount'],
  [kv.needsVersion2(context, 'x'), 'failed: secret/ is x; … 2', '… --mount'],
  [kv.keyRepeated('k'), "usage: the key 'k' …"],
  [kv.keyRepeated('k', '--x: '), "usage: --x: … 'k' …"],
  [kv.alreadyExists('a', 'hint'), 'conflict: a …', 'hint'],
  [kv.keysLost('a', ['b', '']), "a: … b, ''"],
  [kv.keysLostQuestion('a', ['b']), 'a … b; … it. …?'],
  [kv.keysLostQuestion('a', ['b', 'c']), 'a … b, c; … them. …?'],
  [kv.keepsOthers(context, 'a'), '…: tug kv set a …'],
  [kv.noVersionInAnswer(context, 'a', 200), 'failed: … unknown', '…: tug kv history a'],
  [kv.patchRefused(context, 'a'), 'kv set … a: tug kv set a key=value'],
  [kv.nullUnpatchable(context, 'a'), '…: tug kv put a key=value'],
])('%s is told as %j', (told, facts, ...hints) => {
  if (typeof told === 'string') return expect(told).toMatch(mentions(facts))
  expect(`${told.code}: ${told.message}`).toMatch(mentions(facts))
  expect(told.hints).toEqual(hints.map((hint) => expect.stringMatching(mentions(hint)) as string))
})

test.each([
  ['metadata check-and-set parameter does not match', {}, '… current_metadata_version: tug kv metadata get a'],
  [
    'metadata check-and-set parameter required',
    {},
    '--metadata-cas <n>; current_metadata_version …: tug kv metadata get a',
  ],
  ['check-and-set parameter did not match', {}, '…: tug kv history a'],
  ['check-and-set parameter required', {}, '--cas <n> …: tug kv set a key=value'],
  ['maximum number of strings', {}, '1,000 strings …: tug kv patch a @rest.json'],
  ['anything', { status: 413 }, '32 MiB'],
  ['anything', { status: 412 }, undefined],
])('after the refusal %j, %j, of a write the hint is %s', (message, facts, hint) => {
  const hints = kv.refusalHints(context, 'a', new TugError('failed', message, facts))
  expect(hints).toEqual(hint === undefined ? [] : [expect.stringMatching(mentions(hint))])
})

test('kv set, which sends the whole value, names the command that sends only what changes', () => {
  const error = new TugError('failed', 'maximum number of strings')
  const [hint] = kv.refusalHints({ ...context, commandPath: ['kv', 'set'] }, 'a', error)
  expect(hint).toMatch(mentions('1,000 strings …: tug kv patch a …'))
})

test.each([
  [conflict, ['first', '/f', '…: tug kv diff a --from 4', '…: tug kv put a @/f --cas <their version>']],
  [doubt, ['/f', '…: tug kv put a @/f --cas 4']],
  [doubt.with({ reason: 'unavailable' }), ['/f', 'write it: tug kv put a @/f --cas 4']],
])('an edited text that was not written (%s) is kept, with the lines to go on: %j', (error, lines) => {
  const { hints, message } = edit.editKept(context, error, { path: 'a', file: '/f', version: '4' })
  expect(message).toBe(error.message)
  expect(hints).toEqual(lines.map((line) => expect.stringMatching(mentions(line)) as string))
})
