import { expect } from 'vitest'
import { ROUTES } from '../../server/app.ts'
import { type KeyRoute, type RouteExample, takesIdempotencyKey } from '../../server/http/route.ts'
import { EXAMPLE_IDS } from '../../server/openapi/example-ids.ts'
import { pathParameters } from '../../server/openapi/path-parameters.ts'
import type { Answer, AskOptions } from './app.ts'

// Every example of the document is sent as it stands there, with real ids in the place of those of EXAMPLE_IDS: an
// example that is not sent is wrong sooner or later. Answers are held against the document as in every test
// (support/documented.ts).

/** Asks with the key of a project that has nothing yet. */
export type Ask = (method: string, path: string, options?: AskOptions) => Promise<Answer>
type Thing = keyof typeof EXAMPLE_IDS
/** The id of each thing in the place of its example. */
type Ids = Partial<Record<Thing, string>>

const MAIL = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
const LATER = '2026-06-10T09:00:00Z'
/** The time at which the times in examples lie ahead. */
export const EXAMPLES_CLOCK = new Date('2026-06-01T12:00:00Z')

async function made(ask: Ask, path: string, json: object): Promise<Record<string, string>> {
  const { status, body } = await ask('POST', path, { json })
  if (status > 299) throw new Error(`POST ${path} answers ${status}: ${JSON.stringify(body)}`)
  return body.success ? body.data : body
}

/** A mail that is sent from an inbox. */
async function sent(ask: Ask, inbox: string | undefined, draft: object): Promise<Record<string, string>> {
  const { id } = await made(ask, `/inboxes/${inbox}/drafts`, { body: '<p>Hi</p>', ...draft })
  return made(ask, `/drafts/${id}/send`, {})
}

const campaign = { ...MAIL, name: 'May', audienceType: 'ALL' }

