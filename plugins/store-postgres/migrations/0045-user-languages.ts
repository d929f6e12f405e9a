import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Users have a language, in which mails about their accounts are written. */
export class UserLanguages extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "users" add "language" text collate "C" null`)
  }
}
