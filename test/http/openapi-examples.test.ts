import { beforeAll, describe, expect, it } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { ROUTES } from '../../server/app.ts'
import { EXAMPLE_IDS } from '../../server/openapi/example-ids.ts'
import { pathParameters } from '../../server/openapi/path-parameters.ts'
import type { KeyRoute, RouteExample } from '../../server/route.ts'
import { ownProject, type TestApp, testApp } from '../support/app.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { QUICK } from '../support/matrix.ts'

// Every example of the document is sent as it stands there, with real ids in the place of those of EXAMPLE_IDS: an example that
// nobody sends is wrong sooner or later. Answers are held against the document as in every test (support/documented.ts).

type Ask = TestApp['ask']
type Thing = keyof typeof EXAMPLE_IDS
/** The id of each thing in the place of its example. */
type Ids = Partial<Record<Thing, string>>

const MAIL = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
const LATER = '2026-06-10T09:00:00Z'

async function made(ask: Ask, path: string, json: object): Promise<Record<string, string>> {
  const { status, body } = await ask('POST', path, { json })
  if (status > 299) throw new Error(`POST ${path} answers ${status}: ${JSON.stringify(body)}`)
  return body.success ? body.data : body
}

const campaign = { ...MAIL, name: 'May', audienceType: 'ALL' }

/** Makes what an example speaks of, in a project of its own. */
const MAKERS: Readonly<Partial<Record<Thing, (ask: Ask, ids: Ids) => Promise<Ids>>>> = {
  contact: async (ask) => ({ contact: (await made(ask, '/contacts', { email: 'first@example.org' })).id! }),
  template: async (ask) => {
    const template = { name: 'T', subject: 'Hi', body: '<p>Hi</p>', type: 'TRANSACTIONAL', from: 'hello@example.com' }
    return { template: (await made(ask, '/templates', template)).id! }
  },
  segment: async (ask) => ({ segment: (await made(ask, '/segments', { name: 'S', type: 'STATIC' })).id! }),
  campaign: async (ask) => {
    await made(ask, '/contacts', { email: 'reader@example.org' })
    return { campaign: (await made(ask, '/campaigns', campaign)).id! }
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

/** What is made of what: a step of a workflow. */
const NEEDS: Readonly<Partial<Record<Thing, Thing>>> = {
  step: 'workflow',
  nextStep: 'workflow',
  transition: 'workflow',
  execution: 'workflow',
  domainTest: 'domain',
  apiKey: 'project',
}

const act = (path: (ids: Ids) => string, json?: object) => async (ask: Ask, ids: Ids) => {
  const { status } = await ask('POST', path(ids), json ? { json } : {})
  expect(status).toBeLessThan(300)
}
const sending = act(({ campaign }) => `/campaigns/${campaign}/send`, {})

/** What has to be so before an operation succeeds. */
const BEFORE: Readonly<Record<string, (ask: Ask, ids: Ids) => Promise<unknown>>> = {
  cancelCampaign: sending,
  pauseCampaign: sending,
  // one that waits need not be sent again
  resendEmail: act(({ email }) => `/emails/${email}/cancel`),
  resumeCampaign: async (ask, ids) => {
    await sending(ask, ids)
    await act(({ campaign }) => `/campaigns/${campaign}/pause`)(ask, ids)
  },
  startExecution: (ask, { workflow }) => ask('PATCH', `/workflows/${workflow}`, { json: { enabled: true } }),
  // of a segment whose members are found by a filter and recorded
  computeSegment: async (ask, ids) => {
    const filters = { operator: 'AND', conditions: [{ field: 'subscribed', operator: 'equals', value: true }] }
    ids.segment = (await made(ask, '/segments', { name: 'D', filters, trackMembership: true })).id!
  },
  getImport: async (ask, ids) => {
    const { body, headers } = await sendForm(ask, '/contacts/import', 'email\na@example.org\n')
    expect(headers).toBeDefined()
    ids.job = body.jobId
  },
}

function sendForm(ask: Ask, path: string, text: string) {
  const form = '----form'
  const head = `--${form}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n`
  const raw = `${head}${text}\r\n--${form}--\r\n`
  return ask('POST', path, { raw, headers: { 'content-type': `multipart/form-data; boundary=${form}` } })
}

/** Not sent here: what needs a session or an image, or mail that failed; their own tests send it. */
const ELSEWHERE = new Set(['addMember', 'changeMember', 'removeMember', 'uploadImage', 'retryFailedMails'])

const KEYED = ROUTES.filter(
  (route): route is KeyRoute => route.access === 'secret' || route.access === 'public',
).filter(({ operation = '' }) => !ELSEWHERE.has(operation))

const CASES = KEYED.flatMap((route) => {
  const examples: readonly RouteExample[] = route.examples ?? [{}]
  return examples.map((example) => {
    const { summary } = example
    return { name: `${route.method} ${route.path}${summary ? `: ${summary}` : ''}`, route, example }
  })
})

describe('an example of the OpenAPI document succeeds', () => {
  let test: TestApp
  beforeAll(async () => {
    const names = await startDnsServer({})
    atEndOfFile(() => names.close())
    const dns = nodeDns({ servers: [names.address], timeoutMs: 200, tries: 1 })
    test = await testApp(QUICK, {}, { dns, clock: { now: () => new Date('2026-06-01T12:00:00Z') } })
  })

  it.each(CASES)('$name', async ({ route, example }) => {
    const { ask } = await ownProject(test)
    const { operation, method, path, gives } = route
    const filled = pathParameters(path).reduce((url, { name, example: id }) => url.replace(`:${name}`, id), path)
    const query = new URLSearchParams()
    for (const [key, value] of Object.entries(example.query ?? {})) query.set(key, String(value))
    const url = query.size > 0 ? `${filled}?${query}` : filled
    const ids: Ids = {}
    const text = JSON.stringify([url, example.body])
    for (const thing of Object.keys(EXAMPLE_IDS) as Thing[]) {
      if (!text.includes(EXAMPLE_IDS[thing])) continue
      for (const each of [NEEDS[thing], thing]) {
        if (each && ids[each] === undefined) Object.assign(ids, await MAKERS[each]?.(ask, ids))
      }
    }
    await BEFORE[operation]?.(ask, ids)
    const real = (given: string) =>
      Object.entries(ids).reduce((all, [thing, id]) => all.replaceAll(EXAMPLE_IDS[thing as Thing], id), given)
    const { status, body } =
      route.body === 'multipart'
        ? await sendForm(ask, real(url), String(example.body?.file))
        : await ask(method, real(url), example.body ? { json: JSON.parse(real(JSON.stringify(example.body))) } : {})
    expect({ success: Object.keys(gives).filter((given) => given < '400'), body }).toMatchObject({
      success: expect.arrayContaining([String(status)]),
    })
    expect(body?.warnings).toBeUndefined()
    // a domain belongs to one project
    if (ids.domain) await ask('DELETE', `/domains/${ids.domain}`)
  })
})
