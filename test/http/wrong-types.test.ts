import { Client } from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { installationSettings } from '../../config/mail-server.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { ROUTES } from '../../server/app.ts'
import { pathParameters } from '../../server/openapi/path-parameters.ts'
import { cookieOf, newAddress, ORIGIN, PASSWORD } from '../support/accounts.ts'
import { type Answer, MAIL, ownProject, type TestApp, testApp } from '../support/app.ts'
import { LINK_SETTINGS } from '../support/contact-links.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { type Ask, EXAMPLES, EXAMPLES_CLOCK, sendExample } from '../support/example-requests.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { hasParent, type Place, placesOf, sampleOf, spoilt, takenBy } from '../support/request-fields.ts'
import { ENDPOINTS } from './endpoints.ts'

/** Whether all values are tried, in the project `thorough`. `npm test` tries one of each kind. */
const ALL = process.env.THOROUGH === '1'

const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
/** Values that are wrong almost everywhere; where one is right, the answer is a 2xx. */
const VALUES: readonly Value[] = [
  ['null', null],
  ['true', true],
  ['zero', 0],
  ['a negative number', -1],
  ['a fraction', 1.5],
  ['the largest number', Number.MAX_VALUE],
  ['an empty text', ''],
  ['a space', ' '],
  ['a text', 'x'],
  ['NUL', 'a\0b'],
  ['half a surrogate pair', 'a\ud800b'],
  ['a line break', 'a\r\nb'],
  ['a long text', 'x'.repeat(100_000)],
  ['an empty list', []],
  ['a list of null', [null]],
  ['a list of lists', [[[]]]],
  ['a list of numbers', [1, 2]],
  ['a long list', Array(1001).fill('x')],
  ['an empty object', {}],
  ['an object of null', { email: null, value: null }],
  ['an object with members of functions', { length: 1, toString: 'x', valueOf: 'y', constructor: { name: 'z' } }],
  ['an object nested 200 deep', deep(200)],
  ['an object with a NUL in a key', { 'a\0': 1 }],
  ['an object with half a surrogate pair in a key', { '\udc00': 1 }],
]

/** One of each kind; for fields inside others no more are tried at night. */
const KINDS: readonly Value[] = VALUES.filter(([what]) =>
  /^(null|true|a fraction|NUL|half a surr.*|a long text|a list of null|an object with a NUL.*)$/.test(what),
)

/** Texts that are wrong in almost every query, of each kind one. */
const FEW_TEXTS: readonly string[] = ['', '-1', 'x', '%00', '%ED%A0%80', 'x'.repeat(10_000)]
const TEXTS: readonly string[] = ALL
  ? [...FEW_TEXTS, '0', '1.5', 'null', '%ff', '%', '%27%20OR%201=1--', '[]', '{}']
  : FEW_TEXTS

/** Texts in the place of an id in a path, of each kind one. */
const FEW_IDS: readonly string[] = ['x', '%00']
const IDS: readonly string[] = ALL
  ? [...FEW_IDS, '%F0%9F%98%80', '0'.repeat(300), '-1', 'null', '%ED%A0%80', '%27--', '1e9', '%2F..%2F']
  : FEW_IDS

/** For fields inside others by day: what is missing, of another type, too long, and what PostgreSQL cannot store. */
const INSIDE: readonly Value[] = KINDS.filter(([what]) => /^(null|NUL|a long text|a list of null)$/.test(what))

type Value = readonly [what: string, value: unknown]

const seen = new Set<string>()
/** Every route that reads a JSON body, with every field of it. */
const BODIES = ROUTES.flatMap((route) => {
  const { body: schema } = takenBy(route)
  if (schema === undefined) return []
  return [{ name: `${route.method} ${route.path}`, route, schema, places: placesOf(schema, seen) }]
})

/** Every GET that takes a query, with every name of it. */
const OPERATOR = 'the-key-of-the-operator'

const QUERIES = ENDPOINTS.flatMap(([method, path, route]) => {
  const { query } = takenBy(route)
  return query.length === 0 || method !== 'GET' ? [] : [{ method, path, query: [...query, '__proto__', 'constructor'] }]
})

/** Every route with ids in its path. */
const PATHS = ROUTES.filter(({ path }) => path.includes(':')).map((route) => ({
  name: `${route.method} ${route.path}`,
  route,
}))

