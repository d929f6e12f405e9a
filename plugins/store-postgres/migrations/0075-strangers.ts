import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** What public keys may do to the data of known contacts, and the mail that asks for a submission's confirmation. */
export class Strangers extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "projects" add column "public_data" text collate "C" not null default 'all'`)
    this.addSql('alter table "form_submissions" add column "email_id" uuid null')
  }
}
