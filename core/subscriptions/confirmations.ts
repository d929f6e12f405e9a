import type { Kit } from '../kit.ts'
import { contentId, contentMarks, literalSender } from '../mail/content.ts'
import { newEmail } from '../mail/email.ts'
import type { Translations } from '../mail/languages/translations.ts'
import { translationsIn } from '../mail/languages/translations-in.ts'
import { letterHtml, letterText } from '../mail/letter.ts'
import type { Links } from '../mail/links/links.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import type { DoubleOptIn, Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { EVENTS } from '../values/event-names.ts'
import type { Look } from '../values/look.ts'
import { type Doorbell, TOPICS } from '../work/doorbell.ts'

/** How long a contact is not asked again. */
const PAUSE_MS = 24 * 3600 * 1000
/** How often a contact is asked who never answers. */
const MAX_ASKED = 3
/** How many of a contact's latest mails are searched for confirmation mails. */
const MAX_MAILS = 100
/** How many of a contact's latest changes are searched for an answer. */
const MAX_CHANGES = 20
/** The tag of confirmation mails in the ledger. */
const TAG = { name: 'mailwright', value: 'confirmation' } as const

/** What the ledger knows about asking a contact, as of `contact.updatedAt`. */
export interface Asked {
  readonly contact: Contact
  /** When it was last asked. */
  readonly last: Date | undefined
  /** How often since the contact last subscribed or unsubscribed. */
  readonly unanswered: number
}

/** A confirmation mail, to be stored with what caused it. */
export interface Confirmation {
  readonly content: MailContent
  readonly email: Email
}

/** Asks people by mail to confirm that they signed up (double opt-in). */
export class Confirmations {
  constructor(
    private readonly store: Store,
    private readonly doorbell: Doorbell,
    private readonly links: Links,
    private readonly kit: Kit,
  ) {}

  /** Looks up how often and when the contact was asked; inside a transaction, by `reads`. */
  async asked(contact: Contact, reads: Pick<Repositories, 'emails' | 'events'> = this.store): Promise<Asked> {
    const { projectId, id: contactId } = contact
    const { emails, events } = reads
    const mails = await emails.page(projectId, { contactId }, { limit: MAX_MAILS })
    const asking = mails.filter(({ tags }) => tags[TAG.name] === TAG.value)
    if (asking.length === 0) return { contact, last: undefined, unanswered: 0 }
    const changes = await Promise.all(
      [EVENTS.subscribed, EVENTS.unsubscribed].map((name) =>
        events.page(projectId, { contactId, name }, { limit: MAX_CHANGES }),
      ),
    )
    // what was chosen of a topic is no answer
    const answers = changes.flat().filter(({ data }) => data.topicId === undefined)
    const answeredAt = Math.max(0, ...answers.map(({ createdAt }) => createdAt.getTime()))
    const unanswered = asking.filter(({ createdAt }) => createdAt.getTime() > answeredAt)
    return { contact, last: asking[0]?.createdAt, unanswered: unanswered.length }
  }

  /** Whether a known contact may be asked now: not within 24 hours, and not after three unanswered mails. */
  isDue({ last, unanswered }: Asked, now: Date): boolean {
    return unanswered < MAX_ASKED && (last === undefined || last.getTime() + PAUSE_MS <= now.getTime())
  }

  /**
   * The confirmation mail, in the contact's language, else the project's, else the first supported one of `languages`.
   * Undefined when this service has no public address to link to.
   */
  mail(
    project: Project,
    { from, fromName }: DoubleOptIn,
    contact: Contact,
    now: Date,
    languages: readonly string[] = [],
  ): Confirmation | undefined {
    if (!this.links.isPublic) {
      this.kit.log.warn('no one can confirm: this service has no public address', { projectId: project.id })
      return undefined
    }
    const sender = fromName || project.name
    const written = {
      projectId: project.id,
      ...confirmationBodies(translationsIn(contact.data.locale, project.locale, ...languages), project.look),
      from: literalSender({ email: from, name: sender }),
      cc: [],
      bcc: [],
      headers: [],
      attachments: [],
      ...contentMarks(project, false, false),
      ...(project.look === undefined ? {} : { look: project.look }),
    }
    const content = { id: contentId(written), ...written, createdAt: now }
    return { content, email: this.#email(contact, content.id, sender, now) }
  }

  /** Call it when such mail is stored, so that it is sent at once. */
  send(): void {
    this.kit.metrics.accepted('transactional', 1)
    this.doorbell.ring(TOPICS.mail, { lane: 'transactional' })
  }

  #email(contact: Contact, content: string, sender: string, now: Date): Email {
    return newEmail(now, {
      id: this.kit.newId(),
      projectId: contact.projectId,
      contactId: contact.id,
      contentId: content,
      to: contact.email,
      sourceType: 'TRANSACTIONAL',
      lane: 'transactional',
      variables: { sender, subscribed: contact.subscribed },
      tags: { [TAG.name]: TAG.value },
    })
  }
}

/** Placeholders for what differs between mails, so that all mails of one language share a content. */
const WHO = { email: '{{ email }}', sender: '{{ sender }}' }

/** The confirmation mail, as templates; `{{ sender }}` is a separate variable, the others every mail has. */
function confirmationBodies(
  { language, confirmation }: Translations,
  look: Look | undefined,
): {
  readonly subject: string
  readonly html: string
  readonly text: string
} {
  const subject = confirmation.subject(WHO.sender)
  const { button, ignore } = confirmation
  const url = '{{ subscribeUrl }}'
  const letter = { language, subject, request: confirmation.request(WHO), button, url, ignore, look }
  return { subject, html: letterHtml(letter), text: letterText(letter) }
}
