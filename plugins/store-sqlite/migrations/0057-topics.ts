import { Migration } from '@mikro-orm/migrations'
import { add } from './tally-triggers.ts'

/** Topics, and what contacts chose for each. */
export class Topics extends Migration {
  override up(): void {
    this.addSql(
      `create table "topics" ("id" text not null, "project_id" text not null, "slug" text not null, "name" text not null, "description" text null, "standing" text not null, "public" integer not null, "archived" integer null, "created_at" datetime not null, "updated_at" datetime not null, primary key ("id"))`,
    )
    this.addSql(`create index "topics_page" on "topics" ("project_id", "id")`)
    this.addSql(`create unique index "topics_slug" on "topics" ("project_id", "slug")`)
    this.addSql(
      `create table "topic_choices" ("contact_id" text not null, "topic_id" text not null, "project_id" text not null, "subscribed" integer not null, "at" datetime not null, "source" text not null, "text" text null, primary key ("contact_id", "topic_id"))`,
    )
    this.addSql(`create index "topic_choices_topic" on "topic_choices" ("topic_id", "subscribed", "contact_id")`)
    for (const table of ['campaigns', 'templates', 'mail_contents'])
      this.addSql(`alter table "${table}" add column "topic_id" text null`)
    for (const sql of CHOICE_TALLIES) this.addSql(sql)
  }
}

/** Triggers that count choices, by topic. */
const CHOICE_TALLIES: readonly string[] = [
  `create trigger "topic_choices_tally_insert" after insert on "topic_choices" begin
    ${counted('new', 1)};
  end`,
  `create trigger "topic_choices_tally_delete" after delete on "topic_choices" begin
    ${counted('old', -1)};
  end`,
  `create trigger "topic_choices_tally_update" after update of "subscribed" on "topic_choices"
    when new."subscribed" <> old."subscribed" begin
    ${counted('old', -1)};
    ${counted('new', 1)};
  end`,
]

function counted(row: 'old' | 'new', by: number): string {
  const kind = `case when ${row}."subscribed" then 'subscribed' else 'unsubscribed' end`
  return add(`values (${row}."project_id", 'topic', ${row}."topic_id", ${kind}, 0, ${by})`)
}
