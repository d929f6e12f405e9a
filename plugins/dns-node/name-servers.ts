import dnsPacket, { type DecodedPacket } from 'dns-packet'
import { errorCode } from '../../core/values/error-code.ts'
import { askByTcp, askByUdp } from './ask-server.ts'
import { type Question, queryFor, rcodeOf } from './message.ts'
import type { ServerAddress } from './server-address.ts'

export interface NameServersOptions {
  /** In the order they are asked. */
  readonly servers: readonly ServerAddress[]
  readonly timeoutMs: number
  readonly tries: number
}

/** How long a server that was silent is asked after the others, so that a dead one does not hold up every question. */
const LAST_FOR_MS = 30_000

const SILENT = 'ETIMEOUT'
const CANCELLED = 'ECANCELLED'
const NO_ERROR = 0
const FORMAT_ERROR = 1
const NAME_ERROR = 3
const CODES: Readonly<Record<number, string>> = { 1: 'EFORMERR', 2: 'ESERVFAIL', 4: 'ENOTIMP', 5: 'EREFUSED' }

/** Asks name servers in turn until one answers. */
export class NameServers {
  readonly #options: NameServersOptions
  readonly #asking = new Set<AbortController>()
  /** When a server was last silent; removed when it answers. */
  readonly #silentAt = new Map<ServerAddress, number>()
  #closed = false

  constructor(options: NameServersOptions) {
    this.#options = options
  }

  /**
   * The first answer that says what is there, or that nothing is (NXDOMAIN). A server that says it cannot tell is not
   * asked again. A silent one is, with twice the time-out. Throws DnsFailure when none answers.
   */
  async ask(question: Question): Promise<DecodedPacket> {
    const { timeoutMs, tries } = this.#options
    let failure = 'ECONNREFUSED'
    let silent = this.#inOrder()
    for (let round = 0; round < tries && silent.length > 0; round++) {
      const still: ServerAddress[] = []
      for (const server of silent) {
        const answer = await this.#askOne(server, question, timeoutMs * 2 ** round)
        if (answer === SILENT) {
          still.push(server)
          this.#silentAt.set(server, performance.now())
        } else {
          this.#silentAt.delete(server)
        }
        if (typeof answer !== 'string') return answer
        failure = answer
      }
      silent = still
    }
    throw new DnsFailure(failure, `${question.type} ${question.name}`)
  }

  #inOrder(): readonly ServerAddress[] {
    const now = performance.now()
    const wasSilent = (server: ServerAddress) => now - (this.#silentAt.get(server) ?? -LAST_FOR_MS) < LAST_FOR_MS
    const { servers } = this.#options
    return [...servers.filter((server) => !wasSilent(server)), ...servers.filter(wasSilent)]
  }

  /** Cancels everything that is being asked. */
  close(): void {
    this.#closed = true
    for (const asking of this.#asking) asking.abort(new DnsFailure(CANCELLED, 'the resolver is closed'))
  }

  /** One server's answer, or the code of its failure. Throws when the resolver is closed. */
  async #askOne(server: ServerAddress, question: Question, timeoutMs: number): Promise<DecodedPacket | string> {
    if (this.#closed) throw new DnsFailure(CANCELLED, 'the resolver is closed')
    const asking = new AbortController()
    const timer = setTimeout(() => asking.abort(new DnsFailure(SILENT, server.address)), timeoutMs)
    this.#asking.add(asking)
    try {
      const answer = await this.#exchange(server, question, asking.signal)
      const code = rcodeOf(answer)
      return code === NO_ERROR || code === NAME_ERROR ? answer : (CODES[code] ?? 'EBADRESP')
    } catch (error) {
      const code = String(errorCode(error) ?? 'EBADRESP')
      if (code === CANCELLED) throw error
      return code
    } finally {
      clearTimeout(timer)
      this.#asking.delete(asking)
    }
  }

  async #exchange(server: ServerAddress, question: Question, signal: AbortSignal): Promise<DecodedPacket> {
    let query = queryFor(question, true)
    let answer = await askByUdp(server, query, signal)
    // an old server does not know EDNS0 (RFC 6891, section 7)
    if (rcodeOf(answer) === FORMAT_ERROR) {
      query = queryFor(question, false)
      answer = await askByUdp(server, query, signal)
    }
    return ((answer.flags ?? 0) & dnsPacket.TRUNCATED_RESPONSE) === 0 ? answer : askByTcp(server, query, signal)
  }
}

/** Why a question got no answer. The codes are those of Node's own resolver. */
class DnsFailure extends Error {
  override readonly name = 'DnsFailure'
  readonly code: string

  constructor(code: string, question: string) {
    super(`${question}: ${code}`)
    this.code = code
  }
}
