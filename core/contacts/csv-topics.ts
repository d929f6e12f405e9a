import type { Topic } from '../ports/store/topics.ts'
import { slugOf } from '../values/slug.ts'

/** How the name of a topic's column begins; its slug follows. */
export const TOPIC_COLUMN = 'topic:'
/** The column that lists topics. */
export const TOPICS_COLUMN = 'topics'

/** A topic as files of contacts name it. */
export type NamedTopic = Pick<Topic, 'id' | 'slug' | 'name'>

/** The topics that the columns of a file may name, and the one that every contact of the file gets. */
export interface FileTopics {
  readonly known: readonly Topic[]
  readonly ofAll?: string | undefined
}

/** The columns that say which topics a contact chose. */
export interface TopicColumns {
  /** Those of single topics, by their places. */
  readonly single: ReadonlyMap<number, NamedTopic>
  /** The column that lists topics. */
  readonly list?: number
  /** The topics of the project. */
  readonly known: readonly NamedTopic[]
}

/** Finds the columns about topics. In a project without topics there are none, and such columns are data as any other. */
export function topicColumns(names: readonly string[], known: readonly NamedTopic[]): TopicColumns {
  const single = new Map<number, NamedTopic>()
  let list: number | undefined
  if (known.length > 0) {
    for (const [index, name] of names.entries()) {
      const lower = name.toLowerCase()
      const topic = lower.startsWith(TOPIC_COLUMN)
        ? known.find(({ slug }) => slug === lower.slice(TOPIC_COLUMN.length).trim())
        : undefined
      if (topic) single.set(index, topic)
      else if (lower === TOPICS_COLUMN) list ??= index
    }
  }
  return { single, known, ...(list === undefined ? {} : { list }) }
}

/** What a row says about topics, by their ids. */
export interface RowTopics {
  /** From the columns of single topics. */
  readonly said: ReadonlyMap<string, boolean>
  /** From a list, which tells who gets what, but not who came back after leaving. */
  readonly listed: ReadonlySet<string>
}

/** Reads what a row says about topics, or says why it is refused. An empty cell says nothing. */
export function topicsIn({ single, list, known }: TopicColumns, cells: readonly string[]): RowTopics | string {
  if (single.size === 0 && list === undefined) return NO_TOPICS
  const said = new Map<string, boolean>()
  for (const [index, { id, slug }] of single) {
    const cell = (cells[index] ?? '').trim().toLowerCase()
    if (cell === '') continue
    const word = WORDS.get(cell)
    if (word === undefined) return `${TOPIC_COLUMN}${slug}: must be true, 1, yes, false, 0 or no`
    said.set(id, word)
  }
  const listed = new Set<string>()
  for (const part of (cells[list ?? -1] ?? '').split(/[,;|]/)) {
    const name = part.trim()
    if (name === '') continue
    const topic = known.find((each) => each.slug === slugOf(name) || each.name.toLowerCase() === name.toLowerCase())
    if (topic === undefined) return `${TOPICS_COLUMN}: there is no topic ${JSON.stringify(name.slice(0, 100))}`
    listed.add(topic.id)
  }
  return { said, listed }
}

const NO_TOPICS: RowTopics = { said: new Map(), listed: new Set() }

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...(['true', '1', 'yes'] as const).map((word) => [word, true] as const),
  ...(['false', '0', 'no'] as const).map((word) => [word, false] as const),
])
