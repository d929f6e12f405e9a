import { isUtf8 } from 'node:buffer'

/** Shift sequences of ISO-2022-JP (RFC 1468): in other charsets no text has them. */
const JAPANESE = /\x1b(?:\$[@B]|\([BJI]|\$\([A-D])/
/** How far into HTML its charset is looked for, in characters. */
const META_WITHIN = 4_096
const META = /<meta\b[^<>]{0,300}?\bcharset\s*=[\s"']*([\w.:-]{1,40})/i
const WINDOWS = new TextDecoder('windows-1252')

/** Whether the parser decodes this charset. */
export type KnowsCharset = (label: string) => boolean

/**
 * The text of these bytes when their charset has to be guessed: it is missing, or unknown. Undefined when they
 * are the UTF-8 that they are taken for anyway. `declared` is the label of the part, empty without one.
 */
export function guessedText(bytes: Buffer, declared: string, isHtml: boolean, knows: KnowsCharset): string | undefined {
  const isNamed = declared !== '' && !isUtf8Label(declared) && !/^(?:us-?)?ascii$/i.test(declared)
  if (isNamed && knows(declared)) return undefined
  const text = bytes.toString('latin1')
  if (JAPANESE.test(text)) return new TextDecoder('iso-2022-jp').decode(bytes)
  if (isUtf8(bytes)) return undefined
  // one broken character does not make it another charset
  if (isUtf8Label(declared) && isMostlyUtf8(bytes)) return undefined
  const meta = isHtml ? META.exec(text.slice(0, META_WITHIN))?.[1] : undefined
  return (decoderOf(meta) ?? WINDOWS).decode(bytes)
}

/** Charsets of Western Europe, in whose texts the octets of UTF-8 do not follow each other by chance. */
const WESTERN = /^(?:iso-?8859-?(?:1|15)|latin-?[19]|(?:windows|cp)-?1252)$/i

/** Whether text that says it is in a charset of Western Europe is UTF-8: many programs of web sites write that. */
export function isUtf8AfterAll(bytes: Buffer, declared: string): boolean {
  return WESTERN.test(declared) && bytes.some((octet) => octet > 0x7f) && isUtf8(bytes)
}

function isUtf8Label(label: string): boolean {
  return /^utf-?8$/i.test(label)
}

function isMostlyUtf8(bytes: Buffer): boolean {
  const text = bytes.toString('utf8')
  const broken = text.match(/\ufffd/g)?.length ?? 0
  const whole = text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0
  return whole > broken
}

function decoderOf(label: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  try {
    return label === undefined || isUtf8Label(label) ? undefined : new TextDecoder(label)
  } catch {
    return undefined
  }
}
