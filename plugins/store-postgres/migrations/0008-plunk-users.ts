import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The sender of a project, filters as Plunk writes them, and which transitions were drawn by themselves. */
export class PlunkUsers extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "projects" add column "from" jsonb null`)
    this.addSql(`alter table "segments" add column "condition" jsonb null`)
    this.addSql(`alter table "campaigns" add column "audience_condition" jsonb null`)
    this.addSql(`alter table "workflow_transitions" add column "automatic" boolean null`)
  }
}
