import type { HopTrouble } from '../../core/ports/mail-transport.ts'

/** After so many silent domains in a row, it is asked whether any server can be reached. Domains with the same servers count once. */
const SILENT = 5
/** So long is a domain's silence remembered. */
const SILENT_MS = 600_000
/** How long the answer to that holds. */
const ASK_AGAIN_MS = 10_000
const SILENCE: ReadonlySet<HopTrouble | undefined> = new Set<HopTrouble>(['no-answer', 'unreachable', 'port-refused'])

/** Tells whether a mail server that is silent is alone in that, or all of them are out of reach from here. */
export class Reach {
  /** The servers of domains that did not answer, since the last server that did, and when. */
  readonly #silent = new Map<string, number>()
  /** The server that answered last. */
  #answered: string | undefined
  #isAway = false
  readonly #asks: (host: string) => Promise<boolean>
  #asked: { readonly at: number; readonly answers: Promise<boolean> } | undefined

  /** @param asks asks a server whether it answers */
  constructor(asks: (host: string) => Promise<boolean>) {
    this.#asks = asks
  }

  /** Notes that a server has answered. */
  answered(host: string): void {
    this.#answered = host
    this.#silent.clear()
    this.#isAway = false
  }

  /** Whether no server can be reached from here, as was found out, unless one answers now. */
  async isAway(): Promise<boolean> {
    if (this.#isAway) this.#isAway = await this.#isCutOff()
    return this.#isAway
  }

  /** Notes that none of a domain's servers answers. Answers whether none of others does, either. */
  async isAwayWith(servers: readonly string[]): Promise<boolean> {
    const key = servers.toSorted().join(' ')
    this.#silent.delete(key)
    this.#silent.set(key, performance.now())
    const [oldest] = this.#silent.keys()
    if (this.#silent.size > SILENT && oldest !== undefined) this.#silent.delete(oldest)
    this.#isAway = await this.#isCutOff()
    return this.#isAway
  }

  /** Asks the server that answered last, since many domains may be dead in a row. */
  async #isCutOff(): Promise<boolean> {
    const since = performance.now() - SILENT_MS
    for (const [servers, at] of this.#silent) if (at < since) this.#silent.delete(servers)
    if (this.#silent.size < SILENT) return false
    if (this.#answered === undefined) return true
    if (this.#asked === undefined || performance.now() - this.#asked.at > ASK_AGAIN_MS) {
      this.#asked = { at: performance.now(), answers: this.#asks(this.#answered) }
    }
    if (!(await this.#asked.answers)) return true
    this.#silent.clear()
    return false
  }
}

/** Whether these troubles are a server's silence, each of them. */
export function isSilence(troubles: readonly (HopTrouble | undefined)[]): boolean {
  return troubles.length > 0 && troubles.every((trouble) => SILENCE.has(trouble))
}
