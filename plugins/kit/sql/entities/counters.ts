import { defineEntity, p } from '@mikro-orm/core'

/**
 * How many rows of a project have some quality, kept by triggers with every write: its contacts (`subject` contact), the
 * data keys they have with the kind of the value (`field`), its events by name (`event`), the facts of its campaigns' mails
 * by the campaign's id (`campaign`). A counter is the sum over
 * `slot`, so that connections need not wait for each other's row.
 */
export const CounterRow = defineEntity({
  name: 'CounterRow',
  tableName: 'tallies',
  properties: {
    projectId: p.uuid().primary(),
    subject: p.text().primary(),
    name: p.text().primary(),
    kind: p.text().primary(),
    slot: p.integer().primary(),
    count: p.integer(),
  },
})
