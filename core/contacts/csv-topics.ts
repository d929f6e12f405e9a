import type { Topic } from '../ports/store/topics.ts'
import { isStorableText } from '../values/json.ts'
import { slugOf } from '../values/slug.ts'
import { unguarded } from './csv-cells.ts'

/** How the name of a topic's column begins; its slug follows. */
export const TOPIC_COLUMN = 'topic:'
/** The column that lists topics. */
export const TOPICS_COLUMN = 'topics'

/** How the name of a column with the words of a choice ends, behind that of its topic. */
export const TEXT_COLUMN = ':text'
/** The column with the words of every choice of its row. */
const CONSENT_COLUMN = 'consentText'
/** How many characters the words of a choice may have. */
export const CONSENT_LENGTH = 2000

/** A topic as files of contacts name it. */
export type NamedTopic = Pick<Topic, 'id' | 'slug' | 'name'>

/** The topics that the columns of a file may name, and the one that every contact of the file gets. */
export interface FileTopics {
  readonly known: readonly Topic[]
  readonly ofAll?: string | undefined
  /** The words that every contact of the file agreed to, unless its row has others. */
  readonly consentText?: string | undefined
}

/** The columns that say which topics a contact chose. */
export interface TopicColumns {
  /** Those of single topics, by their places. */
  readonly single: ReadonlyMap<number, NamedTopic>
  /** The column that lists topics. */
  readonly list?: number
  /** The words of the choice of one topic, by its id, and those of all choices of a row. */
  readonly texts: ReadonlyMap<string, number>
  readonly consent?: number
  /** The topics of the project. */
  readonly known: readonly NamedTopic[]
}

/** Finds the columns about topics. In a project without topics there are none, and such columns are data as any other. */
export function topicColumns(names: readonly string[], known: readonly NamedTopic[]): TopicColumns {
  const single = new Map<number, NamedTopic>()
  const texts = new Map<string, number>()
  let list: number | undefined
  let consent: number | undefined
  if (known.length > 0) {
    for (const [index, name] of names.entries()) {
      const lower = name.toLowerCase()
      const isText = lower.endsWith(TEXT_COLUMN)
      const own = lower.slice(TOPIC_COLUMN.length, isText ? -TEXT_COLUMN.length : undefined).trim()
      const topic = lower.startsWith(TOPIC_COLUMN) ? known.find(({ slug }) => slug === own) : undefined
      if (topic && isText) texts.set(topic.id, index)
      else if (topic) single.set(index, topic)
      else if (lower === TOPICS_COLUMN) list ??= index
      else if (lower === CONSENT_COLUMN.toLowerCase()) consent ??= index
    }
  }
  const ofRows = { ...(list === undefined ? {} : { list }), ...(consent === undefined ? {} : { consent }) }
  return { single, texts, known, ...ofRows }
}

/** The key of a column about topics, as it is shown; undefined for any other column. */
export function keyOfTopics({ single, list, texts, consent, known }: TopicColumns, index: number): string | undefined {
  const topic = single.get(index)
  if (topic) return TOPIC_COLUMN + topic.slug
  if (index === list) return TOPICS_COLUMN
  if (index === consent) return CONSENT_COLUMN
  const ofText = known.find(({ id }) => texts.get(id) === index)
  return ofText && TOPIC_COLUMN + ofText.slug + TEXT_COLUMN
}

/** What a row says about topics, by their ids. */
export interface RowTopics {
  /** From the columns of single topics. */
  readonly said: ReadonlyMap<string, boolean>
  /** From a list, which tells who gets what, but not who came back after leaving. */
  readonly listed: ReadonlySet<string>
  /** The words of single choices, by topic, and those of all topics that the row gives. */
  readonly texts: ReadonlyMap<string, string>
  readonly consentText?: string
}

/** Reads what a row says about topics, or says why it is refused. An empty cell says nothing. */
export function topicsIn(columns: TopicColumns, cells: readonly string[]): RowTopics | string {
  const { single, list, texts: ofTopics, consent, known } = columns
  if (single.size + ofTopics.size === 0 && list === undefined && consent === undefined) return NO_TOPICS
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
  const texts = new Map<string, string>()
  for (const [id, index] of [...ofTopics, [ROW, consent ?? -1] as const]) {
    const text = textIn(cells[index] ?? '')
    if (text.length > CONSENT_LENGTH || !isStorableText(text)) {
      const problem = isStorableText(text) ? `have at most ${CONSENT_LENGTH} characters` : 'not contain NUL'
      return `${keyOfTopics(columns, index)}: must ${problem}`
    }
    if (text !== '') texts.set(id, text)
  }
  const consentText = texts.get(ROW)
  return { said, listed, texts, ...(consentText === undefined ? {} : { consentText }) }
}

/** Beside the ids of topics: the words of the whole row. */
const ROW = ''

function textIn(cell: string): string {
  return (unguarded(cell) ?? cell).trim()
}

const NO_TOPICS: RowTopics = { said: new Map(), listed: new Set(), texts: new Map() }

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...(['true', '1', 'yes'] as const).map((word) => [word, true] as const),
  ...(['false', '0', 'no'] as const).map((word) => [word, false] as const),
])
