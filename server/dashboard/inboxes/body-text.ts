import { linesOf } from '../parts/html-lines.ts'

/** The text of a body, to go on with: its lines, and the addresses behind its links. */
export function textOf(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const link of page.querySelectorAll('a[href]')) {
    const address = link.getAttribute('href') ?? ''
    const words = link.textContent ?? ''
    if (!address.replace(/^mailto:/, '').includes(words.trim()) || words.trim() === '') link.append(` (${address})`)
    else link.textContent = address.replace(/^mailto:/, '')
  }
  return linesOf(page.body)
}

/** The text of a body with the addresses behind its words and pictures, which a reader would be led to. */
export function comparable(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const link of page.querySelectorAll('a[href]')) link.append(` (${link.getAttribute('href')})`)
  for (const picture of page.querySelectorAll('img')) picture.replaceWith(`[${picture.getAttribute('src') ?? ''}]`)
  return linesOf(page.body)
}

/** The typed text as paragraphs. */
export function htmlOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  // spaces that HTML would take for one
  const spaced = escaped.replace(/^ +| {2,}/gm, (spaces) => '&nbsp;'.repeat(spaces.length))
  return spaced
    .split(/\n{2,}/)
    .map((part) => `<p>${part.replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}
