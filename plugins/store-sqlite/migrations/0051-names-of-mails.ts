import { Migration } from '@mikro-orm/migrations'

/** Mails of threads are found by their names over all inboxes. */
export class NamesOfMails extends Migration {
  override up(): void {
    this.addSql(`drop index "thread_mails_named"`)
    this.addSql(`create index "thread_mails_by_name" on "thread_mails" ("message_id", "inbox_id")`)
  }
}
