import type { Claims } from '../../../../core/ports/store/workers.ts'
import { LEASED_TABLES, LeasedRows } from '../engine/leased-rows.ts'
import { Repository } from '../engine/repository.ts'

/** All claimed work, of every process. */
export class ClaimedWork extends Repository {
  readonly #mails = new LeasedRows(this.access, 'emails')
  readonly #others = LEASED_TABLES.filter((table) => table !== 'emails').map(
    (table) => new LeasedRows(this.access, table),
  )

  async claims(now: Date): Promise<Claims> {
    const others: string[] = []
    for (const kind of this.#others) others.push(...(await kind.tokens(now)))
    return { mails: await this.#mails.tokens(now), others }
  }

  /** Answers how many mails were taken back. */
  takeBack(tokens: readonly string[], now: Date): Promise<number> {
    return this.access.write(async (session) => {
      for (const kind of this.#others) await kind.takeBack(session, tokens, now)
      return this.#mails.takeBack(session, tokens, now)
    })
  }
}
