import { notifyEndpoints } from '../events/notify-endpoints.ts'
import type { Kit } from '../kit.ts'
import type { SenderDomain } from '../ports/store/domains.ts'
import type { Form } from '../ports/store/forms.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { WebhookEndpoint } from '../ports/store/webhook-endpoints.ts'
import { alertsOn } from '../reports/report-alerts.ts'
import { HELD_BACK } from '../subscriptions/mail-turns.ts'
import { EVENTS } from '../values/event-names.ts'
import type { ProjectId } from '../values/project-id.ts'
import { isGone } from '../webhooks/endpoint-health.ts'
import { hiddenUrl } from '../webhooks/hidden-secrets.ts'
import { NOTICE_PAUSE_MS } from '../work/notice.ts'
import type { AccountMails, Notice, Sender } from './account-mails.ts'
import { dashboardLink } from './dashboard-link.ts'
import type { AccountLetters } from './letters.ts'

/** Shorter than a day, so that what lasts is reported once, and long enough for a night without workers. */
const RECENT_MS = NOTICE_PAUSE_MS / 2
/** Longer than from one look at reports to the next. */
const REPORTED_MS = 2 * 3_600_000
/** How long there is silence about one kind of news on a domain: it is about the last seven days. */
const WEEK_MS = 7 * 86_400_000

/** A mail to the owners of a project. */
interface OwnerMail extends Pick<Notice, 'letter' | 'values'> {
  readonly projectId: ProjectId
  /** The page of the dashboard, within the project. */
  readonly page: string
}

/** Mails the owners of a project about endpoints that were paused, forms that are attacked, mails that are held back, and reports on domains. */
export class OwnerNotices {
  constructor(
    private readonly store: Store,
    private readonly mails: AccountMails,
    private readonly kit: Kit,
  ) {}

  /** Now and then: reports what happened a short time ago, also in other processes, at most once a day for each. */
  async tick(signal: AbortSignal): Promise<void> {
    const since = new Date(this.kit.now().getTime() - RECENT_MS)
    for (const endpoint of await this.store.webhookEndpoints.pausedSince(since)) {
      if (!signal.aborted) await this.#paused(endpoint)
    }
    for (const form of await this.store.forms.attackedSince(since)) {
      if (!signal.aborted) await this.#attacked(form)
    }
    for (const { projectId } of await this.store.notices.since(HELD_BACK, since)) {
      if (!signal.aborted) await this.#held(projectId)
    }
  }

  /** Every hour: looks at the domains on which reports came, and tells what is new in them. */
  async lookAtReports(signal: AbortSignal): Promise<void> {
    const since = new Date(this.kit.now().getTime() - REPORTED_MS)
    for (const { projectId, domainId } of await this.store.domainReports.reportedSince(since)) {
      const domain = signal.aborted ? undefined : await this.store.domains.find(projectId, domainId)
      if (domain) await this.#reported(domain)
    }
  }

  /** The endpoints of the project that ask for it get an event, too. */
  async #reported(row: SenderDomain): Promise<void> {
    const { id: domainId, projectId, domain } = row
    const [now, sender] = [this.kit.now(), await this.mails.sender()]
    const alerts = await alertsOn(this.store, row, now)
    const isMailed = await this.store.transaction(async (tx) => {
      const due: (typeof alerts)[number][] = []
      for (const alert of alerts) {
        if (await tx.notices.first(projectId, `reports ${alert.kind} ${domainId}`, now, WEEK_MS)) due.push(alert)
      }
      if (due.length === 0) return false
      const event = { domainId, domain, alerts: due.map((alert) => ({ ...alert })) }
      await notifyEndpoints(tx, [{ projectId, name: EVENTS.domainAlerted, event, at: now }], this.kit.newId)
      const values = (words: AccountLetters) => ({ domain, news: due.map((alert) => words.alert(alert)).join(' ') })
      return this.#mail(tx, sender, { projectId, letter: 'reported', page: `domains/${domainId}`, values })
    })
    if (isMailed) this.mails.ring()
  }

  async #paused(endpoint: WebhookEndpoint): Promise<void> {
    const { id, projectId, url, failingSince, updatedAt } = endpoint
    const values = (words: AccountLetters) => {
      const reason = isGone(endpoint) ? words.gone : words.failingSince((failingSince ?? updatedAt).toISOString())
      return { endpoint: hiddenUrl(url), reason }
    }
    await this.#once(projectId, `webhook paused ${id}`, (tx, sender) =>
      this.#mail(tx, sender, { projectId, letter: 'paused', page: `webhooks/${id}`, values }),
    )
  }

  /** The endpoints of the project that ask for it get an event, too. */
  async #attacked({ id, projectId, name, attackedAt: at = this.kit.now() }: Form): Promise<void> {
    await this.#once(projectId, `form attacked ${id}`, async (tx, sender) => {
      const event = { formId: id, form: name, attackedAt: at.toISOString() }
      await notifyEndpoints(tx, [{ projectId, name: EVENTS.formAttacked, event, at: this.kit.now() }], this.kit.newId)
      const values = () => ({ form: name })
      return this.#mail(tx, sender, { projectId, letter: 'attacked', page: `forms/${id}`, values })
    })
  }

  async #held(projectId: ProjectId): Promise<void> {
    await this.#once(projectId, `${HELD_BACK}: mailed`, (tx, sender) =>
      this.#mail(tx, sender, { projectId, letter: 'held', page: 'forms', values: () => ({}) }),
    )
  }

  /** Does this at most once a day, in one transaction; it answers whether mail was stored. */
  async #once(
    projectId: ProjectId,
    what: string,
    act: (tx: Repositories, sender: Sender) => Promise<boolean>,
  ): Promise<void> {
    const [now, sender] = [this.kit.now(), await this.mails.sender()]
    const isMailed = await this.store.transaction(
      async (tx) => (await tx.notices.first(projectId, what, now, NOTICE_PAUSE_MS)) && act(tx, sender),
    )
    if (isMailed) this.mails.ring()
  }

  /** Without an owner or a sender, Home and the log are all that tells of it. */
  async #mail(tx: Repositories, sender: Sender, { projectId, letter, page, values }: OwnerMail): Promise<boolean> {
    const to = (await tx.members.list(projectId)).flatMap(({ role, user }) => (role === 'OWNER' ? user : []))
    const project = await tx.projects.find(projectId)
    if (to.length === 0 || sender.problem !== undefined || project === undefined) return false
    const link = dashboardLink(this.kit.settings, `p/${projectId}/${page}`)
    await this.mails.addNotice(tx, sender, { to, project, letter, values, link })
    return true
  }
}
