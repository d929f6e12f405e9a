import { Migration } from '@mikro-orm/migrations'

/** Members give keys to clients of MCP. */
export class ClientsOfMembers extends Migration {
  override up(): void {
    this.addSql(`alter table "api_keys" add column "user_id" text null`)
    this.addSql(`alter table "api_keys" add column "client" json null`)
  }
}
