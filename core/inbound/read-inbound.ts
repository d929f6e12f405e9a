import * as v from 'valibot'
import type { Contact } from '../contacts/contact.ts'
import { upsertContact } from '../contacts/upsert-contact.ts'
import { inject, injectable } from '../di.ts'
import type { EventRecord } from '../events/event.ts'
import { Feedback, type FeedbackEnvelope } from '../feedback/feedback.ts'
import { ReturnPaths } from '../feedback/verp.ts'
import { TASKS } from '../jobs.ts'
import { Kit } from '../kit.ts'
import { Leases } from '../leases.ts'
import { Links } from '../links/links.ts'
import { DnsResolver } from '../ports/dns-resolver.ts'
import { Queue } from '../ports/queue.ts'
import type { WaitingMessage } from '../ports/store/inbound.ts'
import { type Repositories, Store } from '../ports/store.ts'
import type { MailContent } from '../sending/content.ts'
import type { Email } from '../sending/email.ts'
import { EmailAddress } from '../values/email-address.ts'
import { Thread, ThreadOverrun, threadFile } from '../work/thread.ts'
import { TellEvents } from '../workflows/dispatch/tell-events.ts'
import type { Authentication } from './authenticate.ts'
import type { ParsedMessage, ParseQuestion } from './parsed-message.ts'
import { receivedEventData } from './received-event.ts'
import { unreadable } from './unreadable.ts'

/** So many messages wait for the thread or are in it: each gets its answer within the lease. */
const PARSED_AT_A_TIME = 4
/** So many are worked on at the same time, while they have not too many bytes together: most wait for the DNS. */
const AT_A_TIME = 64
const MOST_BYTES = 64 * 1024 * 1024
/** How long who sent a message may take to be found out, in milliseconds: slow name servers of some keep no others waiting. */
const DNS_MS = 20_000
const DNS_MS_IN_A_CROWD = 2_000
const LEASE_MS = 180_000
/** How long a message may take to be read, in milliseconds, and how many megabytes of memory. */
const PATIENCE_MS = 30_000
const MEMORY_MB = 512
/** After so many tries that failed a message is kept as it is, unread. */
const TRIES = 5
const PAUSE_MS = 10_000

/** The contact was changed by another transaction meanwhile. */
class MetAnother extends Error {}
/** The lease has run out: somebody else reads the message. */
class Lost extends Error {}

