import type { Kit } from '../kit.ts'
import { contentId, contentMarks, literalSender } from '../mail/content.ts'
import { newEmail } from '../mail/email.ts'
import type { Translations } from '../mail/languages/translations.ts'
import { listed, translationsIn } from '../mail/languages/translations-in.ts'
import { type Letter, letterHtml, letterText } from '../mail/letter.ts'
import type { Links } from '../mail/links/links.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import type { DoubleOptIn, Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { isVerifiedDomain } from '../projects/project.ts'
import { domainOf } from '../values/email-address.ts'
import { EVENTS } from '../values/event-names.ts'
import { type Doorbell, TOPICS } from '../work/doorbell.ts'
import { MailTurns } from './mail-turns.ts'

/** How often a contact is asked who never answers. */
const MAX_ASKED = 3
/** How many of a contact's latest mails are searched for confirmation mails. */
const MAX_MAILS = 100
/** How many of a contact's latest changes are searched for an answer. */
const MAX_CHANGES = 20
/** The tag of confirmation mails in the ledger. */
const TAG = { name: 'mailwright', value: 'confirmation' } as const

/** Whether a mail of the ledger asks for a confirmation. */
export function isConfirmation({ tags }: Pick<Email, 'tags'>): boolean {
  return tags[TAG.name] === TAG.value
}

/** The mails of the ledger that asked a contact. */
export interface Asked {
  readonly contactId: string
  /** How often since the contact last subscribed or unsubscribed. */
  readonly unanswered: number
  /** These mails, the latest first. */
  readonly mails: readonly Email[]
}

/** A confirmation mail, to be stored with what caused it. */
export interface Confirmation {
  readonly content: MailContent
  readonly email: Email
}

/** The words of a mail beside the usual ones. */
export interface AskingOptions {
  /** Those of the browser, best first. */
  readonly languages?: readonly string[]
  /** The kinds of mail that were chosen, by name. A subscribed contact is asked for these alone. */
  readonly topics?: readonly string[]
}

/** Asks people by mail to confirm that they signed up (double opt-in), or what they chose, and sends them the way out. */
export class Confirmations {
  /** How many of these mails may go out. */
  readonly turns: MailTurns

  constructor(
    private readonly store: Store,
    private readonly doorbell: Doorbell,
    private readonly links: Links,
    private readonly kit: Kit,
  ) {
    this.turns = new MailTurns(store, kit)
  }

  /** Looks up how often the contact was asked; inside a transaction, by `reads`. */
  async asked(contact: Contact, reads: Pick<Repositories, 'emails' | 'events'> = this.store): Promise<Asked> {
    const { projectId, id: contactId } = contact
    const { emails, events } = reads
    const mails = await emails.page(projectId, { contactId }, { limit: MAX_MAILS })
    const asking = mails.filter(isConfirmation)
    if (asking.length === 0) return { contactId, unanswered: 0, mails: [] }
    const changes = await Promise.all(
      [EVENTS.subscribed, EVENTS.unsubscribed].map((name) =>
        events.page(projectId, { contactId, name }, { limit: MAX_CHANGES }),
      ),
    )
    // what was chosen of a topic is no answer
    const answers = changes.flat().filter(({ data }) => data.topicId === undefined)
    const answeredAt = Math.max(0, ...answers.map(({ createdAt }) => createdAt.getTime()))
    const unanswered = asking.filter(({ createdAt }) => createdAt.getTime() > answeredAt)
    return { contactId, unanswered: unanswered.length, mails: unanswered }
  }

  /** Whether a contact may be asked again: not after three mails without an answer. */
  mayAsk({ unanswered }: Asked): boolean {
    return unanswered < MAX_ASKED
  }

  /**
   * Stores the mail that asks a contact, inside the transaction that causes it. Undefined when its mailbox was asked
   * within a day, when it never answers, or when there is no sender or no address to link to.
   */
  async ask(
    tx: Repositories,
    project: Project,
    contact: Contact,
    now: Date,
    options: AskingOptions,
  ): Promise<Confirmation | undefined> {
    const sender = senderOf(project)
    if (sender === undefined) return undefined
    if (!contact.subscribed && !this.mayAsk(await this.asked(contact, tx))) return undefined
    return this.#store(tx, contact, now, this.mail(project, sender, contact, now, options))
  }

  /** The same with the mail by which a subscribed contact leaves that has no other at hand. */
  async showWayOut(
    tx: Repositories,
    project: Project,
    contact: Contact,
    now: Date,
    languages: readonly string[],
  ): Promise<Confirmation | undefined> {
    const sender = senderOf(project)
    if (sender === undefined) return undefined
    const letter = leaveLetter(translationsIn(contact.data.locale, project.locale, ...languages))
    const tags = { [TAG.name]: 'leave' }
    return this.#store(tx, contact, now, this.#mail(letter, { project, sender, contact, now, tags }))
  }

