import { Migration } from '@mikro-orm/migrations'

/** What public keys may do to the data of known contacts, and the mail that asks for a submission's confirmation. */
export class Strangers extends Migration {
  override up(): void {
    this.addSql(`alter table "projects" add column "public_data" text not null default 'all'`)
    this.addSql('alter table "form_submissions" add column "email_id" text null')
  }
}