/** Reads received mail in the background: each message becomes an e-mail record and an event, once. */
@injectable()
export class ReadInbound {
  readonly #thread = new Thread<ParseQuestion>({
    ...{ file: threadFile('./inbound-thread', import.meta.url), name: 'mailwright-inbound' },
    ...{ patience: PATIENCE_MS, memory: MEMORY_MB },
  })
  #running: Promise<void> | undefined
  #isAsked = false
  #wake = () => {}
  readonly #reading = new Set<Promise<void>>()
  #parsing = 0
  #bytes = 0

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Queue) private readonly queue: Queue,
    @inject(DnsResolver) private readonly dns: DnsResolver,
    @inject(Links) private readonly links: Links,
    @inject(Leases) private readonly leases: Leases,
    @inject(Feedback) private readonly feedback: Feedback,
    @inject(ReturnPaths) private readonly returnPaths: ReturnPaths,
    @inject(TellEvents) private readonly tell: TellEvents,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** There is mail to read. Answers at once; when the job is lost the next tick finds it. */
  ask(): void {
    this.queue
      .add([{ task: TASKS.readInbound, lane: 'workflow', ids: [TASKS.readInbound], key: TASKS.readInbound }])
      .catch((error) => this.kit.log.debug('a later tick will read received mail', { error }))
  }

  /**
   * Reads a fetched message that is for nobody here: what it says of a mail we sent is written down when this answers; else
   * nothing becomes of it. Throws when it could not be written.
   */
  async readReport(raw: Uint8Array, envelope: FeedbackEnvelope): Promise<void> {
    const { kind, outcomes } = await this.feedback.read(raw, envelope)
    this.kit.log.debug('read a message that is for none of our addresses', { kind, outcomes })
    if (outcomes.length > 0) this.tell.ask()
  }

  /** Every few seconds: asks for what waits, and frees what a dead process held. */
  async tick(): Promise<void> {
    await this.store.inbound.expireLeases(this.kit.now())
    const next = await this.store.inbound.next()
    if (next && next <= this.kit.now()) this.ask()
  }

  /** The queue's handler: answers when nothing waits any more, or soon after the signal. In one process it runs once. */
  handle(signal: AbortSignal): Promise<void> {
    this.#isAsked = true
    this.#wake()
    this.#running ??= this.#run(signal).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Ends the thread. */
  close(): Promise<void> {
    return this.#thread.close()
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const mayClaim = this.#isAsked && this.leases.areSure
      if (mayClaim && this.#hasRoom) {
        this.#isAsked = false
        if (await this.#takeUp()) this.#isAsked = true
        continue
      }
      if (this.#reading.size === 0) break
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      await Promise.race([woken, ...this.#reading])
    }
    await Promise.all(this.#reading)
  }

  get #hasRoom(): boolean {
    return this.#parsing < PARSED_AT_A_TIME && this.#reading.size < AT_A_TIME && this.#bytes < MOST_BYTES
  }

  /** Begins with the next message; false when there is none. */
  async #takeUp(): Promise<boolean> {
    const now = this.kit.now()
    const token = this.leases.token()
    const message = await this.store.inbound.claim(now, { token, until: new Date(now.getTime() + LEASE_MS) })
    if (message === undefined) return false
    this.#bytes += message.raw.length
    const reading = this.#read(message, token).finally(() => {
      this.#bytes -= message.raw.length
      this.#reading.delete(reading)
    })
    this.#reading.add(reading)
    return true
  }

  /** Never rejects: what could not be done is tried again. */
  async #read(message: WaitingMessage, token: string): Promise<void> {
    try {
      if (message.recipients.every((address) => this.returnPaths.read(address) !== undefined)) {
        await this.#report(message)
        await this.store.inbound.remove(message.id, token)
        return
      }
      const [parsed, authentication] = await Promise.all([this.#parsed(message), this.#authenticated(message)])
      // who has no return path of ours reports to an address
      if (parsed.isAutomatic) await this.#report(message)
      await this.#store(message, token, parsed, authentication)
      this.tell.ask()
    } catch (error) {
      if (error instanceof Lost) return
      this.kit.log.warn('could not read a received message; it will be tried again', { message: message.id, error })
      const dueAt = new Date(this.kit.now().getTime() + PAUSE_MS * message.attempts)
      await this.store.inbound
        .putOff(message.id, token, dueAt)
        .catch((error) => this.kit.log.debug('its lease will run out', { message: message.id, error }))
    }
  }

  /** What it says of a mail we sent; what it says twice counts once. */
  async #report({ id, raw, sender, recipients }: WaitingMessage): Promise<void> {
    const { kind, outcomes } = await this.feedback.read(raw, { from: sender, to: recipients })
    this.kit.log.debug('read a message that came back', { message: id, kind, outcomes })
    if (outcomes.length > 0) this.tell.ask()
  }

  async #parsed(message: WaitingMessage): Promise<ParsedMessage> {
    const { raw, sender, attempts, id } = message
    // whoever has been at it so often does not get through; what was answered for is not lost
    if (attempts > TRIES) return unreadable(message)
    this.#parsing++
    try {
      return (await this.#thread.ask({ raw, sender })) as ParsedMessage
    } catch (error) {
      if (!(error instanceof ThreadOverrun)) throw error
      this.kit.log.warn('a received message takes too much to read; it is kept as it is', { message: id, error })
      return unreadable(message)
    } finally {
      this.#parsing--
      this.#wake()
    }
  }

  async #authenticated(message: WaitingMessage): Promise<Authentication> {
    try {
      const { authenticateMessage } = await import('./authenticate.ts')
      const patience = this.#reading.size < AT_A_TIME / 2 ? DNS_MS : DNS_MS_IN_A_CROWD
      return await authenticateMessage(message, this.dns, patience)
    } catch (error) {
      this.kit.log.warn('could not check who a received message is from', { message: message.id, error })
      return { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror' }
    }
  }

  async #store(
    message: WaitingMessage,
    token: string,
    parsed: ParsedMessage,
    authentication: Authentication,
  ): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.store.transaction(async (tx) => {
          if (!(await tx.inbound.remove(message.id, token))) throw new Lost()
          // fetched once more before it was marked
          if ((await tx.emails.find(message.projectId, message.id)) !== undefined) return
          await this.#write(tx, message, parsed, authentication)
        })
      } catch (error) {
        if (!(error instanceof MetAnother) || tries >= TRIES) throw error
      }
    }
  }

  async #write(
    tx: Repositories,
    message: WaitingMessage,
    parsed: ParsedMessage,
    authentication: Authentication,
  ): Promise<void> {
    const { id, projectId } = message
    const now = this.kit.now()
    const contact = await this.#contact(tx, message, parsed, now)
    const urlOf = (place: number) => this.links.ofAttachment({ projectId, emailId: id }, place)
    const data = receivedEventData(id, message, parsed, authentication, urlOf)
    await tx.emails.add(
      [receivedEmail(message, parsed, authentication, contact, now)],
      [contentOf(message, parsed, now)],
    )
    if (contact === undefined) return
    const event: EventRecord = {
      ...{ id: this.kit.newId(), projectId, name: 'email.received', contactId: contact.id, emailId: id },
      ...{ data, createdAt: now },
    }
    await tx.events.record([event])
  }

  /** The sender as a contact, made when a person wrote; undefined for a machine nobody knows, and for no address. */
  async #contact(
    tx: Repositories,
    { projectId }: WaitingMessage,
    { from, isAutomatic }: ParsedMessage,
    now: Date,
  ): Promise<Contact | undefined> {
    const address = v.safeParse(EmailAddress, from)
    if (!address.success) return undefined
    const email = address.output
    const [known] = await tx.contacts.lockByAddress(projectId, [email])
    if (known || isAutomatic) return known
    const wanted = {
      ...{ projectId, email, change: { set: new Map(), unset: new Set<string>(), variables: {} } },
      ...{ subscribed: undefined, subscribedWhenNew: false, reason: 'api' as const },
      trackingWhenNew: (await tx.projects.find(projectId))?.trackingConsent ?? ('none' as const),
    }
    const { contact } = upsertContact(undefined, wanted, this.kit.newId, now)
    if ((await tx.contacts.save([contact])) === 'met-another') throw new MetAnother()
    return contact
  }
}

function receivedEmail(
  { id, projectId, recipients, receivedAt }: WaitingMessage,
  { messageId }: ParsedMessage,
  authentication: Authentication,
  contact: Contact | undefined,
  now: Date,
): Email {
  return {
    ...{ id, projectId, contentId: id, to: recipients[0] ?? '', status: 'RECEIVED', sourceType: 'INBOUND' },
    ...(contact ? { contactId: contact.id } : {}),
    // what is known of it besides its words; gone with them
    ...{ lane: 'transactional', variables: { messageId, ...authentication, to: recipients }, tags: {} },
    ...{ createdAt: receivedAt, dueAt: receivedAt, attempts: 0, accepted: [], opens: 0, clicks: 0, updatedAt: now },
  }
}

function contentOf(
  { id, projectId }: WaitingMessage,
  { subject, html, text, from, fromName, headers, attachments }: ParsedMessage,
  now: Date,
): MailContent {
  return {
    ...{ id, projectId, subject, html, text, from: { email: from, name: fromName }, cc: [], bcc: [] },
    ...{ headers, attachments, marketing: false, received: true, createdAt: now },
  }
}
