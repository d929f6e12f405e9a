import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** What holds the bounces of a campaign back, and the refusals that braked it. */
export class Brake extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "campaigns" add column "hold" text collate "C" null`)
    this.addSql(`alter table "campaigns" add column "brake" jsonb null`)
    this.addSql(`create index "campaigns_held" on "campaigns" ("hold") where hold is not null`)
  }
}
