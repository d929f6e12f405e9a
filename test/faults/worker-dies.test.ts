import { expect, it } from 'vitest'
import { freshDatabase } from '../support/fresh-database.ts'
import { until } from '../support/until.ts'
import { allArrive, CONNECTIONS, makeFleet, repeats, sendMany } from './fleet.ts'

const MAILS = 500
/** The settings as they come: a try may take eleven minutes, and a lease lasts fifteen. */
const AS_IT_COMES = {}
const LONG = 60_000

it('of two workers one is killed: within a minute the other has sent everything, and repeated at most one mail per connection, with the same Message-ID', async () => {
  const fleet = await makeFleet(await freshDatabase(), AS_IT_COMES)
  // The first worker is the one that runs the schedule: recovery has to move to the other.
  const dies = await fleet.start('worker')
  await until('it is ready', () => dies.output().includes('Mailwright is ready'), LONG)
  const stays = await fleet.start('all')
  const sent = sendMany(stays, MAILS)
  await fleet.sink.waitFor(MAILS / 4, 60)
  await dies.kill()
  const killed = performance.now()
  const accepted = await sent
  expect(accepted).toHaveLength(MAILS)
  // Else it did not die in the middle of it.
  expect((await fleet.ledger()).sending).toBeGreaterThan(0)

  await allArrive(fleet.sink, accepted, 60_000 - (performance.now() - killed))
  const repeated = repeats(fleet.sink)
  expect(repeated.withOtherIds).toBe(0)
  expect(repeated.mails).toBeLessThanOrEqual(CONNECTIONS)
  await expect.poll(() => fleet.ledger(), { timeout: LONG }).toEqual({ waiting: 0, sending: 0, sent: MAILS })
}, 240_000)
