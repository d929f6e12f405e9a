import { expect, it } from 'vitest'
import { freshDatabase } from '../support/fresh-database.ts'
import { allArrive, CONNECTIONS, makeFleet, repeats, sendMany } from './fleet.ts'

const MAILS = 2_000

it('loses nothing when one of two workers is killed, and repeats at most one mail per connection, with the same Message-ID', async () => {
  const fleet = await makeFleet(await freshDatabase())
  const api = await fleet.start('api')
  // The first worker is the one that runs the schedule: recovery has to move to the other.
  const dies = await fleet.start('worker')
  await fleet.start('worker')
  const sent = sendMany(api, MAILS)
  await fleet.sink.waitFor(MAILS / 4, 30)
  await dies.kill()
  const accepted = await sent
  expect(accepted).toHaveLength(MAILS)

  await allArrive(fleet.sink, accepted, 30_000)
  const repeated = repeats(fleet.sink)
  expect(repeated.withOtherIds).toBe(0)
  expect(repeated.mails).toBeLessThanOrEqual(CONNECTIONS)
  await expect.poll(() => fleet.ledger(), { timeout: 5_000 }).toEqual({ waiting: 0, sending: 0, sent: MAILS })
}, 90_000)
