import { Migration } from '@mikro-orm/migrations'
import { UNHURRIED } from './unhurried.ts'

/** Hosts that domains have of their own for the links in their mail. */
export class LinkHosts extends Migration {
  override up(): void {
    this.addSql(UNHURRIED)
    this.addSql(`alter table "domains" add column "link" jsonb null`)
  }
}
