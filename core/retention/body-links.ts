import type { CompiledMails } from '../mail/compiled-mails.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { MailContentChange, StoredMail } from '../ports/store/retention.ts'
import type { Store } from '../ports/store/store.ts'
import { RecentlyUsed } from '../values/recently-used.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'

/** How many reduced contents are cached, and about how many characters they may have. */
const KEPT = 1000
const KEPT_CHARACTERS = 8_000_000
/** About how many bytes of HTML are read at once. */
const READ_BYTES = 2 * 1024 * 1024
/** How long it may block the event loop before other work runs. */
const MAX_BLOCKING_MS = 10

/** Reduces a content to its links. */
export type LinksOf = Pick<CompiledMails, 'linksOnly'>

/**
 * Finds or makes the contents of mails with nothing but their links. Contents of campaigns are shared and not personal.
 */
export class BodyLinks {
  readonly #store: Store
  readonly #mails: LinksOf
  readonly #kept = new RecentlyUsed<MailContent>(KEPT, KEPT_CHARACTERS, (_id, { html }) => 200 + html.length)

  constructor(store: Store, mails: LinksOf) {
    this.#store = store
    this.#mails = mails
  }

  /** The new content of each mail, and the contents to store for that. */
  async of(
    mails: readonly StoredMail[],
  ): Promise<{ readonly changes: readonly MailContentChange[]; readonly contents: readonly MailContent[] }> {
    const own = mails.filter(({ campaignId }) => campaignId === undefined)
    const reduced = await this.#reduced(own.map(({ contentId }) => contentId))
    const changes = mails.map(({ id, contentId, campaignId }) => {
      const left = campaignId === undefined ? reduced.get(contentId) : undefined
      return { id, contentId, newContentId: left?.id ?? contentId }
    })
    const contents = new Map([...reduced.values()].map((content) => [content.id, content]))
    return { changes, contents: [...contents.values()] }
  }

  /** The reduced contents, by original id; without those that are gone or reduced already. */
  async #reduced(contentIds: readonly string[]): Promise<ReadonlyMap<string, MailContent>> {
    const reduced = new Map<string, MailContent>()
    const absent = new Set<string>()
    for (const id of contentIds) {
      const kept = this.#kept.get(id)
      if (kept) reduced.set(id, kept)
      else absent.add(id)
    }
    let since = performance.now()
    while (absent.size > 0) {
      const words = await this.#store.retention.contents([...absent], READ_BYTES)
      // the others are gone
      if (words.length === 0) break
      for (const content of words) {
        absent.delete(content.id)
        if (content.linksOnly) continue
        const left = await this.#mails.linksOnly(content)
        this.#kept.set(content.id, left)
        reduced.set(content.id, left)
        if (performance.now() - since < MAX_BLOCKING_MS) continue
        await yieldToLoop()
        since = performance.now()
      }
    }
    return reduced
  }
}
