import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The domains' own hosts for links in mail. */
export class LinkHosts extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "domains" add column "link" jsonb null`)
  }
}
