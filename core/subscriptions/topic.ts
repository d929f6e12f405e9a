import * as v from 'valibot'
import { STANDINGS } from '../ports/store/topics.ts'
import { isId } from '../values/id.ts'
import type { InputOf } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import { listOf } from '../values/list.ts'
import { say } from '../values/parse.ts'
import { slugOf } from '../values/slug.ts'

/** How many topics a project may have. */
export const MAX_TOPICS = 50
/** How many earlier slugs a topic keeps. */
export const MAX_FORMER = 20
/** How many characters a slug may have. */
export const TOPIC_SLUG_LENGTH = 64

const fields = {
  /** The name, which contacts see on their page. */
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100)),
  /** What it is about, which contacts see on their page; null removes it. */
  description: v.nullish(v.pipe(v.string(), v.maxLength(500))),
  /** What requests and filters may call it by; made from the name when it is left out. */
  slug: v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1),
      v.maxLength(TOPIC_SLUG_LENGTH),
      v.check(
        (slug) => slugOf(slug) === slug,
        say('invalid_string', 'must be lower-case words joined by hyphens, such as product-news'),
      ),
      v.check((slug) => !isId(slug), say('invalid_string', 'must not look like an id')),
    ),
  ),
  /** Whether contacts who never chose get its mail: `in` they do, `out` (the default) they do not. */
  standing: v.optional(v.picklist(STANDINGS)),
  /** Whether contacts see it on their page; by default they do. */
  public: v.optional(v.boolean()),
}

export const CreateTopic = v.object(fields)

/** Every field is optional; null removes the description. */
export const ChangeTopic = v.object({
  ...v.partial(CreateTopic).entries,
  /** Whether it is put away: neither contacts nor the lists to choose from show it. Their choices stay. */
  archived: v.optional(v.boolean()),
  /** With another slug: whether it is changed in filters, steps and drafts, too; otherwise they refuse it. */
  rename: v.optional(v.boolean()),
})

/** The body of `PUT /contacts/{id}/topics`. */
export const ChooseTopics = v.object({
  /** What the contact chooses, by topic; topics that are not named stay as they are. */
  topics: listOf(
    v.object({
      /** The id or the slug of the topic. */
      topic: v.pipe(v.string(), v.minLength(1)),
      /** True gets its mail, false does not; null removes the choice, so that the topic's standing decides. */
      subscribed: v.nullable(v.boolean()),
      /** When the person chose; by default now. */
      at: v.nullish(IsoDate),
      /** What the person agreed to, in the words they saw. */
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

/** What a contact chooses. */
export interface ChooseTopicsInput extends InputOf<typeof ChooseTopics> {}
