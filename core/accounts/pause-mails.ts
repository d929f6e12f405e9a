import type { Kit } from '../kit.ts'
import type { Store } from '../ports/store/store.ts'
import type { WebhookEndpoint } from '../ports/store/webhook-endpoints.ts'
import { hiddenUrl } from '../webhooks/hidden-secrets.ts'
import { NOTICE_PAUSE_MS } from '../work/notice.ts'
import type { AccountMails } from './account-mails.ts'

/** Shorter than a day, so that a pause that lasts is reported once, and long enough for a night without workers. */
const RECENT_MS = NOTICE_PAUSE_MS / 2

const LETTER = {
  subject: 'A webhook was paused',
  request:
    'The webhook of the project {{ project }} to {{ endpoint }} was paused: {{ reason }} Events are not sent to it until it is switched on again, and are not sent later.',
  button: 'Open the dashboard',
  ignore: 'You get this mail because you own the project, at most once a day for each webhook.',
} as const

/** Mails the owners of a project about endpoints that were paused. */
export class PauseMails {
  constructor(
    private readonly store: Store,
    private readonly mails: AccountMails,
    private readonly kit: Kit,
  ) {}

  /** Now and then: mails of what was paused a short time ago, also by other processes, at most once an endpoint and day. */
  async tick(signal: AbortSignal): Promise<void> {
    const since = new Date(this.kit.now().getTime() - RECENT_MS)
    for (const endpoint of await this.store.webhookEndpoints.pausedSince(since)) {
      if (!signal.aborted) await this.#mail(endpoint)
    }
  }

  /** Without an owner or a sender, Home and the log are all that tells of it. */
  async #mail({ id, projectId, url, pausedReason: reason = '' }: WebhookEndpoint): Promise<void> {
    const owners = (await this.store.members.list(projectId)).filter(({ role }) => role === 'OWNER')
    if (owners.length === 0) return
    const now = this.kit.now()
    if (!(await this.store.notices.first(projectId, `webhook paused ${id}`, now, NOTICE_PAUSE_MS))) return
    const [sender, project] = [await this.mails.sender(), await this.store.projects.find(projectId)]
    if (sender.problem !== undefined || project === undefined) return
    const { accounts, publicUrl = '' } = this.kit.settings
    const link =
      accounts.dashboardUrl === undefined ? publicUrl : `${accounts.dashboardUrl}p/${projectId}/webhooks/${id}`
    const variables = { project: project.name, endpoint: hiddenUrl(url), reason, link }
    const to = owners.map(({ user }) => user.email)
    await this.store.transaction((tx) => this.mails.addNotice(tx, sender, to, LETTER, variables))
    this.mails.ring()
  }
}
