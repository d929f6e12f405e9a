import { Migration } from '@mikro-orm/migrations'

/** What holds the bounces of a campaign back, and the refusals that braked it. */
export class Brake extends Migration {
  override up(): void {
    this.addSql(`alter table "campaigns" add column "hold" text null`)
    this.addSql(`alter table "campaigns" add column "brake" json null`)
    this.addSql(`create index "campaigns_held" on "campaigns" ("hold") where hold is not null`)
  }
}
