import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** How many mails contacts get, and how many projects may send. */
export class MailLimits extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    for (const column of ['frequency_cap', 'quotas'])
      this.addSql(`alter table "projects" add column "${column}" jsonb null`)
  }
}
