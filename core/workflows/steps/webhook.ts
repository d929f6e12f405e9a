import * as v from 'valibot'
import { WEBHOOK_METHODS, type WebhookDelivery } from '../../ports/store/webhook-deliveries.ts'
import { describedBy } from '../../values/described.ts'
import { unsendable } from '../../values/header-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { hasNoUser } from '../../values/no-user.ts'
import { refused, say } from '../../values/parse.ts'
import { HIDDEN, HIDDEN_REFUSAL, isHiddenUrl } from '../../webhooks/hidden-secrets.ts'
import type { Interpolation } from './interpolation.ts'
import { defineStep, type StepContext, textsIn } from './step-definition.ts'

/** How many header fields a step may set. */
const MAX_HEADERS = 50

/** How long one try may take by default, in seconds. */
const TIMEOUT = 10

/** Header fields of the connection or the signature. */
const OUR_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|expect|upgrade|te|trailer|webhook-(?:id|timestamp|signature))$/i

/** Placeholders: `{{ name }}`, `{% if … %}`. */
const PLACEHOLDERS = /\{\{.*?(?:\}\}|$)|\{%.*?(?:%\}|$)/gs

/** A field name of HTTP (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/

/** The part of a URL before its path, if it has no placeholder. */
const ORIGIN = /^https?:\/\/[^/?#{}\s]+(?=[/?#]|$)/i

const Headers = describedBy(
  v.pipe(
    v.custom<Readonly<Record<string, string>>>(isJsonObject, say('invalid_type', 'must be an object')),
    v.check((headers) => Object.keys(headers).length <= MAX_HEADERS, say('too_big', `must be at most ${MAX_HEADERS}`)),
    // here the values are checked, too
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      for (const [name, value] of Object.entries(dataset.value)) {
        const message = headerProblem(name, value)
        if (message === undefined) continue
        addIssue({
          message,
          path: [{ type: 'object', origin: 'value', input: { ...dataset.value }, key: name, value }],
        })
      }
    }),
  ),
  v.record(v.string(), v.string()),
)

const Config = v.object({
  /** The URL of the request, with placeholders. */
  url: v.pipe(
    v.string(),
    v.maxLength(4000),
    v.check((url) => /^https?:\/\/[^\s/]/.test(url), say('invalid_string', 'must begin with http:// or https://')),
    v.check((url) => !isHiddenUrl(url), say('custom', HIDDEN_REFUSAL)),
    v.check((url) => url.includes('{') || URL.canParse(url), say('invalid_string', 'must be a URL')),
    v.check(
      (url) => url.includes('{') || hasNoUser(url),
      say('invalid_string', 'must not contain a user name or a password: set the header field authorization'),
    ),
  ),
  /** By default `POST`. */
  method: v.nullish(v.picklist(WEBHOOK_METHODS)),
  /** Header fields, with placeholders, up to 50. */
  headers: v.nullish(Headers),
  /** The body, sent as JSON, with placeholders in its texts. */
  body: v.optional(
    describedBy(
      v.custom<unknown>((value) => value !== undefined),
      v.unknown(),
    ),
    // its type is given here, since the one of a default made of JSON would have no end
  ) as v.OptionalSchema<v.CustomSchema<unknown, undefined>, undefined> & {
    readonly '~types'?:
      | { readonly input: Json | undefined; readonly output: Json | undefined; readonly issue: v.CustomIssue }
      | undefined
  },
  /** How long it may take: 1 to 30 seconds. */
  timeoutSeconds: v.nullish(v.pipe(v.number(), v.minValue(1), v.maxValue(30))),
  /** Whether the contact continues (`continue`) or ends there (`fail`) when it fails permanently. */
  onFailure: v.nullish(v.picklist(['fail', 'continue'])),
})
type Config = v.InferOutput<typeof Config>

