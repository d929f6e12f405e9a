import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** What topics were called by before. */
export class FormerSlugs extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql('alter table "topics" add column "former_slugs" jsonb null')
  }
}
