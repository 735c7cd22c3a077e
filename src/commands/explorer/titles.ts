/** Headers of fields, shorter than their names, so that the default columns fit 80 cells. */
const fieldTitles: ReadonlyMap<string, string> = new Map([
  ['project_name', 'project'],
  ['current_run_status', 'run status'],
  ['resources_drifted', 'drift count'],
  ['workspace_updated_at', 'updated'],
  ['workspace_created_at', 'created'],
  ['workspace_count', 'used by'],
])

/** The title of a field's column, if it has one of its own. */
export function titled(field: string): { readonly title?: string } {
  const title = fieldTitles.get(field)
  return title === undefined ? {} : { title }
}

/** The field whose column has this title, in any spelling: `drift count`, `drift_count`. */
export function fieldTitled(text: string): string | undefined {
  const wanted = text.toLowerCase().replaceAll(/[_-]/g, ' ')
  return [...fieldTitles].find(([, title]) => title === wanted)?.[0]
}
