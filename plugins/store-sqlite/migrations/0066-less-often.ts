import { Migration } from '@mikro-orm/migrations'

/** In how many days contacts get one marketing mail at most. */
export class LessOften extends Migration {
  override up(): void {
    this.addSql('alter table "contacts" add column "every_days" integer null')
  }
}
