import { addInSchema, tallyFunction, tallyTrigger } from './tally-triggers.ts'

/** Triggers that count choices by topic, once for each statement. */
export const CHOICE_TALLIES: readonly string[] = [
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
