import { Migration } from '@mikro-orm/migrations'
import { UNHURRIED } from './unhurried.ts'

/** Which contents were submitted as whole messages. */
export class Submission extends Migration {
  override up(): void {
    this.addSql(UNHURRIED)
    this.addSql(`alter table "mail_contents" add column "submitted" jsonb null`)
  }
}
