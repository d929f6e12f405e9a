import { Migration } from '@mikro-orm/migrations'

/** Inboxes send on what comes in, once the mailbox has agreed. */
export class InboxForwarding extends Migration {
  override up(): void {
    this.addSql(`alter table "inboxes" add column "forward_to" text null`)
    this.addSql(`alter table "inboxes" add column "forward_confirmed_at" datetime null`)
    this.addSql(`alter table "inboxes" add column "forward_token" text null`)
  }
}
