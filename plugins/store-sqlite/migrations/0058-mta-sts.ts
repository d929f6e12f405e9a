import { Migration } from '@mikro-orm/migrations'

/** The MTA-STS policies of domains, and how many connections a report judged by one. */
export class MtaSts extends Migration {
  override up(): void {
    this.addSql(`alter table "domain_reports" add column "sts_sessions" integer null`)
    this.addSql(`alter table "domains" add column "sts" json null`)
  }
}
