import type { AuditEntry } from '../../core/ports/store/audit.ts'
import type { AuditRecord } from '../schemas/audit.ts'
import type { Wire } from '../schemas/parts.ts'

/** An entry of the audit log. */
export function auditOnWire(entry: AuditEntry): Wire<typeof AuditRecord> {
  const { id, at, action, actorType, actorId, actorName, targetType, targetId = null, ...more } = entry
  const { createdId = null, fields, outcome, requestId, address = null } = more
  return {
    id,
    timestamp: at,
    action,
    actor: { type: actorType, id: actorId, name: actorName },
    target: { type: targetType, id: targetId },
    createdId,
    fields,
    outcome,
    requestId,
    address,
  }
}
