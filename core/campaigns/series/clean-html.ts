import { type Handler, Parser } from 'htmlparser2'

/** The elements that stay. Of all others only what is in them does. */
const KEPT = new Set([
  ...['a', 'abbr', 'b', 'blockquote', 'br', 'caption', 'code', 'del', 'em', 'figcaption', 'figure', 'h1', 'h2', 'h3'],
  ...['h4', 'h5', 'h6', 'hr', 'i', 'img', 'ins', 'li', 'mark', 'ol', 'p', 'pre', 's', 'small', 'span', 'strong', 'sub'],
  ...['sup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'u', 'ul', 'div'],
])
/** Elements that end where they begin. */
const VOID = new Set(['br', 'hr', 'img'])
/** Elements that go with all that is in them. */
const GONE = new Set([
  ...['script', 'style', 'iframe', 'object', 'embed', 'noscript', 'template', 'svg', 'math', 'head', 'title', 'form'],
  ...['select', 'textarea', 'button', 'audio', 'video', 'canvas', 'xmp', 'plaintext', 'noembed', 'noframes'],
])
const ATTRIBUTES = new Set(['alt', 'title', 'width', 'height', 'colspan', 'rowspan'])
/** How deep elements may be nested; deeper ones are left out, but not their text. */
const DEEPEST = 40

/**
 * Foreign HTML, as it can stand in a mail: text, links, pictures, lists and tables, without scripts, styles, forms and
 * anything that begins them. Addresses are made whole by `base`; only http, https and mailto stay.
 */
export function cleanHtml(html: string, base: string): string {
  const out: string[] = []
  const open: string[] = []
  let gone = 0
  readHtml(html, {
    onopentag(name, attributes) {
      if (GONE.has(name)) gone++
      if (gone > 0 || !KEPT.has(name) || (open.length >= DEEPEST && !VOID.has(name))) return
      out.push(`<${name}${attributesOf(name, attributes, base)}>`)
      if (!VOID.has(name)) open.push(name)
    },
    ontext(text) {
      if (gone === 0) out.push(escaped(text))
    },
    onclosetag(name) {
      if (GONE.has(name)) gone = Math.max(0, gone - 1)
      else if (gone === 0 && open.includes(name)) {
        for (let last = open.pop(); last !== undefined; last = open.pop()) {
          out.push(`</${last}>`)
          if (last === name) break
        }
      }
    },
  })
  for (const name of open.toReversed()) out.push(`</${name}>`)
  return out.join('')
}

/** The text of foreign HTML, on one line. */
export function plainText(html: string): string {
  const out: string[] = []
  let gone = 0
  readHtml(html, {
    onopentag(name) {
      if (GONE.has(name)) gone++
      if (!INLINE.has(name)) out.push(' ')
    },
    ontext(text) {
      if (gone === 0) out.push(text)
    },
    onclosetag(name) {
      if (GONE.has(name)) gone = Math.max(0, gone - 1)
      if (!INLINE.has(name)) out.push(' ')
    },
  })
  return oneLine(out.join(''))
}

/** How deep elements are read: a parser takes the longer for each, the deeper it stands. */
const MAX_DEPTH = 500
const TOO_DEEP = new Error('nested too deeply')

/** Reads HTML to its end, or to where its elements are nested more deeply than anyone means. */
function readHtml(html: string, { onopentag, ontext, onclosetag }: Required<Pick<Handler, Read>>): void {
  let depth = 0
  const parser = new Parser({
    onopentag(...opened) {
      depth++
      if (depth > MAX_DEPTH) throw TOO_DEEP
      onopentag(...opened)
    },
    ontext,
    onclosetag(...closed) {
      depth--
      onclosetag(...closed)
    },
  })
  try {
    parser.end(html)
  } catch (error) {
    if (error !== TOO_DEEP) throw error
  }
}

type Read = 'onopentag' | 'ontext' | 'onclosetag'

const INLINE = new Set(['a', 'abbr', 'b', 'code', 'del', 'em', 'i', 'ins', 'mark', 's', 'small', 'span', 'strong', 'u'])

/** A text without breaks and repeated spaces. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** A whole address of the web, or of mail where that is allowed; undefined for any other. */
export function webAddress(address: string, base: string, isMail = false): string | undefined {
  const url = URL.parse(address.trim(), base)
  if (url === null || url.href.length > LONGEST_ADDRESS) return undefined
  const isKept = url.protocol === 'http:' || url.protocol === 'https:' || (isMail && url.protocol === 'mailto:')
  // a placeholder of ours in it would be filled in
  return isKept ? url.href.replaceAll('{', '%7B').replaceAll('}', '%7D') : undefined
}

const LONGEST_ADDRESS = 2000

function attributesOf(name: string, given: Readonly<Record<string, string>>, base: string): string {
  const kept = Object.entries(given).flatMap(([key, value]) => {
    if (ATTRIBUTES.has(key)) return [[key, value] as const]
    const isAddress = (name === 'a' && key === 'href') || (name === 'img' && key === 'src')
    const address = isAddress ? webAddress(value, base, name === 'a') : undefined
    return address === undefined ? [] : [[key, address] as const]
  })
  return kept.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
