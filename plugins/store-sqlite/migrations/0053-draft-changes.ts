import { Migration } from '@mikro-orm/migrations'

/** A draft has what a person was asked about, when a program has changed it since. */
export class DraftChanges extends Migration {
  override up(): void {
    this.addSql(`alter table "inbox_drafts" add column "changed_from" json null`)
  }
}
