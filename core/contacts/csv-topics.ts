import * as v from 'valibot'
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
export type NamedTopic = Pick<Topic, 'id' | 'slug' | 'name' | 'formerSlugs'>

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
  /** The columns that list topics: one, or one for each category of groups of another program. */
  readonly lists: readonly number[]
  /** The words of the choice of one topic, by its id, and those of all choices of a row. */
  readonly texts: ReadonlyMap<string, number>
  readonly consent?: number
  /** The topics of the project. */
  readonly known: readonly NamedTopic[]
}

/**
 * Finds the columns about topics. In a project without topics there are none but those that the caller says list some
 * (`given`, by their places), and such columns are data as any other.
 */
export function topicColumns(
  names: readonly string[],
  known: readonly NamedTopic[],
  given: ReadonlySet<number>,
): TopicColumns {
  const single = new Map<number, NamedTopic>()
  const texts = new Map<string, number>()
  const lists: number[] = []
  const isResend = RESEND.every((name) => names.some((each) => each.toLowerCase() === name))
  let consent: number | undefined
  if (known.length + given.size > 0) {
    for (const [index, name] of names.entries()) {
      if (known.length === 0 && !given.has(index)) continue
      const lower = name.toLowerCase()
      const isText = lower.endsWith(TEXT_COLUMN)
      const own = lower.slice(TOPIC_COLUMN.length, isText ? -TEXT_COLUMN.length : undefined).trim()
      const topic = lower.startsWith(TOPIC_COLUMN)
        ? withSlug(known, own)
        : isResend
          ? known.find((each) => isNamed(each, name))
          : undefined
      if (topic && isText) texts.set(topic.id, index)
      else if (topic) single.set(index, topic)
      else if (lower === TOPICS_COLUMN) lists.push(index)
      else if (lower === CONSENT_COLUMN.toLowerCase()) consent ??= index
    }
  }
  return { single, texts, lists, known, ...(consent === undefined ? {} : { consent }) }
}

/** The key of a column about topics, as it is shown; undefined for any other column. */
export function keyOfTopics({ single, lists, texts, consent, known }: TopicColumns, index: number): string | undefined {
  const topic = single.get(index)
  if (topic) return TOPIC_COLUMN + topic.slug
  if (lists.includes(index)) return TOPICS_COLUMN
  if (index === consent) return CONSENT_COLUMN
  const ofText = known.find(({ id }) => texts.get(id) === index)
  return ofText && TOPIC_COLUMN + ofText.slug + TEXT_COLUMN
}

/** The choices of topics in a row, by their ids. */
export interface RowTopics {
  /** From the columns of single topics. */
  readonly said: ReadonlyMap<string, boolean>
  /** From a list, which tells who gets what, but not who came back after leaving. */
  readonly listed: ReadonlySet<string>
  /** The words of single choices, by topic, and those of all topics that the row gives. */
  readonly texts: ReadonlyMap<string, string>
  readonly consentText?: string
}

/** Why a row is refused; where it lists topics that the project has not, with their names. */
export interface RefusedTopics {
  readonly error: string
  readonly missing?: readonly string[]
}

