import type { Contact } from '../ports/store/contacts.ts'
import type { Repositories } from '../ports/store/store.ts'
import { Conflict } from '../values/conflict.ts'

/** Saves contacts within a transaction. Throws Conflict when another one took an address meanwhile: run this one again. */
export async function saveContacts(tx: Repositories, contacts: readonly Contact[]): Promise<void> {
  if (contacts.length > 0 && (await tx.contacts.save(contacts)) === 'met-another') throw new Conflict()
}
