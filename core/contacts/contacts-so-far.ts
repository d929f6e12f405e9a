import type { Contact } from '../ports/store/contacts.ts'
import type { KnownContacts } from '../ports/store/write-batch.ts'

/** The contacts of a request as it has left them so far. Two addresses may stand for one contact. */
export class ContactsSoFar implements Pick<KnownContacts, 'byAddress'> {
  readonly #known: Pick<KnownContacts, 'byAddress'>
  readonly #changed = new Map<string, Contact>()
  readonly #made = new Map<string, string>()

  constructor(known: Pick<KnownContacts, 'byAddress'>) {
    this.#known = known
  }

  byAddress(email: string): Contact | undefined {
    const known = this.#known.byAddress(email)
    return this.#changed.get(known?.id ?? this.#made.get(email) ?? '') ?? known
  }

  /** Notes a contact that was changed or made. */
  put(contact: Contact): void {
    this.#changed.set(contact.id, contact)
    this.#made.set(contact.email, contact.id)
  }

  /** The contacts that were changed or made. */
  get changed(): readonly Contact[] {
    return [...this.#changed.values()]
  }
}
