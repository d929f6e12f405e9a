import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The replies in the tries of a mail are kept with it. */
export class Tries extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "emails" add column "tries" jsonb null`)
  }
}
