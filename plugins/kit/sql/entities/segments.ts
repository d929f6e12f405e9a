import { defineEntity, p } from '@mikro-orm/core'
import type { Filter } from '../../../../core/ports/store/filters.ts'
import type { JsonObject } from '../../../../core/values/json.ts'

/** Segments, one per row. */
export const SegmentRow = defineEntity({
  name: 'SegmentRow',
  tableName: 'segments',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    slug: p.text(),
    description: p.text().nullable(),
    type: p.text(),
    filter: p.json().$type<Filter>().nullable(),
    condition: p.json().$type<JsonObject>().nullable(),
    filterEdition: p.integer().nullable(),
    trackMembership: p.boolean(),
    memberCount: p.integer(),
    countedAt: p.datetime(3).nullable(),
    computedAt: p.datetime(3).nullable(),
    fullyComputedAt: p.datetime(3).nullable(),
    begunAt: p.datetime(3).nullable(),
    version: p.integer().default(1),
    problem: p.text().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    { name: 'segments_page', properties: ['projectId', 'id'] },
    { name: 'segments_begun', properties: ['begunAt'] },
  ],
  uniques: [{ name: 'segments_slug', properties: ['projectId', 'slug'] }],
})
