import { readFile } from 'node:fs/promises'
import { beforeAll, expect, it } from 'vitest'
import { AREA_NAMES, type AreaName, roleAllows } from '../../core/projects/roles.ts'
import { MEMBER_ROLES, type MemberRole } from '../../core/values/member-roles.ts'
import { ROUTES } from '../../server/app.ts'
import { en } from '../../server/dashboard/texts/en/all.ts'
import { areaOf, type Route } from '../../server/http/route.ts'
import type { HostCaller } from '../../server/index.ts'
import { type AccountWorld, accountWorld, cookieOf, newAddress, ORIGIN, PASSWORD } from '../support/accounts.ts'
import { OTHER_SECRET, PUBLIC, SECRET } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

// Every route × every kind of caller. What should be let in follows from what a route declares, by the rules below, which
// are written here once more on purpose; where a room asks for more, an exception says so.

/** Routes that ask for more than their area says, unless it is about oneself. */
const EXCEPTIONS: Readonly<Record<string, AreaName>> = { 'DELETE /projects/:id/members/:memberId': 'members' }

/** Operations about a person that need no account here. */
const OF_HOST = new Set(['getMe', 'listMyProjects'])

/** Operations that would change who may call, if they were let in. */
const NOT_DONE = new Set(['GET /auth/logout', 'POST /auth/logout-everywhere', 'DELETE /users/@me/sessions'])

/** A caller: `may` is what is allowed in the project that is called for. */
interface Kind {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** `nobody`: not known; `key`: a program; `session`: a person. */
  readonly as: 'nobody' | 'key' | 'session'
  /** The areas open to it in the project it is for; absent: it belongs to no project here, and is told that there is none. */
  readonly may?: readonly AreaName[]
  /** Of another project than the one in paths. */
  readonly isElsewhere?: true
  /** A session that names no project. */
  readonly namesNone?: true
  /** Logged in at the app around this one, without an account here. */
  readonly isOfHost?: true
  /** From a page of another site. */
  readonly isForeign?: true
}

const LOOK = ['send', 'track', 'read', 'inboxes', 'threads', 'drafts'] as const
const WRITE = [...LOOK, 'campaigns', 'templates', 'workflows', 'contacts'] as const
const PERSON = ['approvals', 'grants', 'stopping'] as const
const FULL = [...WRITE, 'release', 'settings', 'domains', 'webhooks', 'keys', 'audit', 'stopping'] as const
const ROLES: readonly (readonly [MemberRole, readonly AreaName[]])[] = [
  ['MEMBER', [...LOOK, ...PERSON]],
  ['EDITOR', [...WRITE, ...PERSON]],
  ['ADMIN', [...FULL, ...PERSON]],
  ['OWNER', [...FULL, ...PERSON, 'members']],
]

/** The routes that an ADMIN may call and an EDITOR may not, beside those for owners. */
const FOR_ADMINS = [
  'DELETE /domains/:id',
  'DELETE /inboxes/:id',
  'DELETE /mail-servers/:serverId',
  'DELETE /projects/:id/keys/:keyId',
  'DELETE /seeds/mailboxes/:id',
  'DELETE /suppressions/:idOrEmail',
  'DELETE /webhooks/:id',
  'GET /audit',
  'GET /audit/export',
  'GET /mail-servers',
  'GET /projects/:id/keys',
  'GET /webhooks/secret',
  'PATCH /domains/:id',
  'PATCH /inboxes/:id',
  'PATCH /mail-servers/:serverId',
  'PATCH /projects/:id',
  'PATCH /webhooks/:id',
  'POST /domains',
  'POST /domains/:id/figures',
  'POST /domains/:id/reports',
  'POST /domains/:id/rotate',
  'POST /domains/:id/test',
  'POST /inboxes',
  'POST /mail-servers',
  'POST /mail-servers/test',
  'POST /projects/:id/keys',
  'POST /seeds/mailboxes',
  'POST /webhooks',
  'POST /webhooks/:id/test',
  'POST /webhooks/deliveries/:id/replay',
  'POST /webhooks/secret/rotate',
]

let world: AccountWorld
let projectId: string
const kinds: Kind[] = []

