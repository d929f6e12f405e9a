import { Migration } from '@mikro-orm/migrations'

/** Hosts that domains have of their own for the links in their mail. */
export class LinkHosts extends Migration {
  override up(): void {
    this.addSql(`alter table "domains" add column "link" json null`)
  }
}
