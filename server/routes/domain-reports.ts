import { ReportsQuery, UploadReport } from '../../core/reports/domain-reports.ts'
import { CursorQuery } from '../../core/values/page.ts'
import { DomainReportAnswer, ReportSummaryAnswer } from '../answers/domain-reports.ts'
import { cursorList, listed } from '../answers/lists.ts'
import { created, type KeyRoute, ok } from '../http/route.ts'

const MEGABYTE = 1024 * 1024

/** A TLS report, which is the shorter kind. */
const EXAMPLE = JSON.stringify({
  'organization-name': 'Example Mail',
  'report-id': '2026-05-01-example.com',
  'date-range': { 'start-datetime': '2026-05-01T00:00:00Z', 'end-datetime': '2026-05-01T23:59:59Z' },
  policies: [
    {
      policy: { 'policy-type': 'no-policy-found', 'policy-domain': 'example.com' },
      summary: { 'total-successful-session-count': 250, 'total-failure-session-count': 0 },
    },
  ],
})

/** The reports of receivers on sending domains. */
export const domainReportRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/domains/:id/reports',
    operation: 'listDomainReports',
    summary: 'List the reports on a domain',
    description: 'What receivers reported on DMARC and TLS, newest first. They are kept for 400 days.',
    access: 'secret',
    takes: { query: CursorQuery },
    gives: { 200: cursorList(DomainReportAnswer.schema) },
    examples: [{ query: { limit: 100 } }],
    async handle(engine, request) {
      const page = await engine.domains.reports.list(request.caller.project, request.param('id'), request.query)
      return ok(listed(page, DomainReportAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/domains/:id/reports',
    operation: 'addDomainReport',
    summary: 'Add a report on a domain',
    description:
      'For a report that came elsewhere: a DMARC report (XML) or a TLS report (JSON), as it is or packed as gzip or zip. 409 if it is here already.',
    access: 'secret',
    body: 'multipart',
    // 10 MB for the file; the rest is for the form around it
    bodyLimit: 11 * MEGABYTE,
    takes: { body: UploadReport },
    gives: { 201: DomainReportAnswer.schema },
    examples: [{ body: { file: EXAMPLE } }],
    async handle(engine, request) {
      const { caller, body } = request
      return created(DomainReportAnswer.of(await engine.domains.reports.add(caller.project, request.param('id'), body)))
    },
  },
  {
    method: 'GET',
    path: '/domains/:id/reports/summary',
    operation: 'getReportSummary',
    summary: 'See what receivers report on a domain',
    description:
      'Who sends in its name, which of that passes DMARC, what a stricter policy would cost, and whether mail to it was encrypted.',
    access: 'secret',
    takes: { query: ReportsQuery },
    gives: { 200: ReportSummaryAnswer },
    examples: [{ query: { days: 30 } }],
    async handle(engine, request) {
      return ok(await engine.domains.reports.summary(request.caller.project, request.param('id'), request.query))
    },
  },
]
