import type { KeptFile } from '../../api/jobs.ts'
import type { Job } from '../../api/job-shapes.ts'
import { asJson, changed } from '../../core/answer.ts'
import type { Json } from '../../core/json.ts'
import { stringifyJson } from '../../core/json.ts'
import { declaredIn } from './declared.ts'
import { variablesText } from './variables.ts'

/** A file of an export. */
export interface ExportedFile {
  /** Below the folder of the export: `default/web.hcl`. */
  readonly path: string
  readonly content: string
  /** True if it may have secrets. */
  readonly isPrivate: boolean
}

/** The files that make the job what it is: its own file and variables, or the job itself as JSON. */
export function exportedFiles(job: Job, submission: KeptFile | undefined): ExportedFile[] {
  const namespace = job.Namespace || 'default'
  const base = `${fileName(namespace)}/${fileName(job.ID ?? '')}`
  const source = submission?.Source ?? ''
  if (submission === undefined || source === '' || !describes(submission, namespace))
    return [{ path: `${base}.json`, content: `${stringifyJson(bareJob(job), 2)}\n`, isPrivate: true }]
  if (submission.Format === 'json') return [{ path: `${base}.json`, content: source, isPrivate: true }]
  const variables = variablesOf(submission)
  const own = { path: `${base}.hcl`, content: source, isPrivate: false }
  return variables === '' ? [own] : [own, { path: `${base}.vars.hcl`, content: variables, isPrivate: true }]
}

/** True if the file alone says all: its format, and a namespace that isn't the default one. */
function describes({ Source: source, Format: format }: KeptFile, namespace: string): boolean {
  if (format === 'hcl1') return false
  return namespace === 'default' || (format !== 'json' && declaredIn(source).namesNamespace)
}

/** The var-files, and what was given beside them, which counts more. */
function variablesOf({ Source: source, Variables: variables, VariableFlags: given }: KeptFile): string {
  const { variables: declared } = declaredIn(source)
  const flags = Object.entries(given ?? {}).filter(([name]) => declared?.has(name) !== false)
  const files = (variables ?? '') === '' ? [] : [{ file: 'variables', text: variables ?? '' }]
  const { text: merged } = variablesText(files, flags)
  return merged === '' || merged.endsWith('\n') ? merged : `${merged}\n`
}

/** Members that a server sets itself. */
const ownedByServer = [
  'Stop',
  'Status',
  'StatusDescription',
  'Version',
  'VersionTag',
  'Stable',
  'SubmitTime',
  'CreateIndex',
  'ModifyIndex',
  'JobModifyIndex',
  'NomadTokenID',
  'SchedulerTokenID',
  'Dispatched',
  'DispatchIdempotencyToken',
  'ParentID',
  'Payload',
]

function bareJob(job: Job): Json {
  return changed(asJson(job), Object.fromEntries(ownedByServer.map((key) => [key, undefined])))
}

/** An ID as the name of a file that is read again as a job file: nothing hidden, no folder, not the name of a file of variables. */
function fileName(id: string): string {
  const escaped = (character: string) =>
    `%${character.codePointAt(0)?.toString(16).toUpperCase().padStart(2, '0') ?? ''}`
  return id
    .replaceAll(/[%/\\:*?"<>|\u0000-\u001f]/g, escaped)
    .replace(/^\./, escaped)
    .replace(/(?<=^|\.)[vt](?=(?:ars|fvars|ariables)$)/, escaped)
}