// On PostgreSQL alone: it refuses what SQLite keeps, such as NUL and half surrogate pairs, and so fails where a check is missing.
describe('values of wrong types and sizes', () => {
  let test: TestApp
  /** A user who is logged in, and owns a project. */
  let owner: Ask
  let projectId: string
  /** The ids in paths of what belongs to them. */
  let ours: Readonly<Record<string, string>>
  let database: Client
  /** The rows that were written since it was asked before; asked past the API. */
  let written: () => Promise<readonly string[]>

  beforeAll(async () => {
    const url = await freshDatabase()
    const accounts = { passwordCost: 10, signup: true, projects: true, from: 'accounts@example.com' } as const
    // its engine is not started, so only requests write
    test = await testApp(
      { store: () => postgres({ url }) },
      { log: false, failuresPerMinutePerIp: 100_000, operatorKey: OPERATOR },
      { ...LINK_SETTINGS, accounts, clock: { now: () => EXAMPLES_CLOCK }, installation: installationSettings({}) },
    )
    // made by the operator, who then runs the server: who signs up may not
    const json = { email: newAddress(), password: PASSWORD }
    await test.engine.accounts.make(json)
    const cookie = cookieOf((await test.ask('POST', '/auth/login', { key: null, json })).headers)
    owner = (method, path, asked = {}) =>
      test.ask(method, path, { ...asked, key: null, headers: { origin: ORIGIN, cookie, 'x-project-id': projectId } })
    projectId = (await owner('POST', '/users/@me/projects', { json: { name: 'Mine' } })).body.id
    const form = { name: 'Mine', texts: { title: 'News' }, consent: 'Yes', doubleOptIn: false }
    const server = { host: '127.0.0.1', port: 9, security: 'none' }
    const formId = (await owner('POST', '/forms', { json: form })).body.id
    const serverId = (await owner('POST', '/users/@me/operator/mail-servers', { json: server })).body.id
    ours = { id: projectId, projectId, formId, serverId }
    database = new Client(url)
    await database.connect()
    atEndOfFile(() => database.end())
    await database.query(WATCH)
    expect((await test.ask('POST', '/contacts', { json: { email: 'ada@example.org' } })).status).toBe(201)
    // prepared, since it is asked after each request
    const taken = { name: 'written', text: 'delete from written returning name' }
    written = async () => (await database.query(taken)).rows.map(({ name }) => name)
    expect(await written()).toContain('contacts')
  })
  const failures = () => test.lines.filter(({ level }) => level === 'error')

  it.each(BODIES)('$name refuses them in every field, by its name, or takes them, but never fails', async (each) => {
    const { route, schema, places } = each
    const { ask, path, body } = await rightRequest(each)
    await written()
    let named = 0
    /** Answers the fields that were refused; none when it was taken. */
    const refused = async (what: string, given: readonly Place[], value: unknown) => {
      const json = given.reduce((all, place) => spoilt(schema, all, place, value), body)
      const answer = await ask(route.method, path, { json })
      const fields = given.map((place) => place.join('.'))
      const outcome = { what, fields, status: answer.status, text: answer.text }
      expect([200, 201, 202, 204, 400, 401, 403, 404, 409, 413, 422], JSON.stringify(outcome)).toContain(answer.status)
      const rows = await written()
      if (answer.status < 300) return undefined
      expect({ ...outcome, rows }).toEqual({ ...outcome, rows: [] })
      const problems = problemsOf(answer)
      named += problems.length
      return problems
    }
    const levels = Map.groupBy(places, ({ length }) => length)
    for (const [depth, level] of levels) {
      const [outer, inner] = ALL ? [VALUES, KINDS] : [KINDS, INSIDE]
      for (const [what, value] of depth === 1 ? outer : inner) {
        const together = await refused(what, level, value)
        for (const place of level) {
          // what is refused with others for its own sake is refused alone, too
          if (together?.some(({ field }) => isWithin(field, place))) continue
          // right, and waits for a request that no worker makes here
          if (value === true && isWebhookTest(route, place)) continue
          const alone = await refused(what, [place], value)
          if (alone === undefined || alone.length === 0 || !hasParent(body, place)) continue
          // a rule between two fields names one of them and mentions the other
          const isNamed = alone.some(({ field, message }) => names(place, `${field}: ${message}`))
          // what was taken before may be in the way by now, whatever is sent
          if (!isNamed)
            expect({ what, place, alone, right: await refused(what, [], value) }).toMatchObject({ right: alone })
        }
      }
    }
    expect(failures()).toEqual([])
    // where it is refused for something else, such as who asks, no value has been looked at
    expect(named).toBeGreaterThan(0)
  })

  it.each(QUERIES)('$method $path refuses them in its query, or takes them, but never fails', async (each) => {
    const { method, path, query } = each
    const ask = async (text: string) => {
      const answer = await test.ask(method, `${path}?${text}`)
      expect({ text, status: answer.status, right: [200, 400, 404, 422].includes(answer.status) }).toMatchObject({
        text,
        right: true,
      })
      return answer
    }
    for (const text of TEXTS) {
      const together = problemsOf(await ask(query.map((name) => `${name}=${text}`).join('&')))
      for (const name of query) if (!together.some(({ field }) => field === name)) await ask(`${name}=${text}`)
    }
    // given twice and as a list it is what it is alone
    for (const name of query) {
      for (const text of ALL ? ['', '1.5', 'x'] : ['x']) {
        const { status } = await ask(`${name}=${text}`)
        const twice = await ask(`${name}=${text}&${name}=${text}&${name}[]=1&${name}[a]=1`)
        expect({ name, text, status: twice.status }).toEqual({ name, text, status })
      }
    }
    expect(failures()).toEqual([])
  })

  it.each(PATHS)('$name refuses them in the place of each id, or takes them, but never fails', async ({ route }) => {
    const { body: schema } = takenBy(route)
    const json = schema && (route.examples?.[0]?.body ?? sampleOf(schema))
    const parameters = pathParameters(route.path)
    const ask = route.path.startsWith('/operator/') ? byKey : owner
    for (const odd of IDS) {
      // the last alone, behind ids of what is there or could be, and all
      for (const from of new Set([parameters.length - 1, 0])) {
        const path = parameters.reduce(
          (filled, { name, example }, i) => filled.replace(`:${name}`, i < from ? (ours[name] ?? example) : odd),
          route.path,
        )
        const { status } = await ask(route.method, path, json === undefined ? {} : { json })
        expect({ path, status, failed: status >= 500 }).toEqual({ path, status, failed: false })
      }
    }
  })

  it('bodies nested a hundred thousand levels deep are refused', async () => {
    const nest = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000)
    for (const raw of [nest('[', ']'), nest('{"a":', '}').replace(':}', ':1}')]) {
      for (const [path, json] of [
        ['/contacts', { email: 'ada@example.org' }],
        ['/v1/track', { email: 'ada@example.org', event: 'seen' }],
        ['/v1/send', MAIL],
      ] as const) {
        const body = `${JSON.stringify(json).slice(0, -1)},"data":{"a":${raw}}}`
        const headers = { 'content-type': 'application/json' }
        const answer = await test.ask('POST', path, { raw: body, headers })
        expect({ path, status: answer.status }).toEqual({ path, status: 422 })
        const keyed = await test.ask('POST', path, { raw: body, headers: { ...headers, 'idempotency-key': 'deep' } })
        expect({ path, status: keyed.status }).toEqual({ path, status: 422 })
      }
    }
    expect(failures()).toEqual([])
  })

  /** Asks as the operator. */
  const byKey: Ask = (method, path, asked = {}) => test.ask(method, path, { ...asked, key: OPERATOR })

  /** A request that is right: an example of the route, with all that it speaks of. */
  async function rightRequest({ route, schema }: (typeof BODIES)[number]): Promise<Request> {
    const example = EXAMPLES.find((each) => each.route.operation === route.operation && each.example.body)
    if (example === undefined) {
      const path = pathParameters(route.path).reduce(
        (filled, { name, example: id }) => filled.replace(`:${name}`, ours[name] ?? id),
        route.path,
      )
      return {
        ask: path.startsWith('/operator/') ? byKey : owner,
        path,
        body: route.examples?.[0]?.body ?? sampleOf(schema),
      }
    }
    // a domain belongs to one project
    await database.query('delete from domains')
    const { ask } = await ownProject(test)
    const isIt = new RegExp(`^${route.path.replace(/:\w+/g, '[^/?]+')}$`)
    const found = new Promise<Request>((resolve, reject) => {
      const sent = sendExample((method, path, asked = {}) => {
        if (method !== route.method || !isIt.test(path) || asked.json === undefined) return ask(method, path, asked)
        // the one of before is another from the first request on that is taken
        const { revision: _, ...body } = asked.json as Readonly<Record<string, unknown>>
        resolve({ ask, path, body })
        return new Promise(() => {})
      }, example)
      sent.catch(reject)
    })
    return found
  }
})

