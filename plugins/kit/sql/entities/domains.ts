import { defineEntity, p } from '@mikro-orm/core'
import type { DomainKey, DomainLink, StoredFinding, StsPolicy } from '../../../../core/ports/store/domains.ts'

/** Sending domains, one per row. */
export const DomainRow = defineEntity({
  name: 'DomainRow',
  tableName: 'domains',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    domain: p.text(),
    status: p.text(),
    keys: p.json().$type<readonly DomainKey[]>(),
    findings: p.json().$type<Readonly<Record<string, StoredFinding>>>(),
    failures: p.integer(),
    link: p.json().$type<DomainLink>().nullable(),
    sts: p.json().$type<StsPolicy>().nullable(),
    provenAt: p.datetime(3).nullable(),
    lastCheckedAt: p.datetime(3).nullable(),
    dueAt: p.datetime(3),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    { name: 'domains_by_project', properties: ['projectId'] },
    { name: 'domains_due', properties: ['dueAt', 'id'] },
  ],
  uniques: [{ name: 'domains_domain', properties: ['domain'] }],
})
