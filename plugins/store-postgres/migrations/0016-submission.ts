import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Which contents were submitted by SMTP as whole messages. */
export class Submission extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "mail_contents" add column "submitted" jsonb null`)
  }
}
