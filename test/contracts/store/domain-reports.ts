import { expect, it } from 'vitest'
import type { DomainReport, ReceiverFigure, ReportSource } from '../../../core/ports/store/domain-reports.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, NOON, newId, newProjectId } from './records.ts'

const DAY = Math.floor(NOON.getTime() / 86_400_000)

/** A source of a report: three messages that passed. */
export function sourceOf(
  { id: domainReportId, projectId, domainId }: Pick<DomainReport, 'id' | 'projectId' | 'domainId'>,
  fields: Partial<ReportSource> = {},
): ReportSource {
  return {
    ...{ domainReportId, projectId, domainId, number: 0, day: DAY, ip: '192.0.2.1', headerFrom: 'a.example' },
    ...{
      dkimDomain: 'a.example',
      dkimSelector: 's1',
      dkimResult: 'pass',
      spfDomain: '',
      spfResult: 'none',
      reason: '',
    },
    ...{ messages: 3, byDkim: 3, bySpf: 0, passed: 3, quarantined: 0, rejected: 0 },
    ...fields,
  }
}

/** The promises of a store about reports of receivers on domains. */
export function storeDomainReportsContract(fresh: () => Promise<Store>) {
  const own = { projectId: newProjectId(), domainId: newId() }
  const made = (fields: Partial<DomainReport> = {}): DomainReport => ({
    ...{ id: newId(), ...own, kind: 'dmarc', reporter: 'Big Mail', reportId: newId(), domain: 'a.example' },
    ...{ begin: NOON, end: at(86_399), messages: 3, passed: 3, policy: 'none', createdAt: NOON },
    ...fields,
  })

  it('are kept once, and answered to their project alone', async () => {
    const { domainReports } = await fresh()
    const report = made()
    expect(await domainReports.add(report, [sourceOf(report)])).toBe(true)
    expect(await domainReports.add({ ...report, id: newId() }, [])).toBe(false)
    expect(await domainReports.page(own.projectId, own.domainId, { limit: 5 })).toEqual([report])
    expect(await domainReports.count(own.projectId, own.domainId)).toBe(1)
    expect(await domainReports.policy(own.projectId, own.domainId)).toBe('none')
    await domainReports.add(made(), [])
    expect(await domainReports.reportedSince(report.createdAt), 'once for each domain').toEqual([own])
    expect(await domainReports.reportedSince(new Date(report.createdAt.getTime() + 1))).toEqual([])
    const stranger = newProjectId()
    expect(await domainReports.page(stranger, own.domainId, { limit: 5 })).toEqual([])
    expect(await domainReports.sources(stranger, own.domainId, NOON, 5)).toEqual([])
    expect(await domainReports.days(stranger, own.domainId, NOON)).toEqual([])
    expect(await domainReports.policy(stranger, own.domainId)).toBeUndefined()
  })

  it('are added up by day and by source, from a day on', async () => {
    const { domainReports } = await fresh()
    const [first, second] = [made(), made()]
    const later = { day: DAY + 1, messages: 5, byDkim: 0, bySpf: 5, passed: 5 }
    await domainReports.add(first, [
      sourceOf(first),
      sourceOf(first, { number: 1, ip: '192.0.2.9', byDkim: 0, passed: 0, quarantined: 1, rejected: 2 }),
    ])
    await domainReports.add(second, [sourceOf(second, later)])
    const { projectId, domainId } = own
    expect(await domainReports.days(projectId, domainId, NOON)).toEqual([
      { day: DAY, messages: 6, passed: 3 },
      { day: DAY + 1, messages: 5, passed: 5 },
    ])
    const sources = await domainReports.sources(projectId, domainId, NOON, 9)
    expect(sources.map(({ ip, messages, byDkim, bySpf }) => [ip, messages, byDkim, bySpf])).toEqual([
      ['192.0.2.1', 8, 3, 5],
      ['192.0.2.9', 3, 0, 0],
    ])
    expect(sources[1]).toMatchObject({ dkimDomain: 'a.example', dkimSelector: 's1', quarantined: 1, rejected: 2 })
    const next = new Date(NOON.getTime() + 86_400_000)
    expect(await domainReports.sources(projectId, domainId, next, 9)).toMatchObject([{ messages: 5 }])
  })

  it('on TLS are answered with what failed', async () => {
    const { domainReports } = await fresh()
    const { policy: _, ...facts } = made({ kind: 'tls' })
    const report = { ...facts, failures: [{ type: 'certificate-expired', sessions: 2, host: 'mx', detail: '\'"\\' }] }
    await domainReports.add(report, [])
    expect(await domainReports.tls(own.projectId, own.domainId, NOON, 5)).toEqual([report])
    expect(await domainReports.tls(own.projectId, own.domainId, at(1), 5)).toEqual([])
  })

  it('on single messages are counted by domain and day, and go with both', async () => {
    const { domainReports } = await fresh()
    const { projectId, domainId } = own
    const other = { projectId, domainId: newId(), day: DAY, reports: 1 }
    const count = (day: number, reports: number) => ({ projectId, domainId, day, reports })
    await domainReports.countFailures([other, count(DAY, 1)])
    await domainReports.countFailures([count(DAY, 2), other])
    await domainReports.countFailures([count(DAY + 1, 5)])
    const days = (since = NOON) => domainReports.failures(projectId, domainId, since)
    expect(await days()).toEqual([
      { day: DAY, reports: 3 },
      { day: DAY + 1, reports: 5 },
    ])
    expect(await domainReports.failures(newProjectId(), domainId, NOON)).toEqual([])
    const next = new Date(NOON.getTime() + 86_400_000)
    expect(await days(next)).toEqual([{ day: DAY + 1, reports: 5 }])
    expect(await domainReports.forget(next, 1), 'one of two').toBe(1)
    expect(await domainReports.forget(next, 9)).toBe(1)
    expect(await days()).toEqual([{ day: DAY + 1, reports: 5 }])
    expect(await domainReports.removeOf(newProjectId(), domainId, 9)).toBe(0)
    // callers ask again only while as many went as may go
    await domainReports.add(made(), [])
    expect(await domainReports.removeOf(projectId, domainId, 9), 'the report and the day').toBe(2)
    expect(await days()).toEqual([])
    await domainReports.add(made(), [])
    await domainReports.countFailures([count(DAY, 1)])
    expect(await domainReports.forget(next, 9)).toBe(2)
    expect(await days()).toEqual([])
  })

  it('have figures of receivers beside them, each once for its day and subject, which go with both', async () => {
    const { domainReports } = await fresh()
    const { projectId, domainId } = own
    const figure = (fields: Partial<ReceiverFigure> = {}): ReceiverFigure => ({
      ...{ id: newId(), ...own, receiver: 'google', figure: 'spamRate', day: '2026-04-02', subject: '' },
      ...{ value: 0.1, createdAt: NOON },
      ...fields,
    })
    const { value: _, ...word } = figure({ figure: 'domainReputation', word: 'HIGH', day: '2026-04-03' })
    const [first, other] = [figure(), figure({ subject: '\'"\\' })]
    await domainReports.addFigures([first, word, other, figure({ domainId: newId() })])
    await domainReports.addFigures([figure({ value: 0.25, createdAt: at(9) })])
    const all = (since: string, limit = 9) => domainReports.receiverFigures(projectId, domainId, since, limit)
    expect(await all('2026-04-02')).toEqual([word, { ...first, value: 0.25, createdAt: at(9) }, other])
    expect(await all('2026-04-02', 1)).toEqual([word])
    expect(await all('2026-04-03')).toEqual([word])
    expect(await domainReports.receiverFigures(newProjectId(), domainId, '2026-04-01', 9)).toEqual([])
    // another project cannot take over the row
    await domainReports.addFigures([figure({ projectId: newProjectId(), value: 9 })])
    expect(await domainReports.countFigures(projectId, domainId)).toBe(3)
    expect(await all('2026-04-02')).toContainEqual({ ...first, value: 0.25, createdAt: at(9) })
    const third = new Date('2026-04-03T12:00:00Z')
    expect(await domainReports.forget(third, 2), 'two of three').toBe(2)
    expect(await domainReports.forget(third, 9)).toBe(1)
    expect(await all('2026-04-01')).toEqual([word])
    expect(await domainReports.removeOf(newProjectId(), domainId, 9)).toBe(0)
    expect(await domainReports.removeOf(projectId, domainId, 9)).toBe(1)
    expect(await all('2026-04-01')).toEqual([])
  })

  it('go with their domain, and with their age, and take their sources along', async () => {
    const { domainReports } = await fresh()
    const [old, young, other] = [made(), made({ createdAt: at(9) }), made({ domainId: newId(), createdAt: at(9) })]
    for (const report of [old, young, other]) await domainReports.add(report, [sourceOf(report)])
    expect(await domainReports.forget(at(5), 9)).toBe(1)
    expect(await domainReports.sources(own.projectId, own.domainId, NOON, 9)).toMatchObject([{ messages: 3 }])
    expect(await domainReports.removeOf(newProjectId(), own.domainId, 9)).toBe(0)
    expect(await domainReports.removeOf(own.projectId, own.domainId, 9)).toBe(1)
    expect(await domainReports.days(own.projectId, own.domainId, NOON)).toEqual([])
    expect(await domainReports.count(own.projectId, other.domainId)).toBe(1)
  })
}
