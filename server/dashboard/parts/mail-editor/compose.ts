import {
  COLOR,
  logoOf,
  mailPage,
  onColor,
  POSTAL_PLACE,
  readable,
  widthsOf,
} from '../../../../core/mail/formats/mail-page.ts'
import { type Design, type DesignNode, type MailLook, type Question, WAY_OUT, WIDEST } from './design.ts'
import { htmlAttribute, htmlText, literalHtml, outputOf, renderTag, tagsOf } from './liquid.ts'

/** The parts of a project that decide how its drawn mails look. */
interface ComposedFor {
  readonly look?: MailLook | null | undefined
  readonly locale?: string | null | undefined
}

/**
 * The HTML of a drawn mail: tables and inline styles alone, since Outlook reads nothing newer; the project's width on
 * a desk, all there is on a phone, colors for readers with a dark screen. Liquid stands in it as it was written.
 */
export function compose({ content }: Design, project: ComposedFor): string {
  const look = project.look ?? {}
  const title = content.find(({ type }) => type === 'heading')
  return mailPage({
    language: htmlAttribute(project.locale ?? 'en'),
    look,
    title: title === undefined ? '' : htmlText(plain(title)),
    inside: `${logoOf(look.logoUrl && literalHtml(look.logoUrl))}${blocks(content, { look, width: widthsOf(look).inner })}`,
  })
}

/** The kind of a drawing: a whole mail, a piece that bodies render, or the frame around bodies. */
export type DrawnKind = 'mail' | 'snippet' | 'layout'

/** The body made of such a drawing: a snippet has no page of its own, and stands in those of others. */
export function composeAs(kind: DrawnKind, design: Design, project: ComposedFor): string {
  if (kind !== 'snippet') return compose(design, project)
  const look = project.look ?? {}
  return blocks(design.content, { look, width: widthsOf(look).inner })
}

/** The pixels between columns. */
const GAP = 16

/** The surroundings of a block, as far as it needs them. */
interface Place {
  readonly look: MailLook
  /** The pixels it has. */
  readonly width: number
}

type Writer = (node: DesignNode, place: Place) => string

const BLOCKS: Readonly<Record<string, Writer>> = {
  paragraph: (node, { look }) =>
    `<p${direction(node)} style="margin:0 0 16px${align(node)}">${inline(node.content, look) || '&nbsp;'}</p>`,
  heading(node, { look }) {
    const level = Math.min(3, Math.max(1, Number(node.attrs?.level ?? 1)))
    const size = [26, 20, 17][level - 1]
    return `<h${level}${direction(node)} style="margin:0 0 12px;font-size:${size}px;line-height:1.25${align(node)}">${inline(node.content, look)}</h${level}>`
  },
  bulletList: (node, place) => list('ul', node, place),
  orderedList: (node, place) => list('ol', node, place),
  blockquote: (node, place) =>
    `<blockquote class="rule" style="margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid #d5d9df">${blocks(node.content, place)}</blockquote>`,
  codeBlock: (node, { look }) =>
    `<pre class="code" style="margin:0 0 16px;padding:12px;background:#f3f4f6;font-size:13px;white-space:pre-wrap;font-family:Consolas,Menlo,monospace">${inline(node.content, look)}</pre>`,
  horizontalRule: () =>
    table(`<td class="rule" style="border-top:1px solid #d5d9df;font-size:0;line-height:0">&nbsp;</td>`, '8px 0 24px'),
  spacer(node) {
    const height = Math.min(200, Math.max(4, Number(node.attrs?.height ?? 24)))
    return table(`<td height="${height}" style="height:${height}px;font-size:0;line-height:0">&nbsp;</td>`, '0')
  },
  button(node, { look }) {
    const label = text(node, 'text')
    if (label.trim() === '') return ''
    return button({ text: label, href: text(node, 'href'), side: text(node, 'textAlign'), look })
  },
  picture(node, { look, width }) {
    const picture = image(node, width)
    return picture === '' ? '' : atSide(text(node, 'textAlign'), linked(picture, text(node, 'href'), look), '0 0 16px')
  },
  columns(node, place) {
    const each = node.content ?? []
    const width = Math.floor((place.width - GAP * (each.length - 1)) / Math.max(1, each.length))
    const cells = each.map((column, at) => {
      const gap = at === each.length - 1 ? 0 : GAP
      const inside = blocks(column.content, { ...place, width })
      return `<td class="column" width="${width + gap}" valign="top" style="padding:0 ${gap}px 0 0;box-sizing:border-box">\n${inside}\n</td>`
    })
    return table(cells.join('\n'), '0 0 8px')
  },
  card(node, { look, width }) {
    const href = text(node, 'href')
    const picture = text(node, 'src') === '' ? '' : linked(image(node, width - 2), href, look)
    const lines = [
      ...said(
        text(node, 'title'),
        (words) => `<h3 style="margin:0 0 8px;font-size:17px;line-height:1.25">${words}</h3>`,
      ),
      ...said(text(node, 'text'), (words) => `<p style="margin:0 0 8px">${words}</p>`),
      ...said(text(node, 'price'), (words) => `<p style="margin:0 0 12px;font-weight:bold">${words}</p>`),
      ...(text(node, 'button') === '' ? [] : [button({ text: text(node, 'button'), href, side: 'left', look })]),
    ]
    // Outlook knows padding of cells alone
    const row = (html: string, padding: string) => `<tr><td style="padding:${padding}">\n${html}\n</td></tr>`
    const rows = `${picture === '' ? '' : row(picture, '0')}${row(lines.join('\n'), '16px')}`
    const inside = `<td class="rule" style="padding:0;border:1px solid #d5d9df;border-radius:8px">\n<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">${rows}</table>\n</td>`
    return table(inside, '0 0 16px')
  },
  social(node, { look }) {
    const given = (node.attrs?.links ?? []) as readonly { readonly name?: string; readonly url?: string }[]
    // a block without links of its own shows the project's
    const shown = (given.length === 0 ? (look.links ?? []) : given)
      .filter(({ name, url }) => name && url)
      .map(({ name = '', url = '' }) => linked(htmlText(name), url, look))
    return shown.length === 0 ? '' : `<p style="margin:0 0 16px${align(node)}">${shown.join(' &middot; ')}</p>`
  },
  // the address of the day on which the mail goes out
  postal: (node) => quiet(POSTAL_PLACE, align(node)),
  wayOut(node, { look }) {
    const link = linked(htmlText(text(node, 'link') || WAY_OUT), '{{ unsubscribeUrl }}', look)
    return quiet(`${said(text(node, 'text'), (words) => `${words} `).join('')}${link}`, align(node))
  },
  condition(node, place) {
    const [open, close] = tagsOf(text(node, 'field'), text(node, 'asks') as Question, text(node, 'value'))
    return `${open}\n${blocks(node.content, place)}\n${close}`
  },
  mailContent: () => '{{ content }}',
  snippet: (node) => renderTag(text(node, 'name'), text(node, 'given')),
  source: (node) => text(node, 'html'),
}

