import { randomUUID } from 'node:crypto'
import { parseReport } from '../core/bounces/parse/parse-report.ts'
import { ReturnPaths } from '../core/mail/links/ways-back.ts'
import { EngineValues } from '../core/settings/engine-values.ts'
import { parse } from '../core/values/parse.ts'
import { bounceOf } from '../test/support/bounce.ts'
import type { Figure } from './figure.ts'

const REPORTS = 20_000
const PATHS = 200_000
/** The mail that a report returns, with the header of a mail that passed two servers. */
const HEADER = Array.from({ length: 30 }, (_, i) => `X-Field-${i}: ${'some words of a field '.repeat(3)}`).join('\r\n')

/** How many bounces are read per second, and how long making and reading a return path takes. */
export async function measureFeedback(): Promise<readonly Figure[]> {
  const settings = parse(EngineValues, { feedback: { returnPathHost: 'bounces.example.com' } })
  const paths = new ReturnPaths({ secret: Buffer.from('a secret of sixteen characters') }, { settings })
  const ids = Array.from({ length: 1000 }, () => randomUUID())
  const from = paths.of(ids[0] ?? '') ?? ''
  const raw = Buffer.from(`${HEADER}\r\nMessage-ID: <${ids[0]}@example.com>\r\n\r\nwords`, 'latin1')
  const whom = { address: 'ada@example.org', status: '5.1.1', diagnostic: '550 5.1.1 <ada@example.org>: User unknown' }
  const report = bounceOf({ raw, from }, [whom])
  const reads = perSecond(REPORTS, () => parseReport(report, { from: '' }))
  const makes = perSecond(PATHS, (i) => paths.of(ids[i % ids.length] ?? ''))
  const checks = perSecond(PATHS, () => paths.read(from))
  return [
    { what: 'Bounce messages read (RFC 3464, 5 KB)', value: reads, unit: 'messages/s' },
    { what: 'Return path made', value: 1e9 / makes, unit: 'ns' },
    { what: 'Return path read', value: 1e9 / checks, unit: 'ns' },
  ]
}

/** Runs per second, after a warm-up of a tenth of the runs. */
function perSecond(times: number, run: (i: number) => unknown): number {
  for (let i = 0; i < times / 10; i++) run(i)
  const begun = performance.now()
  for (let i = 0; i < times; i++) run(i)
  return (times / (performance.now() - begun)) * 1000
}
