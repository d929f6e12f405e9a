import { stringify } from 'csv-stringify/sync'
import type { Contact, ContactFilter } from '../ports/store/contacts.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Topic, TopicChoice } from '../ports/store/topics.ts'
import { FIELDS_OF_CONTACT } from '../values/fields-of-contact.ts'
import type { Position } from '../values/page.ts'
import type { ProjectId } from '../values/project-id.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { cellOf, columnOfKey, EXPORT_COLUMNS, guarded } from './csv-cells.ts'
import { TEXT_COLUMN, TOPIC_COLUMN } from './csv-topics.ts'

/** How many contacts are read and written at a time; fewer when they have many columns. */
const PAGE = 2000
const CELLS = 50_000

/**
 * The contacts as CSV (RFC 4180, UTF-8), page by page, read only as fast as the caller consumes them. The header is the
 * standard columns, then what was chosen of each topic and by which words, then these data keys. Importing the file makes the same contacts, as far as cells can hold their
 * values.
 */
export async function* exportContacts(
  { contacts, topics }: Pick<Repositories, 'contacts' | 'topics'>,
  projectId: ProjectId,
  filter: ContactFilter,
  keys: readonly string[],
): AsyncGenerator<string> {
  const all = await topics.all(projectId)
  const ofTopics = all.flatMap(({ slug }) => [guarded(TOPIC_COLUMN + slug), guarded(TOPIC_COLUMN + slug + TEXT_COLUMN)])
  yield csvOf([[...EXPORT_COLUMNS, ...ofTopics, ...keys.map((key) => guarded(columnOfKey(key)))]])
  const limit = Math.max(1, Math.min(PAGE, Math.floor(CELLS / (EXPORT_COLUMNS.length + 2 * all.length + keys.length))))
  let after: Position | undefined
  for (;;) {
    const rows = await contacts.page(projectId, filter, OLDEST_FIRST, { limit, ...(after && { after }) })
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const ids = all.length === 0 ? [] : page.map(({ id }) => id)
    const choices = Map.groupBy(await topics.choices(projectId, ids), ({ contactId }) => contactId)
    if (last) yield csvOf(page.map((contact) => cellsOf(contact, all, choices.get(contact.id) ?? [], keys)))
    if (rows.length <= limit || !last) return
    after = { value: '', id: last.id }
    await yieldToLoop()
  }
}

const OLDEST_FIRST = { sort: 'createdAt', dir: 'asc' } as const

function cellsOf(
  contact: Contact,
  topics: readonly Topic[],
  choices: readonly TopicChoice[],
  keys: readonly string[],
): string[] {
  const { id, data } = contact
  const own = FIELDS_OF_CONTACT.map((name) => standardCell(contact[name]))
  const chosen = topics.map((topic) => choices.find(({ topicId }) => topicId === topic.id))
  return [
    id,
    ...own,
    contact.leftBy ?? '',
    ...chosen.flatMap((choice) => (choice ? [String(choice.subscribed), guarded(choice.text ?? '')] : ['', ''])),
    ...keys.map((key) => (Object.hasOwn(data, key) ? cellOf(data[key]) : '')),
  ]
}

function standardCell(value: string | boolean | number | Date | undefined): string {
  if (value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? guarded(value) : String(value)
}

/** Records as CSV (RFC 4180). Without quotes, blanks around a text would be lost. */
export function csvOf(records: readonly (readonly string[])[]): string {
  return stringify([...records], { record_delimiter: '\r\n', quote_record_delimiter: true, quoted_match: [/^\s|\s$/] })
}
