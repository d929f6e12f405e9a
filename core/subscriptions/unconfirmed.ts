import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { isId } from '../values/id.ts'
import { shownId } from '../values/shown-id.ts'
import { type Asked, type Confirmations, senderOf } from './confirmations.ts'
import { tickedTopics } from './forms/choose-topics.ts'

const DAY_MS = 86_400_000

/** The confirmation that a contact has been asked for and has not given. */
export interface AwaitedConfirmation {
  /** When it was asked first, since it last subscribed or unsubscribed. */
  readonly since: Date
  /** The mails that asked, the latest first. */
  readonly mails: readonly Email[]
  /** Whether it may be asked once more: `later` within a day after the last mail, `no` after three, and for a blocked address. */
  readonly again: 'now' | 'later' | 'no'
}

/** The contacts who were asked to confirm that they signed up, and have not answered. */
export class Unconfirmed {
  constructor(
    private readonly store: Store,
    private readonly confirmations: Confirmations,
    private readonly kit: Kit,
  ) {}

  /** The confirmation that is awaited of a contact; undefined when none is. Throws EngineError `CONTACT_NOT_FOUND`. */
  async of(project: Project, contactId: string): Promise<AwaitedConfirmation | undefined> {
    const contact = await this.#contact(project, contactId)
    const awaited = contact.subscribed ? undefined : this.#awaited(await this.confirmations.asked(contact))
    return awaited && (await this.#isBlocked(contact)) ? { ...awaited, again: 'no' } : awaited
  }

  /**
   * Sends the confirmation mail once more, within the limits of all mails that ask: one a day to a mailbox, three in all, and
   * those of the project. It only asks: the contact subscribes when the person confirms, by any of the mails.
   * Throws EngineError `CONTACT_NOT_FOUND`, `CONFLICT` when none is awaited or may go out, `RATE_LIMIT_EXCEEDED`.
   */
  async askAgain(project: Project, contactId: string): Promise<AwaitedConfirmation> {
    const now = this.kit.now()
    const known = await this.#contact(project, contactId)
    if (await this.#isBlocked(known)) {
      throw new EngineError('CONFLICT', 'This address is blocked: no mail goes to it.')
    }
    if ((await this.of(project, contactId)) === undefined) throw notAwaited()
    if (senderOf(project) === undefined) {
      throw new EngineError(
        'CONFLICT',
        'The project has no sender of a verified domain, which confirmation mails need.',
      )
    }
    const ask = async (hasRoom: boolean) =>
      hasRoom && (await this.store.transaction((tx) => this.#ask(tx, project, contactId, now)))
    if (!(await this.confirmations.turns.spend(project.id, 'confirmation', now, ask))) throw tooSoon()
    this.confirmations.send()
    const asked = await this.of(project, contactId)
    if (asked === undefined) throw notAwaited()
    return asked
  }

  /** Stores the mail; false when it is one too many. Either mail then confirms what was sent by forms. */
  async #ask(tx: Repositories, project: Project, contactId: string, now: Date): Promise<boolean> {
    const contact = requireContact(await tx.contacts.lock(project.id, contactId), contactId)
    const asked = await this.confirmations.asked(contact, tx)
    if (contact.subscribed || asked.mails.length === 0) throw notAwaited()
    if (!this.confirmations.mayAsk(asked)) {
      throw new EngineError('CONFLICT', 'This contact was asked three times and did not answer: it is not asked again.')
    }
    const earlier = asked.mails.map(({ id }) => tx.forms.ofContact(project.id, contact.id, { askedBy: id }))
    const waiting = tx.forms.ofContact(project.id, contact.id, 'waiting')
    const sent = (await Promise.all([...earlier, waiting])).flat().filter((each) => each.confirmedAt === undefined)
    const topics = (await tickedTopics(tx, contact, sent)).map(({ name }) => name)
    const mail = await this.confirmations.ask(tx, project, contact, now, { topics })
    if (mail === undefined) return false
    const ids = sent.map(({ id }) => id)
    await tx.forms.noteAsked(project.id, ids, undefined)
    return true
  }

  async #contact(project: Project, id: string): Promise<Contact> {
    return requireContact(isId(id) ? await this.store.contacts.find(project.id, id) : undefined, id)
  }

  async #isBlocked({ projectId, email }: Contact): Promise<boolean> {
    return (await this.store.suppressions.among(projectId, [email], this.kit.now())).has(email)
  }

  #awaited(asked: Asked): AwaitedConfirmation | undefined {
    const { mails } = asked
    const [last, first] = [mails[0], mails.at(-1)]
    if (last === undefined || first === undefined) return undefined
    const isEarly = this.kit.now().getTime() < last.createdAt.getTime() + DAY_MS
    const again = this.confirmations.mayAsk(asked) ? (isEarly ? 'later' : 'now') : 'no'
    return { since: first.createdAt, mails, again }
  }
}

function requireContact(contact: Contact | undefined, id: string): Contact {
  if (contact) return contact
  throw new EngineError('CONTACT_NOT_FOUND', `There is no contact ${shownId(id)}.`)
}

function notAwaited(): EngineError {
  return new EngineError('CONFLICT', 'No confirmation is awaited of this contact.', {
    suggestion: 'Only a contact that asked for mail itself, by a form or on a page, is asked to confirm.',
  })
}

function tooSoon(): EngineError {
  return new EngineError('RATE_LIMIT_EXCEEDED', 'No confirmation mail may go out now.', {
    suggestion: 'A mailbox is asked once a day, and a project has a limit of such mails by the hour and the day.',
    retryAfter: 3600,
  })
}
