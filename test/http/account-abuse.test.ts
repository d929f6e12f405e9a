import { createHook } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { Passwords } from '../../core/accounts/passwords.ts'
import {
  type AccountWorld,
  accountWorld,
  type Browser,
  newAddress,
  ORIGIN,
  PASSWORD,
  tokenOf,
} from '../support/accounts.ts'
import { expectEnvelope } from '../support/app.ts'
import { kitOf } from '../support/kit.ts'
import { QUICK } from '../support/matrix.ts'

const NAME = '__Host-mailwright_session'

describe('a session', () => {
  let world: AccountWorld
  let ada: Browser
  const withCookie = (cookie: string) => world.open('GET', '/users/@me', undefined, { cookie })

  beforeAll(async () => {
    world = await accountWorld(QUICK)
    ada = await world.signup()
  })

  it('cannot be forged: without a signature, with another key or algorithm, changed, of another kind or installation', async () => {
    const real = ada.cookie.slice(NAME.length + 1)
    const claims = decodeJwt(real)
    const [header, , signature] = real.split('.')
    const none = new UnsecuredJWT(claims).encode()
    const sign = (alg: string, key: Uint8Array) => new SignJWT(claims).setProtectedHeader({ alg }).sign(key)
    const bob = await world.signup()
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: bob.id })).toString('base64url')
    const elsewhere = await accountWorld(QUICK)
    const stranger = await elsewhere.signup()
    const forged = [
      none,
      none + signature,
      await sign('HS256', randomBytes(32)),
      await sign('HS512', randomBytes(64)),
      await sign('HS256', Buffer.from('')).catch(() => 'x.y.z'),
      `${header}.${changed}.${signature}`,
      `${real}A`,
      real.slice(0, -3),
      stranger.cookie.slice(NAME.length + 1),
      'junk',
      'a'.repeat(5000),
      '%00',
    ]
    for (const token of forged) {
      const answer = await withCookie(`${NAME}=${token}`)
      expect([token, answer.status]).toEqual([token, 401])
    }
    expect((await withCookie(`${NAME}=${real}`)).status).toBe(200)
    // the user is the same in both installations: their secret is, the token is not
    expect((await elsewhere.open('GET', '/users/@me', undefined, { cookie: ada.cookie })).status).toBe(401)
  })

  it('is not taken from another name, nor where two stand: a sibling host can set the one, and not the other', async () => {
    const token = ada.cookie.slice(NAME.length + 1)
    for (const cookie of [`mailwright_session=${token}`, `${ada.cookie}; ${NAME}=x`, `${NAME}x=${token}`])
      expectEnvelope(await withCookie(cookie), 401, 'MISSING_AUTH')
    expect((await withCookie(`other=1; ${ada.cookie}; more=2`)).status).toBe(200)
  })

  it('is new with every login, whatever cookie the browser came with (fixation)', async () => {
    const json = { email: ada.email, password: PASSWORD }
    const tokens = new Set([ada.cookie])
    for (let i = 0; i < 3; i++) {
      const answer = await world.open('POST', '/auth/login', json, { cookie: ada.cookie })
      tokens.add(world.browserOf(answer).cookie)
    }
    expect(tokens.size).toBe(4)
  })

  it('ends when it is over', async () => {
    const aside = await accountWorld(QUICK, { accounts: { passwordCost: 10, signup: true, sessionDays: 1 } })
    const eve = await aside.signup()
    aside.pass(86_390)
    expect((await eve.ask('GET', '/users/@me')).status).toBe(200)
    aside.pass(20)
    expectEnvelope(await eve.ask('GET', '/users/@me'), 401, 'INVALID_SESSION')
  })

  it('does not stand where a key is sent as well, nor a key where somebody must be logged in', async () => {
    const key = { authorization: 'Bearer sk_wrong' }
    expectEnvelope(await ada.ask('GET', '/users/@me', { headers: key }), 401, 'INVALID_API_KEY')
    expectEnvelope(await world.ask('GET', '/users/@me'), 403, 'FORBIDDEN')
    expectEnvelope(await world.open('GET', '/users/@me'), 401, 'MISSING_AUTH')
  })
})

