import { Migration } from '@mikro-orm/migrations'

/** What visual editors make bodies from. */
export class Designs extends Migration {
  override up(): void {
    this.addSql(`alter table "templates" add column "design" json null`)
    this.addSql(`alter table "campaigns" add column "design" json null`)
  }
}
