import type { Contact } from '../../../../../core/ports/store/contacts.ts'
import type { MailContent } from '../../../../../core/ports/store/contents.ts'
import type { Email } from '../../../../../core/ports/store/emails.ts'
import type { EventRecord } from '../../../../../core/ports/store/events.ts'
import type { KnownContacts, WriteBatchOutcome } from '../../../../../core/ports/store/write-batch.ts'
import type { Json } from '../../../../../core/values/json.ts'
import type { Outcome } from '../../engine/group-commit.ts'
import type { StoredAnswer } from '../../engine/tables.ts'
import type { NewContactJob } from '../contacts/contact-jobs.ts'
import type { AnyRequest, PublicDataKeys } from '../contacts/public-data-keys.ts'

export type AnyOutcome = WriteBatchOutcome<Json>

/**
 * Decides the requests of a batch in order, each over the contacts and answers as the earlier ones left them, and
 * collects everything they write.
 */
export class RequestBatch {
  readonly #contacts = new Map<string, Contact>()
  readonly #ids = new Map<string, string>()
  readonly #answers = new Map<string, StoredAnswer>()
  readonly #publicDataKeys: PublicDataKeys

  readonly changedContacts = new Map<string, Contact>()
  readonly newAnswers = new Map<string, StoredAnswer>()
  /** Stored answers that have expired and make room for new ones. */
  readonly forgotten: StoredAnswer[] = []
  readonly contents = new Map<string, MailContent>()
  readonly emails: Email[] = []
  readonly events: EventRecord[] = []
  readonly jobs: NewContactJob[] = []

  constructor(contacts: readonly Contact[], answers: readonly StoredAnswer[], publicDataKeys: PublicDataKeys) {
    this.#publicDataKeys = publicDataKeys
    for (const contact of contacts) this.#know(contact)
    for (const answer of answers) this.#answers.set(pair(answer.projectId, answer.key), answer)
  }

  /** Decides one request. If its `decide` throws, the error is its outcome, and nothing of it is written. */
  decide(request: AnyRequest): Outcome<AnyOutcome> {
    const remembered = this.#remembered(request)
    if (remembered) return { answer: remembered }
    try {
      const writes = request.decide(this.#knownTo(request))
      for (const contact of writes.contacts) {
        this.#know(contact)
        this.changedContacts.set(contact.id, contact)
      }
      for (const content of writes.contents) this.contents.set(content.id, content)
      this.emails.push(...writes.emails)
      this.events.push(...writes.events)
      if (writes.jobs) this.jobs.push(...writes.jobs)
      this.#publicDataKeys.add(request)
      this.#remember(request, writes.answer)
      return { answer: { outcome: 'taken', answer: writes.answer } }
    } catch (error) {
      return { error }
    }
  }

  #knownTo(request: AnyRequest): KnownContacts {
    const { projectId } = request
    const byId = (id: string) => this.#contacts.get(pair(projectId, id))
    return {
      byId,
      publicDataKeys: this.#publicDataKeys.seenBy(request),
      byAddress: (email) => {
        const id = this.#ids.get(pair(projectId, email))
        return id === undefined ? undefined : byId(id)
      },
    }
  }

  #know(contact: Contact): void {
    this.#contacts.set(pair(contact.projectId, contact.id), contact)
    this.#ids.set(pair(contact.projectId, contact.email), contact.id)
  }

  #remembered({ projectId, idempotency }: AnyRequest): AnyOutcome | undefined {
    const known = idempotency && this.#answers.get(pair(projectId, idempotency.key))
    if (!known || known.createdAt < idempotency.since) return undefined
    if (known.fingerprint !== idempotency.fingerprint) return { outcome: 'key-reused' }
    return { outcome: 'replayed', answer: JSON.parse(known.answer) }
  }

  #remember({ projectId, idempotency, now }: AnyRequest, answer: Json): void {
    if (!idempotency) return
    const { key, fingerprint } = idempotency
    const stored = { projectId, key, fingerprint, answer: JSON.stringify(answer), createdAt: now }
    const place = pair(projectId, key)
    const old = this.#answers.get(place)
    if (old && !this.newAnswers.has(place)) this.forgotten.push(old)
    this.#answers.set(place, stored)
    this.newAnswers.set(place, stored)
  }
}

/** Ids all have the same length, so two different pairs never give the same text. */
function pair(projectId: string, name: string): string {
  return projectId + name
}
