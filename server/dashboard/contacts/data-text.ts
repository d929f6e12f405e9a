/** A value of a contact's data as a text people read. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A value of a contact's data as it is edited: texts as they are, everything else as JSON, so that its type is kept. */
export function editable(value: unknown): string {
  return typeof value === 'string' && !isJson(value) ? value : JSON.stringify(value)
}

/** The value that was typed: JSON where it is some, else a text. */
export function typed(text: string): unknown {
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
