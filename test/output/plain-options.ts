/** What a run without flags, whose output is a pipe, has for its output. */
export const plainOptions = {
  format: 'table',
  query: undefined,
  columns: undefined,
  headers: true,
  nul: false,
  csvSafe: false,
  csvBom: false,
  terminal: false,
  draws: false,
  records: false,
  ciLog: false,
  width: undefined,
  paint: (_: string, text: string) => text,
  now: () => new Date(0),
  see: undefined,
} as const
