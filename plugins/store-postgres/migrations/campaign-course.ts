const FIGURES = [
  ...['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'],
  ...['received', 'started', 'completed', 'events'],
]
const COURSE = ['delivered', 'opened', 'clicked']

/**
 * Counts what became of the mails of each campaign in each quarter of an hour. The mails are read once, and the sums of
 * those with the same quarters are split by figure.
 */
export const COUNT_CAMPAIGN_COURSE = `with "mails" as materialized (
    select "project_id", "campaign_id", ${COURSE.map((figure) => `${quarter(figure)} as "${figure}"`).join(', ')},
      count(*) as "mails" from "emails" where "campaign_id" is not null group by 1, 2, 3, 4, 5)
  insert into "activity_counts" ("project_id", "length", "name", "start", "slot", ${names(FIGURES)})
  select "project_id", 1, 'campaign:' || "campaign_id"::text, "start", 0, ${FIGURES.map((figure) => `sum("${figure}")`).join(', ')}
  from (${COURSE.map(rows).join(' union all ')}) as "counted" group by 1, 3, 4
  on conflict ("project_id", "length", "name", "start", "slot") do update set
    ${COURSE.map((figure) => `"${figure}" = "activity_counts"."${figure}" + excluded."${figure}"`).join(', ')}`

function rows(figure: string): string {
  const numbers = FIGURES.map((each) => `${each === figure ? '"mails"' : '0'} as "${each}"`)
  return `select "project_id", "campaign_id", "${figure}" as "start", ${numbers.join(', ')} from "mails"
    where "${figure}" is not null`
}

function quarter(figure: string): string {
  return `floor(extract(epoch from "${figure}_at") / 900)::int`
}

function names(of: readonly string[]): string {
  return of.map((name) => `"${name}"`).join(', ')
}