/** Makes what an example speaks of, in a project of its own. */
const MAKERS: Readonly<Partial<Record<Thing, (ask: Ask, ids: Ids) => Promise<Ids>>>> = {
  contact: async (ask) => ({ contact: (await made(ask, '/contacts', { email: 'first@example.org' })).id! }),
  otherContact: async (ask) => ({ otherContact: (await made(ask, '/contacts', { email: 'other@example.org' })).id! }),
  template: async (ask) => {
    const template = { name: 'T', subject: 'Hi', body: '<p>Hi</p>', type: 'TRANSACTIONAL', from: 'hello@example.com' }
    return { template: (await made(ask, '/templates', template)).id! }
  },
  snippet: async (ask) => ({ snippet: (await made(ask, '/snippets', { name: 'footer', body: '<p>Acme</p>' })).id! }),
  layout: async (ask) => ({ layout: (await made(ask, '/layouts', { name: 'Brand', body: '{{ content }}' })).id! }),
  topic: async (ask) => ({ topic: (await made(ask, '/topics', { name: 'News' })).id! }),
  form: async (ask) => {
    const form = { name: 'F', texts: { title: 'News' }, consent: 'Yes', doubleOptIn: false }
    return { form: (await made(ask, '/forms', form)).id! }
  },
  segment: async (ask) => ({ segment: (await made(ask, '/segments', { name: 'S', type: 'STATIC' })).id! }),
  campaign: async (ask) => {
    await made(ask, '/contacts', { email: 'reader@example.org' })
    return { campaign: (await made(ask, '/campaigns', campaign)).id! }
  },
  attachment: async (ask, { campaign: id }) => {
    const file = { filename: 'a.txt', contentType: 'text/plain', content: 'b25l' }
    const { attachments } = (await ask('POST', `/campaigns/${id}/attachments`, { json: file })).body
    return { attachment: attachments[0].id }
  },
  series: async (ask) => {
    const { id: campaignId } = await made(ask, '/campaigns', campaign)
    const rhythm = { every: 'day', at: '09:00' }
    return { series: (await made(ask, '/campaign-series', { name: 'Daily', campaignId, rhythm })).id! }
  },
  workflow: async (ask) => {
    const { id: workflow } = await made(ask, '/workflows', { name: 'W', eventName: 'signed-up' })
    const pause = { type: 'DELAY', config: { amount: 1, unit: 'days' } }
    const step = (await made(ask, `/workflows/${workflow}/steps`, pause)).id!
    const nextStep = (await made(ask, `/workflows/${workflow}/steps`, { ...pause, autoConnect: false })).id!
    const graph = (await ask('GET', `/workflows/${workflow}`)).body
    return { workflow: workflow!, step, nextStep, transition: graph.transitions[0].id }
  },
  execution: async (ask, { workflow }) => {
    await ask('PATCH', `/workflows/${workflow}`, { json: { enabled: true } })
    const { id: contactId } = await made(ask, '/contacts', { email: 'runner@example.org' })
    return { execution: (await made(ask, `/workflows/${workflow}/executions`, { contactId })).id! }
  },
  email: async (ask) => {
    const { body } = await ask('POST', '/v1/send', { json: { ...MAIL, scheduledFor: LATER } })
    return { email: body.data.emails[0].email }
  },
  domain: async (ask) => ({ domain: (await made(ask, '/domains', { domain: 'example.com' })).id! }),
  domainTest: async (ask, { domain }) => {
    return { domainTest: (await made(ask, `/domains/${domain}/test`, { to: 'me@example.com' })).testId! }
  },
  webhook: async (ask) => {
    return { webhook: (await made(ask, '/webhooks', { url: 'https://example.com/hook', events: ['*'] })).id! }
  },
  delivery: async (ask) => {
    const { id } = await made(ask, '/webhooks', { url: 'https://example.com/hook', events: ['*'] })
    const delivery = (await made(ask, `/webhooks/${id}/test`, {})).id!
    // its deliveries end with it: one that waits cannot be made once more
    await ask('DELETE', `/webhooks/${id}`)
    return { delivery }
  },
  mailServer: async (ask) => ({ mailServer: (await made(ask, '/mail-servers', { host: 'smtp.example.com' })).id! }),
  inbox: async (ask) => {
    const inbox = { name: 'Help', address: 'desk@example.com', labels: [{ name: 'urgent', colour: '#d92d20' }] }
    return { inbox: (await made(ask, '/inboxes', inbox)).id! }
  },
  draft: async (ask, { inbox }) => {
    const mail = { to: ['ada@example.org'], subject: 'Hi', body: '<p>Hi</p>' }
    return { draft: (await made(ask, `/inboxes/${inbox}/drafts`, mail)).id! }
  },
  draftFile: async (ask, { draft }) => {
    const file = { filename: 'a.txt', contentType: 'text/plain', content: 'b25l' }
    const { attachments } = (await ask('POST', `/drafts/${draft}/attachments`, { json: file })).body
    return { draftFile: attachments[0].id }
  },
  thread: async (ask, { inbox }) => {
    const first = await sent(ask, inbox, { to: ['ada@example.org'], subject: 'Hi' })
    await sent(ask, inbox, { kind: 'reply', messageId: first.emailId })
    return { thread: first.threadId!, message: first.emailId! }
  },
  otherThread: async (ask, { inbox }) => {
    return { otherThread: (await sent(ask, inbox, { to: ['bob@example.org'], subject: 'Ho' })).threadId! }
  },
  note: async (ask, { thread }) => ({ note: (await made(ask, `/threads/${thread}/notes`, { text: 'Call her' })).id! }),
  suppression: async (ask) => ({ suppression: (await made(ask, '/suppressions', { email: 'no@example.org' })).id! }),
  project: async (ask) => ({ project: (await ask('GET', '/keys/@me')).body.projectId }),
  apiKey: async (ask, { project }) => {
    const key = { name: 'shop', kind: 'secret', scopes: ['send'] }
    return { apiKey: (await made(ask, `/projects/${project}/keys`, key)).id! }
  },
  job: async (ask) => ({
    job: (await made(ask, '/contacts/bulk-subscribe', { contactIds: [EXAMPLE_IDS.contact] })).jobId!,
  }),
}

/** The thing that another is made of: a step of a workflow. */
const NEEDS: Readonly<Partial<Record<Thing, Thing>>> = {
  step: 'workflow',
  nextStep: 'workflow',
  transition: 'workflow',
  execution: 'workflow',
  attachment: 'campaign',
  draft: 'inbox',
  draftFile: 'draft',
  thread: 'inbox',
  message: 'thread',
  otherThread: 'inbox',
  note: 'thread',
  domainTest: 'domain',
  apiKey: 'project',
}

