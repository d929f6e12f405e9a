import { Tokenizer } from 'htmlparser2'

/**
 * A text, such as an attribute's value, with its character references decoded by the rules for attributes (HTML,
 * section 13.2.5.72): one without `;` stays as it is before a letter, a digit or `=`.
 */
export function decodeReferences(value: string): string {
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
