import * as v from 'valibot'
import type { Present } from '../../core/accounts/presence.ts'
import { named } from '../../core/values/described.ts'
import { answer } from './answer.ts'
import { many, Time } from './parts.ts'

/** A person who has the same thing open in another tab. */
export const PresentAnswer = answer(
  'Present',
  { userId: v.string(), name: v.string(), own: v.boolean(), since: Time },
  ({ isOwn, openedAt, ...person }: Present) => ({ ...person, own: isOwn, since: openedAt }),
)

export const PresenceRecord = named('Presence', v.object({ present: many(PresentAnswer.schema) }))
