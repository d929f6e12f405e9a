import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { DnsResolver, LookUpOptions } from '../../core/ports/dns-resolver.ts'
import type { Log } from '../../core/ports/log.ts'
import type {
  Envelope,
  HopWarning,
  MailTransport,
  OutgoingMail,
  Refusal,
  SendResult,
} from '../../core/ports/mail-transport.ts'
import type { StsPolicy } from '../../core/ports/store/domains.ts'
import type { WebhookSender } from '../../core/ports/webhook-sender.ts'
import { domainOf } from '../../core/values/email-address.ts'
import { isCovered } from '../../core/values/mta-sts.ts'
import type { NotConnected } from '../kit/smtp-client/connect-problem.ts'
import { exchangersOf } from './exchangers.ts'
import { type DirectOptions, familiesOf } from './options.ts'
import { Outcome } from './outcome.ts'
import { isSilence } from './reach.ts'
import { refusedBy, Servers } from './servers.ts'
import { StsPolicies } from './sts-policies.ts'
import { doubts, isAmong, reverseOf, seenAs } from './try-out.ts'

/** At most so many servers of a domain are tried for one mail. */
const MOST = 5
/** At so many servers of a domain that speak, the mail is tried: the same trouble waits at the others, too. */
const SESSIONS = 2

/** Hands a mail to the mail servers of its recipients' domains, each domain apart. */
export class DirectTransport implements MailTransport {
  readonly concurrency: number
  readonly reach = 'anybody'
  readonly #options: DirectOptions
  readonly #dns: DnsResolver
  readonly #log: Log
  readonly #servers: Servers
  readonly #policies: StsPolicies
  #isReverseSeen = false

