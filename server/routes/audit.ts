import { ListAudit, NarrowAudit } from '../../core/accounts/audit.ts'
import { AuditAnswer } from '../answers/audit.ts'
import { cursorList, listed } from '../answers/lists.ts'
import { csvHeaders } from '../http/csv-file.ts'
import { type KeyRoute, ok } from '../http/route.ts'

/** Who changed what. */
export const auditRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/audit',
    operation: 'listAudit',
    summary: 'List who changed what in the project',
    description: 'Newest first. Names of changed fields are kept, values are not.',
    access: 'secret',
    area: 'audit',
    takes: { query: ListAudit },
    gives: { 200: cursorList(AuditAnswer.schema) },
    examples: [{ query: { action: 'createTemplate', limit: 10 } }],
    async handle(engine, { caller, query }) {
      return ok(listed(await engine.accounts.audit.list(caller.project, query), AuditAnswer.of))
    },
  },
  {
    method: 'GET',
    path: '/audit/export',
    operation: 'exportAudit',
    audit: 'always',
    summary: 'Export who changed what as CSV',
    description:
      'Streams the entries that `GET /audit` lists with the same filters, newest first, at most 100,000: ask for older ones by `endDate`.',
    access: 'secret',
    area: 'audit',
    takes: { query: NarrowAudit },
    gives: { 200: 'text/csv' },
    examples: [{ query: { kind: 'campaigns', startDate: '2026-01-01' } }],
    async handle(engine, { caller, query }) {
      const stream = await engine.accounts.audit.export(caller.project, query)
      return { status: 200, stream, headers: csvHeaders(`audit-${engine.now().toISOString().slice(0, 10)}.csv`) }
    },
  },
]
