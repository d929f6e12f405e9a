import { Migration } from '@mikro-orm/migrations'

/** Contacts are counted by the code that inserts them, since a trigger added to a counter for each of their fields. */
export class CountedContacts extends Migration {
  override up(): void {
    this.addSql('drop trigger "contacts_tally_insert"')
  }
}
