import { isIP } from 'node:net'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { EgressRules, WebhookAnswer, WebhookRequest, WebhookSender } from '../../core/ports/webhook-sender.ts'
import { forbiddenRange, networksOf } from '../kit/net/forbidden-range.ts'
import { addressesOf, isLocalhost, LOOPBACK } from './addresses.ts'
import { type ConnectRules, connect } from './connect.ts'
import { exchange } from './exchange.ts'
import { firstHop, type Hop } from './hop.ts'
import { Limit } from './limit.ts'
import { NoAnswer } from './no-answer.ts'
import { hostOf } from './target.ts'

const MAX_REDIRECTS = 5

/** How addresses are found and judged, and whom to trust. */
interface TrustingRules extends EgressRules {
  /** Authorities in PEM that are trusted besides the well-known ones. */
  readonly ca?: readonly string[]
}

/**
 * The only way out for requests to addresses that outsiders chose. Each hop is read, resolved, judged, connected and
 * checked again on its own. Connections are never kept, so that none is used for anything but what it was checked for.
 */
export class Egress implements WebhookSender {
  readonly #dns: DnsResolver
  readonly #rules: ConnectRules

  constructor({ dns, allow, ca }: TrustingRules) {
    this.#dns = dns
    const secureContext = createSecureContext({
      minVersion: 'TLSv1.2',
      ...(ca === undefined ? {} : { ca: [...getCACertificates(), ...ca] }),
    })
    this.#rules = { allow: networksOf(allow), secureContext }
  }

  async send(request: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer> {
    const limit = new Limit(request.timeout, signal)
    const progress = { isSent: false }
    try {
      return await this.#follow(firstHop(request), limit, request, progress)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      const { outcome, message: reason, status } = error
      if (outcome === 'failed' && !progress.isSent) return { outcome, reason, unsent: true }
      return { outcome, reason, ...(status === undefined ? {} : { status }) }
    } finally {
      limit.clear()
    }
  }

  /** Here only `localhost` and IP addresses are judged. A name is judged by its addresses, at each request. */
  refusal(text: string): string | undefined {
    const url = URL.parse(text)
    if (url === null) return undefined
    const host = hostOf(url)
    const range = isIP(host) === 0 && !isLocalhost(host) ? undefined : this.#rangeOf(host)
    if (range === undefined) return undefined
    return `must not lead to ${host} (${range}): only the operator of this server can allow it, by egress.allow in the configuration`
  }

  #rangeOf(host: string): string | undefined {
    return forbiddenRange(isIP(host) === 0 ? LOOPBACK : host, this.#rules.allow)
  }

  async #follow(
    first: Hop,
    limit: Limit,
    request: WebhookRequest,
    progress: { isSent: boolean },
  ): Promise<WebhookAnswer> {
    let hop = first
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const rules = { dns: this.#dns, allow: this.#rules.allow }
      const addresses = await limit.within(addressesOf(hostOf(hop.url), rules))
      const socket = await connect(hop.url, addresses, this.#rules, limit)
      progress.isSent = true
      const response = await exchange(socket, hop, limit, request)
      if (response.outcome === 'answered') return response
      hop = response.to
    }
    throw new NoAnswer('failed', `redirects more than ${MAX_REDIRECTS} times`)
  }
}
