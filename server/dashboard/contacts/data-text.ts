import type { useFormats } from '../parts/formats.ts'

type Formats = Pick<ReturnType<typeof useFormats>, 'decimal' | 'plain'>

/** A value of a contact's data as a text people read. */
export function shown(value: unknown, { plain }: Formats): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') return plain(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * A value of a contact's data as it is edited: numbers as the reader writes them, texts as they are, everything else as
 * JSON, so that its type is kept.
 */
export function editable(value: unknown, formats: Formats): string {
  if (typeof value === 'number') return formats.plain(value)
  return typeof value === 'string' && typeof typed(value, formats) === 'string' && !isJson(value)
    ? value
    : JSON.stringify(value)
}

/** The value that was typed: a number as the reader writes it, JSON where it is some, else a text. */
export function typed(text: string, { decimal }: Formats): unknown {
  if (decimal === ',' && /^-?\d+,\d+$/.test(text)) return Number(text.replace(',', '.'))
  return isJson(text) ? JSON.parse(text) : text
}

/** True for what would be read as a number, a word such as `true`, a list, an object or a quoted text. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
