import { getDomain } from 'tldts'
import { inject, injectable } from '../../di.ts'
import { Kit } from '../../kit.ts'
import { asciiAddress, domainOf } from '../../values/email-address.ts'
import { AddressTokens } from './address-token.ts'
import { LinkSettings } from './links.ts'

/** Hexadecimal survives servers that change the case of local parts; with `b+` it has 54 of the 64 allowed octets. */
const LOCAL_PART = /^b\+([0-9a-f]{52})$/

/**
 * Return paths of mails (variable envelope return paths): each names its mail and is signed, so that a bounce
 * identifies its mail, whatever it quotes, and cannot be forged.
 */
@injectable()
export class ReturnPaths {
  readonly #tokens: AddressTokens
  /** From the settings; null: make no return paths. */
  readonly #wanted: string | null | undefined
  #offered: { readonly host: string; readonly owner: string | null } | undefined

  constructor(@inject(LinkSettings) { secret }: LinkSettings, @inject(Kit) { settings }: Pick<Kit, 'settings'>) {
    this.#tokens = new AddressTokens(secret, 'return path')
    this.#wanted = settings.feedback.returnPathHost
  }

  /**
   * Sends bounces to this host from now on, unless the settings say otherwise; only for senders whose domain has the
   * same owner, since for others SPF would no longer be aligned (DMARC, RFC 9989).
   */
  offer(host: string): void {
    if (this.#wanted === undefined) this.#offered = { host, owner: getDomain(host) }
  }

  /**
   * The return path of this sender's mail; undefined while nobody would receive its bounces. `own` is the sender's own
   * host for them; it is preferred, because SPF is aligned with it.
   */
  of(emailId: string, from = '', own?: string): string | undefined {
    const host = (this.#wanted === null ? undefined : own) ?? this.#wanted ?? this.#offeredTo(from)
    return host === undefined ? undefined : `b+${this.#tokens.of(emailId).toString('hex')}@${host}`
  }

  /** The id of the mail whose return path this is, at any host; undefined when we did not make it. */
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
