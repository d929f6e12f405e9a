import type { InboxDraft, InboxDraftRepository } from '../../../../../core/ports/store/drafts.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { PlainNoun } from '../../engine/project-noun.ts'
import { Rows } from '../../engine/rows.ts'
import { removeDrafts } from './erase-drafts.ts'

/** The drafts of inboxes. */
export class SqlInboxDrafts extends PlainNoun<InboxDraft> implements InboxDraftRepository {
  protected readonly rows = new Rows(this.access, this.tables.inboxDrafts)

  page(projectId: ProjectId, inboxId: string, page: PageRequest): Promise<readonly InboxDraft[]> {
    return this.rows.page({ $and: [{ inboxId }, this.rows.literally("status <> 'sent'"), { projectId }] }, page)
  }

  count(projectId: ProjectId, inboxId: string): Promise<number> {
    return this.rows.count({ $and: [{ inboxId }, this.rows.literally("status <> 'sent'"), { projectId }] })
  }

  waiting(projectId: ProjectId, page: PageRequest): Promise<readonly InboxDraft[]> {
    return this.rows.page({ $and: [{ projectId }, this.rows.literally("status = 'waiting'")] }, page)
  }

  later(
    projectId: ProjectId,
    authorIds: readonly string[],
    after: Date,
    limit: number,
  ): Promise<readonly InboxDraft[]> {
    const sent = { $and: [{ projectId }, this.rows.literally("status = 'sent'"), { sendAt: { $gt: after } }] }
    const own = { $and: [sent, { decidedBy: null }, this.rows.among('authorId', authorIds)] }
    return this.rows.list(own, { orderBy: { sendAt: 'asc', id: 'asc' }, limit })
  }

  waitingSince(since: Date, limit: number): Promise<readonly InboxDraft[]> {
    const waiting = { $and: [this.rows.literally("status = 'waiting'"), { updatedAt: { $gte: since } }] }
    return this.rows.list(waiting, { orderBy: { updatedAt: 'asc', id: 'asc' }, limit })
  }

  ofThread(projectId: ProjectId, threadId: string): Promise<readonly InboxDraft[]> {
    const some = this.rows.literally('thread_id is not null')
    return this.rows.list(
      { $and: [{ threadId }, some, this.rows.literally("status <> 'sent'"), { projectId }] },
      { orderBy: { id: 'asc' }, limit: 20 },
    )
  }

  removeOf(projectId: ProjectId, inboxId: string, limit: number): Promise<number> {
    return this.access.write(async (session) => {
      const rows = this.rows.in(session)
      const unsent = { $and: [{ inboxId }, rows.literally("status <> 'sent'"), { projectId }] }
      const found = await rows.some(['id'], unsent, { orderBy: { id: 'asc' }, limit, lock: 'change' })
      const ids = found.map(({ id }) => id)
      await removeDrafts(this.dialect, session, ids)
      return ids.length
    })
  }
}