const act = (path: (ids: Ids) => string, json?: object) => async (ask: Ask, ids: Ids) => {
  const { status } = await ask('POST', path(ids), json ? { json } : {})
  expect(status).toBeLessThan(300)
}
const sending = act(({ campaign }) => `/campaigns/${campaign}/send`, {})

/** The steps before an operation can succeed. */
const BEFORE: Readonly<Record<string, (ask: Ask, ids: Ids) => Promise<unknown>>> = {
  cancelCampaign: sending,
  pauseCampaign: sending,
  // of one that is finished
  sendCampaignAgain: async (ask, ids) => {
    await sending(ask, ids)
    await act(({ campaign }) => `/campaigns/${campaign}/cancel`)(ask, ids)
  },
  // one that waits need not be sent again
  resendEmail: act(({ email }) => `/emails/${email}/cancel`),
  // of a key that works in inboxes
  changeApiKey: async (ask, ids) => {
    const { id } = await made(ask, '/inboxes', { name: 'Help', address: 'stop@example.com' })
    const json = { name: 'agent', kind: 'secret', scopes: ['inbox'], inbox: { inboxIds: [id], rights: ['read'] } }
    ids.apiKey = (await made(ask, `/projects/${ids.project}/keys`, json)).id!
  },
  undoDraft: act(({ draft }) => `/drafts/${draft}/send`, { undoSeconds: 60 }),
  resumeCampaign: async (ask, ids) => {
    await sending(ask, ids)
    await act(({ campaign }) => `/campaigns/${campaign}/pause`)(ask, ids)
  },
  publishTemplate: (ask, { template }) => ask('PUT', `/templates/${template}/draft`, { json: { subject: 'Hello' } }),
  startExecution: (ask, { workflow }) => ask('PATCH', `/workflows/${workflow}`, { json: { enabled: true } }),
  // a pause decides nothing that could be tried
  testStep: async (ask, ids) => {
    await made(ask, '/contacts', { email: 'ada@example.org' })
    const config = { field: 'subscribed', operator: 'equals', value: true }
    ids.step = (await made(ask, `/workflows/${ids.workflow}/steps`, { type: 'CONDITION', config, autoConnect: false }))
      .id!
  },
  // a filter by a field that no contact has is answered with a warning
  createCampaign: (ask) => ask('POST', '/contacts', { json: { email: 'a@example.org', data: { plan: 'pro' } } }),
  // of a segment whose members are found by a filter and recorded
  computeSegment: async (ask, ids) => {
    const filters = { operator: 'AND', conditions: [{ field: 'subscribed', operator: 'equals', value: true }] }
    ids.segment = (await made(ask, '/segments', { name: 'D', filters, trackMembership: true })).id!
  },
  getImport: importing,
  exportRefusedRows: importing,
  getSuppressionImport: async (ask, ids) => {
    const addresses = Array.from({ length: 5001 }, (_, i) => `a${i}@example.org`)
    ids.job = (await sendForm(ask, '/suppressions/import', ['email', ...addresses].join('\n'))).body.jobId
  },
}

async function importing(ask: Ask, ids: Ids): Promise<void> {
  const { body, headers } = await sendForm(ask, '/contacts/import', 'email\na@example.org\n')
  expect(headers).toBeDefined()
  ids.job = body.jobId
}

function sendForm(ask: Ask, path: string, text: string, headers: Record<string, string> = {}) {
  const form = '----form'
  const head = `--${form}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n`
  const raw = `${head}${text}\r\n--${form}--\r\n`
  return ask('POST', path, { raw, headers: { ...headers, 'content-type': `multipart/form-data; boundary=${form}` } })
}

