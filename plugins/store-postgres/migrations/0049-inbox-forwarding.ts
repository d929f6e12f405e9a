import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Inboxes send on what comes in, once the mailbox has agreed. */
export class InboxForwarding extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `alter table "inboxes" add "forward_to" text collate "C" null, add "forward_confirmed_at" timestamptz(3) null, add "forward_token" uuid null`,
    )
  }
}
