import * as v from 'valibot'
import { EventPattern } from '../events/event-pattern.ts'
import { WebhookEndpoint } from '../ports/store/webhook-endpoints.ts'
import type { InputOf } from '../values/input.ts'
import { distinct, listOf } from '../values/list.ts'
import { hasNoUser } from '../values/no-user.ts'
import { say } from '../values/parse.ts'
import { changing, creating } from '../values/record.ts'

/**
 * A complete http or https URL without user name and password. Whether its host is public is checked with each request.
 */
const EndpointUrl = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(2048),
  v.check(
    (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
    say('invalid_string', 'must be an http or https URL'),
  ),
  v.check(
    (text) => !/[{}]/.test(text),
    say('invalid_string', 'must not contain { or }: placeholders are not filled in here'),
  ),
  v.check(hasNoUser, say('invalid_string', 'must not contain a user name or a password: it is signed instead')),
  v.transform((text) => new URL(text).href),
  v.maxLength(2048),
  v.metadata({ format: 'uri' }),
)

/** Names of events; `*` for all, or `email.*` for all that begin with `email.`. */
const EventPatterns = distinct(listOf(EventPattern, 1, 100))

const OWN = { url: EndpointUrl, events: EventPatterns }

/** True: `webhook.test` is sent to it at once, and the answer warns when it did not succeed. */
const TEST = { test: v.optional(v.boolean()) }

/** A new endpoint, enabled unless it says otherwise. */
export const CreateEndpoint = v.object({ ...creating(WebhookEndpoint, OWN).entries, ...TEST })

/** The fields of an endpoint to change; null removes the description. */
export const ChangeEndpoint = v.object({ ...changing(WebhookEndpoint, OWN).entries, ...TEST })

/** A new endpoint. */
export interface CreateWebhookInput extends InputOf<typeof CreateEndpoint> {}

/** The fields of an endpoint to change. */
export interface ChangeWebhookInput extends InputOf<typeof ChangeEndpoint> {}
