import { stringify } from 'csv-stringify/sync'
import { cellOf, columnOfKey, EXPORT_COLUMNS, guarded, LEFT_COLUMN } from '../../core/contacts/csv-cells.ts'
import { TOPIC_COLUMN, TOPICS_COLUMN } from '../../core/contacts/csv-topics.ts'
import type { Json } from '../../core/values/json.ts'

/** A contact as another service has it. */
export interface BroughtContact {
  readonly email: string
  readonly subscribed: boolean
  readonly data: Readonly<Record<string, Json>>
  /** The topics that it gets there, by their slugs, unless it left them here. */
  readonly topics?: readonly string[]
  /** The topics that it left there. */
  readonly leftTopics?: readonly string[]
}

/** As an export of contacts has them, in which each cell says its own type. */
export function csvOf(contacts: readonly BroughtContact[]): string {
  const keys = [...new Set(contacts.flatMap(({ data }) => Object.keys(data)))]
  const left = [...new Set(contacts.flatMap(({ leftTopics = [] }) => leftTopics))]
  const isListed = contacts.some(({ topics = [] }) => topics.length > 0)
  const rows = contacts.map(({ email, subscribed, data, topics = [], leftTopics = [] }) => {
    // who is not subscribed there may have left there, and no file is to bring them back
    // empty: new contacts are subscribed, and known ones stay as they are
    const said: Readonly<Record<string, string>> = {
      email: guarded(email),
      ...(subscribed ? {} : { subscribed: 'false', [LEFT_COLUMN]: 'import' }),
    }
    const own = EXPORT_COLUMNS.map((column) => said[column] ?? '')
    const ofTopics = [
      ...(isListed ? [topics.join(';')] : []),
      ...left.map((slug) => (leftTopics.includes(slug) ? 'false' : '')),
    ]
    return [...own, ...ofTopics, ...keys.map((key) => cellOf(data[key]))]
  })
  const ofTopics = [...(isListed ? [TOPICS_COLUMN] : []), ...left.map((slug) => TOPIC_COLUMN + slug)]
  return stringify([[...EXPORT_COLUMNS, ...ofTopics, ...keys.map((key) => guarded(columnOfKey(key)))], ...rows])
}