/** Not sent here: what needs a session, an image, a form that was sent, mail that failed, or a test that waits; their own tests send it. */
const ELSEWHERE = new Set([
  'addMember',
  'changeMember',
  'removeMember',
  'uploadImage',
  'deleteUpload',
  'retryFailedMails',
  'chooseWinner',
  'askConfirmationAgain',
  // a person's: test/http/inboxes.test.ts
  'approveDraft',
  'refuseDraft',
  'listGrants',
  'decideGrant',
  'endGrant',
  // ask a model: test/http/assistant.test.ts
  'assistThread',
  'changeTexts',
  // needs a mail that was caught: test/http/sandbox.test.ts
  'getCaughtMail',
  'removeCaughtMail',
  // asks an IMAP server: test/http/seeds.test.ts
  'addSeedMailbox',
  'removeSeedMailbox',
  'startSeedTest',
  // asks a mail server
  'testProjectMailServer',
])

const KEYED = ROUTES.filter(
  (route): route is KeyRoute => route.access === 'secret' || route.access === 'public',
).filter(({ operation = '' }) => !ELSEWHERE.has(operation))

/** Every example of every route for callers with a key. */
export const EXAMPLES = KEYED.flatMap((route) => {
  const examples: readonly RouteExample[] = route.examples ?? [{}]
  return examples.map((example) => {
    const { summary } = example
    return { name: `${route.method} ${route.path}${summary ? `: ${summary}` : ''}`, route, example }
  })
})

/** An example as it is sent: with the ids of things that were made for it, and its times moved by so many milliseconds. */
export async function sendExample(ask: Ask, { route, example }: (typeof EXAMPLES)[number], later = 0): Promise<Answer> {
  const { operation, method, path, gives } = route
  const at: Ask = (verb, url, options = {}) =>
    ask(
      verb,
      moved(url, later),
      options.json ? { ...options, json: JSON.parse(moved(JSON.stringify(options.json), later)) } : options,
    )
  const filled = pathParameters(path).reduce((url, { name, example: id }) => url.replace(`:${name}`, id), path)
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(example.query ?? {})) query.set(key, String(value))
  const url = query.size > 0 ? `${filled}?${query}` : filled
  const ids: Ids = {}
  const text = JSON.stringify([url, example.body])
  for (const thing of Object.keys(EXAMPLE_IDS) as Thing[]) {
    if (!text.includes(EXAMPLE_IDS[thing])) continue
    for (const each of [NEEDS[thing], thing]) {
      if (each && ids[each] === undefined) Object.assign(ids, await MAKERS[each]?.(at, ids))
    }
  }
  await BEFORE[operation]?.(at, ids)
  const real = (given: string) =>
    Object.entries(ids).reduce((all, [thing, id]) => all.replaceAll(EXAMPLE_IDS[thing as Thing], id), given)
  const headers: Record<string, string> = takesIdempotencyKey(route) ? { 'idempotency-key': 'example' } : {}
  const once = () =>
    route.body === 'multipart'
      ? sendForm(at, real(url), String(example.body?.file), headers)
      : at(method, real(url), {
          headers,
          ...(example.body ? { json: JSON.parse(real(JSON.stringify(example.body))) } : {}),
        })
  const answer = await once()
  const { status, body } = answer
  expect({ success: Object.keys(gives).filter((given) => given < '400'), body }).toMatchObject({
    success: expect.arrayContaining([String(status)]),
  })
  expect(body?.warnings).toBeUndefined()
  if (takesIdempotencyKey(route)) expectRepeat(route, answer, await once())
  // a domain belongs to one project
  if (ids.domain) await at('DELETE', `/domains/${ids.domain}`)
  return answer
}

/** A request that is repeated under its key is not done again. */
function expectRepeat({ operation, secretAnswer }: KeyRoute, { status, text, body }: Answer, again: Answer): void {
  if (secretAnswer) expect([again.status, again.body?.error?.code]).toEqual([409, 'CONFLICT'])
  // its answer is the new mail, which may be on its way by now
  else if (operation === 'resendEmail') {
    expect([again.status, again.body?.id, again.headers.get('idempotent-replayed')]).toEqual([status, body.id, 'true'])
  } else expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([status, text, 'true'])
}

/** The text with its times so many milliseconds later. */
function moved(text: string, later: number): string {
  if (later === 0) return text
  return text.replace(/2026-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d(?:\.\d+)?Z/g, (time) =>
    new Date(Date.parse(decodeURIComponent(time)) + later).toISOString(),
  )
}
