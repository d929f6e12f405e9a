import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError, invalidField } from '../errors.ts'
import { ReadEvents } from '../events/read-events.ts'
import { Reputation, requireGood } from '../feedback/reputation.ts'
import { Kit } from '../kit.ts'
import type { CompiledMail } from '../mail/compiled-mail.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { isConfidential, isForgotten, messageIdOf, usualEnd } from '../mail/email.ts'
import { Links } from '../mail/links/links.ts'
import type { Header } from '../mail/mime/composing.ts'
import { headerFields, readableFields } from '../mail/mime/message-header.ts'
import { listedAttachments, type ReceivedDetail, receivedDetail } from '../mail/received-mail.ts'
import { repliesAsked } from '../mail/submitted-mail.ts'
import type { RenderedMail } from '../mail/thread/mail-question.ts'
import type { Mailbox } from '../ports/mail-transport.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Email, MailTry } from '../ports/store/emails.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { MailSearch } from '../ports/store/mails.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import { IdempotentRequest, type Once } from '../projects/idempotency.ts'
import { requireEnabled, requireVerifiedDomain } from '../projects/project.ts'
import { decodeWords } from '../values/decoded-words.ts'
import { EmailAddress } from '../values/email-address.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import type { Json, JsonObject } from '../values/json.ts'
import { mailboxLines } from '../values/mailbox-list.ts'
import { onlyKey } from '../values/options.ts'
import { encodeCursor, type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { instead } from '../values/unknown-keys.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { Doorbell, TOPICS } from '../work/doorbell.ts'
import { isPlain, ListEmails, type ListEmailsInput, meantBy, totalOf } from './list-emails.ts'
import { type Resent, requireResendable, resending, resentContent } from './resend.ts'
import type { SendOptions } from './send-options.ts'
import { wrongSchedule } from './send-request.ts'
import { type ShownMail, shownMail } from './shown-mail.ts'
import { changeableEmail, storedEmail } from './stored-email.ts'

export const Redate = v.object({
  /** The earliest time to send (ISO 8601), at most 30 days ahead. */
  scheduledFor: IsoDate,
  scheduledAt: instead('scheduledFor'),
  sendAt: instead('scheduledFor'),
  send_at: instead('scheduledFor'),
})

/** A new time for a mail that waits: the body of `PATCH /emails/{id}`. */
export interface RedateInput extends InputOf<typeof Redate> {}

export const Resend = v.object({
  /** Another address; without it the mail goes where it went. */
  to: v.nullish(EmailAddress),
})

/** Whom a mail is sent to once more: the body of `POST /emails/{id}/resend`. */
export interface ResendInput extends InputOf<typeof Resend> {}

/** An e-mail with its events, oldest first, and its last tries. */
export interface EmailDetail extends MailMessage {
  /** Its events, the oldest first; at most 100. */
  readonly events: readonly EventRecord[]
  /** The last ones, oldest first. */
  readonly tries: readonly MailTry[]
}

/** An e-mail with its rendered content, which is absent when rendering breaks a limit. */
export interface MailMessage extends Partial<RenderedMail> {
  /** The record of the mail. */
  readonly email: Email
  /** The sender, as in the mail. */
  readonly from: Mailbox
  /** The Message-ID, with angle brackets. */
  readonly messageId: string
  /** Whom else it was written to, and where replies go; absent for received mail. */
  readonly addressed?: Addressed
  /** The files of a sent mail. */
  readonly files?: ReceivedDetail['attachments']
  /** Set for received mail. */
  readonly received?: ReceivedDetail
}

/** The mailboxes that a sent mail has beside its sender and its recipient. */
export interface Addressed {
  /** Those in the `To` field beside the recipient. */
  readonly alsoTo: readonly Mailbox[]
  /** Those in the `Cc` field. */
  readonly cc: readonly Mailbox[]
  /** Those who got a copy that the header does not name. */
  readonly bcc: readonly Mailbox[]
  /** The addresses for replies, between commas, with their names before them where they have one; absent: the sender. */
  readonly replyTo?: string
}

/** An e-mail record with its subject, filled in for the recipient; null when the values it was made with are gone. */
export interface ListedEmail extends Email {
  /** The subject as it was sent; null when it can no longer be made, since its values or its content were removed. */
  readonly subject: string | null
  /** Null when its text was removed a moment ago. */
  readonly from: string | null
  /** The sender's name; absent without one. */
  readonly fromName?: string
}

/** The mails of a project: finding and reading them, and what can be done with one of them. */
@injectable()
export class Mails {
  readonly #events: ReadEvents

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(CompiledMails) private readonly compiled: CompiledMails,
    @inject(Reputation) private readonly reputation: Reputation,
    @inject(Links) private readonly links: Links,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.#events = new ReadEvents(store, compiled)
  }

  /**
   * One page of e-mail records, newest first, that all filters and all words of `search` fit. A search through very many
   * mails ends after some time: the page then has fewer, and its cursor continues from there. `total` is 0 when counting
   * takes too long. Throws EngineError `VALIDATION_ERROR` for words it does not know.
   */
  async list(project: Project, query: ListEmailsInput | UntrustedInput = {}): Promise<Page<ListedEmail>> {
    const { items, ...page } = await this.find(project, query)
    const heads = await this.#events.dataOf(items)
    return { ...page, items: items.map((email) => ({ ...email, ...headOf(heads.get(email.id)) })) }
  }

  /**
   * The same without subjects and senders, which takes a query less. `count` answers the total where it is kept already;
   * `more` is asked besides. Throws as `list` does.
   */
  async find(
    project: Project,
    query: ListEmailsInput | UntrustedInput,
    count?: () => Promise<number>,
    more?: Pick<MailSearch, 'variant' | 'met'>,
  ): Promise<Page<Email>> {
    const read = parse(ListEmails, query)
    const { limit } = read
    const list = { projectId: project.id, name: 'emails' }
    const meant = meantBy(read)
    const search = meant && { ...meant, ...more }
    const page = pageRequest(list, read)
    if (search === undefined) return pageOf(list, [], limit, 0, position)
    if (isPlain(search)) {
      const rows = await this.store.emails.page(project.id, search, page)
      const known = page.after ? 0 : rows.length > limit ? undefined : rows.length
      return pageOf(list, rows, limit, known ?? (await totalOf(this.store, project, search, COUNT_MS)), position)
    }
    const { mails, lookedTo } = await this.store.mails.search(project.id, search, page, SEARCH_MS)
    const isAll = mails.length <= limit && lookedTo === undefined
    const known = page.after ? 0 : isAll ? mails.length : await count?.()
    const counted = known ?? (lookedTo === undefined ? undefined : 0)
    const total = counted ?? (await this.store.mails.countFound(project.id, search, COUNT_MS)) ?? 0
    const found = pageOf(list, mails, limit, total, position)
    if (lookedTo === undefined || found.cursor !== undefined) return found
    return { ...found, cursor: encodeCursor(list, { value: '', id: lookedTo }) }
  }

  /** The record with its rendered subject and body and its events. Throws EngineError `EMAIL_NOT_FOUND`. */
  get(project: Project, id: string): Promise<EmailDetail> {
    return this.#read(project, id, (email) => this.#detail(project, email))
  }

  async #detail(project: Project, email: Email): Promise<EmailDetail> {
    const { id } = email
    const events = (await this.#events.page(project.id, { emailId: id }, { limit: 100 })).toReversed()
    const tries = email.sourceType === 'INBOUND' ? [] : await this.store.mails.tries(project.id, id)
    return { ...(await this.#message(email)), events, tries }
  }

  async #message(email: Email): Promise<MailMessage> {
    if (email.sourceType === 'INBOUND') return this.#received(email)
    const mail = await this.#content(email)
    const { from, submitted, attachments } = mail.content
    const words = await renderedOf(mail, email)
    const messageId = submitted?.messageId ?? messageIdOf(email.id, from.email)
    // the one file of a submitted message is the message itself
    const files = submitted ? [] : listedAttachments(attachments, this.#urlsOf(email))
    return { email, from, messageId, addressed: addressedBy(mail.content), files, ...words }
  }

  /**
   * Mails with their texts, as `get` has them, without their events and tries: those of these ids that are there, in this
   * order. Call it for a page of them.
   */
  async messages(project: Project, ids: readonly string[]): Promise<readonly MailMessage[]> {
    const found = new Map((await this.store.emails.some(project.id, ids)).map((email) => [email.id, email]))
    const messages: MailMessage[] = []
    for (const id of ids) {
      if (!found.has(id)) continue
      messages.push(await this.#read(project, id, (email) => this.#message(email)))
      await yieldToLoop()
    }
    return messages
  }

  /**
   * The bytes of the message (RFC 5322) as they are or will be handed over, signed with today's keys. Throws EngineError
   * `EMAIL_NOT_FOUND`, and `RESOURCE_NOT_FOUND` when they cannot be made: the mail was received, or its text was removed.
   */
  raw(project: Project, id: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.#read(project, id, (email) => this.#raw(email))
  }

  /**
   * The mail that a link to read it in a browser names. The link is the permission, as for the pages to unsubscribe.
   * Undefined for an invalid token.
   */
  shown(token: string, languages: readonly string[] = []): Promise<ShownMail | undefined> {
    const { store, links, compiled } = this
    return shownMail({ store, links, compiled }, token, languages)
  }

  /**
   * The header fields of the message, in order, as `raw` has them; of a received mail, as they came. Throws what `raw`
   * throws.
   */
  headers(project: Project, id: string): Promise<readonly Header[]> {
    return this.#read(project, id, async (email) => {
      if (email.sourceType !== 'INBOUND') return readableFields(await this.#raw(email))
      const [content] = await this.store.emails.contents([email.contentId])
      return (content?.headers ?? []).map(([name, value]) => [name, decodeWords(value)])
    })
  }

  async #raw(email: Email): Promise<Uint8Array<ArrayBuffer>> {
    if (email.sourceType === 'INBOUND') {
      throw noBytes('The bytes of a received mail are not kept once it is read.', 'GET /emails/{id} has all its parts.')
    }
    const mail = await this.#content(email)
    if (isConfidential(email)) {
      throw noBytes('This mail is about an account: only its recipient may read it.', 'Ask the recipient.')
    }
    if (isForgotten(email, mail.content)) {
      throw noBytes('The text of this mail was removed.', 'GET /emails/{id} has what is left of it.')
    }
    const { id, projectId, status, skipReason, sentAt, dueAt } = email
    const contact = await this.#contactOf(email)
    const now = this.kit.now()
    const tries = await this.store.mails.tries(projectId, id)
    const handedOver = tries.findLast(({ outcome }) => outcome === 'accepted')?.at ?? sentAt
    const date = handedOver ?? (skipReason === 'caught' || (status === 'QUEUED' && dueAt > now) ? dueAt : now)
    const { copies } = mail
    const unwanted = copies.length === 0 ? NOBODY : await this.store.suppressions.among(projectId, copies, now)
    const whole = { ...email, ...(contact ? { tracking: contact.tracking } : {}) }
    return (await mail.outgoing(whole, date, unwanted)).raw()
  }

  /**
   * Takes back a mail that waits: SKIPPED, `cancelled`. Throws EngineError `EMAIL_NOT_FOUND`, `CONFLICT` when it is not
   * QUEUED any more, `PROJECT_DISABLED`.
   */
  async cancel(project: Project, id: string): Promise<Email> {
    requireEnabled(project)
    await changeableEmail(this.store, project, id)
    const isDone = await this.store.mails.cancel(project.id, id, this.kit.now())
    return this.#afterwards(project, id, isDone, 'cancelled')
  }

  /**
   * Gives a mail that waits another time. Its lifetime begins then, unless it was given an end. Throws EngineError
   * `VALIDATION_ERROR`, `EMAIL_NOT_FOUND`, `CONFLICT` when it is not QUEUED any more, `PROJECT_DISABLED`.
   */
  async redate(project: Project, id: string, input: RedateInput | UntrustedInput): Promise<Email> {
    requireEnabled(project)
    const now = this.kit.now()
    const { scheduledFor } = parse(Redate, input, (sound) => wrongSchedule(sound.scheduledFor, now))
    const { lane, expiresAt, createdAt, dueAt } = await changeableEmail(this.store, project, id)
    const hasOwnEnd = expiresAt !== undefined && expiresAt.getTime() !== usualEnd(dueAt, this.kit.settings).getTime()
    if (hasOwnEnd && expiresAt <= scheduledFor) {
      throw invalidField('scheduledFor', 'too_big', `must be before the mail expires, at ${expiresAt.toISOString()}`)
    }
    const newEnd = usualEnd(scheduledFor > createdAt ? scheduledFor : createdAt, this.kit.settings)
    const change = { dueAt: scheduledFor, ...(hasOwnEnd ? {} : { expiresAt: newEnd }) }
    const isDone = await this.store.mails.redate(project.id, id, change, now)
    const email = await this.#afterwards(project, id, isDone, 'given another time')
    this.doorbell.ring(TOPICS.mail, { lane, at: scheduledFor })
    return email
  }

  /**
   * Sends a mail once more as a new one, with the same values, a new id and Message-ID; to the same or another address,
   * without copies, and not counted for a campaign. Throws EngineError `EMAIL_NOT_FOUND`, `VALIDATION_ERROR`, `CONFLICT`
   * (received, a test, not sent yet, text removed, address suppressed, marketing that is stopped), `BAD_REQUEST` (to an
   * unsubscribed contact), `DOMAIN_NOT_VERIFIED`, `PROJECT_DISABLED`, `IDEMPOTENCY_KEY_REUSED`; then nothing is stored.
   */
  async resend(
    project: Project,
    id: string,
    input: ResendInput | UntrustedInput = {},
    options: Pick<SendOptions, 'idempotencyKey'> = {},
  ): Promise<Once<Email>> {
    requireEnabled(project)
    const now = this.kit.now()
    const keyed = { project, key: onlyKey(options), operation: `resend ${id}`, input, now }
    const asked = IdempotentRequest.of<Resent>(this.store.writeBatch, keyed)
    const earlier = await asked.earlier()
    if (earlier) return this.#resent(project, earlier)
    const { to: given } = parse(Resend, input)
    const original = await this.#find(project, id)
    requireResendable(original)
    const contact = await this.#contactOf(original)
    const content = await resentContent(original, contact, (await this.#content(original)).content, now)
    requireVerifiedDomain(project, content.from.email)
    this.compiled.requireSendable(content)
    if (content.marketing) requireGood(await this.reputation.stopped(project.id, content.from.email))
    const to = given ?? original.to
    if ((await this.store.suppressions.among(project.id, [to], now)).size > 0) throw suppressed(to)
    const once = await asked.commit({
      addresses: [to],
      decide: (known) => resending(known, { project, original, content, to, now }, this.kit.newId),
    })
    if (!once.replayed) {
      this.kit.metrics.accepted('transactional', 1)
      this.doorbell.ring(TOPICS.mail, { lane: 'transactional', at: now })
    }
    return this.#resent(project, once)
  }

  async #resent(project: Project, { answer, replayed }: Once<Resent>): Promise<Once<Email>> {
    return { answer: await this.#find(project, answer.id), replayed }
  }

  /** Its contact as it is now. */
  async #contactOf({ projectId, contactId }: Email): Promise<Contact | undefined> {
    return contactId === undefined ? undefined : this.store.contacts.find(projectId, contactId)
  }

  /** The mail after a change that only a waiting mail takes. */
  async #afterwards(project: Project, id: string, isDone: boolean, what: string): Promise<Email> {
    const email = await this.#find(project, id)
    if (isDone) return email
    const suggestion =
      email.status === 'SENDING'
        ? 'It is being handed over at this moment. Try again shortly: it may be deferred.'
        : 'Only mail that is QUEUED can be changed.'
    throw new EngineError('CONFLICT', `This mail is ${email.status} and cannot be ${what} any more.`, { suggestion })
  }

  #find(project: Project, id: string): Promise<Email> {
    return storedEmail(this.store, project.id, id)
  }

  /** Reads a mail with its content, anew if it got another one meanwhile: its person may just have been erased. */
  async #read<T>(project: Project, id: string, read: (email: Email) => Promise<T>): Promise<T> {
    for (let email = await this.#find(project, id); ; ) {
      try {
        return await read(email)
      } catch (error) {
        const now = await this.#find(project, id)
        if (now.contentId === email.contentId) throw error
        email = now
      }
    }
  }

  async #content({ contentId }: Email): Promise<CompiledMail> {
    const mail = await this.compiled.find(contentId)
    if (!mail) throw new EngineError('INTERNAL_SERVER_ERROR', 'The content of this e-mail is gone.')
    return mail
  }

  /** Received mail is no template: it is shown as it came. */
  async #received(email: Email): Promise<MailMessage> {
    const [content] = await this.store.emails.contents([email.contentId])
    if (!content) throw new EngineError('INTERNAL_SERVER_ERROR', 'The content of this e-mail is gone.')
    const { subject, html, text = '', from } = content
    const { messageId } = email.variables
    return {
      email,
      from,
      messageId: typeof messageId === 'string' ? messageId : '',
      ...(content.linksOnly ? {} : { subject, html, text }),
      received: receivedDetail(email, content, this.#urlsOf(email)),
    }
  }

  #urlsOf({ projectId, id: emailId }: Email): (place: number) => string {
    return (place) => this.links.ofAttachment({ projectId, emailId }, place)
  }
}

