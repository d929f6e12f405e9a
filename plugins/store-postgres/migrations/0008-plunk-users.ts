import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** A project's sender, filters in Plunk's form, and which transitions were made automatically. */
export class PlunkUsers extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "projects" add column "from" jsonb null`)
    this.addSql(`alter table "segments" add column "condition" jsonb null`)
    this.addSql(`alter table "campaigns" add column "audience_condition" jsonb null`)
    this.addSql(`alter table "workflow_transitions" add column "automatic" boolean null`)
  }
}
