import { domainToASCII, domainToUnicode } from 'node:url'
import * as v from 'valibot'
import { describedBy } from './described.ts'
import { say } from './parse.ts'

/**
 * An address as stored and compared: trimmed, lower-case, with an international domain in its canonical Unicode
 * form. The local part is an ASCII dot-atom (RFC 5322, section 3.2.3), at most 64 octets; the domain has at least two
 * labels, may be international, and is at most 253 octets in its ASCII form; the whole is at most 254. Quoted local
 * parts and address literals are refused: no person's mailbox has them.
 */
export const EmailAddress = describedBy(
  v.pipe(
    v.string(),
    v.transform((text) => canonicalAddress(text.trim().toLowerCase())),
    v.check(isEmailAddress, say('invalid_string', 'must be an e-mail address such as ada@example.com')),
  ),
  v.pipe(v.string(), v.metadata({ format: 'idn-email' })),
)

/** A path has at most 256 octets, with its brackets (RFC 5321, section 4.5.3.1.3). */
const MAX_LENGTH = 254
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** True for a trimmed, lower-case address of the form above. */
function isEmailAddress(address: string): boolean {
  const at = address.lastIndexOf('@')
  if (at < 1 || at > 64 || asciiAddress(address).length > MAX_LENGTH) return false
  return LOCAL.test(address.slice(0, at)) && isDomain(address.slice(at + 1))
}

/** The reason why a text is no address, for a person who has to correct it; undefined for an address. */
export function addressFault(text: string): string | undefined {
  const address = canonicalAddress(text.trim().toLowerCase())
  if (isEmailAddress(address)) return undefined
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, Math.max(0, at)), address.slice(at + 1)]
  if (at < 0) return 'it has no @'
  if (local === '' || domain === '') return `it has nothing ${local === '' ? 'before' : 'after'} the @`
  if (/\s/.test(address)) return 'it has a space in it'
  if (local.includes('@')) return 'it has more than one @'
  const abroad = /[^\x00-\x7f]/u.exec(local)
  if (abroad) return `it has ${JSON.stringify(abroad[0])} before the @, where mail servers know no accents or umlauts`
  if (address.includes('..')) return 'it has two dots in a row'
  if (/^\.|\.$/.test(local)) return 'it has a dot at the beginning, or right before the @'
  if (/^\.|\.$/.test(domain)) return 'it has a dot right after the @, or at the end'
  if (domain.includes(',')) return 'it has a comma after the @, where a dot may be meant'
  if (!domain.includes('.')) return 'it has no dot after the @, as in example.com'
  const odd = /[^a-z0-9!#$%&'*+/=?^_`{|}~.-]/.exec(local)
  if (odd) return `it has ${JSON.stringify(odd[0])} before the @`
  if (local.length > 64 || asciiAddress(address).length > MAX_LENGTH) return 'it is too long'
  const strange = /[^\p{L}\p{M}\p{N}.-]/u.exec(domain)
  if (strange) return `it has ${JSON.stringify(strange[0])} after the @`
  if (/(?:^|\.)-|-(?:\.|$)/.test(domain)) return 'it has a hyphen next to a dot or at an end of its domain'
  return /\.\d+$/.test(domain) ? 'its domain ends with a number' : 'its domain is none'
}

/** True for a host name of at least two labels; international names are judged by their ASCII form (RFC 5891). */
export function isDomain(domain: string): boolean {
  const ascii = isAscii(domain) ? domain : domainToASCII(domain)
  if (ascii.length > 253 || !ascii.includes('.')) return false
  const labels = ascii.split('.')
  return labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
}

/**
 * The canonical form of a domain that can be written in several ways, such as `xn--mnchen-3ya.de` and `münchen.de` (RFC
 * 5891, UTS 46).
 */
export function canonicalDomain(domain: string): string {
  if (isAscii(domain) && !domain.includes('xn--')) return domain
  const ascii = domainToASCII(domain)
  return ascii === '' ? domain : domainToUnicode(ascii)
}

function canonicalAddress(address: string): string {
  const at = address.lastIndexOf('@')
  return at < 0 ? address : `${address.slice(0, at)}@${canonicalDomain(address.slice(at + 1))}`
}

/** The part after the `@`. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

/** Whether two addresses are of one mailbox, as far as they tell: a server may add `+` and a word, or write it in capitals. */
export function isSameMailbox(one: string, other: string): boolean {
  const [a, b] = [one, other].map((address) =>
    address.toLowerCase().replace(/(?<=^[^@+]{1,64})\+[^@]{0,64}(?=@[^@]*$)/, ''),
  )
  return a === b
}

/** The address with its domain in ASCII (RFC 5891), as SMTP without SMTPUTF8 and header fields need it. */
export function asciiAddress(address: string): string {
  if (isAscii(address)) return address
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`
}

/** True when a text has no character beyond ASCII. */
export function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text)
}
