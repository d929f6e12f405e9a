import * as v from 'valibot'
import { addressFault, EmailAddress } from '../values/email-address.ts'
import { unguarded } from './csv-cells.ts'

/** The address in a cell, or why it is none. */
export type CellAddress = { readonly email: string } | { readonly error: string }

/**
 * Reads the address in a cell, as address books write it: `Ann Lee <ann@example.com>`, `<ann@example.com>`,
 * `mailto:ann@example.com`, with invisible characters. What could be meant in two ways is refused.
 */
export function addressIn(cell: string): CellAddress {
  if (cell.length > MAX_LENGTH)
    return { error: `email: has ${cell.length} characters; an address with a name has at most ${MAX_LENGTH}` }
  // most cells hold an address and nothing else
  if (PLAIN.test(cell)) return readAddress(cell)
  const text = withoutInvisible(unguarded(cell) ?? cell)
  if (text === '') return { error: 'email: is required' }
  if (text.includes('\ufffd')) return { error: 'email: holds bytes that are no text in the encoding of this file' }
  const bare = text.replace(/^mailto:/i, '')
  if (addressesIn(bare) > 1)
    return { error: 'email: holds more than one address; a contact has one, so give each a row' }
  const address = withoutName(bare)
  if (/[^.]\.$/.test(address)) return { error: 'email: ends with a dot; leave it out if it only ends a sentence' }
  return readAddress(address)
}

/** An address has at most 254 characters; the rest is for a name and invisible signs. */
const MAX_LENGTH = 1000

/** The beginning of the text in a cell that should hold an address, fit to be stored and shown. */
export function shownAddress(cell: string): string {
  return cell.slice(0, 320).replaceAll('\u0000', '\ufffd').toWellFormed()
}

const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9._+-]*@[A-Za-z0-9.-]+[A-Za-z0-9]$/

function readAddress(address: string): CellAddress {
  const read = v.safeParse(EmailAddress, address)
  if (read.success) return { email: read.output }
  return { error: `email: must be an e-mail address such as ada@example.com: ${addressFault(address)}` }
}

/** Without signs of no width and marks of direction; blanks that do not break are blanks. */
function withoutInvisible(text: string): string {
  return text
    .replace(/\p{Cf}|\p{Variation_Selector}|\u3164/gu, '')
    .replace(/\p{Z}/gu, ' ')
    .trim()
}

/** Counts what looks like an address outside quotes, where a name may hold an `@`. */
function addressesIn(text: string): number {
  const unquoted = text.replace(/^"[^"]*"\s*(?=<)/, '')
  const named = /^[^<>;,]*<([^<>]*)>$/.exec(unquoted)?.[1]
  return (named ?? unquoted).split(/[\s<>;,|/()]/).filter((word) => /.@[^@]/s.test(word)).length
}

function withoutName(text: string): string {
  const inside = /<([^<>]*)>$/.exec(text)?.[1] ?? text
  // the question mark begins what a mail to it would say
  const address = inside
    .trim()
    .replace(/^mailto:/i, '')
    .replace(/\?(?:subject|body|cc|bcc)=.*$/is, '')
  return /^'.+'$/.test(address) || /^".+"$/.test(address) ? address.slice(1, -1).trim() : address
}
