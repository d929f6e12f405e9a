import { add } from './tally-triggers.ts'

/** Triggers that count choices, by topic. */
export const CHOICE_TALLIES: readonly string[] = [
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
