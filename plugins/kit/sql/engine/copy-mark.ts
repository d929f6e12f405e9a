/**
 * The name of a row among the migrations of a database that is being copied into. Because of it no program, of this or
 * an older version, opens the database for anything else until the copy is finished. `print` is the source's
 * fingerprint.
 */
export function copyMark(print: string): string {
  return PREFIX + print
}

/** Whether a migration's name is such a mark. */
export function isCopyMark(name: string): boolean {
  return name.startsWith(PREFIX)
}

const PREFIX = 'copy of '
