import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Members give keys to clients of MCP. */
export class ClientsOfMembers extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "api_keys" add "user_id" uuid null, add "client" jsonb null`)
  }
}
