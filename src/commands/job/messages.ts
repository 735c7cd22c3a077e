/** What several commands of this group say. */

/** Why a job of another type is refused. */
export function typeChangeWords(old: string, next: string): string {
  return `the type changes from ${old} to ${next}, which a server does not register: purge the job first, or give the file another ID`
}
