import { EngineError } from '../errors.ts'
import type { Filters } from '../filters/filters.ts'
import type { Kit } from '../kit.ts'
import type { CompiledMail } from '../mail/compiled-mail.ts'
import type { CompiledMails } from '../mail/compiled-mails.ts'
import { newEmail, SEED_TAG } from '../mail/email.ts'
import { warningOf } from '../mail/render/filter-troubles.ts'
import type { RenderedMail } from '../mail/thread/mail-question.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { NameableTransports } from '../projects/nameable-transports.ts'
import { requireVerifiedDomain } from '../projects/project.ts'
import { isId } from '../values/id.ts'
import type { JsonObject, Untrusted } from '../values/json.ts'
import { noteWarning } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import type { Warning } from '../values/unknown-keys.ts'
import { type Doorbell, TOPICS } from '../work/doorbell.ts'
import { campaignAudience, firstRecipient } from './campaign-audience.ts'
import { campaignContent } from './campaign-content.ts'
import { merged } from './variants/as-variant.ts'
import { testWarnings } from './variants/test-progress.ts'

/** The effect of sending a campaign now. */
export interface CampaignPreview {
  readonly totalRecipients: number
  /** How many of the audience would be left out, by reason. */
  readonly skipped: {
    readonly unsubscribed: number
    readonly suppressed: number
    readonly paused: number
    readonly topic: number
  }
  /** How many of the recipients have left a topic, and get the mail all the same, since it names no topic. */
  readonly leavers: number
  /** The mail as the first recipient would get it; without recipients, as for a contact without data. */
  readonly sample: RenderedMail
  /** Warnings of what is probably not meant; absent when there are none. */
  readonly warnings?: readonly Warning[]
}

/** The warning of a subject of which nothing is left. */
const NO_SUBJECT: Warning = {
  field: 'subject',
  message: 'is empty once it is filled in for the first recipient',
}

/** Previews a campaign: sends nothing, or a single test. */
export class PreviewCampaigns {
  constructor(
    private readonly store: Store,
    private readonly doorbell: Doorbell,
    private readonly filters: Filters,
    private readonly compiled: CompiledMails,
    private readonly nameable: NameableTransports,
    private readonly kit: Kit,
  ) {}

