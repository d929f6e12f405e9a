import type { Envelope } from '../../../core/ports/mail-transport.ts'
import { asciiAddress, isAscii } from '../../../core/values/email-address.ts'

/** An envelope whose addresses are safe in commands. */
export interface WireEnvelope {
  readonly from: string
  readonly to: readonly string[]
  /** The recipients as given, in the same order. */
  readonly given: readonly string[]
  /** True when an address needs SMTPUTF8 (RFC 6531), since its local part is not ASCII. */
  readonly utf8: boolean
}

/**
 * Makes an envelope safe for commands, with domains in ASCII. Throws a TypeError for an address that could smuggle in a
 * second command (line breaks, spaces, angle brackets, control characters), and for an envelope without recipients.
 */
export function wireEnvelope(envelope: Envelope): WireEnvelope {
  if (envelope.to.length === 0) throw new TypeError('The envelope has no recipients')
  const from = envelope.from === '' ? '' : wireAddress('sender', envelope.from)
  const to = envelope.to.map((address) => wireAddress('recipient', address))
  return { from, to, given: envelope.to, utf8: !isAscii(from) || !to.every(isAscii) }
}

const UNSAFE = /[\s<>\x00-\x20\x7f-\x9f]/

function wireAddress(role: string, address: string): string {
  const wire = asciiAddress(address)
  if (wire === '' || wire.endsWith('@') || UNSAFE.test(address) || UNSAFE.test(wire)) {
    throw new TypeError(
      `The envelope's ${role} ${JSON.stringify(address)} cannot stand in an SMTP command: ` +
        'an address has no spaces, line breaks, control characters or angle brackets, and its domain must be valid',
    )
  }
  return wire
}
