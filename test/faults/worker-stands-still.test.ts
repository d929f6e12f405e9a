import { expect, it } from 'vitest'
import { freshDatabase } from '../support/fresh-database.ts'
import { startSlowSmtp } from '../support/slow-smtp.ts'
import { until } from '../support/until.ts'
import { makeFleet, send } from './fleet.ts'

/** The settings as they come: a try may take eleven minutes, and a lease lasts fifteen. */
const AS_IT_COMES = {}
const LONG = 20_000

it('a worker that stands still keeps the mail it is sending: nobody else sends it, and it goes on when it is woken', async () => {
  const slow = await startSlowSmtp()
  const fleet = await makeFleet(await freshDatabase(), AS_IT_COMES, slow.port)
  const stops = await fleet.start('all')
  await send(stops, 'ada@example.org')
  await until('the message is with the relay', () => slow.events.length === 1, LONG)
  const other = await fleet.start('worker')
  stops.child.kill('SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 50_000))
  expect(slow.events).toEqual(['message'])
  expect(await fleet.ledger()).toEqual({ waiting: 0, sending: 1, sent: 0 })
  stops.child.kill('SIGCONT')
  slow.answer()
  await expect.poll(() => fleet.ledger(), { timeout: LONG }).toEqual({ waiting: 0, sending: 0, sent: 1 })
  expect(slow.events.filter((event) => event === 'message')).toHaveLength(1)
  expect(other.output()).not.toContain('took back')
}, 180_000)
