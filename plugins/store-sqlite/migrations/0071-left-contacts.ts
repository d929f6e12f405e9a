import { Migration } from '@mikro-orm/migrations'

/**
 * How contacts left. Those that left before are known by their last event; of those whose events may be removed already, it is
 * assumed.
 */
export class LeftContacts extends Migration {
  override up(): void {
    this.addSql('alter table "contacts" add column "left_by" text null')
    this.addSql(`update "contacts" set "left_by" = (select coalesce(json_extract("data", '$.reason'), 'api') from "events"
      where "project_id" = "contacts"."project_id" and "name" = 'contact.unsubscribed'
      and "contact_id" = "contacts"."id" and json_extract("data", '$.topicId') is null order by "created_at" desc limit 1)
      where not "subscribed"`)
    this.addSql(`update "contacts" set "left_by" = 'api' where not "subscribed" and "left_by" is null
      and "id" < (select "position" from "retention_positions" where "name" = 'ledgerEvents')`)
  }
}
