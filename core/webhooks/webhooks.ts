import { inject, injectable } from '../di.ts'
import { EngineError, invalidField } from '../errors.ts'
import { bodyOf, deliveryTo } from '../events/endpoint-delivery.ts'
import { Kit } from '../kit.ts'
import { Sealing } from '../mail/dkim/sealing.ts'
import { ForeignApis, type NamedForeignApi } from '../ports/foreign-api.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import { WebhookEndpoint } from '../ports/store/webhook-endpoints.ts'
import { WebhookSender } from '../ports/webhook-sender.ts'
import { requireEnabled } from '../projects/project.ts'
import { readSecrets, replaceSecret } from '../projects/webhook-secrets.ts'
import { EVENTS } from '../values/event-names.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import { noteWarning, parse, refused } from '../values/parse.ts'
import { changed, made } from '../values/record.ts'
import { shownId } from '../values/shown-id.ts'
import { newWebhookSecret } from '../values/webhook-secret.ts'
import { widerName } from './asks-for.ts'
import { DeliverWebhooks } from './deliver-webhooks.ts'
import { DeliveryLog } from './delivery-log.ts'
import { EndpointFanOut } from './endpoint-fan-out.ts'
import { HIDDEN, HIDDEN_REFUSAL, hiddenUrl } from './hidden-secrets.ts'
import type { ChangeWebhookInput, CreateWebhookInput } from './read-endpoint.ts'
import { ChangeEndpoint, CreateEndpoint } from './read-endpoint.ts'
import { endOfTest, TEST_AT_SAVING, TestEndpoint, type TestWebhookInput, testWarning } from './test-endpoint.ts'

/** How many endpoints a project may have. */
const MAX_ENDPOINTS = 50

