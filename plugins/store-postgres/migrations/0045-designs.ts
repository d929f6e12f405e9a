import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** What visual editors make bodies from. */
export class Designs extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "templates" add column "design" jsonb null`)
    this.addSql(`alter table "campaigns" add column "design" jsonb null`)
  }
}
