import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Mails and campaigns name the transport that they go by, where their requests do. */
export class NamedTransports extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "campaigns" add "transport" text collate "C" null`)
    this.addSql(`alter table "mail_contents" add "transport" text collate "C" null`)
  }
}
