import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** What bodies were made of. */
export class MailSources extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "templates" add column "source" jsonb null`)
    this.addSql(`alter table "campaigns" add column "source" jsonb null`)
  }
}
