import { Migration } from '@mikro-orm/migrations'

/** How many mails contacts get, and how many projects may send. */
export class MailLimits extends Migration {
  override up(): void {
    for (const column of ['frequency_cap', 'quotas'])
      this.addSql(`alter table "projects" add column "${column}" json null`)
  }
}
