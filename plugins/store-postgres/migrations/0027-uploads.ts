import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Uploaded images; their bytes are in the blob store. */
export class Uploads extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "uploads" ("id" uuid not null, "project_id" uuid not null, "hash" text collate "C" not null, "content_type" text collate "C" not null, "width" int not null, "height" int not null, "size" int not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`alter table "uploads" add constraint "uploads_hash" unique ("project_id", "hash")`)
    this.addSql(`create index "uploads_size" on "uploads" ("project_id", "size")`)
  }
}
