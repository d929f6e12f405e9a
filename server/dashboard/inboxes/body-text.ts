/** Elements that begin a line of their own. */
const LINES = 'p, div, li, tr, h1, h2, h3, h4, h5, h6, blockquote, pre, table, ul, ol, hr'

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

/** The text of what a browser draws in lines; paragraphs have an empty one between them. */
function linesOf(body: HTMLElement): string {
  for (const row of body.querySelectorAll('td + td, th + th')) row.prepend(' ')
  for (const item of body.querySelectorAll('li')) item.prepend('- ')
  // a break of the source is none of the text
  const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const node = texts.currentNode
    if (node.parentElement?.closest('pre')) continue
    const lines = (node.textContent ?? '').split(/[\r\n]+/)
    if (lines.length === 1) continue
    const inner = lines.slice(1, -1).map((line) => line.trim())
    node.textContent = [lines[0]?.trimEnd(), ...inner, lines.at(-1)?.trimStart()].join(' ')
  }
  for (const line of body.querySelectorAll('br')) line.replaceWith('\n')
  for (const block of body.querySelectorAll(LINES)) {
    const ends = block.matches('p') ? '\n\n' : '\n'
    block.before(ends)
    block.after(ends)
  }
  const text = (body.textContent ?? '').replaceAll('\u00a0', ' ')
  const lines = text.split('\n').map((line) => line.replace(/^ (?=\S)/, '').trimEnd())
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
