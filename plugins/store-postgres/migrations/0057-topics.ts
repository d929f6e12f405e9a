import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'
import { addInSchema, tallyFunction, tallyTrigger } from './tally-triggers.ts'

/** Topics, and what contacts chose for each. */
export class Topics extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "topics" ("id" uuid not null, "project_id" uuid not null, "slug" text collate "C" not null, "name" text collate "C" not null, "description" text collate "C" null, "standing" text collate "C" not null, "public" boolean not null, "archived" boolean null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "topics_page" on "topics" ("project_id", "id")`)
    this.addSql(`alter table "topics" add constraint "topics_slug" unique ("project_id", "slug")`)
    this.addSql(
      `create table "topic_choices" ("contact_id" uuid not null, "topic_id" uuid not null, "project_id" uuid not null, "subscribed" boolean not null, "at" timestamptz(3) not null, "source" text collate "C" not null, "text" text collate "C" null, primary key ("contact_id", "topic_id"))`,
    )
    this.addSql(`create index "topic_choices_topic" on "topic_choices" ("topic_id", "subscribed", "contact_id")`)
    for (const table of ['campaigns', 'templates', 'mail_contents'])
      this.addSql(`alter table "${table}" add column "topic_id" uuid null`)
    for (const sql of CHOICE_TALLIES) this.addSql(sql)
  }
}

/** Triggers that count choices by topic, once for each statement. */
const CHOICE_TALLIES: readonly string[] = [
  tallyFunction('choices_added', addInSchema(counted('added', 1))),
  tallyFunction('choices_removed', addInSchema(counted('removed', -1))),
  tallyFunction('choices_changed', addInSchema(`${counted('removed', -1)} union all ${counted('added', 1)}`)),
  tallyTrigger('topic_choices', 'insert', 'choices_added', 'new table as "added"'),
  tallyTrigger('topic_choices', 'delete', 'choices_removed', 'old table as "removed"'),
  tallyTrigger('topic_choices', 'update', 'choices_changed', 'old table as "removed" new table as "added"'),
]

function counted(rows: string, by: number): string {
  return `select "project_id", 'topic' as "subject", "topic_id"::text as "name",
    case when "subscribed" then 'subscribed' else 'unsubscribed' end as "kind", ${by} as "by" from "${rows}"`
}
