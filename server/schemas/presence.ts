import * as v from 'valibot'
import { named } from '../../core/values/described.ts'
import { many, Time } from './parts.ts'

/** A person who has the same thing open in another tab. */
export const PresentRecord = named(
  'Present',
  v.object({ userId: v.string(), name: v.string(), own: v.boolean(), since: Time }),
)

export const PresenceRecord = named('Presence', v.object({ present: many(PresentRecord) }))
