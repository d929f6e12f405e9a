import type { LookupFunction } from 'node:net'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Envelope, HopTrouble, SendResult } from '../../core/ports/mail-transport.ts'
import { ConnectProblem, type NotConnected } from '../kit/smtp-client/connect-problem.ts'
import type { Hop } from '../kit/smtp-client/hop.ts'
import { SmtpPool } from '../kit/smtp-client/pool.ts'
import { lookUpBy } from './look-up.ts'
import { type DirectOptions, familiesOf } from './options.ts'
import { isSilence, Reach } from './reach.ts'

/** A server that could not be reached is not tried again for as long as that took to find out, and for this long at least. */
const REST_MS = 1_000
/** Above this many servers, those that are not in use are forgotten. */
const KEPT = 500
/** A server whose TLS has failed twice gets mail in the clear at once for this long. */
const CLEAR_MS = 600_000
/** A server is stuck when mails wait for it and none has come to its end for this long. */
const STUCK_MS = 60_000

/**
 * How a server is spoken to: encrypted with a valid certificate or not at all, encrypted where it can be, or in the clear.
 * With the option `requireTls`, `try` is encrypted or not at all.
 */
type Security = 'verified' | 'try' | 'never'

/** Words for people who have to do with the mail, not with its server. */
const WORDS: Partial<Record<HopTrouble, string>> = {
  'host-unknown': 'its name has no address that could be used',
  dns: 'its name could not be looked up',
  forbidden: 'it is at an address that is not public',
  'port-refused': 'it accepts no connections',
  unreachable: 'it cannot be reached',
  'no-answer': 'it does not answer',
  'no-greeting': 'it does not greet',
  'no-starttls': 'it offers no TLS',
  closed: 'it closes the connection',
  tls: 'TLS fails',
  certificate: 'its certificate is not trusted',
  'certificate-name': 'its certificate is for another name',
  'certificate-expired': 'its certificate has expired',
}

/** A server with the connections to it. */
interface Server {
  readonly pool: SmtpPool
  inUse: number
  usedAt: number
  /** When the first of the mails in its hands came, or the last one ended. */
  movedAt: number
}

