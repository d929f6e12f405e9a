import { expect, it } from 'vitest'
import { freshDatabase } from '../support/fresh-database.ts'
import { allArrive, CONNECTIONS, makeFleet, repeats, sendMany } from './fleet.ts'

const MAILS = 2_000
/** The settings as they come: a try may take eleven minutes, and a lease lasts fifteen. */
const AS_IT_COMES = {}
const LONG = 20_000

it('of two workers one is killed: within a minute the other has sent everything, and repeated at most one mail per connection, with the same Message-ID', async () => {
  const fleet = await makeFleet(await freshDatabase(), AS_IT_COMES)
  const api = await fleet.start('api')
  // The first worker is the one that runs the schedule: recovery has to move to the other.
  const dies = await fleet.start('worker')
  await fleet.start('worker')
  const sent = sendMany(api, MAILS)
  await fleet.sink.waitFor(MAILS / 4, 60)
  await dies.kill()
  const killed = performance.now()
  const accepted = await sent
  expect(accepted).toHaveLength(MAILS)

  await allArrive(fleet.sink, accepted, 60_000 - (performance.now() - killed))
  const repeated = repeats(fleet.sink)
  expect(repeated.withOtherIds).toBe(0)
  expect(repeated.mails).toBeLessThanOrEqual(CONNECTIONS)
  await expect.poll(() => fleet.ledger(), { timeout: LONG }).toEqual({ waiting: 0, sending: 0, sent: MAILS })
}, 180_000)
