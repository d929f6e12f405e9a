import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** In how many days contacts get one marketing mail at most. */
export class LessOften extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql('alter table "contacts" add column "every_days" int null')
  }
}
