import * as v from 'valibot'
import { Topic } from '../ports/store/topics.ts'
import type { InputOf } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import { listOf } from '../values/list.ts'
import { changing, creating } from '../values/record.ts'

/** How many topics a project may have. */
export const MAX_TOPICS = 50
/** How many earlier slugs a topic keeps. */
export const MAX_FORMER = 20

export const CreateTopic = creating(Topic)

export const ChangeTopic = v.object({
  ...changing(Topic).entries,
  /** With another slug: whether it is changed in filters, steps and drafts, too; otherwise they refuse it. */
  rename: v.optional(v.boolean()),
})

/** The body of `PUT /contacts/{id}/topics`. */
export const ChooseTopics = v.object({
  /** The contact's choices, by topic; topics that are not named stay as they are. */
  topics: listOf(
    v.object({
      /** The id or the slug of the topic. */
      topic: v.pipe(v.string(), v.minLength(1)),
      /** True gets its mail, false does not; null removes the choice, so that the topic's standing decides. */
      subscribed: v.nullable(v.boolean()),
      /** When the person chose; by default now. */
      at: v.nullish(IsoDate),
      /** The words that the person saw and agreed to. */
      text: v.nullish(v.pipe(v.string(), v.maxLength(2000))),
    }),
    1,
    MAX_TOPICS,
  ),
})

/** A new topic. */
export interface CreateTopicInput extends InputOf<typeof CreateTopic> {}

/** The fields of a topic to change; null removes the description. */
export interface ChangeTopicInput extends InputOf<typeof ChangeTopic> {}

/** A contact's choices. */
export interface ChooseTopicsInput extends InputOf<typeof ChooseTopics> {}
