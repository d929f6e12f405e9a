import { Migration } from '@mikro-orm/migrations'

/** How the assistant works in an inbox; without it, it is off there. */
export class InboxAssistant extends Migration {
  override up(): void {
    this.addSql(`alter table "inboxes" add column "assistant" json null`)
  }
}
