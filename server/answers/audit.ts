import * as v from 'valibot'
import { AUDIT_ACTORS, AUDIT_OUTCOMES, type AuditEntry } from '../../core/ports/store/audit.ts'
import { answer } from './answer.ts'
import { Id, many, Time } from './parts.ts'

export const AuditAnswer = answer(
  'AuditEntry',
  {
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
  },
  ({ actorType, actorId, actorName, targetType, targetId, targetName, parentType, parentId, ...entry }: AuditEntry) => {
    const partOf = parentType === undefined || parentId === undefined ? null : { type: parentType, id: parentId }
    return {
      ...entry,
      timestamp: entry.at,
      actor: { type: actorType, id: actorId, name: actorName },
      target: { type: targetType, id: targetId ?? null, name: targetName ?? null, partOf },
    }
  },
)