  /**
   * The confirmation mail, in the contact's language, else the project's, else the first supported one of `languages`.
   * Undefined when this service has no public address to link to.
   */
  mail(
    project: Project,
    sender: DoubleOptIn,
    contact: Contact,
    now: Date,
    { languages = [], topics = [] }: AskingOptions = {},
  ): Confirmation | undefined {
    const translations = translationsIn(contact.data.locale, project.locale, ...languages)
    const isQuoted = contact.subscribed
    const names = isQuoted ? topics.join(translations.topics.between) : listed(topics, translations)
    const chosen = topics.length === 0 ? undefined : names
    const letter = isQuoted ? topicsLetter(translations) : confirmationLetter(translations, chosen !== undefined)
    return this.#mail(letter, { project, sender, contact, now, tags: { [TAG.name]: TAG.value }, chosen })
  }

  /** Call it when such mail is stored, so that it is sent at once. */
  send(): void {
    this.kit.metrics.accepted('transactional', 1)
    this.doorbell.ring(TOPICS.mail, { lane: 'transactional' })
  }

  async #store(tx: Repositories, contact: Contact, now: Date, mail: Confirmation | undefined) {
    if (mail === undefined || !(await this.turns.take(tx, contact, now))) return undefined
    await tx.emails.add([mail.email], [mail.content])
    return mail
  }

  #mail(
    letter: Omit<Letter, 'look'>,
    { project, sender: { from, fromName }, contact, now, tags, chosen }: Written,
  ): Confirmation | undefined {
    if (!this.links.isPublic) {
      this.kit.log.warn('no one can confirm: this service has no public address', { projectId: project.id })
      return undefined
    }
    const { id: projectId, look } = project
    const sender = fromName || project.name
    const written = {
      projectId,
      subject: letter.subject,
      html: letterHtml({ ...letter, look }),
      text: letterText({ ...letter, look }),
      from: literalSender({ email: from, name: sender }),
      cc: [],
      bcc: [],
      headers: [],
      attachments: [],
      ...contentMarks(project, false, false),
      ...(look === undefined ? {} : { look }),
    }
    const content = { id: contentId(written), ...written, createdAt: now }
    const email = newEmail(now, {
      id: this.kit.newId(),
      projectId,
      contactId: contact.id,
      contentId: content.id,
      to: contact.email,
      sourceType: 'TRANSACTIONAL',
      lane: 'transactional',
      variables: { sender, subscribed: contact.subscribed, ...(chosen === undefined ? {} : { topics: chosen }) },
      tags,
    })
    return { content, email }
  }
}

/** The sender of the mails that strangers cause; undefined when the project has none whose domain is verified. */
export function senderOf(project: Project): DoubleOptIn | undefined {
  const { doubleOptIn, from } = project
  if (doubleOptIn) return doubleOptIn
  return from && isVerifiedDomain(project, domainOf(from.email)) ? { from: from.email, fromName: from.name } : undefined
}

interface Written {
  readonly project: Project
  readonly sender: DoubleOptIn
  readonly contact: Contact
  readonly now: Date
  readonly tags: Email['tags']
  readonly chosen?: string | undefined
}

/** Placeholders for what differs between mails, so that all mails of one language share a content. */
const WHO = { email: '{{ email }}', sender: '{{ sender }}', topic: '{{ topics }}' }

/** The confirmation mail, as templates; `{{ sender }}` and `{{ topics }}` are its own variables, the others every mail has. */
function confirmationLetter({ language, confirmation }: Translations, hasTopics: boolean): Omit<Letter, 'look'> {
  const { subject, request, button, ignore, chosen } = confirmation
  const asked = hasTopics ? `${request(WHO)} ${chosen(WHO.topic)}` : request(WHO)
  return { language, subject: subject(WHO.sender), request: asked, button, url: '{{ subscribeUrl }}', ignore }
}

/** The mail to a subscribed contact: it has the way out, too, since no other mail of strangers goes out on that day. */
function topicsLetter({ language, confirmation, footer }: Translations): Omit<Letter, 'look'> {
  const { button, topics } = confirmation
  const { subject, request, ignore } = topics
  const out = { text: footer.unsubscribe, url: '{{ unsubscribeUrl }}' }
  const words = { subject: subject(WHO.sender), request: request(WHO), button, ignore }
  return { language, ...words, url: '{{ subscribeUrl }}', out }
}

function leaveLetter({ language, leave, unsubscribe }: Translations): Omit<Letter, 'look'> {
  const { subject, request, ignore } = leave.mail
  const words = { subject: subject(WHO.sender), request: request(WHO), button: unsubscribe.button, ignore }
  return { language, ...words, url: '{{ unsubscribeUrl }}' }
}