function blocks(nodes: readonly DesignNode[] | undefined, place: Place): string {
  return (nodes ?? [])
    .map((node) => BLOCKS[node.type]?.(node, place) ?? '')
    .filter((html) => html !== '')
    .join('\n')
}

function list(tag: 'ul' | 'ol', node: DesignNode, place: Place): string {
  const { content = [] } = node
  const from = Number(node.attrs?.start ?? 1)
  const start = tag === 'ol' && from > 1 ? ` start="${from}"` : ''
  const way = direction(node)
  const items = content.map(({ content: inside = [] }) => {
    // the text of an item is no paragraph of its own: it would stand apart from the others
    const [first, ...rest] = inside
    const words = first?.type === 'paragraph' ? inline(first.content, place.look) : blocks(first && [first], place)
    const more = rest.length === 0 ? '' : `\n${blocks(rest, place)}\n`
    return `<li style="margin:0 0 8px">${words}${more}</li>`
  })
  return `<${tag}${start}${way} style="margin:0 0 16px;padding-${way === '' ? 'left' : 'right'}:24px${way === '' ? '' : ';text-align:right'}">\n${items.join('\n')}\n</${tag}>`
}

const MARKS: Readonly<Record<string, (inside: string) => string>> = {
  bold: (inside) => `<strong>${inside}</strong>`,
  italic: (inside) => `<em>${inside}</em>`,
  underline: (inside) => `<u>${inside}</u>`,
  strike: (inside) => `<s>${inside}</s>`,
  code: (inside) => `<code style="font-family:Consolas,Menlo,monospace">${inside}</code>`,
}

function inline(nodes: readonly DesignNode[] = [], look: MailLook): string {
  let html = ''
  // neighbors under the same link are one link: two would be counted as two
  for (let at = 0; at < nodes.length; at++) {
    const link = linkOf(nodes[at])
    let inside = piece(nodes[at])
    while (link !== undefined && linkOf(nodes[at + 1]) === link) inside += piece(nodes[++at])
    html += link === undefined ? inside : linked(inside, link, look)
  }
  return html
}

