import { ListAudit } from '../../core/accounts/audit.ts'
import { type KeyRoute, ok } from '../http/route.ts'
import { AuditRecord } from '../schemas/audit.ts'
import { cursorList } from '../schemas/parts.ts'
import { auditOnWire } from '../wire/accounts.ts'
import { listOnWire } from '../wire/records.ts'

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
    gives: { 200: cursorList(AuditRecord) },
    examples: [{ query: { action: 'createTemplate', limit: 10 } }],
    async handle(engine, { caller, query }) {
      return ok(listOnWire(await engine.accounts.audit.list(caller.project, query), auditOnWire))
    },
  },
]
