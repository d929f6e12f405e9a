import { defineEntity, p } from '@mikro-orm/core'

/**
 * How many rows of a kind a project has, kept by triggers with every write; when they are inserted, mails are counted by
 * EmailTable, and on SQLite contacts by ContactTable. By `subject`: contacts (`contact`), their data keys with the kind of the value (`field`), events by name
 * (`event`), what became of a campaign's mails by the campaign's id (`campaign`) and, when it has a
 * test, by the id and the part of the test, with a colon between (`variant`). A counter is the sum over `slot`, so
 * that connections need not wait for each other's row.
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
