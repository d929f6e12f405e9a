import { Parser } from 'htmlparser2'
import { invalidField } from '../../errors.ts'
import { LiquidTokens, markFor } from './liquid-tokens.ts'

type CssInline = Pick<typeof import('@css-inline/css-inline-wasm'), 'inline'>

/** How deep elements may be in one another, and how many of those that format text may be open: HTML repeats them. */
const DEEPEST = 300
const MOST_FORMATTING = 100
const FORMATTING = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '))

const MARKUP =
  /<!--[\s\S]*?-->|<(style|script|title|textarea|xmp)\b(?:"[^"]*"|'[^']*'|[^"'>])*>[\s\S]*?<\/\1\s*>|<[a-zA-Z](?:"[^"]*"|'[^']*'|[^"'>])*>|<\/[^>]*>|[^<]+|</gi
const ATTRIBUTE = /([^\s"'>/=]+)\s*=\s*("[^"]*"|'[^']*')/g
const WRITTEN_TAG = /<[a-zA-Z](?:"[^"]*"|[^">])*>/g

/**
 * Writes the rules of `<style>` into the elements they fit. Rules for other moments (`:hover`, `@media`) stay, comments for
 * Outlook too, and Liquid stands where it stood: a style attribute with Liquid wins over rules, and a `<style>` whose rules
 * Liquid chooses is left alone. Nothing is fetched. Throws EngineError `VALIDATION_ERROR`.
 */
export function inlineCss(html: string, { inline }: CssInline): string {
  checkNesting(html)
  const liquid = new LiquidTokens(html)
  const kept = new Kept(markFor(liquid.text), liquid)
  const hidden = liquid.text.replace(MARKUP, (part, raw?: string) => kept.hidden(part, raw?.toLowerCase()))
  const inlined = inline(hidden, {
    loadRemoteStylesheets: false,
    keepLinkTags: true,
    keepStyleTags: true,
    keepAtRules: true,
    removeInlinedSelectors: true,
  })
  const shown = kept.shown(inlined)
  // its own would cut across the loops around rows
  const whole = /<tbody/i.test(html) ? shown : shown.replace(/<\/?tbody>/g, '')
  const lost = liquid.lostFrom(whole)
  if (lost !== undefined)
    throw refused(
      `${lost}: Liquid would be lost here when CSS is written into elements; put it into a value or between them`,
    )
  return liquid.restored(whole)
}

/** Parts of the HTML that are put aside. */
class Kept {
  readonly #parts: string[] = []
  readonly #mark: string
  readonly #liquid: LiquidTokens

  constructor(mark: string, liquid: LiquidTokens) {
    this.#mark = `${mark}k`
    this.#liquid = liquid
  }

  hidden(part: string, raw: string | undefined): string {
    if (!part.includes(this.#liquid.mark) || part.startsWith('<!--') || part.startsWith('</')) return part
    if (raw === 'style') return isOfValues(part, this.#liquid) ? part : `<!--${this.#keep(part)}-->`
    if (raw !== undefined) return part
    // as a comment, since text between the rows of a table would be moved before it
    return part.startsWith('<') ? this.#tag(part) : part.replace(this.#liquid.pattern, '<!--$&-->')
  }

  shown(html: string): string {
    const token = `${this.#mark}(\\d+)z`
    const comment = new RegExp(`<!--${token}-->`, 'g')
    const attribute = new RegExp(` ${token}=""`, 'g')
    return html
      .replace(comment, (_, index) => this.#parts[Number(index)] ?? '')
      .replace(WRITTEN_TAG, (tag) => {
        if (!tag.includes(this.#mark)) return tag
        const [, style = ''] = / style="([^"]*)"/.exec(tag) ?? []
        let isStyled = false
        const filled = tag.replace(attribute, (_, index) => {
          const part = this.#parts[Number(index)] ?? ''
          if (!part.startsWith('style=')) return ` ${part}`
          isStyled = true
          return ` style="${[style.replace(/;\s*$/, ''), part.slice('style='.length)].filter(Boolean).join(';')}"`
        })
        return isStyled ? filled.replace(` style="${style}"`, style === '' ? '$&' : '') : filled
      })
  }

  /** Liquid in values stays; a style with Liquid, and what Liquid chooses among the attributes, is put aside. */
  #tag(tag: string): string {
    const styled = tag.replace(ATTRIBUTE, (whole, name: string, value: string) => {
      if (name.toLowerCase() !== 'style' || !value.includes(this.#liquid.mark)) return whole
      return this.#keep(`style=${value.slice(1, -1).replaceAll('"', '&quot;')}`)
    })
    const bare = styled.replace(/"[^"]*"|'[^']*'/g, (value) => ' '.repeat(value.length))
    const outside = [...bare.matchAll(this.#liquid.pattern)].filter(({ index }) => index > 1)
    const [first, last] = [outside[0], outside.at(-1)]
    if (first === undefined || last === undefined) return styled
    const end = last.index + last[0].length
    return `${styled.slice(0, first.index)} ${this.#keep(styled.slice(first.index, end))} ${styled.slice(end)}`
  }

  #keep(part: string): string {
    return `${this.#mark}${this.#parts.push(part) - 1}z`
  }
}

/** Whether Liquid is in a `<style>` only as the value of a property. */
function isOfValues(style: string, liquid: LiquidTokens): boolean {
  return [...style.matchAll(liquid.pattern)].every(({ index, 0: { length }, 1: piece }) => {
    const before = /[:;{}>][^:;{}>]*$/.exec(style.slice(Math.max(0, index - 1000), index))?.[0]
    return before?.[0] === ':' && !liquid.isTag(Number(piece)) && /^[^;{}<]*[;}]/.test(style.slice(index + length))
  })
}

/** Beyond these bounds the compiler runs out of its stack, or HTML's rules make far more elements of these. */
function checkNesting(html: string): void {
  let depth = 0
  let formatting = 0
  const count = (name: string, by: number) => {
    if (FORMATTING.has(name)) formatting = Math.max(0, formatting + by)
    if (depth > DEEPEST) throw refused(`has elements more than ${DEEPEST} deep in one another, too many for inlineCss`)
    if (formatting > MOST_FORMATTING)
      throw refused(`has more than ${MOST_FORMATTING} open elements such as <b> or <font>, too many for inlineCss`)
  }
  const parser = new Parser({
    onopentagname(name) {
      depth++
      count(name, 1)
    },
    onclosetag(name, isImplied) {
      depth--
      if (!isImplied) count(name, -1)
    },
  })
  parser.end(html)
}

function refused(message: string) {
  return invalidField('source.text', 'custom', message)
}
