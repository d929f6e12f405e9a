import { Parser } from 'htmlparser2'
import type { JsonObject } from '../../values/json.ts'
import type { Piece } from '../render/scan-template.ts'
import type { MailVariables } from '../render/scope.ts'
import type { CompiledTemplate } from '../render/template.ts'
import { PIXEL } from './track-html.ts'

/** Filters take a mail of images with fewer bytes of words than this for spam (SpamAssassin's HTML_IMAGE_ONLY_32). */
const FEW_WORDS = 3_200

/**
 * Whether the pixel would be the only image of a short mail. Filters score such mails as made of images, which costs
 * more than knowing of an opening is worth.
 */
export function isLonePixel(html: string): boolean {
  let hasImage = false
  let words = 0
  const unseen: string[] = []
  const parser = new Parser(
    {
      onopentag(name, { background, style = '' }) {
        if (UNSEEN.has(name)) unseen.push(name)
        if (IMAGES.has(name) || background !== undefined || /url\(/i.test(style)) hasImage = true
      },
      onclosetag(name) {
        if (unseen.at(-1) === name) unseen.pop()
      },
      ontext(text) {
        if (unseen.length === 0) words += Buffer.byteLength(text.replace(/\s+/g, ' '))
        else if (unseen.at(-1) === 'style' && /url\(/i.test(text)) hasImage = true
      },
    },
    { decodeEntities: true },
  )
  parser.end(html)
  return !hasImage && words < FEW_WORDS
}

const UNSEEN = new Set(['head', 'style', 'script', 'title'])
const IMAGES = new Set(['img', 'image', 'svg', 'picture', 'video', 'input', 'object', 'embed', 'v:image', 'v:fill'])

/** The same for a template; undefined when only the finished mail shows. */
export function hasLonePixel(source: string, pieces: readonly Piece[]): boolean | undefined {
  const depends = pieces.some(
    (piece) => piece.kind === 'tag' || (piece.kind === 'output' && /\|\s*raw\b/.test(piece.content)),
  )
  if (depends) return undefined
  return isLonePixel(pieces.map(({ kind, from, to }) => (kind === 'text' ? source.slice(from, to) : '')).join(''))
}

/** A tracked template whose finished mail loses the pixel when it is the only image of a short mail. */
export class WithoutLonePixel implements CompiledTemplate {
  readonly mode = 'html'
  readonly slots = undefined
  readonly #template: CompiledTemplate

  constructor(template: CompiledTemplate) {
    this.#template = template
  }

  render(variables: JsonObject, mailVariables: MailVariables, patience?: number): string {
    const html = this.#template.render(variables, mailVariables, patience)
    const rest = html.replace(PIXEL.join(mailVariables.injected?.pixel ?? ''), () => '')
    return isLonePixel(rest) ? rest : html
  }

  validate(variables: JsonObject, mailVariables: MailVariables): void {
    this.#template.validate(variables, mailVariables)
  }
}
