import { Migration } from '@mikro-orm/migrations'

/** Keys for agents can be stopped. */
export class StoppedKeys extends Migration {
  override up(): void {
    this.addSql(`alter table "api_keys" add column "stopped_at" datetime null`)
  }
}