beforeAll(async () => {
  const projects = [
    { name: 'Test', secretKey: SECRET, publicKey: PUBLIC, trustedDomains: ['example.com'] },
    { name: 'Other', secretKey: OTHER_SECRET, trustedDomains: ['example.com'] },
  ]
  const accounts = { passwordCost: 10, signup: true, projects: true, from: 'accounts@example.com', project: 'Test' }
  const caller: HostCaller = ({ headers }) => {
    const role = /^host=(\w+)$/.exec(headers.get('cookie') ?? '')?.[1] as MemberRole | undefined
    return role && { id: role, email: `${role}@example.org`, projects: { [projectId]: role } }
  }
  world = await accountWorld(QUICK, { projects, accounts }, { pagesPerMinutePerIp: 1_000_000, log: false, caller })
  const stored = await world.engine.projects.list()
  const project = stored.find(({ name }) => name === 'Test')!
  projectId = project.id
  const member = async (role?: MemberRole) => {
    const { email } = await world.engine.accounts.make({ email: newAddress(), password: PASSWORD })
    const entered = await world.engine.accounts.login({ email, password: PASSWORD })
    if (!('session' in entered)) throw new Error('a second factor is asked for')
    if (owner && role) {
      const { id } = await world.engine.accounts.members.add(owner, { email, role })
      await world.engine.accounts.members.acceptInvitation(entered.user, id)
    }
    const { headers } = await world.open('POST', '/auth/login', { email, password: PASSWORD })
    return { user: entered.user, cookie: cookieOf(headers) }
  }
  let owner: Awaited<ReturnType<typeof world.engine.accounts.members.caller>> | undefined
  const late = await member()
  world.pass(8 * 24 * 3600)
  const first = await member()
  await world.engine.accounts.members.addProject(first.user, { secretKey: SECRET })
  owner = await world.engine.accounts.members.caller(first.user, projectId)

  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const session = (cookie: string, more: object = {}) => ({
    cookie,
    origin: ORIGIN,
    'x-project-id': projectId,
    ...more,
  })
  kinds.push(
    { name: 'no key', as: 'nobody', headers: {} },
    { name: 'junk', as: 'nobody', headers: bearer('sk_junk') },
    { name: 'a key in the wrong form', as: 'nobody', headers: { authorization: SECRET } },
    { name: 'an expired session', as: 'nobody', headers: session(late.cookie) },
    { name: 'a forged session', as: 'nobody', headers: session(`${first.cookie}x`) },
    { name: 'a public key', as: 'key', headers: bearer(PUBLIC), may: ['track'] },
    { name: 'a secret key', as: 'key', headers: bearer(SECRET), may: FULL },
    { name: "another project's key", as: 'key', headers: bearer(OTHER_SECRET), may: FULL, isElsewhere: true },
    { name: 'a session without membership', as: 'session', headers: session((await member()).cookie) },
    {
      name: 'a session without a project',
      as: 'session',
      headers: { cookie: first.cookie, origin: ORIGIN },
      namesNone: true,
      may: [...FULL, ...PERSON, 'members'],
    },
    {
      name: 'a page of another site',
      as: 'session',
      headers: session(first.cookie, { origin: 'https://evil.example' }),
      isForeign: true,
      may: [...FULL, ...PERSON, 'members'],
    },
  )
  for (const [role, may] of ROLES) {
    const { cookie } = role === 'OWNER' ? first : await member(role)
    kinds.push({ name: role, as: 'session', headers: session(cookie), may })
    kinds.push({ name: `${role} of the host`, as: 'session', isOfHost: true, headers: session(`host=${role}`), may })
  }
  for (const scope of ['send', 'track', 'read', 'full'] as const) {
    const json = { name: scope, kind: 'secret', scopes: [scope] }
    const made = await world.ask('POST', `/projects/${projectId}/keys`, { json })
    expect(made.status).toBe(201)
    const may = { full: FULL, send: ['send', 'drafts'], read: ['read', 'inboxes'], track: ['track'] } as const
    kinds.push({ name: `a key with the scope ${scope}`, as: 'key', headers: bearer(made.body.key), may: may[scope] })
  }
  const inbox = await world.ask('POST', '/inboxes', { json: { name: 'Help', address: 'help@example.com' } })
  const grant = { inboxIds: [inbox.body.id], rights: ['read', 'draft', 'send', 'organise'] }
  const ofInbox = { name: 'agent', kind: 'secret', scopes: ['inbox'], inbox: grant }
  const { body } = await world.ask('POST', `/projects/${projectId}/keys`, { json: ofInbox })
  kinds.push({ name: 'a key of an inbox', as: 'key', headers: bearer(body.key), may: ['inboxes', 'threads', 'drafts'] })
})

