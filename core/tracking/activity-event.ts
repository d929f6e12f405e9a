import { EngineError } from '../errors.ts'
import type { ClickData, MailEventData, OpenData } from '../events/engine-events.ts'
import type { CompiledMail } from '../mail/compiled-mail.ts'
import { emailEventData, isOfTestKey } from '../mail/email.ts'
import type { Activity, Email } from '../ports/store/emails.ts'
import type { EventRecord } from '../ports/store/events.ts'
import { EVENTS } from '../values/event-names.ts'
import type { JsonObject } from '../values/json.ts'

/** The data of `email.open` and `email.click` besides the fields of every e-mail event. */
export interface ActivityFacts extends Pick<Activity, 'at' | 'machine'> {
  readonly kind: 'open' | 'click'
  /** How many of its kind the mail has had, including this one. */
  readonly count: number
  /** The target of a clicked link. */
  readonly link?: string | undefined
}

/**
 * The event of an opening or a click (specification, "Email event data"); `machine` is set only when true. Undefined
 * when the contact was removed, when the mail cannot be rendered, or when a test key sent it: an event could start a workflow,
 * and nothing would tell its mail from live mail.
 */
export function activityEvent(
  email: Email,
  mail: CompiledMail,
  facts: ActivityFacts,
  given: Pick<EventRecord, 'id' | 'createdAt'>,
): EventRecord | undefined {
  const { projectId, contactId, id: emailId } = email
  const isLive = contactId !== undefined && !isOfTestKey(email)
  const base = isLive ? baseData(email, mail, facts.at) : undefined
  if (contactId === undefined || base === undefined) return undefined
  const { kind, machine } = facts
  const data = { ...base, ...(kind === 'open' ? openData(facts) : clickData(facts)), ...(machine ? { machine } : {}) }
  return { ...given, projectId, name: EVENTS[kind], contactId, emailId, data }
}

/** The data of an event besides that of every event about a mail. */
type Own<Data> = Omit<Data, keyof MailEventData | 'machine'>

function openData({ at, count }: ActivityFacts): JsonObject {
  return { openedAt: at.toISOString(), opens: count, isFirstOpen: count === 1 } satisfies Own<OpenData>
}

function clickData({ at, count, link = '' }: ActivityFacts): JsonObject {
  return { link, clickedAt: at.toISOString(), clicks: count, isFirstClick: count === 1 } satisfies Own<ClickData>
}

/** A mail that breaks a limit was never sent. */
function baseData(email: Email, mail: CompiledMail, at: Date): JsonObject | undefined {
  try {
    return emailEventData(email, mail.facts(email, at))
  } catch (error) {
    if (EngineError.is(error)) return undefined
    throw error
  }
}
