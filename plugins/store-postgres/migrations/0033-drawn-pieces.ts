import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Snippets and layouts keep the drawing they were made from, and snippets a title. */
export class DrawnPieces extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "layouts" add "design" jsonb null`)
    this.addSql(`alter table "snippets" add "title" text collate "C" null, add "design" jsonb null`)
  }
}
