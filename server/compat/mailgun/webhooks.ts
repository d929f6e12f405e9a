import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, ForeignRequest, OurApi } from '../../../core/ports/foreign-api.ts'
import { Form } from '../kit/form.ts'
import { type OurWebhook, ownWebhooks } from '../kit/own-webhooks.ts'
import { typedApi } from '../kit/typed-api.ts'

/** Mailgun's webhooks, each for one kind of event, with the event of ours. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['delivered', 'email.delivery'],
  ['opened', 'email.open'],
  ['clicked', 'email.click'],
  ['unsubscribed', 'contact.unsubscribed'],
  ['complained', 'email.complaint'],
  ['permanent_fail', 'email.bounce.permanent'],
  ['temporary_fail', 'email.bounce.transient'],
])
/** The most addresses of a kind. */
const MAX_URLS = 3

const PATH = '/v3/domains/:domain/webhooks'
const DIFFERS = `they are those of the project, whatever the domain in the path; the signing key is the project’s secret (\`whsec_…\`, \`GET /v5/accounts/http_signing_key\`); there is no event \`accepted\`; the client and its place are not in the events`

/** Webhooks: each kind of event goes to up to three addresses, and each address is an endpoint here. */
export const webhooks: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: PATH,
    methods: ['webhooks.list'],
    difference: `those that were made for events in Mailgun’s form; ${DIFFERS}`,
    async answer({ api }, ours) {
      const all = await ownWebhooks(ours, api)
      const named = [...KINDS].flatMap(([kind, event]) => {
        const urls = urlsOf(all, event)
        return urls.length === 0 ? [] : [[kind, { urls }] as const]
      })
      return { status: 200, body: { webhooks: Object.fromEntries(named) } }
    },
  },
  {
    method: 'POST',
    path: PATH,
    methods: ['webhooks.create'],
    difference: DIFFERS,
    body: 'form',
    fields: { id: 'id' },
    async answer({ body, api }, ours) {
      const form = new Form(body)
      const kind = form.text('id')
      if (kind === undefined) throw invalidField('id', 'required', 'is required')
      const event = eventOf(kind, 'id')
      const given = givenUrls(form)
      const before = urlsOf(await ownWebhooks(ours, api), event)
      const added = given.filter((url) => !before.includes(url))
      if (before.length + added.length > MAX_URLS) throw tooMany()
      await add(ours, { urls: added, event, api })
      return answerOf('Webhook has been created', urlsOf(await ownWebhooks(ours, api), event))
    },
  },
  {
    method: 'GET',
    path: `${PATH}/:name`,
    methods: ['webhooks.get'],
    async answer(request, ours) {
      const urls = urlsOf(await ownWebhooks(ours, request.api), kindOf(request))
      if (urls.length === 0) throw missing()
      return { status: 200, body: { webhook: { urls } } }
    },
  },
  {
    method: 'PUT',
    path: `${PATH}/:name`,
    methods: ['webhooks.update'],
    body: 'form',
    async answer(request, ours) {
      const [event, urls] = [kindOf(request), givenUrls(new Form(request.body))]
      const before = await ownWebhooks(ours, request.api)
      if (urlsOf(before, event).length === 0) throw missing()
      // those that are new come first, so that an address that is refused changes nothing
      await add(ours, { urls: urls.filter((url) => !urlsOf(before, event).includes(url)), event, api: request.api })
      await removeFrom(ours, before, { event, isGone: (url) => !urls.includes(url) })
      return answerOf('Webhook has been updated', urlsOf(await ownWebhooks(ours, request.api), event))
    },
  },
  {
    method: 'DELETE',
    path: `${PATH}/:name`,
    methods: ['webhooks.destroy'],
    async answer(request, ours) {
      const event = kindOf(request)
      const before = await ownWebhooks(ours, request.api)
      const urls = urlsOf(before, event)
      if (urls.length === 0) throw missing()
      await removeFrom(ours, before, { event, isGone: () => true })
      return answerOf('Webhook has been deleted', urls)
    },
  },
  {
    method: 'GET',
    path: '/v5/accounts/http_signing_key',
    methods: ['accountManagement.getWebhookSigningKey'],
    difference: 'the secret of the project, `whsec_…`',
    async answer(_, ours) {
      const { secret } = await typedApi(ours).call('getWebhookSecret')
      return { status: 200, body: { message: 'success', http_signing_key: secret } }
    },
  },
  {
    method: 'POST',
    path: '/v5/accounts/http_signing_key',
    methods: ['accountManagement.createWebhookSigningKey'],
    difference: 'replaces the secret of the project, which signs all of its webhooks',
    secretAnswer: true,
    async answer(_, ours) {
      const { secret } = await typedApi(ours).call('rotateWebhookSecret')
      return { status: 200, body: { message: 'success', http_signing_key: secret } }
    },
  },
]

function kindOf({ params: { name = '' } }: ForeignRequest): string {
  return eventOf(name, 'webhook')
}

function eventOf(kind: string, field: string): string {
  const event = KINDS.get(kind)
  if (event !== undefined) return event
  throw invalidField(field, 'invalid_enum_value', `must be one of these here: ${[...KINDS.keys()].join(', ')}`)
}

function givenUrls(form: Form): readonly string[] {
  const urls = [...new Set(form.texts('url').filter((url) => url !== ''))]
  if (urls.length === 0) throw invalidField('url', 'required', 'is required')
  if (urls.length > MAX_URLS) throw tooMany()
  return urls.map((url) => URL.parse(url)?.href ?? url)
}

function tooMany(): EngineError {
  return invalidField('url', 'too_big', `must be at most ${MAX_URLS} for each kind of event`)
}

function urlsOf(all: readonly OurWebhook[], event: string): readonly string[] {
  return all.flatMap(({ url, events }) => (events.includes(event) ? url : []))
}

interface Added {
  readonly urls: readonly string[]
  readonly event: string
  readonly api: string
}

/** Makes an endpoint for each address. When one is refused, those before it are taken back. */
async function add(ours: OurApi, { urls, event, api }: Added): Promise<void> {
  const made: string[] = []
  try {
    for (const url of urls) {
      const { id } = await typedApi(ours).call('createWebhook', { body: { url, events: [event], dialect: api } })
      made.push(id)
    }
  } catch (error) {
    for (const id of made) await typedApi(ours).call('deleteWebhook', { path: { id } })
    throw error
  }
}

/** Takes an event from endpoints; one that has no other goes. */
async function removeFrom(
  ours: OurApi,
  all: readonly OurWebhook[],
  { event, isGone }: { readonly event: string; isGone(url: string): boolean },
): Promise<void> {
  for (const { id, url, events } of all) {
    if (!events.includes(event) || !isGone(url)) continue
    const rest = events.filter((each) => each !== event)
    const path = { id }
    if (rest.length === 0) await typedApi(ours).call('deleteWebhook', { path })
    else await typedApi(ours).call('changeWebhook', { path, body: { events: rest } })
  }
}

function missing(): EngineError {
  return new EngineError('WEBHOOK_NOT_FOUND', 'Webhook not found')
}

function answerOf(message: string, urls: readonly string[]) {
  return { status: 200, body: { message, webhook: { urls } } }
}
