import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Who was made a user by whoever runs the server, and may make projects. Of those before, nobody knows; OWNERs may, too. */
export class TrustedUsers extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "users" add column "trusted" boolean null`)
  }
}
