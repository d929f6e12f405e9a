/** A made-up answer as a mail program writes it, and the part of it that is new. */
export interface Answer {
  readonly name: string
  readonly text: string
  readonly html: string
  readonly newText: string
}

export const OLDER = ['Hello Grace,', '', 'when will the engine be ready? We ship on 12 May.', '', 'Ada'] as const

/** Paragraphs as `<div>` with a `<br>` between. */
export function divs(text: string): string {
  return text
    .split('\n')
    .map((line) => `<div>${escaped(line) || '<br>'}</div>`)
    .join('')
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

export function quoted(lines: readonly string[]): string {
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n')
}

export function tabbed(lines: readonly string[]): string {
  return lines.map((line) => `\t${line}`).join('\n')
}

/** Lines are wrapped as programs wrap them. */
export function wrapped(line: string): string {
  const at = line.length > 72 ? line.lastIndexOf(' ', 72) : -1
  return at < 0 ? line : `${line.slice(0, at)}\n${line.slice(at + 1)}`
}