describe('requests of other sites', () => {
  let world: AccountWorld
  let ada: Browser

  beforeAll(async () => {
    const accounts = { passwordCost: 10, signup: true, projects: true, dashboardUrl: 'https://dash.example/app' }
    world = await accountWorld(QUICK, { accounts }, { corsOrigins: ['https://app.example'] })
    ada = await world.signup()
  })

  const change = (headers: Record<string, string>) =>
    world.ask('PATCH', '/users/@me', { key: null, json: { name: 'X' }, headers: { cookie: ada.cookie, ...headers } })
  const site = (value: string) => ({ 'sec-fetch-site': value })

  it('that lead by a link which no longer works go on to the dashboard', async () => {
    const dead = await world.open('GET', '/auth/accept-invite/used')
    expect(dead).toMatchObject({ status: 404, text: expect.stringContaining('<a href="https://dash.example/app"') })
    expect(dead.text).toContain('Go to the dashboard')
  })

  it('change nothing with the session', async () => {
    const host = { host: 'mail.example.net' }
    const foreign = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'null', ...site('cross-site') },
      { origin: 'https://mail.example.net.evil.example' },
      { origin: 'https://sibling.example.net' },
      { origin: 'https://mail.example.net:8443', ...host },
      { origin: 'http://mail.example.net', ...host },
      { origin: 'https://evil.example', ...site('same-origin') },
      // pages whose names were pointed at this server (DNS rebinding)
      { origin: 'https://evil.example', host: 'evil.example' },
      { origin: 'https://evil.example:8443', host: 'evil.example:8443', ...site('same-origin') },
      { origin: 'null', host: 'evil.example', ...site('same-origin') },
      { host: 'evil.example', ...site('same-origin') },
      { host: 'localhost.evil.example', ...site('none') },
      site('cross-site'),
      site('same-site'),
      site('junk'),
    ]
    for (const headers of foreign) {
      const answer = await change(headers)
      expect([headers, answer.status, answer.body.error.code]).toEqual([headers, 403, 'FORBIDDEN'])
    }
    const own = [
      { origin: ORIGIN },
      { origin: ORIGIN, host: 'upstream' },
      { origin: 'https://app.example' },
      { origin: 'https://dash.example' },
      site('same-origin'),
      { origin: 'null', ...site('same-origin') },
    ]
    for (const headers of own) expect([headers, (await change(headers)).status]).toEqual([headers, 200])
    const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'P' } })).body
    const evil = { origin: 'https://evil.example', 'x-project-id': id }
    expectEnvelope(
      await ada.ask('POST', '/contacts', { json: { email: 'a@b.example' }, headers: evil }),
      403,
      'FORBIDDEN',
    )
    expect((await ada.ask('GET', '/contacts', { headers: evil })).body.total).toBe(0)
  })

  it('log nobody in to somebody else’s account, nor ask for mail', async () => {
    const origin = 'https://evil.example'
    const json = { email: ada.email, password: PASSWORD }
    for (const path of ['/auth/login', '/auth/signup', '/auth/request-password-reset', '/auth/reset-password']) {
      for (const headers of [{ origin }, { origin, host: 'evil.example' }]) {
        const answer = await world.open('POST', path, json, headers)
        expectEnvelope(answer, 403, 'FORBIDDEN')
        expect(answer.headers.getSetCookie()).toEqual([])
      }
    }
  })

  it('are known by the names of this machine where no public URL is set, and by any where it may have any', async () => {
    const settings = { publicUrl: undefined, secret: 'mailwright session secret 0123456789' }
    const json = { email: newAddress(), password: PASSWORD }
    const from = (origin: string) => ({ origin, host: origin.slice('http://'.length) })
    const local = await accountWorld(QUICK, settings, { anyHost: false })
    const named = await accountWorld(QUICK, settings)
    for (const origin of ['http://evil.example:3000', 'http://127.0.0.1.evil.example', 'http://192.0.2.1:3000']) {
      expectEnvelope(await local.open('POST', '/auth/login', json, from(origin)), 403, 'FORBIDDEN')
      expectEnvelope(await named.open('POST', '/auth/login', json, from(origin)), 401, 'INVALID_CREDENTIALS')
    }
    for (const origin of [
      'http://localhost:3000',
      'http://127.0.0.1:3000',
      'http://[::1]:3000',
      'http://a.localhost',
    ]) {
      expectEnvelope(await local.open('POST', '/auth/login', json, from(origin)), 401, 'INVALID_CREDENTIALS')
      const otherPort = { origin, host: 'localhost:3001' }
      expectEnvelope(await local.open('POST', '/auth/login', json, otherPort), 403, 'FORBIDDEN')
    }
  })

  it('are let in with the session only from the pages that are listed', async () => {
    const allowed = async (origin: string) => {
      const { headers } = await world.open('GET', '/users/@me', undefined, { origin, cookie: ada.cookie })
      return [headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]
    }
    for (const origin of ['https://app.example', 'https://dash.example'])
      expect(await allowed(origin)).toEqual([origin, 'true'])
    expect(await allowed('https://evil.example')).toEqual([null, null])
    const track = await world.open('GET', '/v1/track', undefined, { origin: 'https://evil.example' })
    expect(track.headers.get('access-control-allow-origin')).toBe('*')
    expect(track.headers.get('access-control-allow-credentials')).toBeNull()
  })
})

