import { Tokenizer } from 'htmlparser2'

/**
 * The target of a link, from the value of its `href` as it stands in HTML between these quotes: references such as
 * `&amp;` are decoded, and white space that browsers ignore (around it, tabs and line breaks in it) is removed.
 * Undefined when it cannot be tracked: not http or https, without a host, or not closed by its quotes.
 */
export function linkTarget(value: string, quote: '"' | "'" | ''): string | undefined {
  if (quote === '' ? /[\s>]/.test(value) : value.includes(quote)) return undefined
  const target = decoded(value).replace(/^[\0-\x20]+|[\0-\x20]+$|[\t\r\n]/g, '')
  return /^https?:\/\//i.test(target) && URL.canParse(target) ? target : undefined
}

/** True when an address that begins like this may be trackable. */
export function maybeTracked(beginning: string): boolean {
  const start = decoded(beginning).trimStart().toLowerCase()
  return ['http://', 'https://'].some((scheme) => scheme.startsWith(start) || start.startsWith(scheme))
}

/**
 * An attribute's value with its character references decoded, by the rules for attributes (HTML, section 13.2.5.72).
 */
function decoded(value: string): string {
  if (!value.includes('&')) return value
  const tag = `<a x="${value.replaceAll('"', '&quot;')}">`
  let text = ''
  const nothing = () => {}
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onattribdata: (from, to) => {
        text += tag.slice(from, to)
      },
      onattribentity: (codePoint) => {
        text += String.fromCodePoint(codePoint)
      },
      onattribend: nothing,
      onattribname: nothing,
      oncdata: nothing,
      onclosetag: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onopentagend: nothing,
      onopentagname: nothing,
      onprocessinginstruction: nothing,
      onselfclosingtag: nothing,
      ontext: nothing,
      ontextentity: nothing,
    },
  )
  tokenizer.write(tag)
  tokenizer.end()
  return text
}
