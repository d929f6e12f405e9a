import { Migration } from '@mikro-orm/migrations'

/** Uploaded images; their bytes are in the blob store. */
export class Uploads extends Migration {
  override up(): void {
    this.addSql(
      `create table "uploads" ("id" text not null, "project_id" text not null, "hash" text not null, "content_type" text not null, "width" integer not null, "height" integer not null, "size" integer not null, "created_at" datetime not null, primary key ("id"))`,
    )
    this.addSql(`create unique index "uploads_hash" on "uploads" ("project_id", "hash")`)
    this.addSql(`create index "uploads_size" on "uploads" ("project_id", "size")`)
  }
}
