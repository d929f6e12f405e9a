import { expect, it } from 'vitest'
import { Recorder } from '../../core/delivery/recorder.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { ClaimedEmail, DeliveryResult } from '../../core/ports/store/emails.ts'
import type { Store } from '../../core/ports/store/store.ts'
import type { Doorbell } from '../../core/work/doorbell.ts'
import { kitOf } from '../support/kit.ts'

it('writes a few lines, not one for each mail and try, while the database is away', async () => {
  const lines: (readonly [message: string, unsaid: unknown])[] = []
  const note = (message: string, fields?: { readonly unsaid?: unknown }) => void lines.push([message, fields?.unsaid])
  const kit = { ...kitOf(() => new Date()), log: { ...silentLog, warn: note, error: note } }
  let tries = 0
  const record = async () => {
    tries++
    throw new Error('the database is away')
  }
  const recorder = new Recorder({ emails: { record } } as unknown as Store, {} as Doorbell, kit)
  const stops = new AbortController()
  const mails = Array.from({ length: 50 }, () =>
    recorder.record(
      { status: 'SENT' } as DeliveryResult,
      { lane: 0, dueAt: new Date() } as unknown as ClaimedEmail,
      stops.signal,
    ),
  )
  await expect.poll(() => tries).toBeGreaterThan(100)
  stops.abort()
  await Promise.all(mails)
  expect(lines.length).toBeLessThanOrEqual(6)
  expect(lines.map(([message]) => message)).toContain('could not store what became of a mail')
})
