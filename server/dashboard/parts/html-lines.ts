/** Elements that begin a line of their own. */
const LINES = 'p, div, li, tr, h1, h2, h3, h4, h5, h6, blockquote, pre, table, ul, ol, hr'

/** The text of what a browser draws in lines; paragraphs have an empty one between them. */
export function linesOf(body: HTMLElement): string {
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
