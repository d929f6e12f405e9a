import { SeedMailbox, SeedTest } from '../../../../core/ports/store/seeds.ts'
import { entityOf } from '../engine/entity-of.ts'

/** Mailboxes at receivers that are read, one per row. */
export const SeedMailboxRow = entityOf(SeedMailbox, {
  name: 'SeedMailboxRow',
  tableName: 'seed_mailboxes',
  indexes: [{ name: 'seed_mailboxes_page', properties: ['projectId', 'id'] }],
})

/** Tests of where mail lands. */
export const SeedTestRow = entityOf(SeedTest, {
  name: 'SeedTestRow',
  tableName: 'seed_tests',
  indexes: [
    { name: 'seed_tests_page', properties: ['projectId', 'campaignId', 'id'] },
    { name: 'seed_tests_created', properties: ['createdAt'] },
    { name: 'seed_tests_waiting', properties: ['waits', 'updatedAt'] },
  ],
})
