import { isUtf8 } from 'node:buffer'

/** The supported encodings, by the names of the Encoding Standard (https://encoding.spec.whatwg.org). */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  // only where the caller names them: their bytes are letters in Windows-1252, too
  'windows-1250',
  'iso-8859-2',
  'windows-1254',
  'windows-1257',
  'windows-1251',
  'windows-1253',
] as const
export type Encoding = (typeof ENCODINGS)[number]

/** How many bytes are read to detect a file's format; its header must fit in. */
export const HEAD_BYTES = 64 * 1024
/** Small enough that no request waits while a piece is parsed, even one of empty rows. */
const PIECE_BYTES = 16 * 1024

/** The encoding that the byte order mark names; undefined without one. */
function markedEncoding([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

/**
 * The encoding of a file: by its byte order mark; without one that which the caller knows, else UTF-16 when every other
 * byte of its beginning is zero (as in ASCII text), UTF-8 when all of it is valid or most of what goes beyond ASCII is,
 * and otherwise Windows-1252, which spreadsheets of Western Europe write.
 */
export function encodingOf(bytes: Uint8Array, named?: Encoding): Encoding {
  const known = markedEncoding(bytes) ?? named
  if (known !== undefined) return known
  const head = bytes.subarray(0, 200)
  const zeros = (remainder: number) => head.filter((byte, i) => byte === 0 && i % 2 === remainder).length
  const [even, odd] = [zeros(0), zeros(1)]
  if (head.length > 1 && odd > head.length / 4 && even === 0) return 'utf-16le'
  if (head.length > 1 && even > head.length / 4 && odd === 0) return 'utf-16be'
  return isUtf8(bytes) || isMostlyUtf8(bytes) ? 'utf-8' : 'windows-1252'
}

/** A damaged byte or two make no other encoding of a file: in Windows-1252 hardly two letters are one of UTF-8. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  let [valid, broken] = [0, 0]
  for (const piece of decoded(new TextDecoder('utf-8'), bytes)) {
    const beyond = piece.match(/[^\x00-\x7f]/gu)?.length ?? 0
    const damaged = piece.match(/\ufffd/g)?.length ?? 0
    valid += beyond - damaged
    broken += damaged
  }
  return valid > broken
}

/** How many bytes beyond ASCII tell an alphabet, how many side by side are a word of another one. */
const LEAST_BYTES = 6
const RUN = 3
/** How many are odd, and which part of all: a long file may have a few that were damaged before. */
const LEAST_ODD = 2
const ODD_PART = 1 / 20
/**
 * Bytes that stand side by side in Windows-1252, too: umlauts, since people who try a file write nothing but these, and
 * blanks, dashes, dots, quotation marks and currency.
 */
const SIDE_BY_SIDE: ReadonlySet<number> = new Set([
  ...[0xc4, 0xd6, 0xdc, 0xe4, 0xf6, 0xfc, 0xdf],
  ...[0xa0, 0x96, 0x97, 0x85, 0x95, 0xb7, 0xab, 0xbb, 0x91, 0x92, 0x93, 0x94, 0x84, 0x80],
])
/** Bytes that are nothing in Windows-1252, and its signs that stand inside no word. */
const NOTHING: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])
const SIGNS: ReadonlySet<number> = new Set([
  ...[0x80, 0x82, 0x83, 0x84, 0x86, 0x87, 0x88, 0x89, 0x8b, 0x93, 0x94, 0x95, 0x98, 0x99, 0x9b],
])

/**
 * Whether bytes that are no UTF-8 are no Windows-1252 either. In Western languages letters beyond ASCII stand alone between
 * others; Cyrillic, Greek or Chinese words are made of them. In Japanese, and in what DOS and old Macs wrote, bytes stand
 * inside of words that are signs or nothing at all.
 */
export function isOfOtherLetters(bytes: Uint8Array): boolean {
  let [all, inRuns, odd, from] = [0, 0, 0, -1]
  for (let i = 0; i <= bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (byte > 0x7f) {
      if (from < 0) from = i
      const isSign = SIGNS.has(byte) && isLetter(bytes[i - 1]) && isLetter(bytes[i + 1])
      if (isSign || NOTHING.has(byte)) odd++
    } else if (from >= 0) {
      all += i - from
      if (i - from >= RUN && bytes.subarray(from, i).some((each) => !SIDE_BY_SIDE.has(each))) inRuns += i - from
      from = -1
    }
  }
  return (odd >= LEAST_ODD && odd > all * ODD_PART) || (all >= LEAST_BYTES && inRuns > all / 2)
}

function isLetter(byte = 0): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
}

/** The beginning of the text. */
export function headOf(bytes: Uint8Array, encoding: Encoding): string {
  return new TextDecoder(encoding).decode(bytes.subarray(0, HEAD_BYTES), { stream: true })
}

/** A file: its bytes, or a way to read them piece by piece from its beginning. */
export type FileBytes = Uint8Array | (() => AsyncIterable<Uint8Array>)

/** The text of a file in pieces, without its byte order mark; invalid bytes become U+FFFD. */
export async function* textOf(file: FileBytes, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  if (typeof file === 'function') for await (const piece of file()) yield* decoded(decoder, piece)
  else yield* decoded(decoder, file)
  yield decoder.decode()
}

function* decoded(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): Generator<string> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield decoder.decode(bytes.subarray(start, start + PIECE_BYTES), { stream: true })
  }
}
