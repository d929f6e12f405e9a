import type { ProjectId } from '../../values/project-id.ts'
import type { CampaignStatus } from './campaigns.ts'

/** Whether contacts who never chose get a topic's mail: `in` they do, `out` they do not. */
export const STANDINGS = ['in', 'out'] as const
export type Standing = (typeof STANDINGS)[number]

/** A kind of marketing mail that contacts choose by itself, such as a newsletter. */
export interface Topic {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** What requests and filters may call it by. */
  readonly slug: string
  /** What it was called by before, the last one first; forms on other pages may still send it. */
  readonly formerSlugs?: readonly string[]
  /** What people read where they choose. */
  readonly name: string
  /** What people read below the name. */
  readonly description?: string
  /** Whether contacts that never chose get its mail. */
  readonly standing: Standing
  /** Whether the page where people choose shows it. */
  readonly public: boolean
  /** True: put away. Neither the page nor the lists to choose from show it. */
  readonly archived?: boolean
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

/** Where a choice was made. */
export const CHOICE_SOURCES = ['api', 'dashboard', 'import', 'page', 'one-click', 'form', 'workflow'] as const
export type ChoiceSource = (typeof CHOICE_SOURCES)[number]

/** What a contact chose for a topic, and the proof of it. Without a choice the topic's standing decides. */
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
  /** What the person agreed to, in the words they saw. */
  readonly text?: string
}

/** What sends mail under the topic. */
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
