import { toValue } from 'liquidjs'

/** How much a template may come to, in bytes of UTF-8. */
export const MAX_OUTPUT = 2 * 1024 * 1024
/** The same of a subject line. */
export const MAX_SUBJECT = 10 * 1024

/** A limit in bytes as people say it. What the engine itself adds is not the writer's: to him the limit is the usual one. */
export function inWords(most: number): string {
  return most < MAX_OUTPUT ? `${most / 1024} KB` : `${MAX_OUTPUT / 1024 / 1024} MB`
}

/** A value as templates print it: nothing for null and undefined, lists without separators, `[object Object]`. */
export function printed(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return value === undefined || value === null ? '' : String(value)
  const plain: unknown = toValue(value)
  if (plain !== value) return printed(plain)
  return Array.isArray(value) ? value.map(printed).join('') : '[object Object]'
}

const SPECIAL = /[&<>"']/
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

/** Text as it stands in HTML, between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign) : text
}

/** True when the text is larger than a template may come to (`most`, in bytes of UTF-8). */
export function isTooLarge(text: string, most = MAX_OUTPUT): boolean {
  return text.length * 3 > most && Buffer.byteLength(text) > most
}
