import type { Contact } from '../../ports/store/contacts.ts'
import { WEBHOOK_METHODS, type WebhookMethod } from '../../ports/store/webhook-deliveries.ts'
import { unsendable } from '../../values/header-text.ts'
import type { NewId } from '../../values/id.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { refused } from '../../values/parse.ts'
import { hasDotSegments } from './dot-segments.ts'
import type { Interpolation, Interpolations } from './interpolation.ts'
import type { Batch, StepContext, StepResult, StepRunner } from './step-runner.ts'
import { unreadable } from './waiting-steps.ts'

/** How long one try may take by default, in seconds. */
const TIMEOUT = 10

/** WEBHOOK: stores a delivery and waits for its result. */
export class CallWebhook implements StepRunner {
  readonly #interpolations: Interpolations
  readonly #newId: NewId

  constructor(interpolations: Interpolations, newId: NewId) {
    this.#interpolations = interpolations
    this.#newId = newId
  }

  run(context: StepContext, contact: Contact, { deliveries, now }: Batch): StepResult {
    const { execution, graph, step } = context
    const { config } = step
    const fill = this.#interpolations.of(contact, execution)
    const method = methodOf(config)
    const body = method === 'GET' ? undefined : bodyOf(context, contact, fill)
    const { eventId } = execution
    const { eventName } = graph.workflow
    const id = this.#newId()
    deliveries.push({
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
      timeout: typeof config.timeoutSeconds === 'number' ? Math.ceil(config.timeoutSeconds) : TIMEOUT,
      status: 'PENDING',
      attempts: 0,
      dueAt: now,
      createdAt: now,
      updatedAt: now,
    })
    return { outcome: 'wait', output: { deliveryId: id } }
  }
}

function methodOf({ method = 'POST' }: JsonObject): WebhookMethod {
  const known = WEBHOOK_METHODS.find((each) => each === method)
  if (known === undefined) throw unreadable('WEBHOOK')
  return known
}

function urlOf({ url }: JsonObject, fill: Interpolation): string {
  if (typeof url !== 'string') throw unreadable('WEBHOOK')
  const text = fill.text(url, 'url').trim()
  if (hasDotSegments(text))
    throw refused([{ field: 'url', code: 'custom', message: 'must not have . or .. in its path' }])
  const written = URL.parse(text)
  if (written && /^https?:$/.test(written.protocol)) return written.href
  throw refused([{ field: 'url', code: 'invalid_string', message: 'must come to an http or https URL' }])
}

function headersOf({ headers }: JsonObject, fill: Interpolation, hasBody: boolean): Record<string, string> {
  const given = isJsonObject(headers) ? Object.entries(headers) : []
  const written = given.map(([name, value]): [string, string] => {
    const field = `headers.${name}`
    const text = fill.text(typeof value === 'string' ? value : JSON.stringify(value), field)
    // a value must not break out of its line (CWE-93)
    const written = text.replace(/[\r\n\0]+/g, ' ').trim()
    const message = unsendable(written)
    if (message !== undefined) throw refused([{ field, code: 'invalid_string', message }])
    return [name, written]
  })
  const hasType = written.some(([name]) => name.toLowerCase() === 'content-type')
  return Object.fromEntries(hasBody && !hasType ? [['content-type', 'application/json'], ...written] : written)
}

function bodyOf(context: StepContext, contact: Contact, fill: Interpolation): string {
  const { body } = context.step.config
  if (body === undefined || body === null) return JSON.stringify(defaultPayload(context, contact))
  if (typeof body !== 'string') return JSON.stringify(fill.texts(body, 'body'))
  // when the text is JSON before placeholders are filled in, no value can break out of it
  const template = jsonIn(body)
  if (template !== undefined) return JSON.stringify(fill.texts(template, 'body'))
  const written = fill.text(body, 'body')
  return jsonIn(written) === undefined ? JSON.stringify(written) : written
}

/** The request body when the step has none of its own (specification, "Default webhook payload"). */
function defaultPayload({ execution, graph: { workflow } }: StepContext, contact: Contact): JsonObject {
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
