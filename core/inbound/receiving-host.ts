import { domainToASCII } from 'node:url'
import { inject, injectable } from '../di.ts'
import { freshDns } from '../domains/fresh-dns.ts'
import { type NoHost, TestAddresses } from '../domains/test-addresses.ts'
import { Kit } from '../kit.ts'
import { WaysBack } from '../mail/links/ways-back.ts'
import { DnsResolver } from '../ports/dns-resolver.ts'
import type { InboundMail } from '../ports/inbound-mail.ts'
import { canonicalDomain, isDomain } from '../values/email-address.ts'

/** When to look again for a host that is not in the DNS, or could not be looked up. */
const AGAIN_MS = 5 * 60_000

/**
 * Finds the host under which this process receives mail, and passes it to the code that writes it into mails. The name
 * must resolve, and for return paths it must have an SPF record, since otherwise receivers would trust our mail less
 * than without it.
 */
@injectable()
export class ReceivingHost {
  /** Since when and why the host is not used. */
  #missing: Missing | undefined
  #looking: Promise<NoHost | undefined> | undefined

  constructor(
    @inject(DnsResolver) private readonly dns: DnsResolver,
    @inject(WaysBack) private readonly waysBack: WaysBack,
    @inject(TestAddresses) private readonly tests: TestAddresses,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * Looks for the host among the receivers of this process, until it is found or the signal is aborted. A host from the
   * settings is used unchecked.
   */
  async find(receivers: readonly InboundMail[], signal: AbortSignal): Promise<void> {
    if (receivers.length === 0) return
    const { returnPathHost } = this.kit.settings.feedback
    if (returnPathHost) return this.#receiveAt(domainToASCII(returnPathHost))
    const name = receivers.map(({ hostname }) => hostName(hostname ?? '')).find((each) => each !== undefined)
    if (name === undefined) {
      this.#note('none of the listeners has a `hostname` that others can look up', NAME_IT)
      this.tests.lookBy(async () => this.#noHost)
      return
    }
    this.tests.lookBy(() => this.#lookNow(name))
    while (!signal.aborted) {
      if (await this.#tryHost(name)) return
      await pause(AGAIN_MS, signal)
    }
  }

  /** For a process that serves the API alone: it cannot know whether and where another one receives mail. */
  elsewhere(): void {
    this.tests.lookBy(async () => ({ message: ELSEWHERE, advice: NAME_THE_HOST }))
  }

  /** The same, set by a test. */
  get #noHost(): NoHost | undefined {
    if (this.#missing === undefined) return undefined
    const { reason, since, advice } = this.#missing
    const message = `This server receives mail, but the test could not come back: ${reason} (seen now, and since ${since.toISOString()}).`
    return { message, advice: `${advice} Then test again, which looks anew.` }
  }

  #receiveAt(host: string): void {
    this.waysBack.unsubscribing.receiveAt(host)
    this.tests.receiveAt(host)
  }

  /** Looks at once, whatever the DNS said before; callers at the same time share the look. */
  #lookNow(host: string): Promise<NoHost | undefined> {
    this.#looking ??= this.#tryHost(host)
      .then(() => this.#noHost)
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  /** True when there is nothing left to look for. */
  async #tryHost(host: string): Promise<boolean> {
    const dns = freshDns(this.dns, host)
    try {
      const reason = await whyNot(host, dns)
      this.#note(reason, publish(host))
      if (reason !== undefined) return false
      this.#receiveAt(host)
      if (this.kit.settings.feedback.returnPathHost === null) return true
      const texts = await dns.txt(host)
      if (!texts.some((text) => /^v=spf1(?: |$)/i.test(text))) return false
      this.waysBack.returnPaths.offer(host)
      this.kit.log.info('bounces come to this server', { returnPathHost: host })
      return true
    } catch (error) {
      this.kit.log.debug('could not look for the host that receives mail', { host, error })
      if (this.tests.host === undefined)
        this.#note(`the DNS did not answer for ${host}`, 'Look whether the name servers answer.')
      return false
    }
  }

  /** Remembers why there is no host, and logs what is new. */
  #note(reason: string | undefined, advice: string): void {
    const before = this.#missing
    const since = before?.since ?? this.kit.now()
    this.#missing = reason === undefined ? undefined : { reason, since, advice }
    if (reason === before?.reason) return
    if (reason === undefined) this.kit.log.info('mail that is received here can be sent to a host now')
    else this.kit.log.warn('mail is received here, but no mail names a host for it', { reason, advice })
  }
}

const NAME_IT =
  'Give the one for SMTP the name of its MX record (inbound options `hostname`), or name the host in `domains.inboundHost`, and start the server again.'
const ELSEWHERE =
  'This process serves the API alone and knows no host at which another one receives mail, so the test could not come back.'
const NAME_THE_HOST =
  'If a worker receives mail, name its host in `domains.inboundHost` of this process, and start it again.'

/** Why there is no host, since when, and what to do about it. */
interface Missing {
  readonly reason: string
  readonly since: Date
  readonly advice: string
}

function publish(host: string): string {
  return `Publish an A or AAAA record of ${host}.`
}

/** Why mail for the host does not come here; undefined when it may. Rejects when the DNS does not answer. */
async function whyNot(host: string, dns: DnsResolver): Promise<string | undefined> {
  const exchangers = await dns.mx(host)
  if (exchangers.some(({ exchange }) => exchange !== '')) return undefined
  // a null MX takes no mail (RFC 7505); without any MX the host itself does (RFC 5321, section 5.1)
  if (exchangers.length > 0) return `the MX record of ${host} says that it takes no mail`
  const addresses = await Promise.all([dns.ipv4(host), dns.ipv6(host)])
  return addresses.flat().length > 0 ? undefined : `the DNS has neither an MX record nor an address of ${host}`
}

/** A name that others can look up; undefined for an address literal or a bare machine name. */
function hostName(name: string): string | undefined {
  const host = canonicalDomain(name.toLowerCase())
  return host.includes('.') && isDomain(host) ? domainToASCII(host) : undefined
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // a signal that was aborted before has no more listeners
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    timer.unref()
    const stop = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}
