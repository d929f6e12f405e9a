import { domainToASCII } from 'node:url'
import { inject, injectable } from '../di.ts'
import { TestAddresses } from '../domains/test-addresses.ts'
import { Kit } from '../kit.ts'
import { ReturnPaths } from '../mail/links/return-paths.ts'
import { UnsubscribeAddresses } from '../mail/links/unsubscribe-addresses.ts'
import { DnsResolver } from '../ports/dns-resolver.ts'
import type { InboundMail } from '../ports/inbound-mail.ts'
import { type EngineValues, Values } from '../settings/engine-values.ts'
import { canonicalDomain, isDomain } from '../values/email-address.ts'

/** When to look again for a host that is not in the DNS, or could not be looked up. */
const AGAIN_MS = 5 * 60_000

/**
 * Finds the host under which this process receives mail, and tells it to the code that writes it into mails. The name
 * must resolve, and for return paths it must have an SPF record, since otherwise receivers would trust our mail less
 * than without it.
 */
@injectable()
export class ReceivingHost {
  constructor(
    @inject(DnsResolver) private readonly dns: DnsResolver,
    @inject(ReturnPaths) private readonly returnPaths: ReturnPaths,
    @inject(UnsubscribeAddresses) private readonly addresses: UnsubscribeAddresses,
    @inject(TestAddresses) private readonly tests: TestAddresses,
    @inject(Values) private readonly values: EngineValues,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * Looks for the host among the receivers of this process, until it is found or the signal is aborted. A host from the
   * settings is used unchecked.
   */
  async find(receivers: readonly InboundMail[], signal: AbortSignal): Promise<void> {
    if (receivers.length === 0) return
    const { returnPathHost } = this.values.feedback
    if (returnPathHost) return this.#receiveAt(domainToASCII(returnPathHost))
    const name = receivers.map(({ hostname }) => hostName(hostname ?? '')).find((each) => each !== undefined)
    if (name === undefined) return
    while (!signal.aborted) {
      if (await this.#tryHost(name)) return
      await pause(AGAIN_MS, signal)
    }
  }

  #receiveAt(host: string): void {
    this.addresses.receiveAt(host)
    this.tests.receiveAt(host)
  }

  /** True when there is nothing left to look for. */
  async #tryHost(host: string): Promise<boolean> {
    try {
      if (!(await this.#isFound(host))) return false
      this.#receiveAt(host)
      if (this.values.feedback.returnPathHost === null) return true
      const texts = await this.dns.txt(host)
      if (!texts.some((text) => /^v=spf1(?: |$)/i.test(text))) return false
      this.returnPaths.offer(host)
      this.kit.log.info('bounces come to this server', { returnPathHost: host })
      return true
    } catch (error) {
      this.kit.log.debug('could not look for the host that receives mail', { host, error })
      return false
    }
  }

  async #isFound(host: string): Promise<boolean> {
    const exchangers = await this.dns.mx(host)
    // a null MX takes no mail (RFC 7505); without any MX the host itself does (RFC 5321, section 5.1)
    if (exchangers.length > 0) return exchangers.some(({ exchange }) => exchange !== '')
    const addresses = await Promise.all([this.dns.ipv4(host), this.dns.ipv6(host)])
    return addresses.flat().length > 0
  }
}

/** A name that others can look up; undefined for an address literal or a bare machine name. */
function hostName(name: string): string | undefined {
  const host = canonicalDomain(name.toLowerCase())
  return host.includes('.') && isDomain(host) ? domainToASCII(host) : undefined
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
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
