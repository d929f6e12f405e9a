import * as v from 'valibot'
import { byDefault, flag, found, json, label, oneOf, optional, slug, text } from '../../values/kind.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { given, INTERNAL, owned, type RecordOf, record, TIMES } from '../../values/record.ts'
import { TOPIC_SLUG_LENGTH } from '../../values/slug.ts'
import type { CampaignStatus } from './campaigns.ts'

/** Whether contacts who never chose get a topic's mail: `in` they do, `out` they do not. */
export const STANDINGS = ['in', 'out'] as const
export type Standing = (typeof STANDINGS)[number]

/** A kind of marketing mail that contacts choose by itself, such as a newsletter. */
export const Topic = record('Topic', 'A kind of marketing mail that contacts choose by itself, such as a newsletter.', {
  ...owned('topic'),
  slug: [
    found(slug(TOPIC_SLUG_LENGTH, 'product-news')),
    'What requests and filters may call it by, such as `product-news`.',
    given('create', 'change'),
  ],
  formerSlugs: [
    optional(json<readonly string[]>(v.array(v.string()))),
    'What it was called by before, the last one first; forms on other pages may still send it.',
    INTERNAL,
  ],
  name: [label(100), 'The name, which contacts see on their page.', given('create', 'change')],
  description: [
    optional(text(0, 500)),
    'What it is about, which contacts see on their page.',
    given('create', 'change'),
  ],
  standing: [
    byDefault(oneOf(STANDINGS), 'out'),
    'Whether contacts who never chose get its mail: `in` they do and may leave, `out` (the default) only those who chose it do.',
    given('create', 'change'),
  ],
  public: [
    byDefault(flag, true),
    'Whether contacts see it on their page. By default they do.',
    given('create', 'change'),
  ],
  archived: [
    optional(flag),
    'Whether it is put away: neither contacts nor lists to choose from show it. What contacts chose stays.',
    given('change'),
  ],
  ...TIMES,
})
export interface Topic extends RecordOf<typeof Topic> {}

/** Where a choice was made. */
export const CHOICE_SOURCES = ['api', 'dashboard', 'import', 'page', 'one-click', 'form', 'workflow'] as const
export type ChoiceSource = (typeof CHOICE_SOURCES)[number]

/** A contact's choice for a topic, and the proof of it. Without a choice the topic's standing decides. */
export interface TopicChoice {
  /** Whose choice it is. */
  readonly contactId: string
  /** The topic that it is about. */
  readonly topicId: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** Whether the contact wants its mail. */
  readonly subscribed: boolean
  /** When it was made. */
  readonly at: Date
  /** How it was made. */
  readonly source: ChoiceSource
  /** The words that the person saw and agreed to. */
  readonly text?: string
}

/** Everything that sends mail under the topic. */
export interface TopicUsers {
  readonly templates: readonly { readonly id: string; readonly name: string }[]
  readonly campaigns: readonly { readonly id: string; readonly name: string; readonly status: CampaignStatus }[]
}

/** How many contacts have chosen a topic, and how many have left it. */
export interface TopicCounts {
  /** How many contacts get its mail. */
  readonly subscribed: number
  /** How many contacts do not, or no longer. */
  readonly unsubscribed: number
}

/** The topics of projects, and what contacts chose. */
export interface TopicRepository {
  find(projectId: ProjectId, id: string): Promise<Topic | undefined>
  named(projectId: ProjectId, slug: string): Promise<Topic | undefined>
  /** Which of these slugs topics of the project have. */
  takenSlugs(projectId: ProjectId, slugs: readonly string[]): Promise<ReadonlySet<string>>
  /** As `find`, inside a transaction, which locks the topic until it ends; others can neither change nor hold it. */
  lock(projectId: ProjectId, id: string): Promise<Topic | undefined>
  /** Whether it exists, inside a transaction; until it ends the topic cannot be removed. */
  hold(projectId: ProjectId, id: string): Promise<boolean>
  /** All topics of the project, the oldest first. */
  all(projectId: ProjectId): Promise<readonly Topic[]>
  insert(topic: Topic): Promise<'inserted' | 'slug-taken'>
  /** Writes every field. */
  update(topic: Topic): Promise<'updated' | 'slug-taken' | 'missing'>
  remove(projectId: ProjectId, id: string): Promise<boolean>
  /** Removes up to `limit` choices of a topic; answers how many. */
  forget(projectId: ProjectId, topicId: string, limit: number): Promise<number>
  /** Templates and campaigns with this topic, newest first; campaigns that ended without being sent are left out. */
  users(projectId: ProjectId, topicId: string): Promise<TopicUsers>
  /** The counts of topics that have choices, by topic. Maintained with every write, not counted on read. */
  counts(projectId: ProjectId): Promise<ReadonlyMap<string, TopicCounts>>
  /** The choices of these contacts, in any order. */
  choices(projectId: ProjectId, contactIds: readonly string[]): Promise<readonly TopicChoice[]>
  /**
   * Stores these choices instead of earlier ones, and removes those that are `undone`, inside a transaction that has
   * locked the contacts. Each contact and topic is given once.
   */
  choose(choices: readonly TopicChoice[], undone?: readonly Pick<TopicChoice, 'contactId' | 'topicId'>[]): Promise<void>
  /** Those of these contacts who do not get mail of the topic; none when the topic is gone. */
  without(projectId: ProjectId, topicId: string, contactIds: readonly string[]): Promise<ReadonlySet<string>>
}