  constructor(options: DirectOptions, dns: DnsResolver, log: Log, web: WebhookSender | undefined) {
    this.#options = options
    this.#dns = dns
    this.#log = log
    this.concurrency = options.concurrency
    this.#policies = new StsPolicies(dns, web)
    this.#servers = new Servers(options, dns, log)
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<SendResult> {
    const message = await mail.raw()
    const outcome = new Outcome()
    const domains = Map.groupBy(mail.envelope.to, (address) => domainOf(address).toLowerCase())
    await Promise.all(
      [...domains].map(([domain, to]) => this.#toDomain(domain, { ...mail.envelope, to }, message, signal, outcome)),
    )
    return outcome.result()
  }

  /** Rejects when mail cannot go out from here, or the name of this machine leads nowhere. */
  async check(): Promise<void> {
    if (await this.#servers.reach.isAway()) throw Object.assign(new Error(this.#blocked()), { trouble: 'no-answer' })
    await this.#seeReverse(await this.#addresses())
  }

  /** Tells what receivers may not like about this machine. Rejects when none of a few large ones can be reached. */
  async tryOut(): Promise<readonly HopWarning[]> {
    const { name } = this.#options
    // a record may have been changed just now
    const addresses = await this.#addresses({ fresh: true })
    const seen = await seenAs(this.#servers, this.#dns, name, this.#blocked())
    return doubts(name, addresses, seen, this.#dns)
  }

  close(): Promise<void> {
    this.#policies.close()
    return this.#servers.close()
  }

  /** Where the name of this machine leads. Rejects when that is nowhere. */
  async #addresses(options: LookUpOptions = {}): Promise<readonly string[]> {
    const { name } = this.#options
    const found = await this.#lookUp(name, options).catch((error) => {
      throw Object.assign(error, { trouble: 'dns' })
    })
    if (found.length > 0) return found
    const advice = 'receivers refuse mail of such a machine; add an A record, or correct `name` of the transport'
    throw Object.assign(new Error(`${name} has no address in the DNS: ${advice}`), { trouble: 'host-unknown' })
  }

  async #lookUp(name: string, options: LookUpOptions): Promise<readonly string[]> {
    const { v6 } = familiesOf(this.#options)
    const v4 = await this.#dns.ipv4(name, options)
    if (v4.length > 0 && !v6) return v4
    // without an answer about one family, the other will do
    return [
      ...v4,
      ...(await this.#dns.ipv6(name, options).catch((error) => (v4.length > 0 ? [] : Promise.reject(error)))),
    ]
  }

  /** Warns once when an address of this machine does not lead back to its name. */
  async #seeReverse(addresses: readonly string[]): Promise<void> {
    if (this.#isReverseSeen) return
    const { name } = this.#options
    for (const address of addresses) {
      // mail goes out without an answer, too, and the next check asks again
      const reverse = await reverseOf(address, this.#dns)
      if (reverse === undefined) return
      if (isAmong(name, reverse)) continue
      const about = { name, address, reverse }
      this.#log.warn('receivers may refuse mail: the reverse record of the address does not name this machine', about)
    }
    this.#isReverseSeen = true
  }

  /** Hands it to the servers of the domain in turn, until one has taken it or refused it for good. */
  async #toDomain(
    domain: string,
    envelope: Envelope,
    message: Uint8Array,
    signal: AbortSignal,
    outcome: Outcome,
  ): Promise<void> {
    const name = domainToASCII(domain)
    const [hosts, policy] = await Promise.all([
      exchangersOf(name, this.#dns, this.#options.name, signal),
      this.#policies.enforcedOf(name, signal).catch(() => undefined),
    ])
    if ('permanent' in hosts) return outcome.refuse(forAll(envelope.to, hosts))
    let left = envelope.to
    let putOff: readonly (Refusal & { readonly recipient: string })[] = []
    let sessions = 0
    const [listed, unlisted] = policy ? byPolicy(hosts, policy) : [hosts, []]
    const failures: NotConnected[] = []
    const { v4, v6 } = familiesOf(this.#options)
    const usable = listed.filter((host) => isIP(host) === 0 || (isIP(host) === 6 ? v6 : v4))
    const tried = usable.slice(0, MOST)
    for (const host of tried) {
      if (left.length === 0 || sessions === SESSIONS || signal.aborted) break
      try {
        const to = { ...envelope, to: left }
        const result = await this.#servers.send(host, to, message, signal, { verified: policy !== undefined })
        if (result.outcome === 'refused' && result.stage === 'connect') failures.push(result)
        else {
          putOff = outcome.take(left, result)
          left = putOff.map(({ recipient }) => recipient)
          sessions++
        }
      } catch (error) {
        return outcome.lose(left, error instanceof Error ? error : new Error(String(error)))
      }
    }
    if (putOff.length > 0) return outcome.refuse(putOff)
    if (left.length === 0) return
    const isUnlisted = usable.length === 0 && unlisted.length > 0
    const others = isUnlisted
      ? unlisted.map((host) => refusedBy(host, 'the policy of the domain does not list it'))
      : failures
    const refusal = await this.#unreachable(tried, others, signal)
    const isOfPolicy = isUnlisted || (policy !== undefined && failures.some(({ noTls }) => noTls))
    if (isOfPolicy) this.#policies.doubt(name)
    outcome.refuse(forAll(left, isOfPolicy ? ofPolicy(refusal) : refusal))
  }

  async #unreachable(
    hosts: readonly string[],
    failures: readonly NotConnected[],
    signal: AbortSignal,
  ): Promise<Refusal> {
    const none = signal.aborted ? 'there was no time left' : 'none is at an address of this family'
    const reason = `No mail server of the domain could be used: ${failures.map((one) => one.reason).join('; ') || none}`
    // the whole world is out of reach, not one domain
    if (
      !signal.aborted &&
      isSilence(failures.map(({ trouble }) => trouble)) &&
      (await this.#servers.reach.isAwayWith(hosts))
    ) {
      return { permanent: false, stage: 'connect', enhancedCode: '4.4.1', reason: `${this.#blocked()}; ${reason}` }
    }
    // a server that offers no TLS may have refused STARTTLS for good, which says nothing of the mail
    const said = failures.findLast(({ code, noTls }) => code !== undefined && !noTls)
    const isInsecure = failures.some(({ noTls }) => noTls)
    const { code, enhancedCode = isInsecure ? '4.7.5' : '4.4.1' } = said ?? {}
    return { permanent: false, stage: 'rcpt', ...(code === undefined ? {} : { code }), enhancedCode, reason }
  }

  #blocked(): string {
    const { port } = this.#options
    return `no mail server answers at port ${port}: many hosting providers block it until you ask them to open it; otherwise use a relay`
  }
}

/** The servers that the policy lists, and those that it does not: a few of them, to be named. */
function byPolicy(hosts: readonly string[], { mx }: StsPolicy): readonly [readonly string[], readonly string[]] {
  const listed = hosts.filter((host) => isCovered(host, mx))
  return [listed, hosts.filter((host) => !listed.includes(host)).slice(0, MOST)]
}

/** That no server of a domain keeps to its policy. */
function ofPolicy(refusal: Refusal): Refusal {
  const demand = "The domain's MTA-STS policy demands servers that it lists, with valid certificates"
  const enhancedCode = refusal.code === undefined ? '4.7.5' : refusal.enhancedCode
  return { ...refusal, ...(enhancedCode && { enhancedCode }), reason: `${demand}. ${refusal.reason}` }
}

function forAll(recipients: readonly string[], refusal: Refusal) {
  return recipients.map((recipient) => ({ recipient, ...refusal }))
}
