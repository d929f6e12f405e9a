import type { Inbox, InboxFilter, InboxRepository } from '../../../../../core/ports/store/inboxes.ts'
import type { NumberedRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { ProjectNoun } from '../../engine/project-noun.ts'
import { Rows, type Where } from '../../engine/rows.ts'

/** The inboxes. */
export class SqlInboxes extends ProjectNoun<Inbox> implements InboxRepository {
  protected readonly rows = new Rows(this.access, this.tables.inboxes)

  async lockAt(projectId: ProjectId, addresses: readonly string[]): Promise<readonly Inbox[]> {
    if (addresses.length === 0) return []
    const there = { $and: [{ projectId }, this.rows.among('address', addresses)] }
    return this.rows.list(there, { orderBy: { id: 'asc' }, lock: 'change' })
  }

  page(projectId: ProjectId, filter: InboxFilter, page: NumberedRequest): Promise<readonly Inbox[]> {
    return this.rows.page(this.#where(projectId, filter), page)
  }

  count(projectId: ProjectId, filter: InboxFilter): Promise<number> {
    return this.rows.count(this.#where(projectId, filter))
  }

  withRetention(after: string | undefined, limit: number): Promise<readonly Inbox[]> {
    const kept = this.rows.literally('retention_days is not null')
    const where = { $and: [kept, ...(after === undefined ? [] : [{ id: { $gt: after } }])] }
    return this.rows.list(where, { orderBy: { id: 'asc' }, limit })
  }

  insert(inbox: Inbox): Promise<'inserted' | 'address-taken'> {
    return this.insertUnless(inbox, 'address-taken')
  }

  update(inbox: Inbox): Promise<'updated' | 'address-taken' | 'missing'> {
    return this.updateUnless(inbox, 'address-taken')
  }

  #where(projectId: ProjectId, { ids, memberId }: InboxFilter): Where<Inbox> {
    return {
      $and: [
        { projectId },
        ...(ids === undefined ? [] : [this.rows.among('id', ids)]),
        ...(memberId === undefined
          ? []
          : [
              {
                $or: [
                  this.rows.literally('member_ids is null'),
                  this.rows.mentions(JSON.stringify(memberId), 'member_ids'),
                ],
              },
            ]),
      ],
    }
  }
}