  /**
   * Counts the audience and renders a sample; changes nothing. Throws EngineError `SEGMENT_NOT_FOUND`,
   * `VALIDATION_ERROR` when the sample breaks a limit.
   */
  async preview(project: Project, campaign: Campaign): Promise<CampaignPreview> {
    const now = this.kit.now()
    const audience = await campaignAudience(this.store, this.filters, project, campaign, now)
    const counts = await this.store.campaignMails.countAudience(project.id, audience, now, {
      topicId: campaign.topicId,
      leavers: campaign.topicId === undefined,
    })
    const member = counts.mailable > 0 ? await firstRecipient(this.store, project, audience, campaign, now) : undefined
    const content = await campaignContent(this.store, project, withoutFiles(campaign), now)
    const mail: CompiledMail = this.compiled.of(content)
    const { unsubscribed, suppressed, paused, withoutTopic: topic, mailable } = counts
    const email = this.#email(content, member ?? NOBODY, now)
    const { troubles, ...sample } = await mail.rendered(email)
    const isBlank = member !== undefined && this.compiled.blankSubjects(content, [email.variables]) > 0
    const warnings = [
      ...(isBlank ? [NO_SUBJECT] : []),
      ...testWarnings(campaign, mailable),
      ...(await this.#archivedTopic(campaign)),
      ...this.#goneTransport(campaign),
      ...troubles.map(warningOf),
    ]
    return {
      totalRecipients: mailable,
      skipped: { unsubscribed, suppressed, paused, topic },
      leavers: counts.leavers,
      sample,
      ...(warnings.length > 0 ? { warnings } : {}),
    }
  }

  /**
   * Sends the campaign's mail to one address, marked in the subject and filled in with the fields of a contact: the one that
   * is named, else that of the address if there is one. Its links are those of the address, so that a test never unsubscribes
   * another contact. It is stored in the ledger without its campaign, so that no figure counts it. Answers when it is
   * stored, with false when the subject came to nothing. `seedId`: without the mark, since receivers judge it as they would
   * judge the campaign. Throws EngineError `DOMAIN_NOT_VERIFIED`, `CONTACT_NOT_FOUND`,
   * `VALIDATION_ERROR` when it breaks a limit.
   */
  async test(project: Project, campaign: Campaign, { email, contactId, seedId }: TestMail): Promise<boolean> {
    requireVerifiedDomain(project, campaign.from)
    const now = this.kit.now()
    const shown = contactId == null ? undefined : await this.#contact(project, contactId)
    const content = await campaignContent(this.store, project, campaign, now, seedId ? 'unmarked' : 'marked')
    let hasSubject = true
    const outcome = await this.compiled.withValidator(content, (validate) =>
      this.store.writeBatch.commit({
        projectId: project.id,
        now,
        addresses: [email],
        decide: (known) => {
          const contact = known.byAddress(email)
          const { data, subscribed } = shown ?? contact ?? NOBODY
          const about = seedId ? { email, data, subscribed } : { id: contact?.id, email, data, subscribed }
          const row = { ...this.#email(content, about, now), ...(seedId ? { id: seedId, tags: SEED_TAG } : {}) }
          validate([row.variables])
          hasSubject = this.compiled.blankSubjects({ ...content, subject: campaign.subject }, [row.variables]) === 0
          return { contacts: [], contents: [content], emails: [row], events: [], answer: row.id }
        },
      }),
    )
    const id = outcome.outcome === 'key-reused' ? undefined : outcome.answer
    if (id === undefined) return hasSubject
    this.kit.metrics.accepted('transactional', 1)
    this.doorbell.ring(TOPICS.mail, { lane: 'transactional' })
    return hasSubject
  }

  /**
   * Warns before a campaign is sent: of a subject of which nothing is left for the first recipient, of a test that is
   * too small for its audience, and of a topic that was put away. The log has it for callers who read no answers.
   */
  async warn(project: Project, id: string, input: Untrusted): Promise<void> {
    const campaign = await this.store.campaigns.find(project.id, id)
    if (campaign?.variants) await this.#warnOfTest(project, campaign, input)
    for (const warning of campaign ? await this.#archivedTopic(campaign) : []) noteWarning(input, warning)
    for (const warning of campaign ? this.#goneTransport(campaign) : []) noteWarning(input, warning)
    const all = campaign ? [campaign, ...(campaign.variants ?? []).map((each) => merged(campaign, each))] : []
    for (const each of all) {
      if (await this.#hasSubject(project, each)) continue
      noteWarning(input, NO_SUBJECT)
      this.kit.log.warn('a campaign has no subject for its first recipient', { campaign: id, project: project.id })
    }
  }

  /** Mail under a topic that was put away goes on to those who get it, but no one else can choose it. */
  async #archivedTopic({ projectId, topicId }: Campaign): Promise<readonly Warning[]> {
    const topic = topicId === undefined ? undefined : await this.store.topics.find(projectId, topicId)
    if (!topic?.archived) return []
    const message = `names the topic "${topic.name}", which is archived: contacts can neither see nor choose it. Its mail goes to those who get it`
    return [{ field: 'topicId', message }]
  }

  #goneTransport({ projectId, transport }: Campaign): readonly Warning[] {
    if (transport === undefined || this.nameable.whose(projectId, transport) !== undefined) return []
    const message = `is ${transport}, which is gone, or which this project may not name any more: mail goes its usual way`
    return [{ field: 'transport', message }]
  }

  async #warnOfTest(project: Project, campaign: Campaign, input: Untrusted): Promise<void> {
    const now = this.kit.now()
    const audience = await campaignAudience(this.store, this.filters, project, campaign, now)
    const { mailable } = await this.store.campaignMails.countAudience(project.id, audience, now, {
      topicId: campaign.topicId,
    })
    const warnings = testWarnings(campaign, mailable)
    for (const warning of warnings) noteWarning(input, warning)
    if (warnings.length === 0) return
    this.kit.log.warn('a campaign has too few recipients for its test', { campaign: campaign.id, project: project.id })
  }

  /** Whether something is left of the subject once it is filled in for the first recipient. */
  async #hasSubject(project: Project, campaign: Campaign): Promise<boolean> {
    const now = this.kit.now()
    const content = await campaignContent(this.store, project, withoutFiles(campaign), now)
    if (this.compiled.blankSubjects(content, [{}]) === 0) return true
    const audience = await campaignAudience(this.store, this.filters, project, campaign, now)
    const first = await firstRecipient(this.store, project, audience, campaign, now)
    return (
      first === undefined || this.compiled.blankSubjects(content, [this.#email(content, first, now).variables]) === 0
    )
  }

  async #contact(project: Project, id: string): Promise<Recipient> {
    const contact = isId(id) ? await this.store.contacts.find(project.id, id) : undefined
    if (!contact) throw new EngineError('CONTACT_NOT_FOUND', `There is no contact ${shownId(id)}.`)
    return contact
  }

  /** The row of a test: its source is a campaign, but it has no campaign id. */
  #email(content: MailContent, to: Recipient, now: Date): Email {
    const subscribed = to.subscribed === undefined ? {} : { subscribed: to.subscribed }
    return newEmail(now, {
      id: this.kit.newId(),
      projectId: content.projectId,
      contentId: content.id,
      to: to.email,
      ...(to.id === undefined ? {} : { contactId: to.id }),
      sourceType: 'CAMPAIGN',
      lane: 'transactional',
      variables: { ...to.data, ...subscribed },
    })
  }
}

/** The campaign as shown: its files, which may be megabytes, are not read for that. */
function withoutFiles({ attachments: _, ...campaign }: Campaign): Campaign {
  return campaign
}

/** Who gets a test, and whose fields it is filled in with. */
export interface TestMail {
  readonly email: string
  readonly contactId?: string | null | undefined
  /** For a mailbox of the seed list: the id of the e-mail record, whose mail looks as the campaign does. */
  readonly seedId?: string
}

interface Recipient {
  readonly id?: string | undefined
  readonly email: string
  readonly subscribed?: boolean | undefined
  readonly data: JsonObject
}

const NOBODY: Recipient = { email: 'someone@example.com', data: {} }
