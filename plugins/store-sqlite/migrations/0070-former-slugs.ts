import { Migration } from '@mikro-orm/migrations'

/** What topics were called by before. */
export class FormerSlugs extends Migration {
  override up(): void {
    this.addSql('alter table "topics" add column "former_slugs" json null')
  }
}
