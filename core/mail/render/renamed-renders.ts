import { afterName, readRenderTag, rendersSnippets } from './render-tag.ts'
import { scanTemplate } from './scan-template.ts'
import { writtenBody } from './written-body.ts'

/** The tag up to the quote before the name, and the name. */
const UP_TO_NAME = /^(\{%-?\s*render\s*["'])[^"']*/

/**
 * A source as its author wrote it, with another name in the tags that render the snippet: the same words in plain text,
 * in comments, in raw blocks and in values stay. A tag into which an editor put HTML is read as it is compiled.
 */
export function renamedRenders(source: string, from: string, to: string): string {
  if (!source.includes('render') || !source.includes(from)) return source
  const parts = scanTemplate(source).map((piece) => {
    const text = source.slice(piece.from, piece.to)
    if (piece.kind !== 'tag') return text
    const tag = writtenBody(text)
    return isRenderOf(from, tag) ? tag.replace(UP_TO_NAME, `$1${to}`) : text
  })
  return parts.join('')
}

function isRenderOf(name: string, tag: string): boolean {
  if (!rendersSnippets(tag)) return false
  const [piece] = scanTemplate(tag)
  return piece?.kind === 'tag' && piece.name === 'render' && readRenderTag(afterName(piece.content))?.name === name
}
