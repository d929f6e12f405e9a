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
/** So many servers that do not answer, and none that does between them, mean that none can be reached from here. */
const BLOCKED = 5
const SILENCE: ReadonlySet<HopTrouble> = new Set(['no-answer', 'unreachable', 'port-refused'])
/** A server whose TLS has failed twice gets mail in the clear at once for this long. */
const CLEAR_MS = 600_000
/** A server is stuck when mails wait for it and none of them had an answer for this long. */
const STUCK_MS = 15_000

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
}

/** A server with the connections to it. */
interface Server {
  readonly pool: SmtpPool
  inUse: number
  usedAt: number
  /** When the first of the mails in its hands came, or the last answer. */
  movedAt: number
}

/** The mail servers of the world, each with its kept connections, and what is known about reaching them. */
export class Servers {
  readonly #servers = new Map<string, Server>()
  /** Servers that could not be reached, until when they rest, and the refusal. */
  readonly #resting = new Map<string, { readonly until: number; readonly refused: Refused }>()
  readonly #silent = new Set<string>()
  /** Servers whose TLS has failed: how often, and until when that counts. */
  readonly #clear = new Map<string, { readonly failures: number; readonly until: number }>()
  readonly #closing = new Set<Promise<void>>()
  readonly #lookup: LookupFunction
  #isClosed = false
  #sweepAt = KEPT

  constructor(
    private readonly options: DirectOptions,
    dns: DnsResolver,
    private readonly log: Log,
  ) {
    this.#lookup = lookUpBy(dns, options.ipv6)
  }

  /** True when several servers in a row did not answer. */
  get isBlocked(): boolean {
    return this.#silent.size >= BLOCKED
  }

  /** Notes that this server, or the DNS about this domain, does not answer. */
  noteSilence(which: string): void {
    if (this.#silent.size < BLOCKED) this.#silent.add(which)
  }

  /**
   * Hands the message to this server: encrypted where it offers that, in the clear where TLS fails and need not be.
   * Answers and rejects as `SmtpPool.send`.
   */
  async send(host: string, envelope: Envelope, message: Uint8Array, signal: AbortSignal): Promise<SendResult> {
    if (this.#isClosed) return refusedBy(host, 'the transport is closed')
    const rest = this.#resting.get(host)
    if (rest && performance.now() < rest.until) return rest.refused
    const failed = this.#tlsFailures(host)
    if (failed > 1) return (await this.#send(host, 'never', envelope, message, signal)).result
    const { result, trouble } = await this.#send(host, 'try', envelope, message, signal)
    if (this.options.requireTls || !isOfTls(result, trouble)) return result
    const inClear = await this.#send(host, 'never', envelope, message, signal)
    if (!isOfTls(inClear.result, inClear.trouble)) {
      this.#clear.set(host, { failures: failed + 1, until: performance.now() + CLEAR_MS })
    }
    return inClear.result
  }

  #tlsFailures(host: string): number {
    const known = this.#clear.get(host)
    return known && performance.now() < known.until ? known.failures : 0
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
    starttls: 'try' | 'never',
    envelope: Envelope,
    message: Uint8Array,
    signal: AbortSignal,
  ): Promise<{ readonly result: SendResult; readonly trouble: HopTrouble | undefined }> {
    const server = this.#server(host, starttls)
    const since = performance.now()
    if (server.inUse === 0) server.movedAt = since
    else if (server.inUse > this.options.perServer && since - server.movedAt > STUCK_MS) {
      return { result: refusedBy(host, 'it answers nothing, and other mails wait for it'), trouble: 'no-answer' }
    }
    server.inUse++
    try {
      const given = await server.pool.send(envelope, message, signal)
      const isConnect = given.outcome === 'refused' && given.stage === 'connect'
      const trouble = isConnect ? server.pool.trouble : undefined
      const words = trouble && WORDS[trouble]
      const result = isConnect && words !== undefined ? { ...given, reason: `${host}: ${words}` } : given
      if (!signal.aborted) this.#note(host, result, trouble, performance.now() - since)
      return { result, trouble }
    } finally {
      server.inUse--
      server.usedAt = performance.now()
      server.movedAt = server.usedAt
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
    const pool = new SmtpPool(this.#hop(host, starttls), keeping, perServer, this.log)
    const server = { pool, inUse: 0, usedAt: 0, movedAt: 0 }
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
    if (result.outcome !== 'refused' || result.stage !== 'connect') {
      this.#silent.clear()
      this.#resting.delete(host)
      return
    }
    if (result.code !== undefined) this.#silent.clear()
    if (isOfTls(result, trouble)) return
    // mails that waited in line have not waited for the server
    const rest = Math.max(REST_MS, Math.min(took, this.options.timeouts.connect * 1000))
    this.#resting.set(host, { until: performance.now() + rest, refused: result })
    if (trouble !== undefined && SILENCE.has(trouble)) this.noteSilence(host)
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
    for (const [host, { until }] of this.#clear) if (until < now) this.#clear.delete(host)
    this.#sweepAt = KEPT + 2 * this.#servers.size
  }
}

/** Whether TLS failed, or may have: some servers close the connection in the middle of it. */
function isOfTls(result: SendResult, trouble: HopTrouble | undefined): boolean {
  if (result.outcome !== 'refused' || result.stage !== 'connect' || result.code !== undefined) return false
  return result.noTls === true || trouble === 'closed' || trouble === 'tls'
}

function refusedBy(host: string, why: string): Refused {
  return { outcome: 'refused', permanent: false, stage: 'connect', reason: `${host}: ${why}` }
}
