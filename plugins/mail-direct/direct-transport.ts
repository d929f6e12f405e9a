import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { Log } from '../../core/ports/log.ts'
import type {
  Accepted,
  Conversation,
  MailTransport,
  OutgoingMail,
  Refusal,
  Refused,
  SendResult,
} from '../../core/ports/mail-transport.ts'
import { domainOf } from '../../core/values/email-address.ts'
import { exchangersOf } from './exchangers.ts'
import type { DirectOptions } from './options.ts'
import { Servers } from './servers.ts'

/** The recipients of one domain, and what became of their mail; an error when that is not known. */
interface Part {
  readonly recipients: readonly string[]
  readonly result: SendResult | Error
}

/** Hands a mail to the mail servers of its recipients' domains, each domain apart. */
export class DirectTransport implements MailTransport {
  readonly concurrency: number
  readonly reach = 'anybody'
  readonly #servers: Servers
  #isReverseSeen = false

  constructor(
    private readonly options: DirectOptions,
    private readonly dns: DnsResolver,
    private readonly log: Log,
  ) {
    this.concurrency = options.concurrency
    this.#servers = new Servers(options, dns, log)
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<SendResult> {
    const message = await mail.raw()
    const domains = Map.groupBy(mail.envelope.to, (address) => domainOf(address).toLowerCase())
    const parts = await Promise.all(
      [...domains].map(async ([domain, recipients]): Promise<Part> => {
        const envelope = { from: mail.envelope.from, to: recipients }
        const sent = this.#toDomain(domain, envelope, message, signal)
        return { recipients, result: await sent.catch((error: Error) => error) }
      }),
    )
    return together(parts)
  }

  /** Rejects when mail cannot go out from here, or the name of this machine leads nowhere. */
  async check(): Promise<void> {
    if (this.#servers.isBlocked) throw Object.assign(new Error(this.#blocked()), { trouble: 'no-answer' })
    const { name } = this.options
    const v4 = await this.dns.ipv4(name)
    if (v4.length > 0) return this.#seeReverse(v4)
    if ((await this.dns.ipv6(name)).length > 0) return
    const advice = 'receivers refuse mail of such a machine; add an A record, or correct `name` of the transport'
    throw Object.assign(new Error(`${name} has no address in the DNS: ${advice}`), { trouble: 'host-unknown' })
  }

  close(): Promise<void> {
    return this.#servers.close()
  }

  /** Warns once when an address of this machine does not lead back to its name. */
  async #seeReverse(addresses: readonly string[]): Promise<void> {
    if (this.#isReverseSeen) return
    this.#isReverseSeen = true
    const { name } = this.options
    for (const address of addresses) {
      const reverse = await this.dns.ptr(`${address.split('.').reverse().join('.')}.in-addr.arpa`)
      if (reverse.some((one) => one.toLowerCase() === name.toLowerCase())) continue
      const about = { name, address, reverse }
      this.log.warn('receivers may refuse mail: the reverse record of the address does not name this machine', about)
    }
  }

  async #toDomain(
    domain: string,
    envelope: OutgoingMail['envelope'],
    message: Uint8Array,
    signal: AbortSignal,
  ): Promise<SendResult> {
    const hosts = await exchangersOf(domain, this.dns)
    if ('permanent' in hosts) return { outcome: 'refused', ...hosts }
    const failures: string[] = []
    for (const host of hosts) {
      const result = await this.#servers.send(host, envelope, message, signal)
      if (result.outcome !== 'refused' || result.stage !== 'connect') return ofDomain(result)
      failures.push(result.reason)
      if (signal.aborted) break
    }
    const reason = `No mail server of ${domain} could be used: ${failures.join('; ')}`
    // the whole world is out of reach, not this domain
    if (this.#servers.isBlocked) return unreachable('connect', `${this.#blocked()}; ${reason}`)
    return unreachable('rcpt', reason)
  }

  #blocked(): string {
    const { port } = this.options
    return `no mail server answers at port ${port}: many hosting providers block it until they are asked, and else a relay is needed`
  }
}

function unreachable(stage: 'connect' | 'rcpt', reason: string): Refused {
  return { outcome: 'refused', permanent: false, stage, enhancedCode: '4.4.1', reason }
}

/** A deferral before a recipient is named concerns this domain alone, not the transport. */
function ofDomain(result: SendResult): SendResult {
  if (result.outcome !== 'refused' || result.permanent || result.stage !== 'mail') return result
  return { ...result, stage: 'rcpt' }
}

/** One result for the mail. Rejects when what became of it is not known and no domain has taken it. */
function together(parts: readonly Part[]): SendResult {
  const [first] = parts
  if (parts.length === 1 && first) {
    if (first.result instanceof Error) throw first.result
    return first.result
  }
  const known = parts.filter((part): part is Part & { result: SendResult } => !(part.result instanceof Error))
  const accepted = known.flatMap(({ result }) => (result.outcome === 'accepted' ? [result] : []))
  const lost = parts.find(({ result }) => result instanceof Error)
  if (accepted.length === 0 && lost?.result instanceof Error) throw lost.result
  const refused = parts.flatMap(refusalsOf)
  const conversation = joined(known.flatMap(({ result }) => result.conversation ?? []))
  const more = { ...(refused.length > 0 && { refused }), ...(conversation && { conversation }) }
  return accepted.length > 0 ? allAccepted(accepted, more) : noneAccepted(refused, more)
}

function allAccepted(accepted: readonly Accepted[], more: Partial<Accepted>): Accepted {
  const [id] = accepted.flatMap((one) => one.id ?? [])
  const response = accepted.flatMap((one) => one.response ?? []).join('; ')
  return { outcome: 'accepted', ...(id === undefined ? {} : { id }), response, ...more }
}

type RefusedRecipient = Refusal & { readonly recipient: string }

function noneAccepted(refused: readonly RefusedRecipient[], more: Partial<Refused>): Refused {
  const first = refused.find(({ permanent }) => !permanent) ?? refused[0]
  if (first === undefined) throw new TypeError('The envelope has no recipients')
  const { recipient: _recipient, ...refusal } = first
  return { outcome: 'refused', ...refusal, ...more }
}

/** The recipients of a domain who do not have the mail, each with the reason. */
function refusalsOf({ recipients, result }: Part): readonly RefusedRecipient[] {
  if (result instanceof Error) {
    const refusal = { permanent: false, stage: 'data', reason: result.message } as const
    return recipients.map((recipient) => ({ recipient, ...refusal }))
  }
  if (result.refused) return result.refused
  if (result.outcome === 'accepted') return []
  const { outcome: _outcome, conversation: _conversation, refused: _refused, ...refusal } = result
  return recipients.map((recipient) => ({ recipient, ...refusal }))
}

/** One conversation of several: the hosts beside each other, the answers one after the other. */
function joined(conversations: readonly Conversation[]): Conversation | undefined {
  const [first, ...others] = conversations
  if (first === undefined || others.length === 0) return first
  const host = conversations.flatMap((one) => one.host ?? []).join(', ')
  return { host, answers: conversations.flatMap(({ answers }) => answers) }
}
