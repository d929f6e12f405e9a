import { Migration } from '@mikro-orm/migrations'

/** Which contents were submitted by SMTP as whole messages. */
export class Submission extends Migration {
  override up(): void {
    this.addSql(`alter table "mail_contents" add column "submitted" json null`)
  }
}
