import { type RawField, readRawFields } from './raw-header.ts'

/** The deepest nesting of parts that we send. */
const MAX_DEPTH = 6

/** The length of the longest line, without its end. */
export function longestLine(text: string): number {
  let longest = 0
  for (let start = 0, end = 0; end >= 0; start = end + 2) {
    end = text.indexOf('\r\n', start)
    longest = Math.max(longest, (end < 0 ? text.length : end) - start)
  }
  return longest
}

/** Everything wrong with a message's body and its parts (RFC 2045, 2046, 2183, 2231). */
export function* bodyProblems(fields: readonly RawField[], body: string): Generator<string> {
  const leaves: string[] = []
  yield* entityProblems(fields, body, { place: 'the body', outer: [], leaves })
  if (!leaves.includes('text/plain')) yield 'there is no plain text'
  // readers prefer the last alternative (RFC 2046, section 5.1.4)
  if (leaves.includes('text/html') && leaves.indexOf('text/html') < leaves.indexOf('text/plain'))
    yield 'the HTML stands before the plain text'
}

interface Within {
  readonly place: string
  /** The boundaries of the parts around it. */
  readonly outer: readonly string[]
  /** The types of the displayed parts so far. */
  readonly leaves: string[]
}

function* entityProblems(fields: readonly RawField[], body: string, within: Within): Generator<string> {
  const { place, outer, leaves } = within
  const named = (name: string) => fields.find((field) => field.name === name)?.value
  const type = readParameters(named('content-type') ?? 'text/plain')
  const disposition = named('content-disposition')
  const encoding = (named('content-transfer-encoding') ?? '7bit').toLowerCase()
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type.value)) return yield `${place}: its Content-Type is none`
  for (const parameters of [type, readParameters(disposition ?? '')])
    if (parameters.isBroken) yield `${place}: parameters that cannot be read`
  if (type.value.startsWith('multipart/')) {
    if (!/^(?:7bit|8bit|binary)$/.test(encoding)) yield `${place}: a multipart in ${encoding}`
    return yield* partsProblems(type.parameters.get('boundary'), body, within)
  }
  if (outer.length === 0 && named('content-transfer-encoding') === undefined) yield `${place}: no transfer encoding`
  yield* contentProblems(encoding, body, place)
  if (disposition?.startsWith('attachment')) return
  if (!type.value.startsWith('text/')) return
  leaves.push(type.value)
  yield* charsetProblems(type.parameters.get('charset'), encoding, body, place)
}

function* partsProblems(boundary: string | undefined, body: string, within: Within): Generator<string> {
  const { place, outer } = within
  if (boundary === undefined) return yield `${place}: a multipart without a boundary`
  if (!/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary)) yield `${place}: the boundary is no good: ${boundary}`
  if (outer.some((each) => boundary.startsWith(each))) yield `${place}: the boundary begins as one around it`
  if (outer.length > MAX_DEPTH) return yield `${place}: too deep`
  const delimiters = [...delimitersIn(body, boundary)]
  const ends = delimiters.flatMap(({ isEnd }, i) => (isEnd ? i : []))
  if (delimiters.length === 0) return yield `${place}: the boundary does not occur`
  if (ends.length !== 1 || ends[0] !== delimiters.length - 1) return yield `${place}: the multipart is not closed once`
  if (delimiters.length < 2) yield `${place}: a multipart without parts`
  for (const [i, delimiter] of delimiters.slice(0, -1).entries()) {
    const part = body.slice(delimiter.to + 2, delimiters[i + 1]!.from)
    const blank = part.startsWith('\r\n') ? 0 : part.indexOf('\r\n\r\n')
    const inside = { ...within, place: `${place}.${i + 1}`, outer: [...outer, boundary] }
    if (blank < 0) yield `${inside.place}: a part without an empty line`
    else yield* entityProblems(readRawFields(part.slice(0, blank)), part.slice(blank + (blank === 0 ? 2 : 4)), inside)
  }
}