describe('guesses', () => {
  let world: AccountWorld
  const login = (email: string, password: string, client = '198.51.100.1') =>
    world.open('POST', '/auth/login', { email, password }, { 'x-forwarded-for': client })

  beforeAll(async () => {
    world = await accountWorld(QUICK, {}, { trustProxy: true })
  })

  it('are five for an address and a client within five minutes, also when they come at once', async () => {
    const ada = await world.signup()
    const answers = await Promise.all(Array.from({ length: 12 }, () => login(ada.email, 'wrong password')))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(7)
    const right = await login(ada.email, PASSWORD)
    expectEnvelope(right, 429, 'RATE_LIMIT_EXCEEDED')
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(200)
    expect((await login(ada.email, PASSWORD, '198.51.100.2')).status).toBe(200)
    world.pass(300)
    expect((await login(ada.email, PASSWORD)).status).toBe(200)
  })

  it('are forgotten by a login that succeeds, and by a new password', async () => {
    const ada = await world.signup()
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 4; i++) await login(ada.email, 'wrong password')
      expect((await login(ada.email, PASSWORD)).status).toBe(200)
    }
    for (let i = 0; i < 6; i++) await login(ada.email, 'wrong password')
    await world.open('POST', '/auth/request-password-reset', { email: ada.email })
    const token = tokenOf(await world.linkTo(ada.email, 'reset-password'))
    const headers = { 'x-forwarded-for': '198.51.100.1' }
    await world.open('POST', '/auth/reset-password', { token, password: 'new password' }, headers)
    expect((await login(ada.email, 'new password')).status).toBe(200)
  })

  it('of many clients together are limited for one address, too', async () => {
    const ada = await world.signup()
    for (const half of [0, 50]) {
      const clients = Array.from({ length: 50 }, (_, i) => `198.51.100.${half + i}`)
      const answers = await Promise.all(clients.map((client) => login(ada.email, 'wrong', client)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    }
    expect((await login(ada.email, 'wrong', '198.51.100.200')).status).toBe(429)
  })

  it('of strangers keep nobody out of a browser that was logged in before, nor do many of one IPv6 network', async () => {
    const ada = await world.signup()
    const entered = await login(ada.email, PASSWORD)
    const known = entered.headers.getSetCookie().find((set) => set.includes('mailwright_browser='))!
    expect(known).toMatch(
      /^__Host-mailwright_browser=[^;]+; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const cookie = known.split(';', 1)[0]!
    const network = Array.from({ length: 30 }, (_, i) => login(ada.email, 'wrong', `2001:db8:7:${i}::1`))
    const statuses = (await Promise.all(network)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(20)
    for (let i = 0; i < 100; i++) await login(ada.email, 'wrong', `198.51.101.${i}`)
    const from = (headers: Record<string, string>, password: string, email = ada.email) =>
      world.open('POST', '/auth/login', { email, password }, { 'x-forwarded-for': '203.0.113.77', ...headers })
    expectEnvelope(await from({}, PASSWORD), 429, 'RATE_LIMIT_EXCEEDED')
    expect((await from({ cookie }, PASSWORD)).status).toBe(200)
    // it opens nothing, counts only for its user, and not without end
    expectEnvelope(await world.open('GET', '/users/@me', undefined, { cookie }), 401, 'MISSING_AUTH')
    const asSession = cookie.replace('mailwright_browser', 'mailwright_session')
    expectEnvelope(await world.open('GET', '/users/@me', undefined, { cookie: asSession }), 401, 'INVALID_SESSION')
    const bob = await world.signup()
    for (let i = 0; i < 6; i++) await from({}, 'wrong', bob.email)
    expectEnvelope(await from({ cookie }, PASSWORD, bob.email), 429, 'RATE_LIMIT_EXCEEDED')
    for (let i = 0; i < 5; i++) expect((await from({ cookie }, 'wrong')).status).toBe(401)
    expectEnvelope(await from({ cookie }, PASSWORD), 429, 'RATE_LIMIT_EXCEEDED')
    // nor do they use up the mails to set a new password
    const reset = (headers: Record<string, string>) =>
      world.open('POST', '/auth/request-password-reset', { email: ada.email }, headers)
    for (let i = 0; i < 4; i++) await reset({ 'x-forwarded-for': `198.51.102.${i}` })
    const mails = async () =>
      (await world.ask('GET', '/emails?limit=100')).body.data.filter(({ to }: { to: string }) => to === ada.email)
        .length
    const before = await mails()
    await reset({ cookie })
    expect(await mails()).toBe(before + 1)
  })

  it('of the present password are limited for who is logged in', async () => {
    const ada = await world.signup()
    const guess = () => ada.ask('PATCH', '/users/@me', { json: { password: 'new password', currentPassword: 'x' } })
    for (let i = 0; i < 4; i++) expect((await guess()).status).toBe(422)
    // the right one forgives the others
    expect((await ada.ask('POST', '/users/@me/totp', { json: { password: PASSWORD } })).status).toBe(200)
    for (let i = 0; i < 5; i++) expect((await guess()).status).toBe(422)
    expectEnvelope(await guess(), 429, 'RATE_LIMIT_EXCEEDED')
  })

  it('of one client get mail sent for a while, and one address gets three an hour', async () => {
    const ada = await world.signup()
    const ask = (email: string) =>
      world.open('POST', '/auth/request-password-reset', { email }, { 'x-forwarded-for': '203.0.113.9' })
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => ask(i < 5 ? ada.email : newAddress())))
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body.data]))).size).toBe(1)
    expectEnvelope(await ask(newAddress()), 429, 'RATE_LIMIT_EXCEEDED')
    const mails = (await world.ask('GET', '/emails?limit=100')).body.data
    // one more asked to confirm the address
    expect(mails.filter(({ to }: { to: string }) => to === ada.email)).toHaveLength(3 + 1)
  })
})

