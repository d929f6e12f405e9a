import { Migration } from '@mikro-orm/migrations'

/** The replies in the tries of a mail are kept with it. */
export class Tries extends Migration {
  override up(): void {
    this.addSql(`alter table "emails" add column "tries" json null`)
  }
}
