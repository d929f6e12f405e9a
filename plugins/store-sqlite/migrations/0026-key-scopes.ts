import { Migration } from '@mikro-orm/migrations'

/** The rights of each API key, and when they end. Keys from before may do all that their kind may. */
export class KeyScopes extends Migration {
  override up(): void {
    this.addSql(`alter table "api_keys" add column "scopes" json not null default '["full"]'`)
    this.addSql(`update "api_keys" set "scopes" = '["track"]' where "kind" = 'public'`)
    this.addSql(`alter table "api_keys" add column "expires_at" datetime null`)
  }
}