function piece(node: DesignNode | undefined): string {
  if (node === undefined) return ''
  const marks = (node.marks ?? []).filter(({ type }) => type !== 'link')
  return marks.reduce((inside, { type }) => MARKS[type]?.(inside) ?? inside, words(node))
}

function words(node: DesignNode): string {
  // beside a field of the contact, browsers write a space that does not break where a plain one was typed
  if (node.type === 'text') return htmlText((node.text ?? '').replace(/^\u00a0|\u00a0$/g, ' '))
  if (node.type === 'hardBreak') return '<br>'
  if (node.type === 'variable') return outputOf(text(node, 'field'), text(node, 'fallback'))
  if (node.type === 'liquid') return text(node, 'source')
  return ''
}

function linkOf(node: DesignNode | undefined): string | undefined {
  const href = node?.marks?.find(({ type }) => type === 'link')?.attrs?.href
  return href == null ? undefined : String(href)
}

/** Its color stands in it, too: some readers drop the style sheet. */
function linked(inside: string, href: string, { color = COLOR }: MailLook): string {
  const safe = safeHref(href)
  if (safe === undefined) return inside
  return `<a href="${htmlAttribute(safe)}" class="link" style="color:${readable(color)}">${inside}</a>`
}

/** An address that a mail may lead to; undefined for scripts and for nothing. */
function safeHref(href: string): string | undefined {
  const wanted = href.trim()
  if (wanted === '' || /^(?:javascript|data|vbscript):/i.test(wanted.replaceAll(/\s/g, ''))) return undefined
  return wanted
}

/**
 * A picture as wide as it is to be, and no wider than its place. Outlook knows the attribute alone. On a phone the picture
 * shrinks with the mail; one that fills its column grows where columns stand one below the other.
 */
function image(node: DesignNode, most: number): string {
  const src = text(node, 'src')
  if (safeHref(src) === undefined) return ''
  const wanted = Number(node.attrs?.width ?? WIDEST) || WIDEST
  const size = wanted < most ? `width:${wanted}px;max-width:100%` : `width:100%;max-width:${wanted}px`
  return `<img src="${htmlAttribute(src)}" alt="${htmlAttribute(text(node, 'alt'))}" width="${Math.min(most, wanted)}" style="display:block;${size};height:auto;border:0">`
}

interface ButtonLook {
  readonly text: string
  readonly href: string
  readonly side: string
  readonly look: MailLook
}

function button({ text: label, href, side, look }: ButtonLook): string {
  const color = look.color ?? COLOR
  const inside = `<a class="button" href="${htmlAttribute(safeHref(href) ?? '#')}" style="display:inline-block;padding:12px 22px;color:${onColor(color)};text-decoration:none;font-weight:bold">${htmlText(label)}</a>`
  // Outlook knows no padding of links; the edge shows where a light button ends
  const box = `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td class="edge" bgcolor="${color}" style="border:1px solid ${readable(color)};border-radius:6px;background:${color};mso-padding-alt:12px 22px">${inside}</td></tr></table>`
  return atSide(side, box, '8px 0 24px')
}

/** A table of one row that takes the whole width. */
function table(cells: string, margin: string): string {
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:${margin}"><tr>\n${cells}\n</tr></table>`
}

/** A row with one thing at the left, in the middle or at the right. */
function atSide(side: string, inside: string, margin: string): string {
  const where = side === 'center' || side === 'right' ? side : 'left'
  return table(`<td align="${where}" style="padding:0">${inside}</td>`, margin)
}

function quiet(inside: string, side: string): string {
  return `<p class="quiet" style="margin:0 0 12px;font-size:13px;color:#5b6472${side}">${inside}</p>`
}

function align(node: DesignNode): string {
  const side = node.attrs?.textAlign
  const isLeftward = direction(node) !== ''
  if (side === 'center' || side === 'right' || (side === 'left' && isLeftward)) return `;text-align:${side}`
  return isLeftward ? ';text-align:right' : ''
}

/** Hebrew, Arabic and the like run to the left: what begins in such letters does. */
function direction(node: DesignNode): string {
  const [, leftward] =
    /(\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana})|\p{L}/u.exec(plain(node)) ?? []
  return leftward === undefined ? '' : ' dir="rtl"'
}

function text({ attrs }: DesignNode, name: string): string {
  const value = attrs?.[name]
  return typeof value === 'string' ? value : ''
}

/** A part of the mail made of these words; none for blank ones. */
function said(words: string, write: (html: string) => string): readonly string[] {
  return words.trim() === '' ? [] : [write(htmlText(words).replaceAll('\n', '<br>'))]
}

function plain(node: DesignNode): string {
  return node.text ?? (node.content ?? []).map(plain).join('')
}
