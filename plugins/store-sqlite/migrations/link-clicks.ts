import { insertsOfLinks } from '../../kit/sql/engine/links-of-events.ts'

/** The links that events of clicks name. */
export const CLICKED_LINKS = `select distinct "project_id", "data" ->> 'link' as "url" from "events"
  where "name" = 'email.click' and "email_id" is not null and "data" ->> 'link' <> ''`

/** The tables of how often each link was followed in each mail, with the clicks that there are already. */
export function linkClicks(clicked: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  return [
    `create table "links" (
      "project_id" text not null,
      "id" text not null,
      "url" text not null,
      "personal" integer not null,
      primary key ("project_id", "id"))`,
    `create table "link_clicks" (
      "email_id" text not null,
      "link_id" text not null,
      "project_id" text not null,
      "campaign_id" text null,
      "clicks" integer not null,
      "human_clicks" integer not null,
      "seen_at" datetime null,
      primary key ("email_id", "link_id"))`,
    ...insertsOfLinks(clicked, '1'),
    `insert into "link_clicks" select m."id", l."id", m."project_id", m."campaign_id", count(*),
        sum(case when e."data" ->> 'machine' is null then 1 else 0 end), null
      from "events" as e join "emails" as m on m."id" = e."email_id" and m."project_id" = e."project_id"
      join "links" as l on l."project_id" = e."project_id" and l."url" = e."data" ->> 'link'
      where e."name" = 'email.click' group by m."id", l."id", m."project_id", m."campaign_id"`,
    `create index "link_clicks_of_campaign" on "link_clicks" ("campaign_id", "link_id", "email_id")
      where campaign_id is not null`,
    `create index "link_clicks_of_link" on "link_clicks" ("link_id", "email_id")`,
  ]
}