function isWebhookTest({ path }: (typeof ROUTES)[number], place: Place): boolean {
  return path.startsWith('/webhooks') && place.join('.') === 'test'
}

interface Request {
  readonly ask: Ask
  readonly path: string
  readonly body: unknown
}

/** Notes each row that is written, but for what is noted of callers, wrong passwords, and of what they try until it is refused. */
const WATCH = `
  create table mailwright.written (name text);
  create function mailwright.note() returns trigger language plpgsql as 'begin insert into mailwright.written values (tg_table_name); return null; end';
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'mailwright'
      and tablename not in ('written', 'api_keys', 'attempts', 'audit_entries', 'user_sessions') loop
      execute format('create trigger note after insert or update or delete on %I for each row execute function mailwright.note()', name);
    end loop;
  end $$`

/** The refused fields of a request. The first errors of the API were flat: \`field: message\`. */
function problemsOf({ body }: Answer): readonly { readonly field: string; readonly message: string }[] {
  if (body?.error?.errors) return body.error.errors
  const [, field = '', message = ''] = /^([\w.]+): (.*)/.exec(body?.message ?? '') ?? []
  return field === '' ? [] : [{ field, message }]
}

/** Whether the field that is named is this one or one inside it. A single one may be named as the first of a list. */
function isWithin(field: string, place: readonly string[]): boolean {
  const [parts, keys] = [field.split('.'), place].map((each) => each.filter((key) => !/^\d+$/.test(key)))
  return keys!.every((key, i) => key === parts![i])
}

/** Whether the problem has a word of the field's name. */
function names(place: Place, problem: string): boolean {
  return place.some((key) => !/^\d+$/.test(key) && problem.includes(key))
}
