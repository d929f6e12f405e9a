import * as v from 'valibot'
import { InboxDraft } from '../ports/store/drafts.ts'
import type { InputOf } from '../values/input.ts'
import { IsoDate } from '../values/iso-date.ts'
import { listOf } from '../values/list.ts'
import { Mailbox } from '../values/mailbox.ts'
import { wholeNumber } from '../values/page.ts'
import { changing, creating } from '../values/record.ts'
import { SEEN_VERSION, VersionNumber } from '../values/record-version.ts'

/** How long a mail may be held back so that it can be undone, in seconds. */
const MOST_UNDO_SECONDS = 60

/** How many recipients each field names at most. */
const MOST_RECIPIENTS = 50

const People = listOf(Mailbox, 0, MOST_RECIPIENTS)
const PEOPLE = { to: People, cc: People, bcc: People }

export const CreateDraft = creating(InboxDraft, PEOPLE)

export const ChangeDraft = v.object({ ...changing(InboxDraft, PEOPLE).entries, ...SEEN_VERSION })

export const SendDraft = v.object({
  ...SEEN_VERSION,
  /** For how many seconds the mail waits, so that it can be undone: 0 to 60, by default 0. */
  undoSeconds: v.optional(wholeNumber(0, MOST_UNDO_SECONDS), 0),
  /** The earliest time to send (ISO 8601), at most 30 days ahead; it can be undone until then. */
  sendAt: v.nullish(IsoDate),
  /** Whether it is sent although it has neither a text nor a file. By default it is refused. */
  allowEmpty: v.optional(v.boolean(), false),
})

export const ApproveDraft = v.object({
  /** The version that the person saw: refused with `VERSION_CONFLICT` when it is not the current one any more. */
  version: VersionNumber,
})

export const RefuseDraft = v.object({
  /** The reason, for its author: at most 2,000 characters. */
  refusal: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(2_000)),
})

/** A new draft. */
export interface CreateDraftInput extends InputOf<typeof CreateDraft> {}
/** The fields of a draft to change. */
export interface ChangeDraftInput extends InputOf<typeof ChangeDraft> {}
/** How a draft is sent. */
export interface SendDraftInput extends InputOf<typeof SendDraft> {}
/** Which version of a draft is approved. */
export interface ApproveDraftInput extends InputOf<typeof ApproveDraft> {}
/** Why a draft is refused. */
export interface RefuseDraftInput extends InputOf<typeof RefuseDraft> {}
