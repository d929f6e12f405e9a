import { defineEntity, p } from '@mikro-orm/core'
import type { Arrival } from '../../../../core/ports/store/domain-tests.ts'

/** Tests of sending domains, one per row; removed after a day. */
export const DomainTestRow = defineEntity({
  name: 'DomainTestRow',
  tableName: 'domain_tests',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    domainId: p.uuid(),
    to: p.text(),
    isOurs: p.boolean(),
    isMarketing: p.boolean(),
    arrival: p.json().$type<Arrival>().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'domain_tests_by_domain', properties: ['domainId', 'createdAt'] },
    { name: 'domain_tests_created', properties: ['createdAt'] },
  ],
})
