import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ROUTES } from '../../server/app.ts'
import { createApp, type HostCaller, type HostPerson } from '../../server/index.ts'
import { type AccountWorld, accountWorld, ORIGIN } from '../support/accounts.ts'
import { type AskOptions, expectEnvelope, PROJECT, SECRET } from '../support/app.ts'
import { ANY, QUICK } from '../support/matrix.ts'

const TEMPLATE = { name: 'Letter', subject: 'One', body: '<p>One</p>', type: 'TRANSACTIONAL' }
const ADA: HostPerson = { id: '42', email: 'Ada@Example.org', name: 'Ada', projects: { [PROJECT]: 'ADMIN' } }

/** The answer of the host; each test sets it. */
let caller: HostCaller
let asked: Request[] = []

/** The API of a host whose session is the cookie `sid`. */
async function worldOf(store: Parameters<typeof accountWorld>[0]): Promise<AccountWorld> {
  return accountWorld(
    store,
    {},
    {
      caller: (request, node) => {
        asked.push(request)
        return caller(request, node)
      },
      hostPages: { logIn: '/login?to={returnTo}', logOut: 'https://acme.example/logout' },
    },
  )
}

beforeEach(() => {
  asked = []
  caller = (request) => (request.headers.get('cookie') === 'sid=ada' ? ADA : undefined)
})

const HEADERS = { cookie: 'sid=ada', origin: ORIGIN, 'x-project-id': PROJECT }

/** Asks with the session of the host, from a page of this server. */
function asAda(world: AccountWorld) {
  return (method: string, path: string, { headers, ...more }: AskOptions = {}) =>
    world.ask(method, path, { key: null, headers: { ...HEADERS, ...headers }, ...more })
}

for (const store of [QUICK]) {
  describe(`a person of the host on ${store.name}`, () => {
    let world: AccountWorld
    beforeAll(async () => {
      world = await worldOf(store)
    })

    it('is named by the audit log and the versions of templates', async () => {
      const ask = asAda(world)
      const made = await ask('POST', '/templates', { json: TEMPLATE })
      expect(made.status).toBe(201)
      await ask('PUT', `/templates/${made.body.id}/draft`, { json: { subject: 'Two' } })
      const by = { type: 'user', id: 'host:42', name: 'ada@example.org' }
      const [version] = (await ask('GET', `/templates/${made.body.id}/versions`)).body.data
      expect(version).toMatchObject({ number: 1, by })
      expect((await ask('GET', `/templates/${made.body.id}`)).body.draft.by).toEqual(by)
      const log = await ask('GET', `/audit?actor=${encodeURIComponent('host:42')}`)
      expect(log.body.data[0]).toMatchObject({ action: 'createTemplate', actor: by, outcome: 'done' })
    })

    it('sees the projects that the host names, of those there are', async () => {
      const { engine } = world
      await engine.projects.applySettings([{ name: 'Second' }, { name: 'Third' }])
      const second = (await engine.projects.list()).find(({ name }) => name === 'Second')!
      const gone = '01900000-0000-7000-8000-00000000ffff'
      caller = async () => ({ ...ADA, projects: { [second.id]: 'MEMBER', [gone]: 'OWNER', [PROJECT]: 'OWNER' } })
      const ask = asAda(world)
      expect((await ask('GET', '/users/@me/projects')).body).toMatchObject([
        { id: second.id, role: 'MEMBER' },
        { id: PROJECT, role: 'OWNER' },
      ])
      expect((await ask('GET', `/projects/${second.id}`)).body).toMatchObject({ name: 'Second', role: 'MEMBER' })
      expectEnvelope(await ask('GET', '/templates', { headers: { 'x-project-id': gone } }), 404, 'PROJECT_NOT_FOUND')
    })

    it('invites as OWNER somebody who then has an account here', async () => {
      caller = () => ({ ...ADA, projects: { [PROJECT]: 'OWNER' } })
      const ask = asAda(world)
      const json = { email: 'grace@example.org', role: 'ADMIN' }
      expect((await ask('POST', `/projects/${PROJECT}/members`, { json })).status).toBe(201)
      const link = await world.linkTo('grace@example.org', 'accept-invite')
      expect((await world.open('GET', link)).text).toContain('ada@example.org')
      const members = await ask('GET', `/projects/${PROJECT}/members`)
      expect(members.body).toMatchObject([{ email: 'grace@example.org', status: 'INVITED' }])
    })
  })
}

