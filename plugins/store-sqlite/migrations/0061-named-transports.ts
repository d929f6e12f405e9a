import { Migration } from '@mikro-orm/migrations'

/** Mails and campaigns name the transport that they go by, where their requests do. */
export class NamedTransports extends Migration {
  override up(): void {
    this.addSql(`alter table "campaigns" add column "transport" text null`)
    this.addSql(`alter table "mail_contents" add column "transport" text null`)
  }
}
