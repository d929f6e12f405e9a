import { Migration } from '@mikro-orm/migrations'

/** Which projects tracked events named `contact.created` themselves, before the engine wrote such events. */
export class CreatedContacts extends Migration {
  override up(): void {
    this.addSql('alter table "projects" add column "tracks_created" integer null')
    this.addSql(`update "projects" set "tracks_created" = 1 where exists (select 1 from "events"
      where "project_id" = "projects"."id" and "name" = 'contact.created')`)
  }
}
