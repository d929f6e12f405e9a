import { Snippet } from '../../../../core/ports/store/snippets.ts'
import { entityOf } from '../engine/entity-of.ts'

/** Snippets, one per row. */
export const SnippetRow = entityOf(Snippet, {
  name: 'SnippetRow',
  tableName: 'snippets',
  indexes: [{ name: 'snippets_page', properties: ['projectId', 'id'] }],
  uniques: [{ name: 'snippets_name', properties: ['projectId', 'name'] }],
})
