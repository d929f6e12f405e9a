import { Migration } from '@mikro-orm/migrations'

/** Users have a language, in which mails about their accounts are written. */
export class UserLanguages extends Migration {
  override up(): void {
    this.addSql(`alter table "users" add column "language" text null`)
  }
}
