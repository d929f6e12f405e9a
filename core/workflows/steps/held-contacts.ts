import { saveContacts } from '../../contacts/save-contacts.ts'
import type { Contact } from '../../ports/store/contacts.ts'
import type { Repositories } from '../../ports/store/store.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** The contacts of one transaction, locked until it ends, with the changes by steps. */
export class HeldContacts {
  readonly #byId = new Map<string, Contact>()
  readonly #byAddress = new Map<string, string>()
  readonly #changed = new Set<string>()

  /** Reads and locks these contacts of a project. */
  async hold(tx: Repositories, projectId: ProjectId, ids: readonly string[]): Promise<void> {
    for (const contact of await tx.contacts.lockById(projectId, [...new Set(ids)])) this.#keep(contact)
  }

  /** Reads and locks the contacts of these addresses, in their stored form, if there are any. */
  async holdAddresses(tx: Repositories, projectId: ProjectId, emails: readonly string[]): Promise<void> {
    const wanted = [...new Set(emails)].filter((email) => this.byAddress(projectId, email) === undefined)
    if (wanted.length === 0) return
    for (const [email, contact] of await tx.contacts.lockByAddress(projectId, wanted)) {
      this.#keep(contact)
      this.#byAddress.set(`${projectId} ${email}`, contact.id)
    }
  }

  get(id: string): Contact | undefined {
    return this.#byId.get(id)
  }

  byAddress(projectId: ProjectId, email: string): Contact | undefined {
    return this.#byId.get(this.#byAddress.get(`${projectId} ${email}`) ?? '')
  }

  /** Adds a new or changed contact. */
  put(contact: Contact): void {
    this.#byId.set(contact.id, contact)
    this.#byAddress.set(`${contact.projectId} ${contact.email}`, contact.id)
    this.#changed.add(contact.id)
  }

  /** Writes the changes. Throws as `saveContacts` does. */
  async write(tx: Repositories): Promise<void> {
    const contacts = [...this.#changed].flatMap((id) => this.#byId.get(id) ?? [])
    this.#changed.clear()
    await saveContacts(tx, contacts)
  }

  #keep(contact: Contact): void {
    if (this.#byId.has(contact.id)) return
    this.#byId.set(contact.id, contact)
    this.#byAddress.set(`${contact.projectId} ${contact.email}`, contact.id)
  }
}
