import { asciiAddress } from '../../core/values/email-address.ts'
import { bodyProblems, longestLine } from './raw-body.ts'
import { domainIn, headerProblems, isPath, mailboxesIn, type RawField, readRawFields } from './raw-header.ts'

/** A mail as the next hop receives it. */
export interface RawMail {
  /** The return path; the null sender is the empty string. */
  readonly from: string
  readonly to: readonly string[]
  /** Without dot-stuffing. */
  readonly raw: Uint8Array
}

/** Larger than anything `POST /v1/send` accepts; Gmail accepts half of it. */
const MAX_OCTETS = 50 * 1024 * 1024
/** The fields that RFC 6376, section 5.4.1, wants signed and that all our mails have. */
const MUST_SIGN = ['from', 'to', 'subject', 'date', 'message-id', 'mime-version', 'content-type']

/**
 * The problems of a mail by RFC 5321, 5322, 2045, 2047, 6376, 8058, 2369 and by the sender requirements of Gmail, Yahoo
 * and Microsoft; empty for a correct one. `signatureProblems` checks the signatures themselves.
 */
export function rawMailProblems({ from, to, raw }: RawMail): readonly string[] {
  // some servers show international domains in Unicode
  return [
    ...problemsOf(
      asciiAddress(from),
      to.map(asciiAddress),
      Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1'),
    ),
  ]
}

function* problemsOf(from: string, to: readonly string[], text: string): Generator<string> {
  if (from !== '' && !isPath(from)) yield `the return path is no address: ${from}`
  if (to.length === 0) yield 'the envelope has no recipient'
  for (const each of to) if (!isPath(each)) yield `the envelope has a recipient that is no address: ${each}`
  if (new Set(to).size < to.length) yield 'the envelope has a recipient twice'
  if (text.length > MAX_OCTETS) return yield `it has ${text.length} octets`
  if (/(?<!\r)\n|\r(?!\n)/.test(text)) yield 'it has a CR or LF alone'
  if (text.includes('\0')) yield 'it has a NUL'
  if (longestLine(text) > 998) yield 'it has a line over 998 octets'
  if (!text.endsWith('\r\n')) yield 'its last line has no end'
  const blank = text.indexOf('\r\n\r\n')
  if (blank < 0) return yield 'it has no body'
  const fields = readRawFields(text.slice(0, blank))
  const body = text.slice(blank + 4)
  yield* headerProblems(fields, body.replaceAll('=\r\n', '').includes('/unsubscribe/'))
  yield* signedProblems(fields)
  yield* bodyProblems(fields, body)
}

/** The problems with the tags of its signatures. */
function* signedProblems(fields: readonly RawField[]): Generator<string> {
  const [author] = mailboxesIn(fields.find(({ name }) => name === 'from')?.value ?? '') ?? []
  const count = (name: string) => fields.filter((field) => field.name === name).length
  for (const { value } of fields.filter(({ name }) => name === 'dkim-signature')) {
    const tags = tagsOf(value)
    const signed = (tags.get('h') ?? '').toLowerCase().split(':')
    const times = (name: string) => signed.filter((each) => each === name).length
    if (tags.get('v') !== '1' || !/^(?:rsa|ed25519)-sha256$/.test(tags.get('a') ?? ''))
      yield 'DKIM: version or algorithm'
    if (tags.has('l')) yield 'DKIM: the body is not signed to its end'
    if (!`.${domainIn(author)}`.endsWith(`.${tags.get('d')?.toLowerCase()}`))
      yield `DKIM: d=${tags.get('d')} is not the domain of From`
    for (const name of MUST_SIGN) if (times(name) === 0) yield `DKIM: ${name} is not signed`
    if (times('from') <= count('from')) yield 'DKIM: another From could be added'
    for (const name of ['list-unsubscribe', 'list-unsubscribe-post'])
      if (count(name) > 0 && times(name) === 0) yield `DKIM: ${name} is not signed`
  }
}

/**
 * The problems that mailauth finds with a mail's signatures, given the keys' TXT records by name. Signatures with other
 * keys are ignored.
 */
export async function signatureProblems(
  raw: Uint8Array,
  keys: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1')
  const fields = readRawFields(text.slice(0, Math.max(text.indexOf('\r\n\r\n'), 0)))
  const names = fields.filter(({ name }) => name === 'dkim-signature').map(({ value }) => keyName(tagsOf(value)))
  if (!names.some((name) => keys.has(name))) return []
  // it takes a while to load, and few mails are signed
  const { dkimVerify } = await import('mailauth')
  const { results } = await dkimVerify(Buffer.from(raw), {
    strict: true,
    resolver: async (name, type) => {
      const record = type === 'TXT' ? keys.get(name) : undefined
      if (record !== undefined) return [[record]]
      throw Object.assign(new Error('no such record'), { code: 'ENOTFOUND' })
    },
  })
  return results.flatMap(({ signingDomain, selector, status }) => {
    const isKnown = keys.has(`${selector}._domainkey.${signingDomain}`)
    const says = `DKIM: ${selector}._domainkey.${signingDomain}: ${status.result} ${status.comment ?? ''}`
    return !isKnown || status.result === 'pass' ? [] : [says]
  })
}

function keyName(tags: ReadonlyMap<string, string>): string {
  return `${tags.get('s')}._domainkey.${tags.get('d')}`
}

function tagsOf(value: string): ReadonlyMap<string, string> {
  return new Map(
    value.split(';').map((tag) => {
      const [name = '', ...rest] = tag.split('=')
      return [name.trim(), rest.join('=').replace(/\s+/g, '')]
    }),
  )
}