/** The endpoints of a project, which receive its events, and the secret that signs its requests. */
@injectable()
export class Webhooks {
  /** The log of the requests made to customers. */
  readonly deliveries: DeliveryLog

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(DeliverWebhooks) private readonly deliver: DeliverWebhooks,
    @inject(WebhookSender) private readonly sender: WebhookSender,
    @inject(Sealing) private readonly sealing: Sealing,
    @inject(ForeignApis) private readonly dialects: readonly NamedForeignApi[],
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.deliveries = new DeliveryLog(store, deliver, kit)
  }

  /**
   * The secret (`whsec_…`) that signs the project's requests; made when it has none. Throws EngineError
   * `SERVICE_UNAVAILABLE` when it was encrypted with another secret of the server.
   */
  async secret(project: Project): Promise<string> {
    return (await readSecrets(this.store, this.sealing, project.id)).secret
  }

  /**
   * Replaces the secret and answers the new one; for 24 hours requests are signed with both. Throws EngineError
   * `CONFLICT` when the config sets the secret, `PROJECT_DISABLED`.
   */
  async rotateSecret(project: Project): Promise<string> {
    requireEnabled(project)
    const settings = this.kit.settings.projects.find(({ id, name }) => (id ? id === project.id : name === project.name))
    if (settings?.webhookSecret !== undefined) {
      throw new EngineError('CONFLICT', 'The secret of this project is set in the configuration of the server.', {
        suggestion: 'Change webhookSecret there; the previous one stays valid for 24 hours.',
      })
    }
    const secret = newWebhookSecret()
    await this.store.transaction((tx) => replaceSecret(tx, this.sealing, project.id, secret, this.kit.now()))
    return secret
  }

  /** Every endpoint, newest first. */
  list(project: Project): Promise<readonly WebhookEndpoint[]> {
    return this.store.webhookEndpoints.all(project.id)
  }

  /** The endpoint. Throws EngineError `WEBHOOK_NOT_FOUND`. */
  async get(project: Project, id: string): Promise<WebhookEndpoint> {
    const endpoint = isId(id) ? await this.store.webhookEndpoints.find(project.id, id) : undefined
    return endpoint ?? missing(id)
  }

  /**
   * Stores a new endpoint: `{ url, events, description?, dialect?, enabled?, test? }`. Throws EngineError `VALIDATION_ERROR`,
   * `CONFLICT` when the project has 50, `PROJECT_DISABLED`.
   */
  async create(project: Project, input: CreateWebhookInput | UntrustedInput): Promise<WebhookEndpoint> {
    requireEnabled(project)
    const { test, ...wanted } = parse(CreateEndpoint, input)
    this.#checkUrl(wanted.url)
    requireShown(wanted.url)
    this.#checkDialect(wanted.dialect, wanted.events)
    const now = this.kit.now()
    const own = { id: this.kit.newId(), projectId: project.id, createdAt: now, updatedAt: now }
    const endpoint = { ...own, ...made(WebhookEndpoint, wanted) }
    await this.store.transaction(async (tx) => {
      const { length } = await tx.webhookEndpoints.all(project.id)
      if (length >= MAX_ENDPOINTS)
        throw new EngineError('CONFLICT', `A project has at most ${MAX_ENDPOINTS} webhook endpoints.`)
      await tx.webhookEndpoints.insert(endpoint)
    })
    if (test) await this.#testSaved(endpoint, input)
    return endpoint
  }

  /**
   * Changes the given fields. `enabled: true` also clears its failures and its pause. Throws EngineError
   * `VALIDATION_ERROR`, `WEBHOOK_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async change(project: Project, id: string, input: ChangeWebhookInput | UntrustedInput): Promise<WebhookEndpoint> {
    requireEnabled(project)
    const { url, test, ...wanted } = parse(ChangeEndpoint, input)
    this.#checkUrl(url)
    if (!isId(id)) return missing(id)
    const saved = await this.store.transaction(async (tx) => {
      const before = (await tx.webhookEndpoints.lock(project.id, id)) ?? missing(id)
      const { failingSince, pausedReason, ...healthy } = before
      const asked = { ...wanted, url: changedUrl(before.url, url) }
      this.#checkDialect(before.dialect, wanted.events ?? before.events)
      const changes = changed(WebhookEndpoint, wanted.enabled ? healthy : before, asked)
      const endpoint = { ...changes, updatedAt: this.kit.now() }
      if (!(await tx.webhookEndpoints.update(endpoint))) return missing(id)
      return endpoint
    })
    if (test) await this.#testSaved(saved, input)
    return saved
  }

  /** Removes it; its waiting deliveries are not sent. Throws EngineError `WEBHOOK_NOT_FOUND`, `PROJECT_DISABLED`. */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    const isGone = isId(id) && (await this.store.webhookEndpoints.remove(project.id, id, this.kit.now()))
    if (!isGone) missing(id)
  }

  /**
   * Sends the event `webhook.test`, which has no contact, to the endpoint, even a disabled one, once; `wait` answers its
   * result. Throws EngineError `WEBHOOK_NOT_FOUND`, `VALIDATION_ERROR`, `PROJECT_DISABLED`.
   */
  async test(project: Project, id: string, query: TestWebhookInput | UntrustedInput = {}): Promise<WebhookDelivery> {
    requireEnabled(project)
    const { wait } = parse(TestEndpoint, query)
    return this.#test(await this.get(project, id), wait)
  }

  /** Warns of an address that does not take what it will be sent. */
  async #testSaved(endpoint: WebhookEndpoint, input: ChangeWebhookInput | UntrustedInput) {
    const message = testWarning(await this.#test(endpoint, TEST_AT_SAVING))
    if (message !== undefined) noteWarning(input, { field: 'url', message })
  }

  async #test(endpoint: WebhookEndpoint, wait: number): Promise<WebhookDelivery> {
    const now = this.kit.now()
    const delivery = deliveryTo(
      endpoint,
      { name: EVENTS.webhookTest, body: bodyOf({ name: EVENTS.webhookTest, at: now, data: {} }) },
      this.kit.newId(),
      now,
    )
    await this.store.webhookDeliveries.add([delivery])
    this.deliver.ask()
    return endOfTest(this.store, delivery, wait)
  }

  /** Refuses events that the dialect has not. */
  #checkDialect(dialect: string | null | undefined, events: readonly string[]): void {
    if (dialect == null) return
    const known = this.dialects.filter(({ api }) => api.events !== undefined)
    const names = known.find(({ name }) => name === dialect)?.api.events?.names
    const listed = known.map(({ name }) => name).join(', ')
    if (names === undefined) throw invalidField('dialect', 'custom', `must be one of: ${listed || 'none here'}`)
    const wrong = events.find((name) => !names.includes(widerName(name)))
    if (wrong === undefined) return
    throw invalidField('events', 'custom', `may have only these in the dialect ${dialect}: ${names.join(', ')}`)
  }

  /** Refuses addresses whose deliveries would all fail, so that users learn it when they save. */
  #checkUrl(url: string | undefined): void {
    const message = url === undefined ? undefined : this.sender.refusal?.(url)
    if (message !== undefined) throw refused([{ field: 'url', code: 'custom', message }])
  }
}

/** The address after a change: the stored one where its query is `…` in the request. */
function changedUrl(before: string, url: string | undefined): string {
  if (url === undefined || url === new URL(hiddenUrl(before)).href) return before
  requireShown(url)
  return url
}

function requireShown(url: string): void {
  if (new URL(url).search === encodeURI(`?${HIDDEN}`))
    throw refused([{ field: 'url', code: 'custom', message: HIDDEN_REFUSAL }])
}

function missing(id: string): never {
  throw new EngineError('WEBHOOK_NOT_FOUND', `There is no webhook endpoint ${shownId(id)}.`)
}

/** The classes of this room that the container makes besides its doors. */
export const WEBHOOKS = {
  deliverWebhooks: DeliverWebhooks,
  endpointFanOut: EndpointFanOut,
}
