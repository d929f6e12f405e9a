import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** How projects look to their readers. */
export class LookOfProjects extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "projects" add column "look" jsonb null`)
    this.addSql(`alter table "mail_contents" add column "look" jsonb null`)
  }
}