describe('whether somebody has an account', () => {
  let world: AccountWorld

  beforeAll(async () => {
    world = await accountWorld(QUICK)
  })

  it('shows neither in the answer to a login nor in the work it takes', async () => {
    const ada = await world.signup()
    const tried = async (email: string) => {
      const [{ status, body }, hashed] = await hashesDuring(() =>
        world.open('POST', '/auth/login', { email, password: 'wrong password' }),
      )
      return { status, error: { ...body.error, requestId: '' }, hashed }
    }
    const known = await tried(ada.email)
    expect(known).toMatchObject({ status: 401, hashed: 1 })
    expect(await tried(newAddress())).toEqual(known)
    const [, atSignup] = await hashesDuring(() =>
      world.open('POST', '/auth/signup', { email: ada.email, password: PASSWORD }),
    )
    expect(atSignup).toBe(1)
  })

  it('shows neither in the answer to who forgot a password nor in its time', async () => {
    const ada = await world.signup()
    const asked = async (email: string) => {
      const begun = performance.now()
      const { status, body } = await world.open('POST', '/auth/request-password-reset', { email })
      expect(performance.now() - begun).toBeGreaterThan(195)
      return { status, body }
    }
    expect(await asked(newAddress())).toEqual(await asked(ada.email))
  })
})

describe('a flood of logins', () => {
  it('has two passwords hashed at a time, 64 more wait, and the others are put off', async () => {
    const passwords = new Passwords(kitOf(() => new Date(), { accounts: { passwordCost: 10 } }))
    const running = new Set<number>()
    let most = 0
    const hook = createHook({
      init(id, type) {
        if (type === 'SCRYPTREQUEST') most = Math.max(most, running.add(id).size)
      },
      before: (id) => void running.delete(id),
    }).enable()
    const answers = await Promise.allSettled(Array.from({ length: 80 }, () => passwords.matches('x', undefined)))
    hook.disable()
    expect(most).toBe(2)
    const refused = answers.filter((answer) => answer.status === 'rejected')
    expect(refused.map(({ reason }) => reason.code)).toEqual(Array(80 - 2 - 64).fill('SERVICE_UNAVAILABLE'))
  })
})

/** How many passwords Node hashes for it. */
async function hashesDuring<T>(work: () => Promise<T>): Promise<[T, number]> {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'SCRYPTREQUEST') count++
    },
  }).enable()
  const answer = await work()
  hook.disable()
  return [answer, count]
}
