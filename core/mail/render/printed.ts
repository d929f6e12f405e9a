import { toValue } from 'liquidjs'

/** How much a template may render to, in bytes of UTF-8. */
export const MAX_OUTPUT = 2 * 1024 * 1024
/** The same for a subject line. */
export const MAX_SUBJECT = 10 * 1024

/** A limit in bytes as text. Injected parts raise it, but the message names the usual limit. */
export function limitText(most: number): string {
  return most < MAX_OUTPUT ? `${most / 1024} KB` : `${MAX_OUTPUT / 1024 / 1024} MB`
}

/** A value as templates print it: nothing for null and undefined, a list with commas, and JSON for what is nested. */
export function printed(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return value === undefined || value === null ? '' : String(value)
  const plain: unknown = toValue(value)
  if (plain !== value) return printed(plain)
  if (Array.isArray(value) && !value.some((item) => typeof item === 'object' && item !== null))
    return value.map(printed).join(', ')
  return JSON.stringify(value)
}

const SPECIAL = /[&<>"']/
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

/** Text escaped for HTML, between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign) : text
}

/** Data as text of a template's HTML, also in a quoted attribute: nothing of it is Liquid. */
export function literalHtml(data: string): string {
  return escapeHtml(data).replaceAll('{', '&#123;')
}

/** True when the text is larger than a template's output may be (`most`, in bytes of UTF-8). */
export function isTooLarge(text: string, most = MAX_OUTPUT): boolean {
  return text.length * 3 > most && Buffer.byteLength(text) > most
}
