import { Migration } from '@mikro-orm/migrations'

/** Snippets and layouts keep the drawing they were made from, and snippets a title. */
export class DrawnPieces extends Migration {
  override up(): void {
    this.addSql(`alter table "layouts" add column "design" json null`)
    this.addSql(`alter table "snippets" add column "title" text null`)
    this.addSql(`alter table "snippets" add column "design" json null`)
  }
}
