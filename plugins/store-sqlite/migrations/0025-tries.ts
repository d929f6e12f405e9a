import { Migration } from '@mikro-orm/migrations'

/** What was said in the tries of a mail is kept with it. */
export class Tries extends Migration {
  override up(): void {
    this.addSql(`alter table "emails" add column "tries" json null`)
  }
}
