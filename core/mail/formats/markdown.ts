import MarkdownIt, { type Token } from 'markdown-it'
import { invalidField } from '../../errors.ts'
import type { Look } from '../../values/look.ts'
import { LiquidTokens } from './liquid-tokens.ts'
import { logoOf, mailPage } from './mail-page.ts'

/** How deep blocks may be in one another: the library leaves out what is deeper. */
const DEEPEST = 90

const MARKDOWN = new MarkdownIt({ html: true, linkify: true })
// "example.com" in a sentence is a name as often as it is an address
MARKDOWN.linkify.set({ fuzzyLink: false, fuzzyEmail: false })

/** The elements of a mail with their styles: in them, since Outlook reads styles nowhere else reliably. */
const STYLES: Readonly<Record<string, string>> = {
  p: 'margin:0 0 16px',
  h1: 'margin:0 0 12px;font-size:26px;line-height:1.25',
  h2: 'margin:0 0 12px;font-size:20px;line-height:1.25',
  h3: 'margin:0 0 12px;font-size:17px;line-height:1.25',
  h4: 'margin:0 0 12px;font-size:16px;line-height:1.25',
  h5: 'margin:0 0 12px;font-size:16px;line-height:1.25',
  h6: 'margin:0 0 12px;font-size:16px;line-height:1.25',
  li: 'margin:0 0 8px',
  blockquote: 'margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid #d5d9df',
  table: 'margin:0 0 16px;border-collapse:collapse',
  th: 'padding:8px 12px 8px 0;border-bottom:2px solid #d5d9df',
  td: 'padding:8px 12px 8px 0;border-bottom:1px solid #d5d9df',
  img: 'max-width:100%;height:auto;border:0',
}
const CODE = 'font-family:Consolas,Menlo,monospace'
const PRE = `margin:0 0 16px;padding:12px;background:#f3f4f6;font-size:13px;white-space:pre-wrap;${CODE}`
const RULE =
  '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px"><tr>\n' +
  '<td class="rule" style="border-top:1px solid #d5d9df;font-size:0;line-height:0">&nbsp;</td>\n</tr></table>\n'
const LEFTWARD = /^\P{L}*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u
/** Blocks whose direction is that of their first letter. */
const DIRECTED = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'td', 'th'])

const { rules } = MARKDOWN.renderer
rules.hr = () => RULE
rules.fence = rules.code_block = (tokens, at) =>
  `<pre class="code" style="${PRE}">${MARKDOWN.utils.escapeHtml(tokens[at]?.content ?? '')}</pre>\n`
rules.code_inline = (tokens, at) =>
  `<code style="${CODE}">${MARKDOWN.utils.escapeHtml(tokens[at]?.content ?? '')}</code>`

/**
 * A page of mail made of Markdown, in the look of the project. Its Liquid stands in it as it was written. Throws EngineError
 * `VALIDATION_ERROR`.
 */
export function markdownMail(source: string, look: Look, language: string): string {
  const liquid = new LiquidTokens(source)
  const tokens = MARKDOWN.parse(withLinesOfTags(liquid), {})
  if (tokens.some(({ level }) => level >= DEEPEST))
    throw invalidField('source.text', 'custom', `has blocks more than ${DEEPEST} deep in one another`)
  withListsAround(tokens)
  for (const [at, token] of tokens.entries()) style(token, tokens[at + 1], liquid)
  const inside = MARKDOWN.renderer.render(tokens, MARKDOWN.options, {}).trimEnd()
  return liquid.restored(
    mailPage({
      language,
      look,
      title: titleOf(tokens, liquid),
      inside: logoOf(look.logoUrl && MARKDOWN.utils.escapeHtml(look.logoUrl)) + inside,
    }),
  )
}

/** A line of tags alone is no paragraph: as a comment it stands between blocks. */
function withLinesOfTags(liquid: LiquidTokens): string {
  const token = `${liquid.mark}\\d+z`
  return liquid.text.replace(new RegExp(`^[ \\t]*(?:${token}[ \\t]*)+$`, 'gm'), (line) => {
    const isOfTags = [...line.matchAll(liquid.pattern)].every(([, index]) => liquid.isTag(Number(index)))
    return isOfTags ? line.replace(liquid.pattern, '<!--$&-->') : line
  })
}

/** A list whose items stand in a loop is one list, not one for each turn: the tags at its ends move into it. */
function withListsAround(tokens: Token[]): void {
  for (let open = 1; open < tokens.length; open++) {
    const list = tokens[open]
    if (list === undefined || !/^(?:bullet|ordered)_list_open$/.test(list.type) || !isOfTags(tokens[open - 1])) continue
    const end = list.type.replace('open', 'close')
    const close = tokens.findIndex(({ type, level }, at) => at > open && type === end && level === list.level)
    if (close < 0 || !isOfTags(tokens[close + 1])) continue
    const after = tokens.splice(close + 1, 1)
    tokens.splice(close, 0, ...after)
    const before = tokens.splice(open - 1, 1)
    tokens.splice(open, 0, ...before)
  }
}

const isOfTags = (token: Token | undefined) =>
  token?.type === 'html_block' && /^(?:\s*<!--\w+-->)+\s*$/.test(token.content)

function style(token: Token, next: Token | undefined, liquid: LiquidTokens): void {
  for (const child of token.children ?? []) style(child, undefined, liquid)
  if (token.nesting < 0) return
  const { tag } = token
  const words = next?.type === 'inline' ? next.content.replace(liquid.pattern, '') : ''
  const way = DIRECTED.has(tag) && LEFTWARD.test(words) ? ';text-align:right' : ''
  if (way !== '') token.attrSet('dir', 'rtl')
  const own = tag === 'ul' || tag === 'ol' ? 'margin:0 0 16px;padding-left:24px' : STYLES[tag]
  if (own === undefined) return
  const given = token.attrGet('style')
  const sided = (tag === 'th' || tag === 'td') && given === null && way === '' ? ';text-align:left' : way
  token.attrSet('style', `${own}${given === null ? sided : `;${given}`}`)
  if (tag === 'blockquote' || tag === 'th' || tag === 'td') token.attrJoin('class', 'rule')
}

/** The first heading, unless tags decide what is in it. */
function titleOf(tokens: readonly Token[], liquid: LiquidTokens): string {
  const at = tokens.findIndex(({ type }) => type === 'heading_open')
  const words = (tokens[at + 1]?.children ?? []).map(({ type, content }) =>
    type === 'text' || type === 'code_inline' ? content : '',
  )
  const title = at < 0 ? '' : words.join('')
  const isPlain = [...title.matchAll(liquid.pattern)].every(([, index]) => !liquid.isTag(Number(index)))
  return isPlain ? MARKDOWN.utils.escapeHtml(title) : ''
}
