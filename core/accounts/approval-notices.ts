import type { Kit } from '../kit.ts'
import type { InboxDraft } from '../ports/store/drafts.ts'
import type { Member, NamedMember } from '../ports/store/members.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { AccountMails } from './account-mails.ts'
import { dashboardLink } from './dashboard-link.ts'

/** How often a member gets such a mail about one inbox at most, in milliseconds. */
const PAUSE_MS = 3_600_000
/** How far back drafts are looked for: what came within the pause of a mail is reported after it, also after a night without workers. */
const RECENT_MS = 12 * PAUSE_MS
/** How many drafts are looked at. */
const MOST = 1_000

/** Mails the members who may approve that the draft of a key waits. */
export class ApprovalNotices {
  constructor(
    private readonly store: Store,
    private readonly mails: AccountMails,
    private readonly kit: Kit,
  ) {}

  /** Now and then: reports drafts that wait, also those of other processes. */
  async tick(signal: AbortSignal): Promise<void> {
    const since = new Date(this.kit.now().getTime() - RECENT_MS)
    const waiting = await this.store.inboxDrafts.waitingSince(since, MOST)
    for (const own of Map.groupBy(waiting, ({ inboxId }) => inboxId).values()) {
      const newest = own.reduce((a, b) => (a.updatedAt > b.updatedAt ? a : b))
      if (!signal.aborted) await this.#report(newest)
    }
  }

  async #report(draft: InboxDraft): Promise<void> {
    const { projectId, inboxId, authorName: author } = draft
    const now = this.kit.now()
    const members = await this.store.members.list(projectId)
    const due = await Promise.all(members.map((member) => isDue(this.store, kindFor(draft, member), draft, now)))
    if (!due.includes(true)) return
    const sender = await this.mails.sender()
    const isMailed = await this.store.transaction(async (tx) => {
      const inbox = await tx.inboxes.find(projectId, inboxId)
      const project = await tx.projects.find(projectId)
      if (inbox === undefined || project === undefined) return false
      const { memberIds } = inbox
      const to: NamedMember['user'][] = []
      for (const { userId, user } of await tx.members.list(projectId)) {
        if (memberIds !== undefined && !memberIds.includes(userId)) continue
        const kind = kindFor(draft, { userId })
        if (!(await isDue(tx, kind, draft, now))) continue
        if (await tx.notices.first(projectId, kind, now, PAUSE_MS)) to.push(user)
      }
      // without a sender the log says so, and the mail counts as sent, so that it does not say so all the time
      if (to.length === 0 || sender.problem !== undefined) return false
      const link = dashboardLink(this.kit.settings, `p/${projectId}/inboxes/approvals`)
      const values = () => ({ inbox: inbox.name, author })
      await this.mails.addNotice(tx, sender, { to, project, letter: 'waiting', values, link })
      return true
    })
    if (isMailed) this.mails.ring()
  }
}

function kindFor({ inboxId }: InboxDraft, { userId }: Pick<Member, 'userId'>): string {
  return `draft waits ${inboxId} ${userId}`
}

/** Whether a notice is due: none was sent since the draft waits, nor within the pause. */
async function isDue(
  { notices }: Pick<Repositories, 'notices'>,
  kind: string,
  { projectId, updatedAt }: InboxDraft,
  now: Date,
): Promise<boolean> {
  const paused = new Date(now.getTime() - PAUSE_MS)
  const since = updatedAt < paused ? updatedAt : paused
  return !(await notices.since(kind, since)).some((notice) => notice.projectId === projectId)
}
