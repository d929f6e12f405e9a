import { Events, type MutableToken, OAuth2Server } from 'oauth2-mock-server'
import { TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type AccountWorld,
  accountWorld,
  cookieOf,
  newAddress,
  ORIGIN,
  PASSWORD,
  tokenOf,
} from '../support/accounts.ts'
import type { Answer } from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { startFakeGitHub } from '../support/fake-github.ts'
import { QUICK } from '../support/matrix.ts'

const CLIENT = { clientId: 'mailwright', clientSecret: 'a secret of the client' }
const ACCOUNTS = { passwordCost: 10, signup: true, projects: true, from: 'accounts@example.com' } as const

let provider: OAuth2Server
/** The claims of the next ID tokens, over the provider's own. */
let claims: object = {}

beforeAll(async () => {
  provider = new OAuth2Server()
  await provider.issuer.keys.generate('RS256')
  await provider.start(0, 'localhost')
  atEndOfFile(() => provider.stop())
  provider.service.on(Events.BeforeTokenSigning, ({ payload }: MutableToken) => void Object.assign(payload, claims))
})

const oidc = () => ({ issuer: provider.issuer.url ?? '', ...CLIENT })
let people = 0
/** A new person at the provider, with a proven address. */
function somebody(fields: object = {}) {
  const person = { sub: `person-${++people}`, email: newAddress(), email_verified: true, name: 'Ada', ...fields }
  claims = person
  return person
}

/** The steps of a browser up to its return: the provider's page is asked, and sends it back. */
async function begin(world: AccountWorld, query = '', name = 'oidc') {
  const started = await world.open('GET', `/auth/oauth/${name}${query}`)
  expect([started.status, started.text]).toEqual([302, ''])
  const away = new URL(started.headers.get('location') ?? '')
  const cookie = started.headers.getSetCookie()[0]!.split(';', 1)[0]!
  const sent = await fetch(away, { redirect: 'manual' })
  const back = new URL(sent.headers.get('location') ?? '')
  expect(back.origin).toBe(ORIGIN)
  return { away, cookie, back: `${back.pathname}${back.search}` }
}
const comeBack = (world: AccountWorld, { back, cookie }: { back: string; cookie?: string }) =>
  world.open('GET', back, undefined, cookie === undefined ? {} : { cookie })
const isLoggedIn = ({ headers }: Answer) => headers.getSetCookie().some((set) => /mailwright_session=[^;]/.test(set))
async function meOf(world: AccountWorld, answer: Answer) {
  return (await world.open('GET', '/users/@me', undefined, { cookie: cookieOf(answer.headers) })).body
}

