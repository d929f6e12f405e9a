import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The rights of each API key, and when they end. Keys from before may do all that their kind may. */
export class KeyScopes extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "api_keys" add column "scopes" jsonb not null default '["full"]'`)
    this.addSql(`update "api_keys" set "scopes" = '["track"]' where "kind" = 'public'`)
    this.addSql(`alter table "api_keys" add column "expires_at" timestamptz(3) null`)
  }
}