/** WEBHOOK: stores a delivery and waits for its result, which `run/answer-webhooks.ts` brings. */
export const webhook = defineStep({
  type: 'WEBHOOK',
  name: 'Webhook',
  Config,
  branches: 'one',
  *texts({ url, headers, body }) {
    yield* textsIn(url, 'config.url')
    yield* textsIn(headers ?? undefined, 'config.headers')
    yield* textsIn(body, 'config.body')
  },
  /** Judges the literal part of the URL; the values of placeholders are judged with the request. */
  check: ({ url }, { webhooks }) => {
    const origin = ORIGIN.exec(url)?.[0]
    const message = origin === undefined ? undefined : webhooks.refusal?.(origin)
    if (message !== undefined) throw refused([{ field: 'config.url', code: 'custom', message }])
  },
  run: (context) => {
    const { config, execution, graph, step, contact, now } = context
    const { eventId } = execution
    const { eventName } = graph.workflow
    const fill = context.fill()
    const method = config.method ?? 'POST'
    const body = method === 'GET' ? undefined : bodyOf(context, fill)
    const id = context.newId()
    const delivery: WebhookDelivery = {
      id,
      projectId: execution.projectId,
      workflowId: execution.workflowId,
      executionId: execution.id,
      stepId: step.id,
      contactId: contact.id,
      ...(eventId === undefined ? {} : { eventId }),
      ...(eventId === undefined || eventName === undefined ? {} : { eventName }),
      url: urlOf(config, fill),
      method,
      headers: headersOf(config, fill, body !== undefined),
      ...(body === undefined ? {} : { body }),
      timeout: Math.ceil(config.timeoutSeconds ?? TIMEOUT),
      status: 'PENDING',
      attempts: 0,
      dueAt: now,
      createdAt: now,
      updatedAt: now,
    }
    return { outcome: 'wait', output: { deliveryId: id }, writes: { delivery } }
  },
})

function urlOf({ url }: Config, fill: Interpolation): string {
  const text = fill.text(url, 'url').trim()
  if (hasDotSegments(text))
    throw refused([{ field: 'url', code: 'custom', message: 'must not have . or .. in its path' }])
  const written = URL.parse(text)
  if (written && /^https?:$/.test(written.protocol)) return written.href
  throw refused([{ field: 'url', code: 'invalid_string', message: 'must come to an http or https URL' }])
}

function headersOf({ headers }: Config, fill: Interpolation, hasBody: boolean): Record<string, string> {
  const written = Object.entries(headers ?? {}).map(([name, value]): [string, string] => {
    const field = `headers.${name}`
    const text = fill.text(value, field).trim()
    // a value must not break out of its line (CWE-93)
    const message = unsendable(text)
    if (message !== undefined) throw refused([{ field, code: 'invalid_string', message }])
    return [name, text]
  })
  const hasType = written.some(([name]) => name.toLowerCase() === 'content-type')
  return Object.fromEntries(hasBody && !hasType ? [['content-type', 'application/json'], ...written] : written)
}

function bodyOf(context: StepContext<Config>, fill: Interpolation): string {
  const { body } = context.config
  if (body === undefined || body === null) return JSON.stringify(defaultPayload(context))
  if (typeof body !== 'string') return JSON.stringify(fill.texts(body, 'body'))
  // when the text is JSON before placeholders are filled in, no value can break out of it
  const template = jsonIn(body)
  if (template !== undefined) return JSON.stringify(fill.texts(template, 'body'))
  const written = fill.text(body, 'body')
  return jsonIn(written) === undefined ? JSON.stringify(written) : written
}

/** The request body when the step has none (specification, "Default webhook payload"). */
function defaultPayload({ execution, graph: { workflow }, contact }: StepContext): JsonObject {
  return {
    contact: { email: contact.email, subscribed: contact.subscribed, data: contact.data },
    workflow: { id: workflow.id, name: workflow.name },
    execution: { id: execution.id, startedAt: execution.startedAt.toISOString() },
    event: execution.event,
  }
}

function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function headerProblem(name: string, value: Json): string | undefined {
  if (!HEADER_NAME.test(name)) return say('invalid_string', 'is not a name a header field can have')
  if (OUR_HEADERS.test(name)) return say('custom', 'is a header field that is set for every request')
  if (typeof value !== 'string') return say('invalid_type', 'must be a string')
  if (value === HIDDEN) return say('custom', HIDDEN_REFUSAL)
  if (/[\r\n\0]/.test(value)) return say('header_injection', 'must not contain line breaks or NUL')
  if (value.length > 8000) return say('too_big', 'must have at most 8000 characters')
  // The values of placeholders are checked when they are filled in
  const problem = unsendable(value.replace(PLACEHOLDERS, ''))
  return problem === undefined ? undefined : say('invalid_string', problem)
}

/**
 * True when the path of this http URL has a segment `.` or `..` (RFC 3986, section 5.2.4), which shortens it: a
 * filled-in value could lead to another place than intended. Read as browsers do: `%2e` is a dot, `\\` a slash (URL
 * standard).
 */
export function hasDotSegments(url: string): boolean {
  const path = url.replace(/[?#].*/s, '').replace(/^https?:[/\\]+/i, '')
  const [, ...segments] = path.split(/[/\\]/)
  return segments.some((segment) => DOTS.test(segment))
}

const DOTS = /^(?:\.|%2e){1,2}$/i
