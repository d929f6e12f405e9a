import { inject, injectable } from '../di.ts'
import { AddressTokens, TOKEN_BYTES } from '../links/address-token.ts'
import { LinkSettings } from '../links/links.ts'

/** Digits of base 32 (RFC 4648, section 7) survive servers that change the case of local parts. */
const DIGITS = Math.ceil((TOKEN_BYTES * 8) / 5)
/** 54 octets of the 64 that a local part may have. */
const LOCAL_PART = new RegExp(`^unsubscribe\\+([0-9a-v]{${DIGITS}})$`)

/**
 * The addresses that mail is sent to by who wants to leave: each names the mail whose recipient leaves, and is signed. A
 * message to one is all it takes, whatever is in it and whoever sends it.
 */
@injectable()
export class UnsubscribeAddresses {
  readonly #tokens: AddressTokens
  #host: string | undefined

  constructor(@inject(LinkSettings) { secret }: LinkSettings) {
    this.#tokens = new AddressTokens(secret, 'unsubscribe address')
  }

  /** From now on mails may name this host: what is sent to it is received here. */
  receiveAt(host: string): void {
    this.#host = host
  }

  /** The address of this mail; undefined while no mail would arrive there. */
  of(emailId: string): string | undefined {
    if (this.#host === undefined) return undefined
    const digits = BigInt(`0x${this.#tokens.of(emailId).toString('hex')}`).toString(32)
    return `unsubscribe+${digits.padStart(DIGITS, '0')}@${this.#host}`
  }

  /** Whether it looks like one, whoever made it. */
  isOne(address: string): boolean {
    return LOCAL_PART.test(localPartOf(address))
  }

  /** The id of the mail whose address this is, at whatever host; undefined when we did not make it. */
  read(address: string): string | undefined {
    const digits = LOCAL_PART.exec(localPartOf(address))?.[1]
    if (digits === undefined) return undefined
    const number = [...digits].reduce((sum, digit) => sum * 32n + BigInt(Number.parseInt(digit, 32)), 0n)
    return this.#tokens.read(Buffer.from(number.toString(16).padStart(2 * TOKEN_BYTES, '0'), 'hex'))
  }
}

function localPartOf(address: string): string {
  return address.slice(0, address.lastIndexOf('@')).trim().toLowerCase()
}
