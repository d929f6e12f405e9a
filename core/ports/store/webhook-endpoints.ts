import * as v from 'valibot'
import { byDefault, flag, json, moment, optional, text, words } from '../../values/kind.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { given, owned, type RecordOf, record, TIMES } from '../../values/record.ts'

/** A customer's address that receives events. */
export const WebhookEndpoint = record('Webhook', 'A server of yours that gets events.', {
  ...owned('endpoint'),
  url: [
    words,
    'The URL it is sent to, http or https, without user name and password, at most 2,048 characters.',
    given('create', 'change'),
  ],
  events: [
    json<readonly string[]>(v.array(v.string())),
    '1 to 100 names of events: `*` for all, `email.*` for all that begin with `email.`.',
    given('create', 'change'),
  ],
  description: [
    optional(text(0, 500)),
    'A note for the team, at most 500 characters. In a request, null removes it.',
    given('create', 'change'),
  ],
  dialect: [
    optional(text(1, 50)),
    'Whose form its events have: the name of an API of another service (`resend`). Absent: our own.',
    given('create'),
  ],
  enabled: [
    byDefault(flag, true),
    'Whether it gets events. By default `true`; `true` also ends a pause.',
    given('create', 'change'),
  ],
  failingSince: [optional(moment), 'Since when everything has failed. Absent when the last request succeeded.'],
  pausedReason: [optional(words), 'Why it was paused. Absent unless it was.'],
  ...TIMES,
})
export interface WebhookEndpoint extends RecordOf<typeof WebhookEndpoint> {}

/** The secrets that sign a project's requests, encrypted; the earlier one is valid until `earlierUntil`. */
export interface WebhookSecrets {
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The secret that signs requests now. */
  readonly secret: string
  /** The secret before it, which signs too until `earlierUntil`. */
  readonly earlier?: string
  /** Until when the earlier one signs; 24 hours after it was replaced. */
  readonly earlierUntil?: Date
}

/** The endpoints of projects, and the secrets that sign their requests. */
export interface WebhookEndpointRepository {
  /** The project's secrets; `made` is stored when there are none yet. Of concurrent calls one wins. */
  secrets(projectId: ProjectId, made: string): Promise<WebhookSecrets>
  saveSecrets(secrets: WebhookSecrets): Promise<void>
  /** Those of all projects. */
  allSecrets(): Promise<readonly WebhookSecrets[]>
  /** Writes the texts of `next` unless they have changed since they were read as `before`. */
  exchangeSecrets(before: WebhookSecrets, next: WebhookSecrets): Promise<void>

  find(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined>
  /** As `find`, inside a transaction, which locks the endpoint until it ends. */
  lock(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined>
  /** Those of all projects that were paused by themselves and have changed since. */
  pausedSince(since: Date): Promise<readonly WebhookEndpoint[]>
  /** Every endpoint of the project, newest first. */
  all(projectId: ProjectId): Promise<readonly WebhookEndpoint[]>
  insert(endpoint: WebhookEndpoint): Promise<void>
  /** Writes every field; false when there is no such endpoint. */
  update(endpoint: WebhookEndpoint): Promise<boolean>
  /**
   * Removes the endpoint. Its waiting deliveries become FAILED, and the result of a running one is no longer recorded.
   */
  remove(projectId: ProjectId, id: string, now: Date): Promise<boolean>
}
