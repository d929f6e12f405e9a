import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'
import { SEARCH } from './search-triggers.ts'

/** Words of mails in inboxes, of which the index for searching is made. */
export class MailWords extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "mail_words" ("email_id" uuid not null, "project_id" uuid not null, "scope" text collate "C" not null, "subject" text collate "C" not null, "people" text collate "C" not null, "body" text collate "C" not null, "files" text collate "C" not null, primary key ("email_id"))`,
    )
    this.addSql(`alter table "thread_mails" add "indexed_at" timestamptz(3) null`)
    this.addSql(`create index "thread_mails_unindexed" on "thread_mails" ("at", "email_id") where indexed_at is null`)
    for (const sql of SEARCH) this.addSql(sql)
  }
}
