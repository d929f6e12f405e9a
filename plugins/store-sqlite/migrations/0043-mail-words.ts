import { Migration } from '@mikro-orm/migrations'
import { SEARCH } from './search-triggers.ts'

/** Words of mails in inboxes, of which the index for searching is made. */
export class MailWords extends Migration {
  override up(): void {
    this.addSql(
      `create table "mail_words" ("email_id" text not null primary key, "project_id" text not null, "scope" text not null, "subject" text not null, "people" text not null, "body" text not null, "files" text not null)`,
    )
    this.addSql(`alter table "thread_mails" add column "indexed_at" datetime null`)
    this.addSql(`create index "thread_mails_unindexed" on "thread_mails" ("at", "email_id") where indexed_at is null`)
    for (const sql of SEARCH) this.addSql(sql)
  }
}
