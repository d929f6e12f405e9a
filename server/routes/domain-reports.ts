import { ReportsQuery, UploadReport } from '../../core/reports/domain-reports.ts'
import { UploadFigures } from '../../core/reports/receiver-figures.ts'
import { CursorQuery } from '../../core/values/page.ts'
import {
  AddedFiguresAnswer,
  DomainReportAnswer,
  ReceiverFiguresAnswer,
  ReportSummaryAnswer,
} from '../answers/domain-reports.ts'
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

/** A day of an address, as SNDS writes it. */
const SNDS =
  '192.0.2.25,4/30/2026 9:00 PM,5/1/2026 9:00 PM,1420,1420,1398,GREEN,< 0.1%,5/1/2026 8:07 AM,5/1/2026 8:07 AM,1,,,\n'

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
  {
    method: 'POST',
    path: '/domains/:id/figures',
    operation: 'addReceiverFigures',
    summary: 'Add figures of a receiver',
    description:
      'For a CSV file of Google Postmaster Tools or Microsoft SNDS. A figure that is there already gets the new value, so that a file may come twice.',
    access: 'secret',
    body: 'multipart',
    // 1 MB for the file; the rest is for the form around it
    bodyLimit: 2 * MEGABYTE,
    takes: { body: UploadFigures },
    gives: { 201: AddedFiguresAnswer.schema },
    examples: [{ body: { file: SNDS } }],
    async handle(engine, request) {
      const { caller, body } = request
      const added = await engine.domains.reports.addFigures(caller.project, request.param('id'), body)
      return created(AddedFiguresAnswer.of(added))
    },
  },
  {
    method: 'GET',
    path: '/domains/:id/figures',
    operation: 'getReceiverFigures',
    summary: 'See the figures of receivers on a domain',
    description:
      'Out of the uploaded files, beside what this server counted of the same mail. The newest 5,000; they are kept for 400 days after their day.',
    access: 'secret',
    takes: { query: ReportsQuery },
    gives: { 200: ReceiverFiguresAnswer.schema },
    examples: [{ query: { days: 30 } }],
    async handle(engine, request) {
      const { caller, query } = request
      return ok(
        ReceiverFiguresAnswer.of(await engine.domains.reports.figures(caller.project, request.param('id'), query)),
      )
    },
  },
]
