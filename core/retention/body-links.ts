import type { CompiledMails } from '../mail/compiled-mails.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { MailContentChange, StoredMail } from '../ports/store/retention.ts'
import type { Store } from '../ports/store/store.ts'
import { RecentlyUsed } from '../values/recently-used.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'

/** So many contents lately reduced are known, and about so many characters they may have. */
const KEPT = 1000
const KEPT_CHARACTERS = 8_000_000
/** About so many bytes of HTML are read at once. */
const READ_BYTES = 2 * 1024 * 1024
/** After so long somebody else has a turn of the event loop. */
const TURN_MS = 10

/** Who reduces a content to its links. */
export type LinksOf = Pick<CompiledMails, 'linksOnly'>

/** Finds for mails the contents that have nothing but their links. Those of campaigns are shared, and nobody's own. */
export class BodyLinks {
  readonly #store: Store
  readonly #mails: LinksOf
  readonly #kept = new RecentlyUsed<MailContent>(KEPT, KEPT_CHARACTERS, (_id, { html }) => 200 + html.length)

  constructor(store: Store, mails: LinksOf) {
    this.#store = store
    this.#mails = mails
  }

  /** What each of the mails is to point at from now on, and the contents for that. */
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

  /** What is left of these contents, by their ids; nothing for those that are gone or have nothing but links. */
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
        if (performance.now() - since < TURN_MS) continue
        await yieldToLoop()
        since = performance.now()
      }
    }
    return reduced
  }
}
