import { Migration } from '@mikro-orm/migrations'

/** The domains' own hosts for links in mail. */
export class LinkHosts extends Migration {
  override up(): void {
    this.addSql(`alter table "domains" add column "link" json null`)
  }
}
