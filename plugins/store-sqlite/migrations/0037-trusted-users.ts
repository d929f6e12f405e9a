import { Migration } from '@mikro-orm/migrations'

/** Who was made a user by whoever runs the server, and may make projects. Of those before, nobody knows; OWNERs may, too. */
export class TrustedUsers extends Migration {
  override up(): void {
    this.addSql(`alter table "users" add column "trusted" integer null`)
  }
}
