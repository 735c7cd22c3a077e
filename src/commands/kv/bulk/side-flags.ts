import { flag, readSegments } from '../../../core/param.ts'

/** The flags that say where else to write. */
export const sideFlags = {
  toMount: flag.of('mount to write to', readSegments, { placeholder: 'path' }),
  toProfile: flag.text('profile of the server to write to', { placeholder: 'name', complete: 'profile' }),
  toNamespace: flag.text('namespace to write to', { placeholder: 'ns' }),
}

/** What those flags say. */
export interface SideInput {
  readonly toMount: string | undefined
  readonly toProfile: string | undefined
  readonly toNamespace: string | undefined
}
