import { expect, it } from 'vitest'
import { cuttableLine } from '../support/cuttable-line.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { startSlowSmtp } from '../support/slow-smtp.ts'
import { until } from '../support/until.ts'
import { makeFleet, send } from './fleet.ts'

/** The settings as they come: a try may take eleven minutes, and a lease lasts fifteen. */
const AS_IT_COMES = {}
/** A look for due mail that meets the cut comes again a minute later. */
const LONG = 100_000

it('a worker that is cut off from the database gives up what it is sending before another sends it; one that only stands still keeps it, and goes on when it is woken', async () => {
  const slow = await startSlowSmtp()
  const url = await freshDatabase()
  const line = await cuttableLine(new URL(url).hostname, Number(new URL(url).port || 5432))
  const cuttable = Object.assign(new URL(url), { host: `127.0.0.1:${line.port}` }).href
  const fleet = await makeFleet(url, AS_IT_COMES, slow.port)
  const has = (event: string, times = 1) =>
    until(`it was told ${event}`, () => slow.events.filter((each) => each === event).length === times, LONG)

  // The first one runs the schedule, so it is the one that would take the others' mail; both of these hold one of their own.
  const other = await fleet.start('worker')
  await until('it is ready', () => other.output().includes('Mailwright is ready'), LONG)
  other.child.kill('SIGSTOP')
  const stands = await fleet.start('all')
  await send(stands, 'stands@example.org')
  await has('message to stands@example.org')
  stands.child.kill('SIGSTOP')
  const cut = await fleet.start('all', cuttable)
  await send(cut, 'cut@example.org')
  await has('message to cut@example.org')
  other.child.kill('SIGCONT')
  line.cut()
  await has('message to cut@example.org', 2)
  // it stands still for longer than the other was away
  expect(slow.events).toEqual([
    'message to stands@example.org',
    ...['message to cut@example.org', 'closed to cut@example.org', 'message to cut@example.org'],
  ])
  expect(await fleet.ledger()).toEqual({ waiting: 0, sending: 2, sent: 0 })

  stands.child.kill('SIGCONT')
  slow.answer()
  await expect.poll(() => fleet.ledger(), { timeout: LONG }).toEqual({ waiting: 0, sending: 0, sent: 2 })
  expect(other.output()).toContain('took back mail from workers that are gone')
  expect(stands.output()).not.toContain('tries are given up')
  // what it still knows of the mail counts no more
  line.mend()
  await until('the mail is taken', async () => (await send(cut, 'next@example.org'))?.status === 200, LONG, 500)
  await expect.poll(() => fleet.ledger(), { timeout: LONG }).toEqual({ waiting: 0, sending: 0, sent: 3 })
  expect(slow.events.filter((event) => event.startsWith('message'))).toHaveLength(4)
  expect(cut.output()).toContain('tries are given up')
  await other.stop()
}, 240_000)
