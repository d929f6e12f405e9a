import type { Contact } from '../../ports/store/contacts.ts'
import type { Repositories } from '../../ports/store/store.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** The contacts of one transaction, held until it ends, with what steps made of them. */
export class HeldContacts {
  readonly #byId = new Map<string, Contact>()
  readonly #byAddress = new Map<string, string>()
  readonly #changed = new Set<string>()

  /** Reads and holds these contacts of a project. */
  async hold(tx: Repositories, projectId: ProjectId, ids: readonly string[]): Promise<void> {
    for (const contact of await tx.contacts.lockById(projectId, [...new Set(ids)])) this.#keep(contact)
  }

  /** Reads and holds the contacts of these addresses, in their stored form, as far as there are any. */
  async holdAddresses(tx: Repositories, projectId: ProjectId, emails: readonly string[]): Promise<void> {
    const wanted = [...new Set(emails)].filter((email) => this.byAddress(projectId, email) === undefined)
    if (wanted.length === 0) return
    for (const contact of await tx.contacts.lockByAddress(projectId, wanted)) this.#keep(contact)
  }

  get(id: string): Contact | undefined {
    return this.#byId.get(id)
  }

  byAddress(projectId: ProjectId, email: string): Contact | undefined {
    return this.#byId.get(this.#byAddress.get(`${projectId} ${email}`) ?? '')
  }

  /** Takes over a new contact or a change of one. */
  put(contact: Contact): void {
    this.#byId.set(contact.id, contact)
    this.#byAddress.set(`${contact.projectId} ${contact.email}`, contact.id)
    this.#changed.add(contact.id)
  }

  /** Writes what was put. Throws when another transaction took an address meanwhile: this one is to be run again. */
  async write(tx: Repositories): Promise<void> {
    const contacts = [...this.#changed].flatMap((id) => this.#byId.get(id) ?? [])
    this.#changed.clear()
    if (contacts.length === 0) return
    if ((await tx.contacts.save(contacts)) === 'met-another') throw new Error('another transaction made the contact')
  }

  #keep(contact: Contact): void {
    if (this.#byId.has(contact.id)) return
    this.#byId.set(contact.id, contact)
    this.#byAddress.set(`${contact.projectId} ${contact.email}`, contact.id)
  }
}