/**
 * The lines of a body that are the boundary (RFC 2046, section 5.1.1), each with the line break before it. They are
 * looked for as a text: boundaries differ, and an expression would be compiled for every mail.
 */
function* delimitersIn(body: string, boundary: string): Generator<{ from: number; to: number; isEnd: boolean }> {
  const mark = `--${boundary}`
  const rest = /(--)?[ \t]*(?=\r\n|$)/y
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + 1)) {
    rest.lastIndex = at + mark.length
    const match = at === 0 || body.startsWith('\r\n', at - 2) ? rest.exec(body) : undefined
    if (match) yield { from: Math.max(at - 2, 0), to: rest.lastIndex, isEnd: match[1] !== undefined }
  }
}

function* contentProblems(encoding: string, body: string, place: string): Generator<string> {
  if (encoding === 'quoted-printable') {
    if (longestLine(body) > 76) yield `${place}: quoted-printable with a line over 76`
    if (/=(?![0-9A-F]{2}|\r\n|$)/.test(body)) yield `${place}: quoted-printable with a = that means nothing`
    if (/[ \t](?:\r\n|$)/.test(body)) yield `${place}: quoted-printable with a blank at a line's end`
    if (/[^\x20-\x7e\t\r\n]/.test(body)) yield `${place}: quoted-printable with characters it must encode`
  } else if (encoding === 'base64') {
    if (longestLine(body) > 76) yield `${place}: base64 with a line over 76`
    const packed = body.replaceAll('\r\n', '')
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(packed) || packed.length % 4 !== 0) yield `${place}: this is no base64`
  } else if (encoding === '7bit') {
    if (/[^\x01-\x7f]/.test(body)) yield `${place}: 7bit with octets that are not`
  } else if (encoding !== '8bit') yield `${place}: the transfer encoding ${encoding} is not for sending`
}

function* charsetProblems(
  charset: string | undefined,
  encoding: string,
  body: string,
  place: string,
): Generator<string> {
  if (charset === undefined) return yield `${place}: text without a charset`
  try {
    new TextDecoder(charset, { fatal: true }).decode(decoded(encoding, body))
  } catch {
    yield `${place}: this is not ${charset}`
  }
}

function decoded(encoding: string, body: string): Uint8Array {
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1')
  const bytes = Buffer.from(body.replaceAll('=\r\n', ''), 'latin1')
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const isCode = bytes[at] === 0x3d
    bytes[length++] = isCode ? Number.parseInt(bytes.toString('latin1', at + 1, at + 3), 16) : bytes[at]!
    if (isCode) at += 2
  }
  return bytes.subarray(0, length)
}

interface Parameters {
  readonly value: string
  readonly parameters: ReadonlyMap<string, string>
  readonly isBroken: boolean
}

/**
 * A value with its parameters (RFC 2045, section 5.1). Those of RFC 2231 keep their names; only their form is checked.
 */
function readParameters(field: string): Parameters {
  const [value = ''] = field.split(';', 1)
  const parameters = new Map<string, string>()
  const parameter = /\s*;\s*([\w!#$&^.+*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))\s*/y
  parameter.lastIndex = value.length
  let isBroken = false
  while (parameter.lastIndex < field.length) {
    const at = parameter.lastIndex
    const match = parameter.exec(field)
    if (!match) {
      // a semicolon at the end is common, but not allowed
      isBroken ||= field.slice(at).trim() !== ''
      break
    }
    const name = match[1]!.toLowerCase()
    const given = match[2]?.replace(/\\(.)/g, '$1') ?? match[3]!
    if (parameters.has(name)) isBroken = true
    if (name.endsWith('*') && !/^(?:[\w-]*'[\w-]*')?(?:[\w!#$&+.^`{|}~-]|%[0-9A-F]{2})*$/i.test(given)) isBroken = true
    parameters.set(name, given)
  }
  return { value: value.trim().toLowerCase(), parameters, isBroken }
}