/** About how long a search continues before it answers what it has, and how long its hits are counted. */
const SEARCH_MS = 1_500
const COUNT_MS = 100

const NOBODY: ReadonlySet<string> = new Set()

function position({ id }: Email) {
  return { value: '', id }
}

function noBytes(message: string, suggestion: string): EngineError {
  return new EngineError('RESOURCE_NOT_FOUND', message, { suggestion })
}

function suppressed(to: string): EngineError {
  return new EngineError('CONFLICT', `${to} is on the suppression list.`, {
    suggestion: `If it can receive mail again, remove it with DELETE /suppressions/${to}, then resend.`,
  })
}

async function renderedOf(mail: CompiledMail, email: Email): Promise<RenderedMail | undefined> {
  if (isForgotten(email, mail.content) || isConfidential(email)) return undefined
  try {
    const { subject, html, text } = await mail.rendered(email)
    return { subject, html, text }
  } catch (error) {
    if (EngineError.is(error)) return undefined
    throw error
  }
}

/** The part of a mail's text that a list shows, from the data of its events. */
function headOf({ subject, from, fromName }: JsonObject = {}): Pick<ListedEmail, 'subject' | 'from' | 'fromName'> {
  const name = textOf(fromName)
  return {
    subject: textOf(subject) ?? null,
    from: textOf(from) ?? null,
    ...(name === undefined ? {} : { fromName: name }),
  }
}

/** A text that is not empty. */
function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function addressedBy({ cc, bcc, replyTo, submitted }: MailContent): Addressed {
  const named = cc.filter(({ isTo }) => !isTo)
  const asked = submitted ? mailboxLines(repliesAsked(headerFields(submitted.header))) : ''
  const replies = replyTo ?? (asked || undefined)
  return {
    alsoTo: cc.filter(({ isTo }) => isTo),
    cc: named,
    bcc,
    ...(replies === undefined ? {} : { replyTo: replies }),
  }
}
