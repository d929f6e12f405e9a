import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** How the assistant works in an inbox; without it, it is off there. */
export class InboxAssistant extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "inboxes" add "assistant" jsonb null`)
  }
}
