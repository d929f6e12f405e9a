import type { CompiledMails } from '../mail/compiled-mails.ts'
import { emailEventData } from '../mail/email.ts'
import type { Email } from '../ports/store/emails.ts'
import type { EventFilter, EventWithContact } from '../ports/store/events.ts'
import type { Store } from '../ports/store/store.ts'
import { EVENTS } from '../values/event-names.ts'
import type { JsonObject } from '../values/json.ts'
import type { PageRequest } from '../values/page.ts'
import type { ProjectId } from '../values/project-id.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'

/** Reads events with their data. That of events which a mail's row stands for is made from the mail. */
export class ReadEvents {
  constructor(
    private readonly store: Store,
    private readonly compiled: CompiledMails,
  ) {}

  /** Up to `limit + 1` events, newest first (by id). Throws what the store throws. */
  async page(projectId: ProjectId, filter: EventFilter, page: PageRequest): Promise<readonly EventWithContact[]> {
    return this.withData(projectId, await this.store.events.page(projectId, filter, page))
  }

  /** These events, in their order, with the data that mails' rows stand for. Throws what the store throws. */
  async withData(projectId: ProjectId, events: readonly EventWithContact[]): Promise<readonly EventWithContact[]> {
    const ids = new Set(events.flatMap(({ ofLedger, emailId }) => (ofLedger && emailId !== undefined ? [emailId] : [])))
    if (ids.size === 0) return events
    const mails = await this.store.emails.some(projectId, [...ids])
    const data = await this.dataOf(mails)
    const inFolders = new Set(mails.flatMap(({ id, toFolder }) => (toFolder ? [id] : [])))
    return events.map(({ ofLedger, ...event }) => {
      const { emailId } = event
      if (!ofLedger || emailId === undefined) return event
      const at = event.createdAt.toISOString()
      if (event.name === EVENTS.sent) return { ...event, data: { ...data.get(emailId), sentAt: at } }
      const how = inFolders.has(emailId) ? { toFolder: true } : {}
      return { ...event, data: { ...data.get(emailId), deliveredAt: at, ...how } }
    })
  }

  /** The fields that every event of these mails has, by the id of the mail. Throws what the store throws. */
  async dataOf(mails: readonly Email[]): Promise<ReadonlyMap<string, JsonObject>> {
    const data = new Map<string, JsonObject>()
    // the body says nothing that is in an event, and a page of events would read a hundred of them
    const heads = await this.store.emails.contentHeads(mails.map(({ contentId }) => contentId))
    const contents = new Map(heads.map((head) => [head.id, this.compiled.of(head)]))
    for (const mail of mails) {
      const content = contents.get(mail.contentId)
      // a moment ago the contact may have been erased, and the mail's content with it
      if (content) data.set(mail.id, emailEventData(mail, content.facts(mail, mail.sentAt ?? mail.updatedAt)))
      await yieldToLoop()
    }
    return data
  }
}
