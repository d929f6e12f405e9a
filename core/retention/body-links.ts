import type { Store } from '../ports/store.ts'
import type { Rendering } from '../rendering/rendering.ts'
import type { MailContent } from '../sending/content.ts'
import { linksOnly } from '../sending/links-only.ts'
import { RecentlyUsed } from '../values/recently-used.ts'
import { turn } from '../values/turn.ts'
import type { MailContentChange, StoredMail } from './retention-store.ts'

/** So many contents lately reduced are known, and about so many characters they may have. */
const KEPT = 1000
const KEPT_CHARACTERS = 8_000_000
/** After so long somebody else has a turn of the event loop. */
const TURN_MS = 10

/** Finds for mails the contents that have nothing but their links. Those of campaigns are shared, and nobody's own. */
export class BodyLinks {
  readonly #store: Store
  readonly #rendering: Rendering
  readonly #kept = new RecentlyUsed<MailContent>(KEPT, KEPT_CHARACTERS, (_id, { html }) => 200 + html.length)

  constructor(store: Store, rendering: Rendering) {
    this.#store = store
    this.#rendering = rendering
  }

  /** What each of the mails is to point at from now on, and the contents for that. */
  async of(
    mails: readonly StoredMail[],
  ): Promise<{ readonly changes: readonly MailContentChange[]; readonly contents: readonly MailContent[] }> {
    const contents = new Map<string, MailContent>()
    const changes: MailContentChange[] = []
    let since = performance.now()
    for (const { id, contentId, campaignId } of mails) {
      const reduced = campaignId === undefined ? await this.#reduced(contentId) : undefined
      if (reduced) contents.set(reduced.id, reduced)
      changes.push({ id, contentId, newContentId: reduced?.id ?? contentId })
      if (performance.now() - since < TURN_MS) continue
      await turn()
      since = performance.now()
    }
    return { changes, contents: [...contents.values()] }
  }

  /** Undefined when there is nothing to reduce. */
  async #reduced(contentId: string): Promise<MailContent | undefined> {
    const kept = this.#kept.get(contentId)
    if (kept) return kept
    const content = await this.#store.retention.words(contentId)
    if (content === undefined || content.linksOnly) return undefined
    const reduced = linksOnly(this.#rendering, content)
    this.#kept.set(contentId, reduced)
    return reduced
  }
}
