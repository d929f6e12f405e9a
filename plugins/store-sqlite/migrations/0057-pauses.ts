import { Migration } from '@mikro-orm/migrations'

/** Until when contacts want no marketing mail. */
export class Pauses extends Migration {
  override up(): void {
    this.addSql('alter table "contacts" add column "paused_until" datetime null')
  }
}
