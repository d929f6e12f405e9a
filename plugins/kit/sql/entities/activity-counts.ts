import { defineEntity, p } from '@mikro-orm/core'

/**
 * Counts of what happened in each quarter of an hour and on each day in UTC, made in the transactions that write it
 * (see engine/activity-deltas.ts). Quarters, since days of every time zone are made of them; days, so that a year is
 * not the sum of 35,000 rows. `length` is 1 or 96 quarters, `start` the first of them, counted from 1970. The row
 * without a name has the project's figures, one with the name of a custom event only its `events`, one named
 * `campaign:<id>` only what was delivered, opened and clicked of that campaign, without days. A figure is the sum over
 * `slot`, so that connections need not wait for each other's row; after two days they are joined in slot 0.
 */
export const ActivityCountRow = defineEntity({
  name: 'ActivityCountRow',
  tableName: 'activity_counts',
  properties: {
    projectId: p.uuid().primary(),
    length: p.smallint().primary(),
    name: p.text().primary(),
    start: p.integer().primary(),
    slot: p.integer().primary(),
    sent: p.integer(),
    delivered: p.integer(),
    opened: p.integer(),
    clicked: p.integer(),
    bounced: p.integer(),
    complained: p.integer(),
    received: p.integer(),
    started: p.integer(),
    completed: p.integer(),
    events: p.integer(),
  },
  // those that connections still keep apart; a database with one writer has none
  indexes: [{ name: 'activity_counts_apart', properties: ['start'], where: 'slot <> 0' }],
})
