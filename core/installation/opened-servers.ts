import type { NamedTransport } from '../ports/mail-transport.ts'
import type { StoredMailServer } from './mail-server.ts'
import type { OpenedServer } from './options.ts'

/** The mail servers of one list that are open. Those that have not changed stay open when the list changes. */
export class OpenedServers {
  readonly #opened = new Map<string, OpenedServer>()
  #inUse: readonly NamedTransport[] = []
  #ending: Promise<unknown> = Promise.resolve()

  constructor(private readonly open: (server: StoredMailServer) => Promise<OpenedServer>) {}

  /** The transports of those that are enabled, in the order of use. */
  get inUse(): readonly NamedTransport[] {
    return this.#inUse
  }

  /**
   * Opens those that are enabled, and closes those that were open and are left out. `use` brings the transports into use,
   * and answers when those left out have no mail in hand any more.
   */
  async change(servers: readonly StoredMailServer[], use: () => Promise<unknown>): Promise<void> {
    const enabled = servers.filter((each) => each.enabled)
    const wanted = new Map(enabled.map((server) => [JSON.stringify({ ...server, updatedAt: '' }), server]))
    for (const [key, server] of wanted) {
      if (!this.#opened.has(key)) this.#opened.set(key, await this.open(server))
    }
    const left = [...this.#opened].filter(([key]) => !wanted.has(key))
    for (const [key] of left) this.#opened.delete(key)
    this.#inUse = [...wanted.keys()].flatMap((key) => this.#opened.get(key)?.named ?? [])
    const ended = use().then(() => Promise.all(left.map(([, each]) => each.close())))
    this.#ending = Promise.all([this.#ending, ended])
  }

  /** Closes all, after the last mail. */
  async close(): Promise<void> {
    await this.#ending
    await Promise.all([...this.#opened.values()].map((each) => each.close()))
  }
}

/** Stands for a mail server that cannot be used, or is missing (`noHop`): its mail waits, since others must not get it. */
export function locked(name: string, why: string, more: { readonly noHop?: true } = {}): NamedTransport {
  return {
    name,
    plugin: 'locked',
    transport: {
      concurrency: 1,
      send: async () => ({ outcome: 'refused', permanent: false, stage: 'connect', reason: `: ${why}`, ...more }),
      check: () => Promise.reject(new Error(why)),
    },
  }
}
