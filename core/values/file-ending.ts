import { PICTURES, pictureTypeOf } from './picture-type.ts'

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ['message/rfc822', 'eml'],
  ['text/calendar', 'ics'],
  ['text/vcard', 'vcf'],
  ['text/plain', 'txt'],
  ['text/html', 'html'],
  ['text/csv', 'csv'],
  ['application/pdf', 'pdf'],
  ...PICTURES.map(({ type, ending }) => [type, ending] as const),
])

/** The ending of a file without a name, by which its reader's machine knows how to open it; undefined where that is not known. */
export function endingOf(contentType: string, bytes: Uint8Array): string | undefined {
  return ENDINGS.get(pictureTypeOf(bytes) ?? contentType.toLowerCase())
}
