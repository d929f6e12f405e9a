import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError, invalidField } from '../errors.ts'
import { Filters } from '../filters/filters.ts'
import { Kit } from '../kit.ts'
import type { Contact, ContactFilter } from '../ports/store/contacts.ts'
import type { FilterInput } from '../ports/store/filters.ts'
import type { Project } from '../ports/store/projects.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import { requireEnabled } from '../projects/project.ts'
import { References } from '../references/references.ts'
import { retryConflicts } from '../values/conflict.ts'
import { describedBy } from '../values/described.ts'
import { EmailAddress } from '../values/email-address.ts'
import { withGiven } from '../values/fields-of-contact.ts'
import { isId } from '../values/id.ts'
import { type InputOf, takes, type UntrustedInput } from '../values/input.ts'
import type { Untrusted } from '../values/json.ts'
import { listOf } from '../values/list.ts'
import { knownOptions } from '../values/options.ts'
import type { CursorInput } from '../values/page.ts'
import { CursorQuery, type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import { TrueOrFalse } from '../values/true-or-false.ts'
import { Doorbell } from '../work/doorbell.ts'
import { type HostOptions, inHostTransaction } from '../work/host-transaction.ts'
import type { ChangeContactInput, UpsertContactInput } from './contact.ts'
import { ChangeContact, CreateContact, changedData, readData } from './contact.ts'
import { Fields } from './contact-fields.ts'
import { ContactJobs } from './contact-jobs.ts'
import { EraseContacts } from './erase-contacts.ts'
import { exportContacts } from './export-contacts.ts'
import { warnOfMerged, warnOfReturn, withSubscription } from './left-contacts.ts'
import { MergeContacts, type MergeContactsInput, mergeContacts } from './merge-contacts.ts'
import { consentEvent, subscriptionEvent } from './subscription-event.ts'
import { upsertContact } from './upsert-contact.ts'

/** Narrows a list of contacts: `search`, `subscribed`, `filter` (an audience filter as JSON text, or as it is). */
export const NarrowContacts = v.object({
  /** A part of the address. */
  search: v.optional(v.pipe(v.string(), v.maxLength(255))),
  /** Only subscribed contacts, or only the others. */
  subscribed: v.optional(TrueOrFalse),
  /** Only contacts that match this filter; it may be JSON text. */
  filter: v.optional(describedBy(takes<FilterInput | string>()(v.unknown()), v.string())),
})

/** The query of `GET /contacts`. */
export const ListContacts = v.object({
  ...CursorQuery.entries,
  ...NarrowContacts.entries,
  /** Sorts by creation time or by address. */
  sort: v.optional(v.picklist(['createdAt', 'email']), 'createdAt'),
  /** The order; by creation time the newest come first. */
  dir: v.optional(v.picklist(['asc', 'desc'])),
  /** False: does not count, which takes long for some filters. The total is then 0, as on all pages but the first. */
  total: v.optional(TrueOrFalse, true),
})

export const LookUp = v.object({
  /** The addresses to look up: 1 to 500. */
  emails: listOf(v.string(), 1, 500),
})

/** Narrows an export or a count of contacts. */
export interface ExportContactsInput extends InputOf<typeof NarrowContacts> {}

/** Narrows and pages a list of contacts. */
export interface ListContactsInput
  extends CursorInput,
    ExportContactsInput,
    Omit<InputOf<typeof ListContacts>, keyof CursorInput | keyof ExportContactsInput> {}

/** The addresses to look up. */
export interface LookUpContactsInput extends InputOf<typeof LookUp> {}

/** Which of the requested addresses are contacts, spelled as the caller spelled them. */
export interface LookedUp {
  /** Those that are contacts. */
  readonly found: readonly string[]
  /** Those that are not, invalid addresses among them. */
  readonly notFound: readonly string[]
}

/** How often two contacts are merged when others write one of them. */
const MERGE_TRIES = 5

/** The contacts of a project. */
@injectable()
export class Contacts {
  /** The fields in the data of contacts. */
  readonly fields: Fields
  /** Imports of contacts and changes of many, in the background. */
  readonly jobs: ContactJobs

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Filters) private readonly filters: Filters,
    @inject(EraseContacts) private readonly erasing: EraseContacts,
    @inject(References) references: References,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.fields = new Fields(store, references, kit)
    this.jobs = new ContactJobs(store, doorbell, filters, erasing, kit)
  }

  /**
   * One page of contacts, newest first unless asked otherwise. Throws EngineError `VALIDATION_ERROR`, `BAD_REQUEST`
   * (cursor).
   */
  async list(project: Project, query: ListContactsInput | UntrustedInput = {}): Promise<Page<Contact>> {
    const { sort, dir = sort === 'email' ? 'asc' : 'desc', total, ...asked } = parse(ListContacts, query)
    const filter = await this.#filter(project, query, asked)
    const list = { projectId: project.id, name: `contacts:${sort}:${dir}`, isByValue: sort === 'email' }
    const page = pageRequest(list, asked)
    const { contacts } = this.store
    const found =
      page.after || !total
        ? { contacts: await contacts.page(project.id, filter, { sort, dir }, page), total: 0 }
        : await contacts.pageAndCount(project.id, filter, { sort, dir }, page)
    return pageOf(list, found.contacts, asked.limit, found.total, (contact) => ({
      value: sort === 'email' ? contact.email : '',
      id: contact.id,
    }))
  }

  /** How many contacts there are; `query` narrows them as it does a list. Throws EngineError `VALIDATION_ERROR`. */
  async count(project: Project, query: ExportContactsInput | UntrustedInput = {}): Promise<number> {
    return this.store.contacts.count(project.id, await this.#filter(project, query, parse(NarrowContacts, query)))
  }

  /**
   * The contacts as a CSV file, in chunks of text, oldest first; `query` narrows them as it does a list. Contacts made
   * meanwhile are included. Throws EngineError `VALIDATION_ERROR` before the first chunk.
   */
  async export(project: Project, query: ExportContactsInput | UntrustedInput = {}): Promise<AsyncIterable<string>> {
    const filter = await this.#filter(project, query, parse(NarrowContacts, query))
    const { fields } = await this.store.contactFields.list(project.id)
    return exportContacts(this.store, project.id, filter, fields.map(({ key }) => key).sort())
  }

  /** Which of `{ emails: 1..500 }` are contacts; an invalid address is none. Throws EngineError `VALIDATION_ERROR`. */
  async lookup(project: Project, input: LookUpContactsInput | UntrustedInput): Promise<LookedUp> {
    const { emails } = parse(LookUp, input)
    const stored = new Map<string, string>()
    for (const given of new Set(emails)) {
      const read = v.safeParse(EmailAddress, given)
      if (read.success) stored.set(given, read.output)
    }
    const known = await this.store.contacts.findByAddress(project.id, [...new Set(stored.values())])
    const isKnown = (given: string) => known.has(stored.get(given) ?? '')
    return { found: emails.filter(isKnown), notFound: emails.filter((given) => !isKnown(given)) }
  }

  /** The contact. Throws EngineError `CONTACT_NOT_FOUND`. */
  async get(project: Project, id: string): Promise<Contact> {
    const contact = isId(id) ? await this.store.contacts.find(project.id, id) : undefined
    return contact ?? missing(id)
  }

  /**
   * Creates the contact of an address or changes the existing one: data is merged key by key, an omitted `subscribed`
   * is true for a new contact and unchanged for a known one. With `client`, it is stored in the transaction that is open
   * on it. Throws EngineError `VALIDATION_ERROR`, `PROJECT_DISABLED`.
   */
  async upsert(
    project: Project,
    input: UpsertContactInput | UntrustedInput,
    options: HostOptions = {},
  ): Promise<{ readonly contact: Contact; readonly isNew: boolean }> {
    requireEnabled(project)
    const { client } = knownOptions(options, { client: true })
    if (client === undefined) return this.#upsert(this.store, project, input)
    const hosted = { store: this.store, doorbell: this.doorbell, kit: this.kit }
    return inHostTransaction(
      hosted,
      client,
      async () => false,
      ({ store }) => this.#upsert(store, project, input),
    )
  }

  async #upsert(
    { writeBatch }: Pick<Store, 'writeBatch'>,
    project: Project,
    input: UpsertContactInput | UntrustedInput,
  ): Promise<{ readonly contact: Contact; readonly isNew: boolean }> {
    const { data, ...fields } = parse(CreateContact, input)
    const { email } = fields
    const now = this.kit.now()
    const change = readData(data)
    let result: { contact: Contact; isNew: boolean } | undefined
    await writeBatch.commit({
      projectId: project.id,
      now,
      addresses: [email],
      weight: change.set.size,
      decide: (known) => {
        const wanted = {
          ...fields,
          projectId: project.id,
          change,
          subscribedWhenNew: true,
          trackingWhenNew: project.trackingConsent,
          reason: 'api',
          source: 'api',
        } as const
        const before = known.byAddress(email)
        const { contact, isNew, changed, events } = upsertContact(before, wanted, this.kit.newId, now)
        warnOfMerged(input, email, before)
        warnOfReturn(input, before, fields.subscribed)
        result = { contact, isNew }
        return { contacts: changed ? [contact] : [], contents: [], emails: [], events, answer: null }
      },
    })
    return result ?? missing(email)
  }

  /**
   * Changes the given fields; data is merged key by key, null deletes a key, an empty string is ignored. Throws
   * EngineError `CONTACT_NOT_FOUND`, `CONFLICT` (another contact has that address), `VALIDATION_ERROR`,
   * `PROJECT_DISABLED`.
   */
  async change(project: Project, id: string, input: ChangeContactInput | UntrustedInput): Promise<Contact> {
    requireEnabled(project)
    const wanted = parse(ChangeContact, input)
    if (!isId(id)) return missing(id)
    const now = this.kit.now()
    return this.store.transaction(async (tx) => {
      const found = (await tx.contacts.lock(project.id, id)) ?? missing(id)
      const changed: Contact = {
        ...withGiven(found, wanted),
        data: changedData(found.email, found.data, readData(wanted.data)),
        updatedAt: now,
      }
      const other = await this.#takeAddress(tx, found, changed.email)
      const leftBy = wanted.subscribed === true ? undefined : other?.leftBy
      const subscribed = changed.subscribed && leftBy === undefined
      const flipped = subscribed !== found.subscribed
      const leaves = !subscribed && changed.leftBy === undefined && leftBy !== undefined
      const contact = flipped || leaves ? withSubscription(changed, subscribed, leftBy ?? 'api') : changed
      const outcome = await tx.contacts.update(contact)
      if (outcome === 'missing') return missing(id)
      if (outcome === 'email-taken') {
        throw new EngineError('CONFLICT', `Another contact of this project already has the address ${contact.email}.`, {
          fields: [{ field: 'email', code: 'custom', message: 'belongs to another contact' }],
        })
      }
      warnOfReturn(input, other ?? found, wanted.subscribed)
      if (flipped) {
        await tx.events.record([subscriptionEvent(this.kit.newId, contact, 'api')])
      }
      if (contact.tracking !== found.tracking) {
        await tx.events.record([consentEvent(this.kit.newId, contact, found.tracking, 'api')])
      }
      return contact
    })
  }

  /**
   * Makes an address the contact's own for which another one stood, since its contact was merged into that. Answers the
   * other one: its person may have left at this address.
   */
  async #takeAddress(
    tx: Repositories,
    { projectId, id, email: own }: Contact,
    email: string,
  ): Promise<Omit<Contact, 'data'> | undefined> {
    const other = email === own ? undefined : (await tx.contacts.findByAddress(projectId, [email])).get(email)
    if (other === undefined || other.email === email) return undefined
    await tx.merges.release(projectId, email)
    return other.id === id ? undefined : other
  }

  /**
   * Merges the contact `from` into this one, which keeps its address: what is known of either, what happened to either, and
   * the stricter consent of both. `from` is gone then, and the links in its mails lead to this one. Throws EngineError
   * `CONTACT_NOT_FOUND`, `VALIDATION_ERROR`, `PROJECT_DISABLED`.
   */
  async merge(project: Project, id: string, input: MergeContactsInput | UntrustedInput): Promise<Contact> {
    requireEnabled(project)
    const { from } = parse(MergeContacts, input)
    if (!isId(id)) return missing(id)
    if (from === id) throw invalidField('from', 'custom', 'is the contact itself')
    if (!isId(from)) throw invalidField('from', 'custom', 'must be the id of a contact')
    if (!(await this.store.contacts.find(project.id, id))) return missing(id)
    const merged = await retryConflicts(MERGE_TRIES, () =>
      this.store.transaction((tx) => mergeContacts(tx, this.kit, project, id, from)),
    )
    if (merged === undefined) throw invalidField('from', 'custom', 'is no contact of this project')
    await this.erasing.soon(project.id, [from])
    return merged
  }

  /**
   * Removes the contact and all data about it permanently (docs/privacy.md); with very much data the rest follows soon
   * after the answer. Throws EngineError `CONTACT_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    if (!isId(id) || !(await this.store.contacts.remove(project.id, id, this.kit.now()))) return missing(id)
    await this.erasing.soon(project.id, [id])
  }

  /** `query` is what was read, and is warned. */
  async #filter(
    project: Project,
    query: Untrusted,
    { search, subscribed, filter }: Pick<v.InferOutput<typeof NarrowContacts>, 'search' | 'subscribed' | 'filter'>,
  ): Promise<ContactFilter> {
    const told = { input: query, place: '' }
    const read =
      filter === undefined ? undefined : await this.filters.read(project, filterOf(filter), 'filter', { told })
    return {
      ...(search ? { search } : {}),
      ...(subscribed === undefined ? {} : { subscribed }),
      ...(read ? { audience: await this.filters.audience(project, read) } : {}),
    }
  }
}

/** In a query string a filter is JSON text. */
function filterOf(given: Untrusted): Untrusted {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    throw invalidField('filter', 'invalid_type', 'must be a filter as JSON text')
  }
}

function missing(id: string): never {
  throw new EngineError('CONTACT_NOT_FOUND', `There is no contact ${shownId(id)}.`)
}
