import { Migration } from '@mikro-orm/migrations'

/** What bodies were made of. */
export class MailSources extends Migration {
  override up(): void {
    this.addSql(`alter table "templates" add column "source" json null`)
    this.addSql(`alter table "campaigns" add column "source" json null`)
  }
}
