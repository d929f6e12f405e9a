import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The MTA-STS policies of domains, and how many connections a report judged by one. */
export class MtaSts extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "domain_reports" add "sts_sessions" int null`)
    this.addSql(`alter table "domains" add "sts" jsonb null`)
  }
}
