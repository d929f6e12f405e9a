import { decodeText, decodeWords } from '../../values/decoded-words.ts'

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
