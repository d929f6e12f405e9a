import { getDomain } from 'tldts'
import { inject, injectable } from '../../di.ts'
import { type EngineValues, Values } from '../../settings/engine-values.ts'
import { asciiAddress, domainOf } from '../../values/email-address.ts'
import { AddressTokens } from './address-token.ts'
import { LinkSettings } from './links.ts'

/** Hexadecimal survives servers that change the case of local parts; with `b+` it is 54 octets of the 64 allowed. */
const LOCAL_PART = /^b\+([0-9a-f]{52})$/

/**
 * The return paths of mails (variable envelope return paths): each names its mail and is signed, so that a bounce tells
 * which mail it is about, whatever it quotes, and nobody can make one up.
 */
@injectable()
export class ReturnPaths {
  readonly #tokens: AddressTokens
  /** What the settings say; null: nothing is to be offered. */
  readonly #wanted: string | null | undefined
  #offered: { readonly host: string; readonly owner: string | null } | undefined

  constructor(@inject(LinkSettings) { secret }: LinkSettings, @inject(Values) values: EngineValues) {
    this.#tokens = new AddressTokens(secret, 'return path')
    this.#wanted = values.feedback.returnPathHost
  }

  /**
   * From now on bounces go to this host, unless the settings say something else: those of senders whose domain has the
   * same owner. Of others SPF would no longer speak for the sender (DMARC, RFC 9989: alignment).
   */
  offer(host: string): void {
    if (this.#wanted === undefined) this.#offered = { host, owner: getDomain(host) }
  }

  /**
   * The return path of this mail of a sender; undefined while nobody would take its bounces. `own` is the sender's own host
   * for them, when there is one: it goes before the others, for SPF speaks for it.
   */
  of(emailId: string, from = '', own?: string): string | undefined {
    const host = (this.#wanted === null ? undefined : own) ?? this.#wanted ?? this.#offeredTo(from)
    return host === undefined ? undefined : `b+${this.#tokens.of(emailId).toString('hex')}@${host}`
  }

  /** The id of the mail whose return path this is, at whatever host; undefined when we did not make it. */
  read(address: string): string | undefined {
    const hex = LOCAL_PART.exec(address.slice(0, address.lastIndexOf('@')).trim().toLowerCase())?.[1]
    return hex === undefined ? undefined : this.#tokens.read(Buffer.from(hex, 'hex'))
  }

  /** Whether it looks like a return path, whoever made it. */
  isOne(address: string): boolean {
    return LOCAL_PART.test(address.slice(0, address.lastIndexOf('@')))
  }

  /** Whether return paths are made at this host. */
  isHost(host: string): boolean {
    return host === this.#wanted || (this.#wanted === undefined && host === this.#offered?.host)
  }

  #offeredTo(from: string): string | undefined {
    if (this.#offered === undefined) return undefined
    const { host, owner } = this.#offered
    return owner !== null && getDomain(domainOf(asciiAddress(from))) === owner ? host : undefined
  }
}
