import type { LookupFunction } from 'node:net'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Envelope, HopTrouble, Refused, SendResult } from '../../core/ports/mail-transport.ts'
import type { Hop } from '../kit/smtp-client/hop.ts'
import { SmtpPool } from '../kit/smtp-client/pool.ts'
import { lookUpBy } from './look-up.ts'
import type { DirectOptions } from './options.ts'

/** A server that could not be reached is not tried again for as long as that took to find out, and for this long at least. */
const REST_MS = 1_000
/** Above this many servers, those that are not in use are forgotten. */
const KEPT = 500
/** So many servers that do not answer, and none that does, mean that the port is blocked. */
const BLOCKED = 3
const SILENCE: ReadonlySet<HopTrouble> = new Set(['no-answer', 'unreachable', 'port-refused'])
/** A server whose TLS fails gets mail in the clear at once for this long. */
const CLEAR_MS = 600_000

/** A server with the connections to it. */
interface Server {
  readonly pool: SmtpPool
  inUse: number
  usedAt: number
}

/** The mail servers of the world, each with its kept connections, and what is known about reaching them. */
export class Servers {
  readonly #servers = new Map<string, Server>()
  /** Servers that could not be reached, until when they rest, and the refusal. */
  readonly #resting = new Map<string, { readonly until: number; readonly refused: Refused }>()
  readonly #silent = new Set<string>()
  /** Servers whose TLS fails, until when it is not tried again. */
  readonly #clear = new Map<string, number>()
  readonly #closing = new Set<Promise<void>>()
  readonly #lookup: LookupFunction
  #isReached = false
  #sweepAt = KEPT

  constructor(
    private readonly options: DirectOptions,
    dns: DnsResolver,
    private readonly log: Log,
  ) {
    this.#lookup = lookUpBy(dns, options.ipv6)
  }

  /** True when several servers did not answer, and none ever did. */
  get isBlocked(): boolean {
    return !this.#isReached && this.#silent.size >= BLOCKED
  }

  /**
   * Hands the message to this server: encrypted where it offers that, in the clear where TLS fails and need not be.
   * Answers and rejects as `SmtpPool.send`.
   */
  async send(host: string, envelope: Envelope, message: Uint8Array, signal: AbortSignal): Promise<SendResult> {
    const rest = this.#resting.get(host)
    if (rest && performance.now() < rest.until) return rest.refused
    const isClear = performance.now() < (this.#clear.get(host) ?? 0)
    const result = await this.#send(host, isClear ? 'never' : 'try', envelope, message, signal)
    if (isClear || this.options.requireTls || !isOfTls(result)) return result
    this.#clear.set(host, performance.now() + CLEAR_MS)
    return this.#send(host, 'never', envelope, message, signal)
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    const pools = [...this.#servers.values()].map(({ pool }) => pool.close())
    this.#servers.clear()
    await Promise.all([...pools, ...this.#closing])
  }

  async #send(
    host: string,
    starttls: 'try' | 'never',
    envelope: Envelope,
    message: Uint8Array,
    signal: AbortSignal,
  ): Promise<SendResult> {
    const server = this.#server(host, starttls)
    const since = performance.now()
    server.inUse++
    try {
      const result = await server.pool.send(envelope, message, signal)
      if (!signal.aborted) this.#note(host, result, server.pool.trouble, performance.now() - since)
      return result
    } finally {
      server.inUse--
      server.usedAt = performance.now()
    }
  }

  #server(host: string, starttls: 'try' | 'never'): Server {
    const key = `${starttls} ${host}`
    const known = this.#servers.get(key)
    if (known) return known
    this.#sweep()
    const { timeouts, idleSeconds, perServer } = this.options
    const keeping = {
      pipelining: true,
      commandTimeout: timeouts.command * 1000,
      dataTimeout: timeouts.data * 1000,
      idleTimeout: idleSeconds * 1000,
    }
    const server = { pool: new SmtpPool(this.#hop(host, starttls), keeping, perServer, this.log), inUse: 0, usedAt: 0 }
    this.#servers.set(key, server)
    return server
  }

  #hop(host: string, starttls: 'try' | 'never'): Hop {
    const { port, name, requireTls, publicOr, localAddress, timeouts } = this.options
    return {
      host,
      port,
      name,
      requireTls,
      ...(requireTls ? {} : { starttls }),
      secure: false,
      // certificates of mail servers can seldom be verified, and the MX record proves nothing either (RFC 7435)
      tls: { rejectUnauthorized: false },
      publicOr,
      lookup: this.#lookup,
      ...(localAddress === undefined ? {} : { localAddress }),
      connectTimeout: timeouts.connect * 1000,
    }
  }

  #note(host: string, result: SendResult, trouble: HopTrouble | undefined, took: number): void {
    if (result.outcome === 'refused' && result.stage === 'connect') {
      if (result.noTls) return
      this.#resting.set(host, { until: performance.now() + Math.max(REST_MS, took), refused: result })
      if (trouble !== undefined && SILENCE.has(trouble)) this.#silent.add(host)
    } else {
      this.#isReached = true
      this.#silent.clear()
      this.#resting.delete(host)
    }
  }

  #sweep(): void {
    if (this.#servers.size < this.#sweepAt) return
    const now = performance.now()
    const unused = now - (this.options.idleSeconds + 1) * 1000
    for (const [key, { pool, inUse, usedAt }] of this.#servers) {
      if (inUse > 0 || usedAt > unused) continue
      this.#servers.delete(key)
      const closing = pool.close().finally(() => this.#closing.delete(closing))
      this.#closing.add(closing)
    }
    for (const [host, { until }] of this.#resting) if (until < now) this.#resting.delete(host)
    for (const [host, until] of this.#clear) if (until < now) this.#clear.delete(host)
    this.#sweepAt = KEPT + 2 * this.#servers.size
  }
}

function isOfTls(result: SendResult): boolean {
  return result.outcome === 'refused' && result.noTls === true
}
