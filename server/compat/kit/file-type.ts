import { detectMimeType } from 'nodemailer/lib/mime-funcs'

/** The type that says nothing. Many clients give it to all files. */
const UNKNOWN = 'application/octet-stream'

/** The type of a file: as it was given, or else by the end of its name, or else `otherwise`. */
export function fileType(given: string | null | undefined, filename: string, otherwise: string = UNKNOWN): string {
  if (given && given !== UNKNOWN) return given
  const byName = detectMimeType(filename)
  return byName === UNKNOWN ? otherwise : byName
}
