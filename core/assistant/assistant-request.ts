import * as v from 'valibot'
import { LANGUAGES } from '../mail/languages/translations-in.ts'
import type { InputOf } from '../values/input.ts'
import { listOf } from '../values/list.ts'
import { type Rules, say } from '../values/parse.ts'

/** How many texts one request changes, and how many characters they have together. */
const MOST_TEXTS = 200
const MOST_CHARACTERS = 60_000

/** The ways in which texts of mails are changed. */
const TEXT_TASKS = ['subjects', 'shorter', 'friendlier', 'translate'] as const
export type TextTask = (typeof TEXT_TASKS)[number]

/** The tags of the languages that texts are translated into: those of the pages for readers. */
const TEXT_LANGUAGES: readonly string[] = [...LANGUAGES.keys()]

export const AssistThread = v.object({
  /** The message to answer; by default the newest one from outside. */
  messageId: v.nullish(v.pipe(v.string(), v.uuid('must be a UUID'))),
  /** The wish of the person who asks: the gist of the answer. */
  wish: v.nullish(v.pipe(v.string(), v.trim(), v.maxLength(2_000))),
  /** Whether the proposed actions that the inbox allows are done at once. */
  apply: v.optional(v.boolean(), false),
  /** True: nothing is sent to the model, and the answer says what would be. */
  preview: v.optional(v.boolean(), false),
})

export const ChangeTexts = v.object({
  /** How they are changed; `subjects` proposes subjects for a mail that has them. */
  task: v.picklist(TEXT_TASKS),
  /** Pieces of one mail, with their inline HTML and placeholders. */
  texts: v.pipe(
    listOf(v.pipe(v.string(), v.maxLength(20_000)), 1, MOST_TEXTS),
    v.check(
      (texts) => texts.reduce((sum, text) => sum + text.length, 0) <= MOST_CHARACTERS,
      say('too_big', `must have at most ${MOST_CHARACTERS} characters together`),
    ),
    v.check(
      (texts) => texts.some((text) => text.trim() !== ''),
      say('too_small', 'must have a text that is not empty'),
    ),
  ),
  /** For `translate`: the language, such as `de`. */
  language: v.nullish(v.picklist(TEXT_LANGUAGES)),
  /** True: nothing is sent to the model, and the answer says what would be. */
  preview: v.optional(v.boolean(), false),
})

/** A translation needs its language. */
export const textRules: Rules<typeof ChangeTexts> = function* ({ task, language }) {
  if (task === 'translate' && language == null) {
    yield { field: 'language', code: 'required', message: 'is required for the task translate' }
  }
}

/** How an answer in a thread is drafted. */
export interface AssistThreadInput extends InputOf<typeof AssistThread> {}
/** Texts of a mail, and what becomes of them. */
export interface ChangeTextsInput extends InputOf<typeof ChangeTexts> {}
