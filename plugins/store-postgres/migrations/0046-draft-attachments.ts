import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Drafts have files, whose bytes are kept until they are sent. */
export class DraftAttachments extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "draft_attachments" ("id" uuid not null, "project_id" uuid not null, "draft_id" uuid not null, "bytes" bytea not null, primary key ("id"))`,
    )
    this.addSql(`create index "draft_attachments_of" on "draft_attachments" ("draft_id", "id")`)
    this.addSql(`alter table "inbox_drafts" add "attachments" jsonb null, add "omitted_files" int null`)
  }
}
