import { expect, it } from 'vitest'
import { cuttableLine } from '../support/cuttable-line.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { startSlowSmtp } from '../support/slow-smtp.ts'
import { until } from '../support/until.ts'
import { makeFleet, send } from './fleet.ts'

/** The settings as they come: a try may take eleven minutes, and a lease lasts fifteen. */
const AS_IT_COMES = {}
const LONG = 20_000

it('a worker that is cut off from the database gives up what it is sending before the other sends it', async () => {
  const slow = await startSlowSmtp()
  const url = await freshDatabase()
  const line = await cuttableLine(new URL(url).hostname, Number(new URL(url).port || 5432))
  const cuttable = Object.assign(new URL(url), { host: `127.0.0.1:${line.port}` }).href
  const fleet = await makeFleet(url, AS_IT_COMES, slow.port)
  const cut = await fleet.start('all', cuttable)
  await send(cut, 'ada@example.org')
  await until('the message is with the relay', () => slow.events.length === 1, LONG)
  const other = await fleet.start('worker')
  line.cut()
  await until('the other has sent it', () => slow.events.filter((event) => event === 'message').length === 2, 60_000)
  expect(slow.events).toEqual(['message', 'closed', 'message'])
  slow.answer()
  await expect.poll(() => fleet.ledger(), { timeout: LONG }).toEqual({ waiting: 0, sending: 0, sent: 1 })
  // what it still knows of the mail counts no more
  line.mend()
  await send(cut, 'next@example.org')
  await expect.poll(() => fleet.ledger(), { timeout: 40_000 }).toEqual({ waiting: 0, sending: 0, sent: 2 })
  expect(slow.events.filter((event) => event === 'message')).toHaveLength(3)
  expect(cut.output()).toContain('tries are given up')
  await other.stop()
}, 180_000)
