import { type Json, jsonObject } from './json.ts'

/** Control characters and what begins a new line. */
const LINE_ENDS = /[\p{Cc}\u2028\u2029]+/gu

/** The text in one line, as a stranger's must be that is shown in mails. */
export function oneLine(text: string): string {
  return text.replace(LINE_ENDS, ' ').trim()
}

/** The same for every text within a value, as data that strangers send may be nested. */
export function inOneLine(value: Json): Json {
  if (typeof value === 'string') return oneLine(value)
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) return value.map(inOneLine)
  return jsonObject(Object.entries(value).map(([key, inner]) => [key, inOneLine(inner)]))
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
