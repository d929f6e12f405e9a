import { injectable } from '../di.ts'
import type { ClaimedEmail, Lease } from '../ports/store/emails.ts'
import type { ProjectId } from '../values/project-id.ts'

/** How long mails are offered, in milliseconds: no audience waits for longer until its next page is written. */
const OFFERED_MS = 200

/** The terms of a claim that takes mails before they are written. */
export interface Taking {
  readonly lease: Lease
  /** How many mails it takes at most. */
  readonly most: number
}

/** The next mails of a campaign, which are not written yet. */
export interface Offer {
  readonly projectId: ProjectId
  /** Has them written as claimed, and answers them. Throws what writing them throws. */
  take(taking: Taking): Promise<readonly ClaimedEmail[]>
  /** Has them written at once, for any process to claim. */
  leave(): void
}

/** Mails that were written, with those that are claimed; undefined when no claim took them. */
interface Written {
  readonly claimed: readonly ClaimedEmail[] | undefined
}

/**
 * Mails that campaigns are about to write. The claims of this process take them when they have room: so they are written
 * once, as claimed, instead of being written, looked for, written again and read. What no claim takes soon is written for
 * all processes.
 */
@injectable()
export class OfferedMail {
  readonly #offers = new Map<string, Offer>()

  /** The present offer of each campaign, by its id. */
  get all(): ReadonlyMap<string, Offer> {
    return this.#offers
  }

  /**
   * Has mails of this campaign written by `write`, as soon as a claim takes them, or after a while without one. Claims must
   * be rung for. Throws what `write` throws.
   */
  write<Mails extends Written>(
    { id, projectId }: { readonly id: string; readonly projectId: ProjectId },
    write: (taking?: Taking) => Promise<Mails>,
  ): Promise<Mails> {
    const { promise, resolve } = Promise.withResolvers<Taking | undefined>()
    const written = promise.then(write)
    const end = (taking?: Taking) => {
      clearTimeout(timer)
      this.#offers.delete(id)
      resolve(taking)
    }
    const timer = setTimeout(() => end(), OFFERED_MS)
    const offer: Offer = {
      projectId,
      take: async (taking) => {
        // another claim may have them
        if (this.#offers.get(id) !== offer) return []
        end(taking)
        return (await written).claimed ?? []
      },
      leave: () => {
        if (this.#offers.get(id) === offer) end()
      },
    }
    this.#offers.set(id, offer)
    return written
  }
}