it('every route lets in exactly whom it should, of every kind of caller', async () => {
  const wrong: string[] = []
  const refused: Partial<Record<string, string[]>> = {}
  let asked = 0
  for (const route of ROUTES) {
    const name = `${route.method} ${route.path}`
    if (NOT_DONE.has(name) && route.access !== 'user' && route.access !== 'open')
      throw new Error(`${name} is no exception`)
    // what the one who may do everything is told about this request; others who are let in are told the same
    const allowed = route.access === 'open' ? kinds[0]! : kinds.find((kind) => kind.name === 'OWNER')!
    const inside = NOT_DONE.has(name) ? 200 : await statusOf(route, allowed)
    if (inside >= 500 && inside !== 503) wrong.push(`${name} fails with ${inside}`)
    for (const kind of kinds) {
      const expected = expectedStatus(route, kind) ?? inside
      if (NOT_DONE.has(name) && expected === inside) continue
      const status = await statusOf(route, kind)
      asked++
      if (status === 403) refused[kind.name] = [...(refused[kind.name] ?? []), name]
      if (status !== expected) wrong.push(`${name} by ${kind.name}: ${status} in place of ${expected}`)
    }
  }
  expect(wrong).toEqual([])
  const beyond = refused.EDITOR!.filter((name) => !refused.ADMIN!.includes(name))
  expect(beyond.toSorted()).toEqual(FOR_ADMINS)
  expect(asked).toBeGreaterThan(ROUTES.length * 15)
})

/** The status of who is not let in; undefined for who is. */
function expectedStatus(route: Route, kind: Kind): number | undefined {
  if (route.access === 'open') {
    return route.ownPagesOnly && kind.isForeign ? 403 : undefined
  }
  if (kind.as === 'nobody') return 401
  if (kind.isForeign && route.method !== 'GET') return 403
  if (kind.isOfHost && route.access === 'user' && !OF_HOST.has(route.operation)) return 403
  if (route.path.startsWith('/users/@me/operator')) return kind.may?.includes('members') ? undefined : 403
  if (route.access === 'user') return kind.as === 'key' ? 403 : undefined
  if (kind.as === 'session' && kind.may === undefined) return 404
  if (kind.namesNone && !route.ofProject) return 422
  if (kind.isElsewhere && route.ofProject) return 404
  if (kind.name === 'a public key' && route.access !== 'public') return 403
  const needed = EXCEPTIONS[`${route.method} ${route.path}`] ?? areaOf(route)
  // what is known of a key, which a session is told that it has none
  if (needed === 'any') return kind.as === 'key' ? 200 : undefined
  return kind.may?.includes(needed) ? undefined : 403
}

async function statusOf(route: Route, { headers }: Kind): Promise<number> {
  const first = 'ofProject' in route && route.ofProject ? projectId : ID
  const path = route.path.replace(':id', first).replace(/:\w+/g, ID)
  // pages and documents of megabytes, of which only the status counts here
  if (route.access === 'open' && route.method === 'GET') {
    const { status, body } = await world.app.request(path, { headers })
    await body?.cancel()
    return status
  }
  const readsJson = 'body' in route && (route.body === 'json' || route.body === 'json-or-nothing')
  const { status } = await world.ask(route.method, path, { key: null, headers, ...(readsJson ? { json: {} } : {}) })
  return status
}

it('the documentation has the table of roles that requests are checked by', async () => {
  const rows = AREA_NAMES.map((area) => {
    const marks = MEMBER_ROLES.map((role) => (roleAllows(role, area) ? 'yes' : ''))
    return `| ${[en.settings.areas[area], ...marks].join(' | ')} |`
  })
  const table = [`| May | ${MEMBER_ROLES.join(' | ')} |`, `|---${'|---'.repeat(MEMBER_ROLES.length)}|`, ...rows]
  expect(await readFile('docs/accounts.md', 'utf8')).toContain(table.join('\n'))
})
