import { beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../server/app.ts'
import { type Gives, takesIdempotencyKey } from '../../server/http/route.ts'
import { READING_POSTS } from '../../server/mcp/tools.ts'
import { openApiDocument } from '../../server/openapi/document.ts'
import { accountWorld } from '../support/accounts.ts'
import {
  type AskOptions,
  expectEnvelope,
  MAIL,
  OTHER_SECRET,
  ownProject,
  PROJECT,
  type TestApp,
  testApp,
} from '../support/app.ts'
import { fileForm } from '../support/contact-jobs.ts'
import { isSwapped, QUICK, STRICT } from '../support/matrix.ts'

/** POST requests of callers where a key is ignored, besides those that change nothing: their bodies hold a password or a code. */
const OF_A_PASSWORD = [
  ...['enrolSecondFactor', 'confirmSecondFactor', 'renewRecoveryCodes', 'makePasswordLink'],
  // it changes nothing either, but is no tool of the MCP, which people do not use
  'lookUpMyBlocklists',
  ...['addMailServer', 'testMailServer', 'addProjectMailServer', 'testProjectMailServer', 'addSeedMailbox'],
]
const { to: _, ...CONTENT } = MAIL
const CAMPAIGN = { ...CONTENT, name: 'May', audienceType: 'ALL' }

describe.skipIf(isSwapped)('every POST of a caller', () => {
  const posts = ROUTES.filter(({ method, access }) => method === 'POST' && access !== 'open')

  it('takes an Idempotency-Key, but for those that make nothing', () => {
    const ignoring = posts.filter((route) => !takesIdempotencyKey(route)).map(({ operation }) => operation)
    expect(ignoring.toSorted()).toEqual([...READING_POSTS, ...OF_A_PASSWORD].toSorted())
  })

  it('says so in the API document', () => {
    const { paths } = openApiDocument(ROUTES) as unknown as {
      paths: Record<string, { post?: { operationId: string; parameters?: { $ref?: string }[] } }>
    }
    const said = Object.values(paths).flatMap(({ post }) =>
      post?.parameters?.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')) ? [post.operationId] : [],
    )
    expect(said.toSorted()).toEqual(
      posts
        .filter(takesIdempotencyKey)
        .map(({ operation }) => operation)
        .toSorted(),
    )
  })

  it('keeps no answer that has a secret', () => {
    const secretive = posts.filter((route) => takesIdempotencyKey(route) && Object.values(route.gives).some(hasSecret))
    expect(secretive.map(({ operation }) => operation).toSorted()).toEqual(['createApiKey', 'rotateWebhookSecret'])
    expect(secretive.filter(({ secretAnswer }) => !secretAnswer)).toEqual([])
  })
})

for (const { name, store } of [STRICT]) {
  describe(`an Idempotency-Key on ${name}`, () => {
    let test: TestApp
    let ahead = 0
    beforeAll(async () => {
      test = await testApp({ store }, {}, { clock: { now: () => new Date(Date.now() + ahead) } })
    })
    const make = (key: string, json: object = CAMPAIGN, ask = test.ask, options: AskOptions = {}) =>
      ask('POST', '/campaigns', { json, ...options, headers: { 'idempotency-key': key } })
    const campaigns = async (ask = test.ask) => (await ask('GET', '/campaigns')).body.total

    it('makes one thing, answers again as before, and refuses another body', async () => {
      const { ask } = await ownProject(test)
      const first = await make('one', CAMPAIGN, ask)
      const again = await make('one', CAMPAIGN, ask)
      expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
      expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
      expectEnvelope(await make('one', { ...CAMPAIGN, name: 'June' }, ask), 422, 'IDEMPOTENCY_KEY_REUSED')
      const otherOrder = Object.fromEntries(Object.entries(CAMPAIGN).reverse())
      expect((await make('one', otherOrder, ask)).headers.get('idempotent-replayed')).toBe('true')
      expect(await campaigns(ask)).toBe(1)
      // another path and another project have keys of their own
      const template = { name: 'T', subject: 'Hi', body: '<p>Hi</p>', type: 'TRANSACTIONAL', from: 'hello@example.com' }
      const other = await ask('POST', '/templates', { json: template, headers: { 'idempotency-key': 'one' } })
      expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([201, null])
      expect(
        (await make('one', CAMPAIGN, test.ask, { key: OTHER_SECRET })).headers.get('idempotent-replayed'),
      ).toBeNull()
    })

    it('repeats the warnings of the first answer', async () => {
      const json = { ...CAMPAIGN, nmae: 'x' }
      const first = await make('warned', json)
      const again = await make('warned', json)
      expect(first.body.warnings).toMatchObject([{ field: 'nmae' }])
      expect(again.text).toBe(first.text)
    })

    it('makes one thing of twins at the same time', async () => {
      const { ask } = await ownProject(test)
      const answers = await Promise.all(Array.from({ length: 12 }, () => make('twins', CAMPAIGN, ask)))
      const first = answers.find((each) => each.status === 201 && !each.headers.has('idempotent-replayed'))
      for (const answer of answers) {
        if (answer.status === 201) expect(answer.text).toBe(first?.text)
        else {
          expectEnvelope(answer, 409, 'IDEMPOTENCY_IN_PROGRESS')
          expect(answer.headers.get('retry-after')).toBe('1')
        }
      }
      expect(await campaigns(ask)).toBe(1)
      expect((await make('twins', CAMPAIGN, ask)).text).toBe(first?.text)
    })

    it('is not used up by a refused request', async () => {
      expectEnvelope(await make('refused', { name: 'May' }), 422, 'VALIDATION_ERROR')
      expect((await make('refused')).status).toBe(201)
      expectEnvelope(await make('é'), 400, 'BAD_REQUEST')
      expectEnvelope(await make('k'.repeat(256)), 400, 'BAD_REQUEST')
      expect((await make('k'.repeat(255))).status).toBe(201)
    })

    it('is free again five minutes after its request died, and a day after it was answered', async () => {
      const key = 'died'
      const given = { key, scope: { operation: 'POST /campaigns' }, input: CAMPAIGN }
      // the process of this one has gone
      await new Promise<void>((begun) => {
        const work = () => {
          begun()
          return new Promise<never>(() => {})
        }
        test.engine.projects.once(PROJECT, given, work, () => null).catch(() => {})
      })
      expect((await make(key)).status).toBe(409)
      ahead += 5 * 60_000 - 2000
      expectEnvelope(await make(key), 409, 'IDEMPOTENCY_IN_PROGRESS')
      ahead += 2001
      const first = await make(key)
      expect(first.status).toBe(201)
      ahead += 24 * 3600_000 - 5000
      expect((await make(key)).text).toBe(first.text)
      ahead += 5001
      expect((await make(key)).body.data.id).not.toBe(first.body.data.id)
    })

    it('counts for files, by what they hold', async () => {
      const upload = async (bytes: string) => {
        const { raw, headers } = await fileForm(Buffer.from(bytes))
        const all = { ...headers, 'idempotency-key': 'file' }
        return test.ask('POST', '/suppressions/import', { raw, headers: all } as AskOptions)
      }
      const first = await upload('email\nno@example.org\n')
      const again = await upload('email\nno@example.org\n')
      expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
        first.status,
        first.text,
        'true',
      ])
      expectEnvelope(await upload('email\nother@example.org\n'), 422, 'IDEMPOTENCY_KEY_REUSED')
    })

    it('keeps no secret: a repeat makes no second one and says so', async () => {
      const { ask } = await ownProject(test)
      const { projectId } = (await ask('GET', '/keys/@me')).body
      const json = { name: 'shop', kind: 'secret', scopes: ['send'] }
      const once = () => ask('POST', `/projects/${projectId}/keys`, { json, headers: { 'idempotency-key': 'key' } })
      expect((await once()).body.key).toMatch(/^sk_/)
      const again = await once()
      expectEnvelope(again, 409, 'CONFLICT')
      expect(again.body.error.message).toMatch(/already done.*secret/)
      const names = (await ask('GET', `/projects/${projectId}/keys`)).body.map((each: { name: string }) => each.name)
      expect(names.filter((each: string) => each === 'shop')).toHaveLength(1)
    })
  })
}

it('counts for people who are logged in, each by himself', async () => {
  const world = await accountWorld(QUICK)
  const [ada, bob] = [await world.signup(), await world.signup()]
  const project = (who: typeof ada) =>
    who.ask('POST', '/users/@me/projects', { json: { name: 'Mine' }, headers: { 'idempotency-key': 'mine' } })
  const first = await project(ada)
  const again = await project(ada)
  expect([first.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
  expect((await project(bob)).body.id).not.toBe(first.body.id)
  expect((await ada.ask('GET', '/users/@me/projects')).body).toHaveLength(1)
})

/** Whether an answer has a field of a name under which secrets are shown. */
function hasSecret(given: Gives): boolean {
  const { data, ...fields } = (given as { readonly entries?: Record<string, Gives> } | null)?.entries ?? {}
  return ['secret', 'key', 'token', 'recoveryCodes'].some((name) => name in fields) || (data ? hasSecret(data) : false)
}