/** The mail servers of the world, each with its kept connections. */
export class Servers {
  /** Whether they can be reached at all. */
  readonly reach = new Reach((host) => this.#answers(host))
  readonly #servers = new Map<string, Server>()
  /** Servers that could not be reached, until when they rest, and the refusal. */
  readonly #resting = new Map<string, { readonly until: number; readonly refused: NotConnected }>()
  /** Servers whose TLS has failed: how often, and until when that counts. */
  readonly #clear = new Map<string, { readonly failures: number; readonly until: number }>()
  readonly #closing = new Set<Promise<void>>()
  readonly #options: DirectOptions
  readonly #log: Log
  readonly #lookup: LookupFunction
  #isClosed = false
  #sweepAt = KEPT

  constructor(options: DirectOptions, dns: DnsResolver, log: Log) {
    this.#options = options
    this.#log = log
    this.#lookup = lookUpBy(dns, familiesOf(options))
  }

  /**
   * Hands the message to this server: encrypted where it offers that, in the clear where TLS fails and need not be; or, where
   * its domain demands that, only with a valid certificate. Answers and rejects as `SmtpPool.send`.
   */
  async send(
    host: string,
    envelope: Envelope,
    message: Uint8Array,
    signal: AbortSignal,
    { verified = false } = {},
  ): Promise<SendResult | NotConnected> {
    if (this.#isClosed) return refusedBy(host, 'the transport is closed')
    const rest = this.#resting.get(host)
    if (rest && performance.now() < rest.until) return rest.refused
    if (verified) return this.#send(host, 'verified', envelope, message, signal)
    const failed = this.#tlsFailures(host)
    if (failed > 1) return this.#send(host, 'never', envelope, message, signal)
    const result = await this.#send(host, 'try', envelope, message, signal)
    if (this.#options.requireTls || !isOfTls(result)) return result
    this.#clear.set(host, { failures: failed + 1, until: performance.now() + CLEAR_MS })
    return this.#send(host, 'never', envelope, message, signal)
  }

  /** Connects to this server, and answers its reply to EHLO. Rejects with a ConnectProblem. */
  hello(host: string): Promise<string> {
    return this.#server(host, 'never').pool.check()
  }

  #tlsFailures(host: string): number {
    const known = this.#clear.get(host)
    return known && performance.now() < known.until ? known.failures : 0
  }

  async #answers(host: string): Promise<boolean> {
    try {
      await this.hello(host)
      return true
    } catch (problem) {
      return !isSilence([problem instanceof ConnectProblem ? problem.trouble : undefined])
    }
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    this.#isClosed = true
    const pools = [...this.#servers.values()].map(({ pool }) => pool.close())
    this.#servers.clear()
    await Promise.all([...pools, ...this.#closing])
  }

  async #send(
    host: string,
    security: Security,
    envelope: Envelope,
    message: Uint8Array,
    signal: AbortSignal,
  ): Promise<SendResult | NotConnected> {
    const server = this.#server(host, security)
    const since = performance.now()
    if (server.inUse === 0) server.movedAt = since
    else if (server.inUse > this.#options.perServer && since - server.movedAt > STUCK_MS) {
      return refusedBy(host, 'other mails have waited for it for a minute')
    }
    server.inUse++
    try {
      const result = inWords(host, await server.pool.send(envelope, message, signal))
      if (!signal.aborted) this.#note(host, result, performance.now() - since)
      return result
    } finally {
      server.inUse--
      server.usedAt = performance.now()
      server.movedAt = server.usedAt
    }
  }

  #server(host: string, security: Security): Server {
    const key = `${security} ${host}`
    const known = this.#servers.get(key)
    if (known) return known
    this.#sweep()
    const { timeouts, idleSeconds, perServer } = this.#options
    const keeping = {
      pipelining: true,
      commandTimeout: timeouts.command * 1000,
      dataTimeout: timeouts.data * 1000,
      idleTimeout: idleSeconds * 1000,
    }
    const pool = new SmtpPool(this.#hop(host, security), keeping, perServer, this.#log)
    const server = { pool, inUse: 0, usedAt: 0, movedAt: 0 }
    this.#servers.set(key, server)
    return server
  }

  #hop(host: string, security: Security): Hop {
    const { port, name, publicOr, localAddress, timeouts } = this.#options
    const verified = security === 'verified'
    const requireTls = verified || this.#options.requireTls
    return {
      host,
      port,
      name,
      requireTls,
      ...(requireTls || verified ? {} : { starttls: security }),
      secure: false,
      // without a policy, certificates can seldom be verified, and the MX record proves nothing either (RFC 7435)
      tls: { rejectUnauthorized: verified },
      publicOr,
      lookup: this.#lookup,
      ...(localAddress === undefined ? {} : { localAddress }),
      connectTimeout: timeouts.connect * 1000,
    }
  }

  #note(host: string, result: SendResult | NotConnected, took: number): void {
    const isRefused = result.outcome === 'refused' && result.stage === 'connect'
    if (!isRefused || result.code !== undefined) {
      this.reach.answered(host)
    }
    if (!isRefused) this.#resting.delete(host)
    else if (!isOfTls(result)) {
      // mails that waited in line have not waited for the server
      const rest = Math.max(REST_MS, Math.min(took, this.#options.timeouts.connect * 1000))
      this.#resting.set(host, { until: performance.now() + rest, refused: result })
    }
  }

  #sweep(): void {
    if (this.#servers.size < this.#sweepAt) return
    const now = performance.now()
    const unused = now - (this.#options.idleSeconds + 1) * 1000
    for (const [key, { pool, inUse, usedAt }] of this.#servers) {
      if (inUse > 0 || usedAt > unused) continue
      this.#servers.delete(key)
      const closing = pool.close().finally(() => this.#closing.delete(closing))
      this.#closing.add(closing)
    }
    for (const [host, { until }] of this.#resting) if (until < now) this.#resting.delete(host)
    for (const [host, { until }] of this.#clear) if (until < now) this.#clear.delete(host)
    this.#sweepAt = KEPT + 2 * this.#servers.size
  }
}

function isOfTls(result: SendResult): boolean {
  return result.outcome === 'refused' && result.noTls === true
}

/** With words for people who have to do with the mail, not with its server. */
function inWords(host: string, result: SendResult | NotConnected): SendResult | NotConnected {
  const words = 'trouble' in result && result.trouble !== undefined ? WORDS[result.trouble] : undefined
  return words === undefined || result.outcome !== 'refused' ? result : { ...result, reason: `${host}: ${words}` }
}

/** That nothing was handed to this server, and why. */
export function refusedBy(host: string, why: string): NotConnected {
  return { outcome: 'refused', permanent: false, stage: 'connect', reason: `${host}: ${why}` }
}
