import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Keys for agents can be stopped. */
export class StoppedKeys extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "api_keys" add "stopped_at" timestamptz(3) null`)
  }
}
