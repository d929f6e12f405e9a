import { Migration } from '@mikro-orm/migrations'

/** Names of uploaded images, and their order in a list. */
export class UploadList extends Migration {
  override up(): void {
    this.addSql(`alter table "uploads" add column "name" text null`)
    this.addSql(`create index "uploads_newest" on "uploads" ("project_id", "id")`)
  }
}
