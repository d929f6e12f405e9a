import { Migration } from '@mikro-orm/migrations'

/** Drafts have files, whose bytes are kept until they are sent. */
export class DraftAttachments extends Migration {
  override up(): void {
    this.addSql(
      `create table "draft_attachments" ("id" text not null primary key, "project_id" text not null, "draft_id" text not null, "bytes" blob not null)`,
    )
    this.addSql(`create index "draft_attachments_of" on "draft_attachments" ("draft_id", "id")`)
    this.addSql(`alter table "inbox_drafts" add column "attachments" json null`)
    this.addSql(`alter table "inbox_drafts" add column "omitted_files" integer null`)
  }
}
