import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { DELIVERY_STATUSES, type WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import { requireEnabled } from '../projects/project.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import type { CursorInput } from '../values/page.ts'
import { CursorQuery, type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import type { DeliverWebhooks } from './deliver-webhooks.ts'
import { steadyHeaders } from './signed-headers.ts'

export const ListDeliveries = v.object({
  ...CursorQuery.entries,
  /** Only requests to this endpoint. */
  endpointId: v.optional(v.string()),
  /** Only requests of this workflow. */
  workflowId: v.optional(v.string()),
  /** Only requests with this status. */
  status: v.optional(v.picklist(DELIVERY_STATUSES)),
})

/** Narrows and pages a list of requests. */
export interface ListDeliveriesInput extends CursorInput, Omit<InputOf<typeof ListDeliveries>, keyof CursorInput> {}

/** A delivery with the header fields that are the same on every try, names in lower case. */
export interface DeliveryDetail {
  /** The delivery. */
  readonly delivery: WebhookDelivery
  /** The header fields of its requests that are the same on every try, names in lower case. */
  readonly requestHeaders: Readonly<Record<string, string>>
}

/** The log of the requests made to customers, kept for 30 days after their end. */
export class DeliveryLog {
  constructor(
    private readonly store: Store,
    private readonly deliver: DeliverWebhooks,
    private readonly kit: Kit,
  ) {}

  /** One page, newest first, without the bodies of requests; `endpointId`, `workflowId`, `status` narrow it. */
  async list(project: Project, query: ListDeliveriesInput | UntrustedInput = {}): Promise<Page<WebhookDelivery>> {
    const { limit, cursor, endpointId, workflowId, status } = parse(ListDeliveries, query)
    const list = { projectId: project.id, name: 'deliveries' }
    const page = pageRequest(list, { limit, cursor })
    if ([endpointId, workflowId].some((id) => id !== undefined && !isId(id)))
      return pageOf(list, [], limit, 0, position)
    const filter = {
      ...(endpointId ? { endpointId } : {}),
      ...(workflowId ? { workflowId } : {}),
      ...(status ? { status } : {}),
    }
    const rows = await this.store.webhookDeliveries.page(project.id, filter, page)
    const total = page.after ? 0 : await this.store.webhookDeliveries.count(project.id, filter)
    return pageOf(list, rows, limit, total, position)
  }

  /** The delivery with its request and response. Throws EngineError `DELIVERY_NOT_FOUND`. */
  async get(project: Project, id: string): Promise<DeliveryDetail> {
    const delivery = await this.#find(project, id)
    return { delivery, requestHeaders: steadyHeaders(delivery) }
  }

  /**
   * Repeats an ended delivery as a new one with its own id, to the endpoint's current URL. Does not affect workflows.
   * Throws EngineError `DELIVERY_NOT_FOUND`, `CONFLICT` for one that still waits, `PROJECT_DISABLED`.
   */
  async replay(project: Project, id: string): Promise<WebhookDelivery> {
    requireEnabled(project)
    const before = await this.#find(project, id)
    if (before.status === 'PENDING') {
      throw new EngineError('CONFLICT', `The delivery ${id} is still being made.`, {
        suggestion: 'Wait until it has succeeded or failed.',
      })
    }
    const { endpointId } = before
    const endpoint = endpointId && (await this.store.webhookEndpoints.find(project.id, endpointId))
    const { responseStatus: _status, responseBody: _body, error: _error, completedAt: _at, ...asked } = before
    const now = this.kit.now()
    const again: WebhookDelivery = {
      ...asked,
      id: this.kit.newId(),
      replayOf: before.id,
      url: endpoint ? endpoint.url : before.url,
      status: 'PENDING',
      attempts: 0,
      dueAt: now,
      createdAt: now,
      updatedAt: now,
    }
    await this.store.webhookDeliveries.add([again])
    this.deliver.ask()
    return again
  }

  async #find(project: Project, id: string): Promise<WebhookDelivery> {
    const delivery = isId(id) ? await this.store.webhookDeliveries.find(project.id, id) : undefined
    if (!delivery) throw new EngineError('DELIVERY_NOT_FOUND', `There is no webhook delivery ${shownId(id)}.`)
    return delivery
  }
}

function position({ id }: WebhookDelivery) {
  return { value: '', id }
}
