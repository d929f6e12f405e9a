import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** A draft has what a person was asked about, when a program has changed it since. */
export class DraftChanges extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "inbox_drafts" add "changed_from" jsonb null`)
  }
}