describe('logging in at a provider of OpenID Connect', () => {
  let world: AccountWorld

  beforeAll(async () => {
    world = await accountWorld(QUICK, { accounts: { ...ACCOUNTS, oauth: { oidc: oidc() } } })
  })

  it('makes an account whose address is proven, and finds it again by the id there', async () => {
    expect((await world.open('GET', '/auth/oauth-config')).body).toEqual({
      success: true,
      data: { github: false, google: false, oidc: true, host: null },
    })
    const ada = somebody()
    const first = await begin(world)
    expect(first.cookie).toMatch(/^__Host-mailwright_login=/)
    const asked = Object.fromEntries(first.away.searchParams)
    expect(asked).toMatchObject({
      response_type: 'code',
      redirect_uri: `${ORIGIN}/auth/oauth/oidc/callback`,
      code_challenge_method: 'S256',
      scope: 'openid email profile',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]).toMatch(/^[\w-]{43}$/)
    const entered = await comeBack(world, first)
    expect(entered).toMatchObject({ status: 200, text: expect.stringContaining('You are logged in') })
    const me = await meOf(world, entered)
    expect(me).toMatchObject({ email: ada.email, name: 'Ada', emailVerified: true })
    // the address there may change, and need not be proven any more
    claims = { ...ada, email: newAddress(), email_verified: false }
    expect(await meOf(world, await comeBack(world, await begin(world)))).toEqual(me)
  })

  it('works once for a state, in the browser where it began, and at the provider where it began', async () => {
    somebody()
    const [mine, other] = [await begin(world), await begin(world)]
    const wrong = [
      { back: mine.back },
      { back: mine.back, cookie: other.cookie },
      { back: mine.back, cookie: `${mine.cookie}x` },
      { back: mine.back, cookie: `${mine.cookie}; ${other.cookie}` },
      { back: mine.back.replace(/state=[^&]*/, 'state='), cookie: mine.cookie },
      { back: mine.back.replace(/state=[^&]*&?/, ''), cookie: mine.cookie },
    ]
    for (const each of wrong) {
      const answer = await comeBack(world, each)
      expect([each, answer.status, isLoggedIn(answer)]).toEqual([each, 400, false])
    }
    const answers = await Promise.all([comeBack(world, mine), comeBack(world, mine), comeBack(world, mine)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect((await comeBack(world, mine)).status).toBe(400)
    world.pass(601)
    expect((await comeBack(world, other)).status).toBe(400)
  })

  it('is refused with the ID token of another login (nonce), or for another client, and says no more than that', async () => {
    for (const wrong of [{ nonce: 'of another login' }, { aud: 'another client' }, { iss: 'https://evil.example' }]) {
      somebody(wrong)
      const answer = await comeBack(world, await begin(world))
      expect([wrong, answer.status, isLoggedIn(answer)]).toEqual([wrong, 403, false])
      expect(answer.text).not.toMatch(/nonce|audience|issuer/i)
    }
    somebody()
    const begun = await begin(world)
    const guessed = begun.back.replace(/code=[^&]*/, 'code=guessed')
    expect((await comeBack(world, { ...begun, back: guessed })).status).toBe(403)
    const denied = await begin(world)
    const back = `${denied.back.replace(/code=[^&]*/, 'error=access_denied')}`
    expect((await comeBack(world, { ...denied, back })).status).toBe(403)
  })

  it('joins an account by a proven address alone', async () => {
    const known = await world.signup()
    await world.open('POST', '/auth/verify-email', { token: tokenOf(await world.linkTo(known.email, 'verify-email')) })
    for (const email_verified of [false, 'true', undefined]) {
      somebody({ email: known.email, email_verified })
      const refused = await comeBack(world, await begin(world))
      expect([email_verified, refused.status, isLoggedIn(refused)]).toEqual([email_verified, 403, false])
    }
    somebody({ email: known.email.toUpperCase() })
    expect(await meOf(world, await comeBack(world, await begin(world)))).toMatchObject({ id: known.id })
    expect((await known.ask('GET', '/users/@me')).status).toBe(200)
    const login = await world.open('POST', '/auth/login', { email: known.email, password: PASSWORD })
    expect(login.status).toBe(200)
  })

  it('takes an account over whose address was never proven: whoever made it keeps no way in', async () => {
    const thief = await world.signup()
    somebody({ email: thief.email })
    const entered = await comeBack(world, await begin(world))
    expect(await meOf(world, entered)).toMatchObject({ id: thief.id, emailVerified: true })
    expect((await thief.ask('GET', '/users/@me')).status).toBe(401)
    const login = await world.open('POST', '/auth/login', { email: thief.email, password: PASSWORD })
    expect(login.status).toBe(401)
  })

  it('asks for the second factor, too', async () => {
    const ada = somebody()
    const cookie = cookieOf((await comeBack(world, await begin(world))).headers)
    const headers = { cookie, origin: ORIGIN }
    const { secret } = (await world.open('POST', '/users/@me/totp', {}, headers)).body
    const code = () => new TOTP({ secret }).generate({ timestamp: world.engine.now().getTime() })
    expect((await world.open('POST', '/users/@me/totp/confirm', { code: code() }, headers)).status).toBe(200)
    claims = ada
    const half = await comeBack(world, await begin(world, '?returnTo=/in%3Fa=1'))
    expect([half.status, isLoggedIn(half)]).toEqual([302, false])
    const page = new URL(half.headers.get('location') ?? '')
    expect(page.origin).toBe(ORIGIN)
    const step = half.headers
      .getSetCookie()
      .find((set) => /mailwright_step=[^;]/.test(set))!
      .split(';', 1)[0]!
    const path = `${page.pathname}${page.search}`
    expect((await world.open('GET', path, undefined, { cookie: step })).text).toContain('one-time-code')
    expect((await world.open('GET', path)).status).toBe(400)
    const post = (typed: string) =>
      world.ask('POST', path, {
        key: null,
        raw: `code=${typed}`,
        headers: { cookie: step, 'content-type': 'application/x-www-form-urlencoded' },
      })
    expect(await post('000000')).toMatchObject({ status: 401, text: expect.stringContaining('wrong') })
    world.pass(30)
    const whole = await post(code())
    expect([whole.status, whole.headers.get('location')]).toEqual([302, `${ORIGIN}/in?a=1`])
    expect(await meOf(world, whole)).toMatchObject({ email: ada.email, secondFactor: true })
  })

  it('leads on to a path of the dashboard, and never to another site', async () => {
    const accounts = { ...ACCOUNTS, oauth: { oidc: oidc() }, dashboardUrl: 'https://dash.example/app/' }
    const dash = await accountWorld(QUICK, { accounts })
    const cases: [string, string][] = [
      ['/campaigns?x=1#y', 'https://dash.example/campaigns?x=1#y'],
      ['', 'https://dash.example/app'],
      ['https://evil.example/', 'https://dash.example/app'],
      ['//evil.example', 'https://dash.example/app'],
      ['/\\evil.example', 'https://dash.example/app'],
      ['\\\\evil.example', 'https://dash.example/app'],
      ['/.//evil.example', 'https://dash.example/app'],
      ['/a/..//evil.example', 'https://dash.example/app'],
      ['/\t/evil.example', 'https://dash.example/app'],
      ['/%09/evil.example', 'https://dash.example/%09/evil.example'],
      ['javascript:alert(1)', 'https://dash.example/app'],
      [' /x', 'https://dash.example/app'],
      [`/${'a'.repeat(2000)}`, 'https://dash.example/app'],
    ]
    for (const [returnTo, expected] of cases) {
      somebody()
      const answer = await comeBack(dash, await begin(dash, `?returnTo=${encodeURIComponent(returnTo)}`))
      expect([returnTo, answer.status, answer.headers.get('location')]).toEqual([returnTo, 302, expected])
    }
  })

  it('makes nobody an account where nobody may sign up, and tells who cannot be helped', async () => {
    const closed = await accountWorld(QUICK, { accounts: { ...ACCOUNTS, signup: false, oauth: { oidc: oidc() } } })
    somebody()
    const answer = await comeBack(closed, await begin(closed))
    expect([answer.status, isLoggedIn(answer)]).toEqual([403, false])
    expect(answer.text).toContain('Sign-up is closed')
    for (const name of ['google', 'github', 'constructor', '%00'])
      expect((await closed.open('GET', `/auth/oauth/${name}`)).status).toBe(404)
    const away = { issuer: 'http://127.0.0.1:9', ...CLIENT }
    const alone = await accountWorld(QUICK, { accounts: { ...ACCOUNTS, oauth: { oidc: away } } })
    expect((await alone.open('GET', '/auth/oauth/oidc')).status).toBe(403)
    expect(alone.lines.some(({ message }) => message === 'a login at a provider failed')).toBe(true)
  })
})

describe('logging in with GitHub', () => {
  it('takes the primary address if it is proven, asked from its API', async () => {
    const github = await startFakeGitHub(CLIENT.clientSecret)
    atEndOfFile(() => github.close())
    const oauth = { github: { ...CLIENT, url: github.url } }
    const world = await accountWorld(QUICK, { accounts: { ...ACCOUNTS, oauth } })
    const [primary, spare] = [newAddress(), newAddress()]
    const emails = (verified: boolean) => [
      { email: spare, primary: false, verified: true },
      { email: primary, primary: true, verified },
    ]
    github.is({ id: 7, name: null, emails: emails(false) })
    expect((await comeBack(world, await begin(world, '', 'github'))).status).toBe(403)
    github.is({ id: 7, name: null, emails: emails(true) })
    const begun = await begin(world, '', 'github')
    expect(begun.away.searchParams.get('nonce')).toBeNull()
    expect(await meOf(world, await comeBack(world, begun))).toMatchObject({ email: primary, name: null })
    const guessed = await begin(world, '', 'github')
    const back = guessed.back.replace(/code=[^&]*/, 'code=guessed')
    expect((await comeBack(world, { ...guessed, back })).status).toBe(403)
  })
})
