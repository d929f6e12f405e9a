import type { Kit } from '../kit.ts'
import type { Letter } from '../mail/letter.ts'
import type { Form } from '../ports/store/forms.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { WebhookEndpoint } from '../ports/store/webhook-endpoints.ts'
import { HELD_BACK } from '../subscriptions/mail-turns.ts'
import { EVENTS } from '../values/event-names.ts'
import type { ProjectId } from '../values/project-id.ts'
import { hiddenUrl } from '../webhooks/hidden-secrets.ts'
import { notifyEndpoints } from '../webhooks/notify-endpoints.ts'
import { NOTICE_PAUSE_MS } from '../work/notice.ts'
import type { AccountMails, Sender } from './account-mails.ts'

/** Shorter than a day, so that what lasts is reported once, and long enough for a night without workers. */
const RECENT_MS = NOTICE_PAUSE_MS / 2

const PAUSED = {
  subject: 'A webhook was paused',
  request:
    'The webhook of the project {{ project }} to {{ endpoint }} was paused: {{ reason }} Events are not sent to it until it is switched on again, and are not sent later.',
  button: 'Open the dashboard',
  ignore: 'You get this mail because you own the project, at most once a day for each webhook.',
} as const

const ATTACKED = {
  subject: 'A form is attacked',
  request:
    'Programs send the form {{ form }} of the project {{ project }} very often. What is over the limits is refused, and no address is mailed more than once a day. Look at what was taken, and switch the form off if you can do without it.',
  button: 'Open the dashboard',
  ignore: 'You get this mail because you own the project, at most once a day for each form.',
} as const

const HELD = {
  subject: 'Confirmation mails are held back',
  request:
    'The project {{ project }} was asked for more mails than this server allows within an hour or a day: mails that confirm a sign-up, or by which people leave. The others were not sent. What forms took is kept, and whoever sends one again later is mailed. It may be an attack. If they are people, the operator can raise strangers.mailsPerHour and strangers.mailsPerDay.',
  button: 'Open the dashboard',
  ignore: 'You get this mail because you own the project, at most once a day.',
} as const

/** A mail to the owners of a project. */
interface OwnerMail {
  readonly projectId: ProjectId
  readonly letter: Omit<Letter, 'language' | 'url'>
  /** The page of the dashboard, within the project. */
  readonly page: string
  readonly variables: Readonly<Record<string, string>>
}

/** Mails the owners of a project about endpoints that were paused, forms that are attacked, and mails that are held back. */
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

  async #paused({ id, projectId, url, pausedReason: reason = '' }: WebhookEndpoint): Promise<void> {
    const variables = { endpoint: hiddenUrl(url), reason }
    await this.#once(projectId, `webhook paused ${id}`, (tx, sender) =>
      this.#mail(tx, sender, { projectId, letter: PAUSED, page: `webhooks/${id}`, variables }),
    )
  }

  /** The endpoints of the project that ask for it get an event, too. */
  async #attacked({ id, projectId, name, attackedAt: at = this.kit.now() }: Form): Promise<void> {
    await this.#once(projectId, `form attacked ${id}`, async (tx, sender) => {
      const event = { formId: id, form: name, attackedAt: at.toISOString() }
      await notifyEndpoints(tx, { projectId, name: EVENTS.formAttacked, event, at: this.kit.now() }, this.kit.newId)
      return this.#mail(tx, sender, { projectId, letter: ATTACKED, page: `forms/${id}`, variables: { form: name } })
    })
  }

  async #held(projectId: ProjectId): Promise<void> {
    await this.#once(projectId, `${HELD_BACK}: mailed`, (tx, sender) =>
      this.#mail(tx, sender, { projectId, letter: HELD, page: 'forms', variables: {} }),
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
  async #mail(tx: Repositories, sender: Sender, { projectId, letter, page, variables }: OwnerMail): Promise<boolean> {
    const to = (await tx.members.list(projectId)).flatMap(({ role, user }) => (role === 'OWNER' ? user.email : []))
    const project = await tx.projects.find(projectId)
    if (to.length === 0 || sender.problem !== undefined || project === undefined) return false
    const { accounts, publicUrl = '' } = this.kit.settings
    const link = accounts.dashboardUrl === undefined ? publicUrl : `${accounts.dashboardUrl}p/${projectId}/${page}`
    await this.mails.addNotice(tx, sender, to, letter, { project: project.name, ...variables, link })
    return true
  }
}