/** Reads what a row says about topics, or says why it is refused. An empty cell says nothing. */
export function topicsIn(columns: TopicColumns, cells: readonly string[]): RowTopics | RefusedTopics {
  const { single, lists, texts: ofTopics, consent, known } = columns
  if (single.size + ofTopics.size + lists.length === 0 && consent === undefined) return NO_TOPICS
  const said = new Map<string, boolean>()
  for (const [index, { id, slug }] of single) {
    const cell = (cells[index] ?? '').trim().toLowerCase()
    if (cell === '') continue
    const word = WORDS.get(cell)
    if (word === undefined) return { error: `${TOPIC_COLUMN}${slug}: must be true, 1, yes, false, 0 or no` }
    said.set(id, word)
  }
  const listed = new Set<string>()
  const missing = new Set<string>()
  for (const index of lists) {
    const choices = choicesIn(cells[index] ?? '')
    if (choices === undefined) return { error: `${TOPICS_COLUMN}: has more than ${MAX_LIST} characters` }
    for (const { name, isIn } of choices) {
      const topic = known.find((each) => isNamed(each, name)) ?? withSlug(known, slugOf(name))
      if (topic === undefined) missing.add(name.slice(0, 100))
      else if (isIn) listed.add(topic.id)
      else said.set(topic.id, false)
    }
  }
  const [first] = missing
  if (first !== undefined) {
    return { error: `${TOPICS_COLUMN}: there is no topic ${JSON.stringify(first)}`, missing: [...missing] }
  }
  const texts = new Map<string, string>()
  for (const [id, index] of [...ofTopics, [ROW, consent ?? -1] as const]) {
    const text = textIn(cells[index] ?? '')
    if (text.length > CONSENT_LENGTH || !isStorableText(text)) {
      const problem = isStorableText(text) ? `have at most ${CONSENT_LENGTH} characters` : 'not contain NUL'
      return { error: `${keyOfTopics(columns, index)}: must ${problem}` }
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
  ...(['true', '1', 'yes', 'opt_in'] as const).map((word) => [word, true] as const),
  ...(['false', '0', 'no', 'opt_out'] as const).map((word) => [word, false] as const),
])

/** Columns of Resend's contacts: in such a file, a column named as a topic is about it. */
const RESEND = ['email', 'unsubscribed', 'created_at']

function isNamed({ slug, name }: NamedTopic, given: string): boolean {
  return slug === slugOf(given) || name.toLowerCase() === given.toLowerCase()
}

/** The topic with this slug, or else the one that had it before: files that were exported then still name it so. */
function withSlug(known: readonly NamedTopic[], slug: string): NamedTopic | undefined {
  return (
    known.find((topic) => topic.slug === slug) ??
    known.find(({ formerSlugs = [] }) => formerSlugs.some((each) => each === slug))
  )
}

/** The note about a column that is named as one of a topic, where the project has topics, but not this one. */
export function strayTopicNote({ known }: TopicColumns, name: string): string | undefined {
  if (known.length === 0 || !name.toLowerCase().startsWith(TOPIC_COLUMN)) return undefined
  return `no topic has this slug, so it chooses none (there are ${known.map(({ slug }) => slug).join(', ')})`
}

/** As many characters may a list of topics have. */
const MAX_LIST = 10_000

/**
 * The topics of a cell: names between commas, semicolons or |, of which Mailchimp escapes commas within a name; or JSON, as
 * Resend answers it. Undefined for a cell that is too long.
 */
function choicesIn(cell: string): readonly { readonly name: string; readonly isIn: boolean }[] | undefined {
  if (cell.length > MAX_LIST) return undefined
  if (cell.startsWith('[')) {
    const choices = choicesInJson(cell)
    if (choices) return choices
  }
  // a file that escapes commas separates by them alone
  const separators = cell.includes('\\,') ? ',' : ',;|'
  const names: string[] = ['']
  for (let i = 0; i < cell.length; i++) {
    const char = cell.charAt(i)
    if (char === '\\' && cell.charAt(i + 1) === ',') names[names.length - 1] += cell.charAt(++i)
    else if (separators.includes(char)) names.push('')
    else names[names.length - 1] += char
  }
  return names.flatMap((part) => (part.trim() === '' ? [] : [{ name: part.trim(), isIn: true }]))
}

const JsonChoices = v.array(
  v.union([
    v.pipe(
      v.string(),
      v.transform((name) => ({ name, isIn: true })),
    ),
    v.pipe(
      v.object({ name: v.string(), subscription: v.picklist(['opt_in', 'opt_out']) }),
      v.transform(({ name, subscription }) => ({ name, isIn: subscription === 'opt_in' })),
    ),
  ]),
)

function choicesInJson(cell: string): v.InferOutput<typeof JsonChoices> | undefined {
  try {
    const read = v.safeParse(JsonChoices, JSON.parse(cell))
    return read.success ? read.output : undefined
  } catch {
    return undefined
  }
}
