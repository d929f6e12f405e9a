import { domainToASCII } from 'node:url'
import { getDomain } from 'tldts'
import { inject, injectable } from '../../di.ts'
import { Kit } from '../../kit.ts'
import { findingKey } from '../../ports/sender-identity.ts'
import type { MailContent } from '../../ports/store/contents.ts'
import type { SenderDomain } from '../../ports/store/domains.ts'
import type { Email } from '../../ports/store/emails.ts'
import { asciiAddress, domainOf } from '../../values/email-address.ts'
import { DomainKeys } from '../dkim/domain-keys.ts'
import type { BackAddresses } from '../makers.ts'
import { AddressTokens } from './address-token.ts'
import { LinkSettings } from './links.ts'
import { SignedAddresses } from './signed-addresses.ts'

/** How a mail leads back to this service: by its links, by its bounces, and by a message that unsubscribes. */
@injectable()
export class WaysBack {
  readonly returnPaths: ReturnPaths
  /** Each names the mail whose recipient unsubscribes. Any message to it does that, whatever its content and sender. */
  readonly unsubscribing: SignedAddresses

  constructor(
    @inject(LinkSettings) links: LinkSettings,
    @inject(DomainKeys) private readonly domains: DomainKeys,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.returnPaths = new ReturnPaths(links, kit)
    this.unsubscribing = new SignedAddresses(links.secret, 'unsubscribe', 'unsubscribe address')
  }

  /**
   * The addresses in this mail. Its sender's domain may have hosts of its own for links and for bounces. Throws when the
   * store cannot be read and bounces could have such a host; without one the public URL is used meanwhile.
   */
  async of(
    { id, contactId }: Pick<Email, 'id' | 'contactId'>,
    { marketing, projectId, from, submitted }: MailContent,
  ): Promise<BackAddresses> {
    const { publicUrl, domains } = this.kit.settings
    const mayHaveBounceHost = domains.returnPathHost !== undefined && submitted === undefined
    const row =
      publicUrl === undefined && !mayHaveBounceHost ? undefined : await this.#row(from.email, mayHaveBounceHost)
    const hasLinks = publicUrl !== undefined && row?.link?.inUse === true && row.projectId === projectId
    const bounceHost = mayHaveBounceHost && row ? bounceHostOf(row) : undefined
    return {
      linkBase: hasLinks ? baseAt(row.link.host, publicUrl) : publicUrl,
      ...(marketing && contactId !== undefined ? { unsubscribeAddress: this.unsubscribing.of(id) } : {}),
      returnPath: submitted ? this.returnPaths.of(id) : this.returnPaths.of(id, from.email, bounceHost),
    }
  }

  async #row(sender: string, isNeeded: boolean): Promise<SenderDomain | undefined> {
    const domain = domainOf(sender)
    try {
      return (await this.domains.of(domain)).get(domain)?.row
    } catch (error) {
      if (isNeeded) throw error
      this.kit.log.debug('could not look up the link host of a domain', { domain, error })
      return undefined
    }
  }
}

/** The start of links at this host, with the path of the public URL. */
function baseAt(host: string, publicUrl: string): string {
  const path = URL.parse(publicUrl)?.pathname ?? '/'
  return `https://${domainToASCII(host)}${path === '/' ? '' : path}`
}

/**
 * The host where this domain's senders receive their bounces: a name below it, so that SPF passes aligned with it
 * (DMARC, RFC 9989). Undefined until the domain's last check has seen its CNAME.
 */
export function bounceHostOf({ domain, status, findings }: SenderDomain): string | undefined {
  const name = `bounces.${domainToASCII(domain)}`
  const isSeen = findings[findingKey({ type: 'CNAME', name, value: '' })]?.state === 'found'
  return status === 'VERIFIED' && isSeen ? name : undefined
}

/** Hexadecimal survives servers that change the case of local parts; with `b+` it has 54 of the 64 allowed octets. */
const LOCAL_PART = /^b\+([0-9a-f]{52})$/

/**
 * Return paths of mails (variable envelope return paths): each names its mail and is signed, so that a bounce
 * identifies its mail, whatever it quotes, and cannot be forged.
 */
export class ReturnPaths {
  readonly #tokens: AddressTokens
  /** From the settings; null: make no return paths. */
  readonly #wanted: string | null | undefined
  #offered: { readonly host: string; readonly owner: string | null } | undefined

  constructor({ secret }: LinkSettings, { settings }: Pick<Kit, 'settings'>) {
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
   * The return path of this sender's mail; undefined while its bounces would not be received here. `own` is the
   * sender's own host for them; it is preferred, because SPF is aligned with it.
   */
  of(emailId: string, from = '', own?: string): string | undefined {
    const host = (this.#wanted === null ? undefined : own) ?? this.#wanted ?? this.#offeredTo(from)
    return host === undefined ? undefined : this.at(emailId, host)
  }

  /** The mail's return path at this host, whether or not mail for that comes here. */
  at(emailId: string, host: string): string {
    return `b+${this.#tokens.of(emailId).toString('hex')}@${host}`
  }

  /** The id of the mail whose return path this is, at any host; undefined when we did not make it. */
  read(address: string): string | undefined {
    const hex = LOCAL_PART.exec(address.slice(0, address.lastIndexOf('@')).trim().toLowerCase())?.[1]
    return hex === undefined ? undefined : this.#tokens.read(Buffer.from(hex, 'hex'))
  }

  /** Whether it looks like a return path; the signature is not checked. */
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