describe('the option caller', () => {
  let world: AccountWorld
  beforeAll(async () => {
    world = await worldOf(ANY)
  })

  it.each([
    ['MEMBER', 403, 403],
    ['ADMIN', 201, 403],
    ['OWNER', 201, 404],
  ] as const)('lets a %s do what such a member may', async (role, change, own) => {
    caller = () => ({ ...ADA, projects: { [PROJECT]: role } })
    const ask = asAda(world)
    expect((await ask('GET', '/templates')).status).toBe(200)
    expect((await ask('POST', '/templates', { json: TEMPLATE })).status).toBe(change)
    const nobody = '01900000-0000-7000-8000-000000000000'
    expect((await ask('DELETE', `/projects/${PROJECT}/members/${nobody}`)).status).toBe(own)
    // a place of its own, which the person could leave, is not here
    expect((await ask('DELETE', `/projects/${PROJECT}/members/host:42`)).status).toBe(404)
  })

  it('asks for the project, and finds none that the host does not name', async () => {
    const ask = asAda(world)
    const none = await ask('GET', '/templates', { headers: { 'x-project-id': '' } })
    expectEnvelope(none, 422, 'VALIDATION_ERROR')
    caller = () => ({ ...ADA, projects: {} })
    expectEnvelope(await ask('GET', '/templates'), 404, 'PROJECT_NOT_FOUND')
    expect((await ask('GET', '/users/@me/projects')).body).toEqual([])
    // names of what all objects have
    for (const id of ['__proto__', 'constructor', 'toString'])
      expect((await ask('GET', `/projects/${id}`)).status).toBe(404)
  })

  it('refuses changes from pages of other sites, and from none', async () => {
    const ask = asAda(world)
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: '', 'sec-fetch-site': 'cross-site' },
    ]) {
      const given = Object.entries({ ...HEADERS, ...headers }).filter(([, value]) => value !== '')
      const foreign = { key: null, headers: Object.fromEntries(given) }
      expectEnvelope(await world.ask('POST', '/templates', { ...foreign, json: TEMPLATE }), 403, 'FORBIDDEN')
      expectEnvelope(await world.ask('DELETE', `/templates/${PROJECT}`, foreign), 403, 'FORBIDDEN')
      expectEnvelope(await world.ask('POST', '/auth/logout-everywhere', foreign), 403, 'FORBIDDEN')
    }
    const { origin: _, ...silent } = HEADERS
    const mute = await world.ask('POST', '/templates', { key: null, headers: silent, json: TEMPLATE })
    expectEnvelope(mute, 403, 'FORBIDDEN')
    expect((await ask('GET', '/templates')).status).toBe(200)
  })

  it('is not asked about a request with a key, nor told of it', async () => {
    caller = () => {
      throw new Error('it was asked')
    }
    const ask = asAda(world)
    const authorization = `Bearer ${SECRET}`
    const made = await ask('POST', '/templates', { json: TEMPLATE, headers: { authorization } })
    expect(made.status).toBe(201)
    const [entry] = (await world.ask('GET', '/audit')).body.data
    expect(entry.actor.type).toBe('key')
    const wrong = { headers: { authorization: 'Bearer sk_wrong' } }
    expectEnvelope(await ask('GET', '/templates', wrong), 401, 'INVALID_API_KEY')
    expectEnvelope(await ask('GET', '/users/@me', wrong), 401, 'INVALID_API_KEY')
    expect(asked).toEqual([])
  })

  it('is not asked for what is open to everybody', async () => {
    caller = () => {
      throw new Error('it was asked')
    }
    const ask = asAda(world)
    for (const path of ['/health', '/unsubscribe/x', '/auth/oauth-config', '/app/', '/nothing'])
      expect([path, (await ask('GET', path)).status]).not.toEqual([path, 503])
    expect(asked).toEqual([])
  })

  it('leaves whoever it does not know to our own sessions', async () => {
    const browser = await world.signup()
    const me = await browser.ask('GET', '/users/@me')
    expect(me.body).toMatchObject({ id: browser.id, host: null })
    caller = async () => null
    expect((await browser.ask('GET', '/users/@me')).body.id).toBe(browser.id)
    expectEnvelope(await asAda(world)('GET', '/templates'), 401, 'MISSING_AUTH')
    // both at once: the host's counts
    caller = () => ADA
    expect((await browser.ask('GET', '/users/@me')).body.id).toBe('host:42')
  })

  it('gets the method, the address and the fields, and no body', async () => {
    const body = 'the body'
    await asAda(world)('POST', '/templates?a=b', { raw: JSON.stringify({ ...TEMPLATE, body }) })
    const [request] = asked
    expect(request).toMatchObject({ method: 'POST', body: null })
    expect(new URL(request!.url).pathname).toBe('/templates')
    expect(new URL(request!.url).search).toBe('?a=b')
    expect(request!.headers.get('cookie')).toBe('sid=ada')
  })

  const FAILURES: readonly (readonly [string, () => unknown, string])[] = [
    ['throws', () => expect.fail('no session store'), 'could not say who is logged in'],
    ['rejects', () => Promise.reject(new Error('no session store')), 'could not say who is logged in'],
    ['answers true', () => true, 'answered something else'],
    ['answers a text', () => 'ada', 'answered something else'],
    ['answers a list', () => [ADA], 'answered something else'],
    ['answers no id', () => ({ ...ADA, id: undefined }), 'id is required'],
    ['answers a number as id', () => ({ ...ADA, id: 42 }), 'id must be'],
    ['answers an empty id', () => ({ ...ADA, id: '' }), 'id must'],
    ['answers a long id', () => ({ ...ADA, id: 'x'.repeat(151) }), 'id must'],
    ['answers an id that no store keeps', () => ({ ...ADA, id: 'a\0' }), 'id '],
    ['answers no address', () => ({ ...ADA, email: 'ada' }), 'email must be an e-mail address'],
    ['answers a long name', () => ({ ...ADA, name: 'x'.repeat(201) }), 'name must'],
    ['answers no projects', () => ({ ...ADA, projects: undefined }), 'projects is required'],
    ['answers a role there is not', () => ({ ...ADA, projects: { [PROJECT]: 'ROOT' } }), `projects.${PROJECT} must be`],
    [
      'answers a Map of projects',
      () => ({ ...ADA, projects: new Map([[PROJECT, 'ADMIN']]) }),
      'must be a plain object',
    ],
    ['answers too many projects', () => ({ ...ADA, projects: manyProjects(101) }), 'at most 100'],
  ]

  it.each(FAILURES)('lets nobody in when it %s', async (_, answer, said) => {
    const browser = await world.signup()
    caller = answer as HostCaller
    const before = world.lines.length
    for (const path of ['/templates', '/users/@me']) {
      const refused = await browser.ask('GET', path, { headers: { 'x-project-id': PROJECT } })
      expectEnvelope(refused, 503, 'SERVICE_UNAVAILABLE')
      expect(refused.body.message).toContain('The option `caller` of createApp')
      expect(refused.body.message).toContain(said)
      expect(refused.text).not.toContain('no session store')
    }
    const errors = world.lines.slice(before).filter(({ level }) => level === 'error')
    expect(errors).toHaveLength(2)
    expect(errors[0]!.message).toContain(said)
  })

  it('takes what just fits', async () => {
    caller = () => ({
      ...{ id: 'x'.repeat(150), email: 'ada@example.org', name: 'x'.repeat(200) },
      projects: { [PROJECT]: 'ADMIN', ...manyProjects(99) },
    })
    const made = await asAda(world)('POST', '/templates', { json: TEMPLATE })
    expect(made.status).toBe(201)
    const [entry] = (await world.ask('GET', '/audit')).body.data
    expect(entry.actor.id).toBe(`host:${'x'.repeat(150)}`)
  })

  it('has ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    caller = () => new Promise(() => {})
    let answer: { status: number; text: string } | undefined
    const late = asAda(world)('GET', '/users/@me').then((given) => {
      answer = given
    })
    await vi.advanceTimersByTimeAsync(9_999)
    expect(answer).toBeUndefined()
    expect(asked[0]!.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await late
    expect(answer).toMatchObject({ status: 503 })
    expect(answer!.text).toContain('The option `caller` of createApp could not say who is logged in')
    expect(asked[0]!.signal.aborted).toBe(true)
  })

  it('leaves what needs an account to people who have one', async () => {
    const ask = asAda(world)
    expect((await ask('GET', '/users/@me')).body).toEqual({
      ...{
        id: 'host:42',
        email: 'ada@example.org',
        name: 'Ada',
        language: null,
        emailVerified: true,
        secondFactor: false,
        recoveryCodesLeft: null,
      },
      ...{
        hasPassword: false,
        createdAt: null,
        operator: false,
        host: { logOut: 'https://acme.example/logout' },
      },
    })
    const open = new Set(['getMe', 'listMyProjects'])
    const routes = ROUTES.filter(({ access, operation }) => access === 'user' && !open.has(operation))
    expect(routes.length).toBeGreaterThan(8)
    for (const { method, path } of routes) {
      const refused = await ask(method, path.replace(':invitationId', PROJECT), method === 'GET' ? {} : { json: {} })
      expectEnvelope(refused, 403, 'FORBIDDEN')
      expect(refused.body.message).toContain('logged in at the app around this server')
    }
  })

  it('has the dashboard at a path alone', () => {
    const made = (dashboard: string | false) => () => createApp(world.engine, { dashboard })
    for (const path of ['/app', '/a/b_c/d-e/f', false] as const) expect(made(path)).not.toThrow()
    for (const path of ['/../x', '/', '', 'app', '//x', '/app/', '/a/b/c/d/e', '/a?b', `/${'x'.repeat(41)}`])
      expect(made(path), path).toThrow('createApp: dashboard: must be a path such as /app')
  })

  it('has pages of the host, which are none of another kind', async () => {
    const { body } = await world.open('GET', '/auth/oauth-config')
    expect(body.data.host).toBe('/login?to={returnTo}')
    const made = (logOut: string) => () => createApp(world.engine, { hostPages: { logOut } })
    for (const page of ['/', '/logout', 'https://acme.example/logout', `/${'x'.repeat(1999)}`])
      expect(made(page)).not.toThrow()
    for (const page of [
      '',
      'logout',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      `/${'x'.repeat(2000)}`,
    ])
      expect(made(page)).toThrow('createApp: hostPages.logOut: must be a path such as /login, or an http(s) URL')
  })
})

function manyProjects(count: number): HostPerson['projects'] {
  const ids = Array.from({ length: count }, (_, i) => `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`)
  return Object.fromEntries(ids.map((id) => [id, 'MEMBER']))
}
