import { Migration } from '@mikro-orm/migrations'
import { insertsOfLinks } from '../../kit/sql/engine/links-of-events.ts'

/** How often each link was followed in each mail; those that events of clicks name are added. */
export class LinkClicks extends Migration {
  override async up(): Promise<void> {
    this.addSql(
      `create table "links" ("project_id" text not null, "id" text not null, "url" text not null, "personal" integer not null, primary key ("project_id", "id"))`,
    )
    this.addSql(
      `create table "link_clicks" ("email_id" text not null, "link_id" text not null, "project_id" text not null, "campaign_id" text null, "clicks" integer not null, "human_clicks" integer not null, "seen_at" datetime null, primary key ("email_id", "link_id"))`,
    )
    const clicked = `select distinct "project_id", "data" ->> 'link' as "url" from "events"
      where "name" = 'email.click' and "email_id" is not null and "data" ->> 'link' <> ''`
    for (const sql of insertsOfLinks(await this.execute(clicked), '1')) this.addSql(sql)
    this.addSql(
      `insert into "link_clicks" select m."id", l."id", m."project_id", m."campaign_id", count(*),
          sum(case when e."data" ->> 'machine' is null then 1 else 0 end), null
        from "events" as e join "emails" as m on m."id" = e."email_id" and m."project_id" = e."project_id"
        join "links" as l on l."project_id" = e."project_id" and l."url" = e."data" ->> 'link'
        where e."name" = 'email.click' group by m."id", l."id", m."project_id", m."campaign_id"`,
    )
    this.addSql(
      `create index "link_clicks_of_campaign" on "link_clicks" ("campaign_id", "link_id", "email_id") where campaign_id is not null`,
    )
    this.addSql(`create index "link_clicks_of_link" on "link_clicks" ("link_id", "email_id")`)
  }
}
