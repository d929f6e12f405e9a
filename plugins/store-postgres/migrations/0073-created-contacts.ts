import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Which projects tracked events named `contact.created` themselves, before the engine wrote such events. */
export class CreatedContacts extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql('alter table "projects" add column "tracks_created" boolean null')
    this.addSql(`update "projects" set "tracks_created" = true where exists (select 1 from "events"
      where "project_id" = "projects"."id" and "name" = 'contact.created')`)
  }
}
