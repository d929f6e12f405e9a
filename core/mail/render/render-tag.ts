import { scanTemplate } from './scan-template.ts'

/** `{% render 'footer', title: name %}`: the name of a snippet, and the values it is given, as they are written. */
export interface RenderTag {
  readonly name: string
  readonly given: string
}

const RENDER = /\{%-?\s*render(?![\w?-])/
const LITERAL = /^\s*(?:"([^"]*)"|'([^']*)')\s*(?:,|$|(?=\w))/

/** True when a body has tags, before what editors put into them is undone, and before the line breaks of a long text are written. */
export function hasTags(body: string): boolean {
  return body.includes('{%')
}

/** True when a written source may render snippets. It costs one search, so that others pay nothing. */
export function rendersSnippets(source: string): boolean {
  return source.includes('{%') && RENDER.test(source)
}

/** Reads what follows `render` in its tag; undefined when it does not begin with a name in quotes. */
export function readRenderTag(written: string): RenderTag | undefined {
  const found = LITERAL.exec(written)
  const name = found?.[1] ?? found?.[2]
  return found === null || name === undefined ? undefined : { name, given: written.slice(found[0].length).trim() }
}

/** The names of the snippets that a written source renders, in order, as often as it does. */
export function namesRendered(source: string): readonly string[] {
  if (!rendersSnippets(source)) return []
  return scanTemplate(source).flatMap((piece) => {
    if (piece.kind !== 'tag' || piece.name !== 'render') return []
    return readRenderTag(afterName(piece.content))?.name ?? []
  })
}

/** The words after `render` in the content of its tag. */
export function afterName(content: string): string {
  return content.replace(/^\s*render/, '')
}
