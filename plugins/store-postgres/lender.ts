import type { Pool, PoolClient } from 'pg'

/** Lends connections to the store. */
export interface Lender {
  connect(): Promise<PoolClient>
  /** A connection that `failed` is not used again. */
  giveBack(client: PoolClient, failed: boolean): void
  /**
   * SQL that is sent with the begin of every transaction. With it, nothing runs outside of a transaction, and a connection is
   * given back as it was.
   */
  readonly settings?: string
}

/** The connections of a pool of our own. They have our settings, unless these are sent with each transaction. */
export function ownPool(pool: Pool, settings?: string): Lender {
  const lender = {
    connect: () => pool.connect(),
    giveBack: (client: PoolClient, failed: boolean) => client.release(failed),
  }
  return settings === undefined ? lender : { ...lender, settings }
}

/** How often a caller who waits for a connection looks whether the pool was ended, in milliseconds. */
const LOOK_MS = 250

/** Lends at most so many connections of the host's pool, which is never ended. */
export class HostPool implements Lender {
  readonly settings: string
  readonly #pool: Pool
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(pool: Pool, most: number, settings: string) {
    this.#pool = pool
    this.#free = most
    this.settings = settings
  }

  async connect(): Promise<PoolClient> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      const client = await this.#connected()
      // a statement that is under way fails as well and reports it
      client.on('error', ignore)
      return client
    } catch (error) {
      this.#next()
      throw error
    }
  }

  giveBack(client: PoolClient, failed: boolean): void {
    client.off('error', ignore)
    client.release(failed)
    this.#next()
  }

  /** Once a pool is ended, pg leaves those who wait for a connection waiting for ever. */
  async #connected(): Promise<PoolClient> {
    const ended = Promise.withResolvers<never>()
    const look = setInterval(() => {
      if (this.#pool.ending) ended.reject(new Error('Cannot use a pool after calling end on the pool'))
    }, LOOK_MS)
    const connecting = this.#pool.connect()
    try {
      return await Promise.race([connecting, ended.promise])
    } catch (error) {
      void connecting.then((late) => late.release(true)).catch(ignore)
      throw error
    } finally {
      clearInterval(look)
    }
  }

  #next(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}

function ignore(): void {}
