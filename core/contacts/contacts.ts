import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { subscriptionEvent } from '../events/subscription-event.ts'
import { Kit } from '../kit.ts'
import { Store } from '../ports/store.ts'
import { type Project, requireEnabled } from '../projects/project.ts'
import { isId } from '../values/id.ts'
import type { Untrusted } from '../values/json.ts'
import { CursorQuery, type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse, say } from '../values/parse.ts'
import { ChangeContact, type Contact, type ContactFilter, CreateContact, changedData, readData } from './contact.ts'
import { upsertContact } from './upsert-contact.ts'

/** The query of `GET /contacts`. */
export const ListContacts = v.object({
  ...CursorQuery.entries,
  search: v.optional(v.pipe(v.string(), v.maxLength(255))),
  subscribed: v.optional(
    v.pipe(
      v.union([v.boolean(), v.picklist(['true', 'false'])], 'invalid_type: must be true or false'),
      v.transform((given) => String(given) === 'true'),
    ),
  ),
  /** Refused rather than left out: nobody should act on the whole list for part of it. */
  filter: v.optional(
    v.pipe(
      v.string(),
      v.check(() => false, say('custom', 'filters are not available in this version')),
    ),
  ),
  sort: v.optional(v.picklist(['createdAt', 'email']), 'createdAt'),
  dir: v.optional(v.picklist(['asc', 'desc'])),
})

/** The people of a project. */
@injectable()
export class Contacts {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** One page of contacts, newest first unless asked otherwise. Throws EngineError `VALIDATION_ERROR`, `BAD_REQUEST` (cursor). */
  async list(project: Project, query: Untrusted): Promise<Page<Contact>> {
    const { search, subscribed, sort, dir = sort === 'email' ? 'asc' : 'desc', ...asked } = parse(ListContacts, query)
    const filter: ContactFilter = {
      ...(search ? { search } : {}),
      ...(subscribed === undefined ? {} : { subscribed }),
    }
    const list = `contacts:${sort}:${dir}`
    const page = pageRequest(list, asked)
    const rows = await this.store.contacts.page(project.id, filter, { sort, dir }, page)
    const total = page.after ? 0 : await this.store.contacts.count(project.id, filter)
    return pageOf(list, rows, asked.limit, total, (contact) => ({
      value: sort === 'email' ? contact.email : '',
      id: contact.id,
    }))
  }

  /** The contact. Throws EngineError `CONTACT_NOT_FOUND`. */
  async get(project: Project, id: string): Promise<Contact> {
    const contact = isId(id) ? await this.store.contacts.find(project.id, id) : undefined
    return contact ?? missing(id)
  }

  /**
   * Makes the contact of an address or changes the one there is: data is merged key by key, an omitted `subscribed`
   * is true for a new contact and unchanged for a known one. Throws EngineError `VALIDATION_ERROR`, `PROJECT_DISABLED`.
   */
  async upsert(project: Project, input: Untrusted): Promise<{ readonly contact: Contact; readonly isNew: boolean }> {
    requireEnabled(project)
    const { email, subscribed, data } = parse(CreateContact, input)
    const now = this.kit.now()
    const change = readData(data)
    let result: { contact: Contact; isNew: boolean } | undefined
    await this.store.intake.take({
      projectId: project.id,
      now,
      addresses: [email],
      decide: (known) => {
        const wanted = {
          projectId: project.id,
          email,
          change,
          subscribed,
          subscribedWhenNew: true,
          reason: 'api',
        } as const
        const { contact, isNew, changed, events } = upsertContact(known.byAddress(email), wanted, this.kit.newId, now)
        result = { contact, isNew }
        return { contacts: changed ? [contact] : [], emails: [], events, answer: null }
      },
    })
    return result ?? missing(email)
  }

  /**
   * Changes the given fields; data is merged key by key, null deletes a key, an empty string is ignored.
   * Throws EngineError `CONTACT_NOT_FOUND`, `CONFLICT` (another contact has that address), `VALIDATION_ERROR`, `PROJECT_DISABLED`.
   */
  async change(project: Project, id: string, input: Untrusted): Promise<Contact> {
    requireEnabled(project)
    const wanted = parse(ChangeContact, input)
    if (!isId(id)) return missing(id)
    const now = this.kit.now()
    return this.store.transaction(async (tx) => {
      const before = (await tx.contacts.lock(project.id, id)) ?? missing(id)
      const contact: Contact = {
        ...before,
        email: wanted.email ?? before.email,
        subscribed: wanted.subscribed ?? before.subscribed,
        data: changedData(before.data, readData(wanted.data)),
        updatedAt: now,
      }
      const outcome = await tx.contacts.update(contact)
      if (outcome === 'missing') return missing(id)
      if (outcome === 'email-taken') {
        throw new EngineError('CONFLICT', `Another contact of this project already has the address ${contact.email}.`, {
          fields: [{ field: 'email', code: 'custom', message: 'belongs to another contact' }],
        })
      }
      if (contact.subscribed !== before.subscribed) {
        await tx.events.record([subscriptionEvent(this.kit.newId, contact, 'api', now)])
      }
      return contact
    })
  }

  /** Removes the contact and its events for good. Throws EngineError `CONTACT_NOT_FOUND`, `PROJECT_DISABLED`. */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    if (!isId(id) || !(await this.store.contacts.remove(project.id, id))) missing(id)
  }
}

function missing(id: string): never {
  throw new EngineError('CONTACT_NOT_FOUND', `There is no contact ${id}.`)
}
