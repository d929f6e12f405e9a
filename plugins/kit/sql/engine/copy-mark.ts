/**
 * A row among the migrations of a database that is being copied into: no program, of this version or an older one, opens
 * the database for anything else until the copy is finished. `print` is the fingerprint of the source.
 */
export function copyMark(print: string): string {
  return PREFIX + print
}

/** Whether the name of a migration is such a mark. */
export function isCopyMark(name: string): boolean {
  return name.startsWith(PREFIX)
}

const PREFIX = 'copy of '
