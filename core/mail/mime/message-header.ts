/** One header field as written: its lines with their folds, ended by CRLF. */
export interface HeaderField {
  /** In lower case. */
  readonly name: string
  readonly lines: string
  /** The value after the colon, unfolded. */
  readonly value: string
}

/** The fields of a header block in latin1, in order. Lines that are no field and continue none are skipped. */
export function headerFields(block: string): readonly HeaderField[] {
  const fields: HeaderField[] = []
  let name: string | undefined
  let lines: string[] = []
  const done = () => {
    if (name === undefined) return
    const whole = lines.join('\r\n')
    const value = lines
      .map((line, i) => (i === 0 ? line.slice(line.indexOf(':') + 1) : line).trim())
      .join(' ')
      .trim()
    fields.push({ name: name.toLowerCase(), lines: `${whole}\r\n`, value })
  }
  for (const line of block.split('\r\n')) {
    if (/^[ \t]/.test(line)) {
      // a line of blanks alone would end the field for some readers
      if (name !== undefined && line.trim() !== '') lines.push(line)
      continue
    }
    const given = /^([\x21-\x39\x3b-\x7e]{1,200})[ \t]*:/.exec(line)?.[1]
    if (given === undefined) continue
    done()
    name = given
    lines = [line]
  }
  done()
  return fields
}

/** The header of a composed message, in order, for people to read: unfolded, and encoded-words decoded. */
export function readableFields(message: Uint8Array): readonly (readonly [name: string, value: string])[] {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  const end = bytes.indexOf('\r\n\r\n')
  const fields = headerFields(bytes.toString('latin1', 0, end < 0 ? bytes.length : end))
  return fields.map(({ lines, value }) => [lines.slice(0, lines.indexOf(':')).trimEnd(), decodeWords(value)])
}

/** The value of the first field of this name. */
export function fieldValue(fields: readonly HeaderField[], name: string): string | undefined {
  return fields.find((field) => field.name === name)?.value
}

/** Longer parameter values are cut; nothing needs them. */
const MAX_VALUE_LENGTH = 10_000
const PARAMETER = /;\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]*))/g

/** A field's word, and its parameters by name, with continued ones joined and decoded (RFC 2045, RFC 2231). */
export function parameterized(value: string): {
  readonly word: string
  readonly parameters: ReadonlyMap<string, string>
} {
  const text = value.slice(0, MAX_VALUE_LENGTH)
  const word = (/^[^;\s]*/.exec(text.trim())?.[0] ?? '').toLowerCase()
  const parameters = new Map<string, string>()
  const pieces = new Map<string, { readonly place: number; readonly text: string; readonly isEncoded: boolean }[]>()
  for (const [, given = '', quoted, plain = ''] of text.matchAll(PARAMETER)) {
    const content = quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1')
    const [, name = '', place, star] = /^([^*]+)(?:\*(\d{1,3}))?(\*)?$/.exec(given.toLowerCase()) ?? []
    if (name === '') continue
    if (place === undefined && star === undefined) {
      if (!parameters.has(name)) parameters.set(name, content)
      continue
    }
    const list = pieces.get(name) ?? []
    pieces.set(name, [...list, { place: Number(place ?? 0), text: content, isEncoded: star !== undefined }])
  }
  for (const [name, list] of pieces) parameters.set(name, joined(list.toSorted((a, b) => a.place - b.place)))
  return { word, parameters }
}

function joined(list: readonly { readonly text: string; readonly isEncoded: boolean }[]): string {
  const [first] = list
  const [, charset = 'utf-8'] = (first?.isEncoded && /^([^']*)'[^']*'/.exec(first.text)) || []
  const bytes = list.map(({ text, isEncoded }, i) => {
    const content = i === 0 && isEncoded ? text.replace(/^[^']*'[^']*'/, '') : text
    return Buffer.from(isEncoded ? unescaped(content) : content, 'latin1')
  })
  return decodeText(Buffer.concat(bytes), charset) ?? Buffer.concat(bytes).toString('latin1')
}

function unescaped(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Decodes bytes in a charset; undefined for an unknown one. */
export function decodeText(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset.trim() || 'utf-8').decode(bytes)
  } catch {
    return undefined
  }
}

const WORD = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi
/** White space between two encoded-words is no text (RFC 2047, section 6.2). */
const BETWEEN = /(=\?[^?\s]+\?[bq]\?[^?\s]*\?=)\s+(?==\?[^?\s]+\?[bq]\?[^?\s]*\?=)/gi

/** A value with its encoded-words decoded (RFC 2047). */
export function decodeWords(value: string): string {
  if (!value.includes('=?')) return value
  const parts: { readonly charset: string; bytes: Buffer[] }[] = []
  let text = ''
  let at = 0
  const flush = () => {
    for (const { charset, bytes } of parts.splice(0)) {
      const all = Buffer.concat(bytes)
      text += decodeText(all, charset) ?? all.toString('latin1')
    }
  }
  const whole = value.replace(BETWEEN, '$1')
  for (const match of whole.matchAll(WORD)) {
    const [word, charset = '', encoding = '', content = ''] = match
    if (match.index > at) {
      flush()
      text += whole.slice(at, match.index)
    }
    at = match.index + word.length
    const bytes =
      encoding.toLowerCase() === 'b'
        ? Buffer.from(content, 'base64')
        : Buffer.from(
            content
              .replaceAll('_', ' ')
              .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
            'latin1',
          )
    const last = parts.at(-1)
    // a character may be split between two words of one charset
    if (last && last.charset.toLowerCase() === charset.toLowerCase()) last.bytes.push(bytes)
    else parts.push({ charset, bytes: [bytes] })
  }
  flush()
  return text + whole.slice(at)
}
