import * as v from 'valibot'
import { AUDIT_ACTORS, AUDIT_OUTCOMES } from '../../core/ports/store/audit.ts'
import { named } from '../../core/values/described.ts'
import { Id, many, Time } from './parts.ts'

export const AuditRecord = named(
  'AuditEntry',
  v.object({
    id: Id,
    timestamp: Time,
    action: v.string(),
    actor: v.object({ type: v.picklist(AUDIT_ACTORS), id: v.string(), name: v.string() }),
    target: v.object({
      type: v.string(),
      id: v.nullable(v.string()),
      name: v.nullable(v.string()),
      partOf: v.nullable(v.object({ type: v.string(), id: v.string() })),
    }),
    createdId: v.nullable(v.string()),
    fields: many(v.string()),
    outcome: v.picklist(AUDIT_OUTCOMES),
    requestId: v.string(),
    address: v.nullable(v.string()),
  }),
)
