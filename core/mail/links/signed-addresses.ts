import { AddressTokens, TOKEN_BYTES } from './address-token.ts'

/** Base 32 (RFC 4648, section 7) survives servers that change the case of local parts. */
const DIGITS = Math.ceil((TOKEN_BYTES * 8) / 5)

/**
 * Addresses `<word>+<token>` at a host that receives mail here: each names a mail and is signed, so that none can be
 * guessed.
 */
export class SignedAddresses {
  readonly #tokens: AddressTokens
  readonly #word: string
  readonly #localPart: RegExp
  #host: string | undefined

  /** With a word of up to 21 letters the local part stays within its 64 octets. */
  constructor(secret: Uint8Array, word: string, purpose: string) {
    this.#tokens = new AddressTokens(secret, purpose)
    this.#word = word
    this.#localPart = new RegExp(`^${word}\\+([0-9a-v]{${DIGITS}})$`)
  }

  /** Uses this host from now on, since mail to it is received here. */
  receiveAt(host: string): void {
    this.#host = host
  }

  /** The host that mail is received at, once it is found. */
  get host(): string | undefined {
    return this.#host
  }

  /** The address for this mail; undefined while none would work. `otherwise` is the host until one is found. */
  of(emailId: string, otherwise?: string): string | undefined {
    const host = this.#host ?? otherwise
    if (host === undefined) return undefined
    const digits = BigInt(`0x${this.#tokens.of(emailId).toString('hex')}`).toString(32)
    return `${this.#word}+${digits.padStart(DIGITS, '0')}@${host}`
  }

  /** Whether it looks like one; the signature is not checked. */
  isOne(address: string): boolean {
    return this.#localPart.test(localPartOf(address))
  }

  /** The id of the mail whose address this is, at any host; undefined when we did not make it. */
  read(address: string): string | undefined {
    const digits = this.#localPart.exec(localPartOf(address))?.[1]
    if (digits === undefined) return undefined
    const number = [...digits].reduce((sum, digit) => sum * 32n + BigInt(Number.parseInt(digit, 32)), 0n)
    return this.#tokens.read(Buffer.from(number.toString(16).padStart(2 * TOKEN_BYTES, '0'), 'hex'))
  }
}

function localPartOf(address: string): string {
  return address.slice(0, address.lastIndexOf('@')).trim().toLowerCase()
}
