import type { MailContent } from '../../ports/store/contents.ts'
import type { Json } from '../../values/json.ts'
import { scanTemplate } from '../render/scan-template.ts'

/**
 * Limits above which a mail is heavy and made in a thread: on the event loop it would block everything else for more
 * than some tens of milliseconds. Measured: a text part takes 0.5 µs a character, a link 20 µs, a placeholder with
 * logic 30 µs and 2 µs for each of its characters.
 */
const MAX_TEXT = 50_000
const MAX_ATTACHED = 256 * 1024
const MAX_PLACEHOLDERS = 500
const MAX_CODE = 8_000
/** A placeholder has two braces on either side, so a shorter source has too few placeholders. */
const SHORT = Math.min(MAX_CODE, 4 * MAX_PLACEHOLDERS)
/** How many characters of values filters may work on. */
const MAX_VALUES = 50_000

/** True when a content is heavy, whatever its values. */
export function isHeavy({ html, text = '', attachments }: Pick<MailContent, 'html' | 'text' | 'attachments'>): boolean {
  if (html.length + text.length > MAX_TEXT) return true
  return attachments.reduce((sum, { bytes }) => sum + bytes.length, 0) > MAX_ATTACHED || isHeavySource(html + text)
}

/** The same for a single template. */
export function isHeavySource(source: string): boolean {
  if (source.length > MAX_TEXT) return true
  if (source.length < SHORT) return false
  let placeholders = 0
  let code = 0
  for (const piece of hasPlaceholders(source) ? scanTemplate(source) : []) {
    if (piece.kind !== 'output' && piece.kind !== 'tag') continue
    placeholders++
    code += piece.content.length
  }
  return placeholders > MAX_PLACEHOLDERS || code > MAX_CODE
}

/** True when one of the sources is more than text. */
export function hasPlaceholders(...sources: readonly string[]): boolean {
  return sources.some((source) => /\{[{%]/.test(source))
}

/** True when a template may take long with these values. */
export function areHeavyValues(values: Json): boolean {
  let left = MAX_VALUES
  const take = (value: Json): boolean => {
    left -= typeof value === 'string' ? value.length : 1
    if (left < 0) return true
    return typeof value === 'object' && value !== null && Object.values(value).some(take)
  }
  return take(values)
}
