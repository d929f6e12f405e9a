import type { Question } from './design.ts'

/** Everything that Liquid reads, outputs and tags; a group, so that `split` keeps it. */
const LIQUID = /(\{\{(?:(?!\{\{)[\s\S])*?\}\}|\{%(?:(?!\{%)[\s\S])*?%\})/
const PLAIN_PATH = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/

/** Text as HTML, with the Liquid in it as it is: its quotes and signs are not HTML's. */
export function htmlText(text: string): string {
  return text
    .split(LIQUID)
    .map((part, at) => (at % 2 === 1 ? part : escaped(part)))
    .join('')
}

/**
 * The same within an attribute in double quotes. Liquid takes either quotes, so it gets the single ones there; but for
 * a piece that needs both.
 */
export function htmlAttribute(text: string): string {
  return text
    .split(LIQUID)
    .map((part, at) => (at % 2 === 1 ? (part.includes("'") ? part : part.replaceAll('"', "'")) : escaped(part)))
    .join('')
}

/** Data as HTML, also within an attribute in double quotes: nothing of it is Liquid. */
export function literalHtml(data: string): string {
  return escaped(data).replaceAll('{', '&#123;')
}

/** Data as text of a template that is no HTML, such as a subject. */
export function literalText(data: string): string {
  return data.replace(/\{(?=[{%])/g, '{{ "{" }}')
}

/** Whether there is Liquid in it. */
export function hasLiquid(text: string): boolean {
  return LIQUID.test(text)
}

/** A field's name as Liquid reads it: `plan`, or `data["First Name"]`. */
export function pathOf(field: string): string {
  return PLAIN_PATH.test(field) ? field : `data[${quoted(field)}]`
}

/** `{{ plan }}`, or `{{ plan | default: "free" }}` for contacts without one. */
export function outputOf(field: string, fallback: string): string {
  return fallback === '' ? `{{ ${pathOf(field)} }}` : `{{ ${pathOf(field)} | default: ${quoted(fallback)} }}`
}

/** `{{ firstName }}`, also with a default that is written again as it was. */
export const OUTPUT =
  /\{\{\s*([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)\s*(?:\|\s*default:\s*(?:"([^"{}%\r\n]+)"|'([^'{}%\r\n]+)')\s*)?\}\}/
const IS_OUTPUT = new RegExp(`^${OUTPUT.source}$`)

/** The field that a piece of Liquid outputs, when it does nothing else. */
export function fieldOf(source: string): { readonly field: string; readonly fallback: string } | undefined {
  const output = IS_OUTPUT.exec(source)
  if (output === null) return undefined
  const [, field = '', double, single] = output
  return { field, fallback: double ?? single ?? '' }
}

/** The tags around what only some contacts get; none while it is not said who. */
export function tagsOf(field: string, asks: Question, value: string): readonly [string, string] {
  if (field === '') return ['', '']
  const path = pathOf(field)
  if (asks === 'set') return [`{% if ${path} != blank %}`, '{% endif %}']
  if (asks === 'missing') return [`{% if ${path} == blank %}`, '{% endif %}']
  return [`{% if ${path} ${asks === 'is' ? '==' : '!='} ${quoted(value)} %}`, '{% endif %}']
}

/** `{% render 'footer', title: firstName %}`; nothing while no snippet is chosen. */
export function renderTag(name: string, given: string): string {
  const values = given.replaceAll(/[{}%\r\n]/g, ' ').trim()
  return name === '' ? '' : `{% render '${name}'${values === '' ? '' : `, ${values}`} %}`
}

const RENDER = /^\{%-?\s*render\s+(["'])([a-z0-9]+(?:-[a-z0-9]+)*)\1(?:\s*,)?([^{}%]*?)-?%\}$/

/** The snippet that a piece of Liquid renders, and the values that it is given. */
export function snippetOf(source: string): { readonly name: string; readonly given: string } | undefined {
  const [, , name, given = ''] = RENDER.exec(source.trim()) ?? []
  return name === undefined ? undefined : { name, given: given.trim() }
}

/** A Liquid text: it knows no escapes, so one that has both quotes loses the double ones. */
function quoted(text: string): string {
  const clean = text.replaceAll(/[{}%\r\n]/g, ' ')
  if (!clean.includes('"')) return `"${clean}"`
  return clean.includes("'") ? `"${clean.replaceAll('"', '')}"` : `'${clean}'`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\u00a0', '&nbsp;')
}
