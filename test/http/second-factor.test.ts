import { TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import { type AccountWorld, accountWorld, type Browser, newAddress, PASSWORD, tokenOf } from '../support/accounts.ts'
import { expectEnvelope, PROJECT } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

interface AuditRow {
  readonly action: string
  readonly actor: { readonly name: string }
  readonly outcome: string
}

for (const store of [QUICK]) {
  describe(`the second factor on ${store.name}`, () => {
    let world: AccountWorld

    beforeAll(async () => {
      world = await accountWorld(store, {}, { trustProxy: true })
    })

    /** A user with a second factor, turned on with the code of this moment. */
    async function enrolled() {
      const ada = await world.signup()
      await world.open('POST', '/auth/verify-email', { token: tokenOf(await world.linkTo(ada.email, 'verify-email')) })
      const { secret, url } = (await ada.ask('POST', '/users/@me/totp', { json: { password: PASSWORD } })).body
      expect(url).toContain(`otpauth://totp/Mailwright:${encodeURIComponent(ada.email)}?`)
      const code = (ahead = 0) =>
        new TOTP({ secret }).generate({ timestamp: world.engine.now().getTime() + ahead * 1000 })
      // kept, since the clock may come to the next one at any moment
      const first = code()
      const confirmed = await ada.ask('POST', '/users/@me/totp/confirm', { json: { code: first } })
      expect(confirmed.status).toBe(200)
      const browser = browserWith(ada, confirmed.headers.getSetCookie()[0]!)
      return { ada: browser, before: ada, code, first, recoveryCodes: confirmed.body.recoveryCodes as string[] }
    }
    function browserWith(ada: Browser, set: string): Browser {
      const cookie = set.split(';', 1)[0]!
      const ask: Browser['ask'] = (method, path, asked = {}) =>
        ada.ask(method, path, { ...asked, headers: { cookie, ...asked.headers } })
      return { ...ada, cookie, ask }
    }
    const login = async (email: string): Promise<string> => {
      const answer = await world.open('POST', '/auth/login', { email, password: PASSWORD })
      expect(answer.headers.getSetCookie()).toEqual([])
      expect(answer.body.data).toEqual({ secondFactor: true, token: expect.any(String) })
      return answer.body.data.token
    }
    const finish = (token: string, code: string) => world.open('POST', '/auth/login/code', { token, code })

    it('is asked for after the password, and no code counts twice', async () => {
      const { ada, before, code, first } = await enrolled()
      expectEnvelope(await before.ask('GET', '/users/@me'), 401, 'INVALID_SESSION')
      expect((await ada.ask('GET', '/users/@me')).body.secondFactor).toBe(true)
      const token = await login(ada.email)
      // the code that turned it on
      expectEnvelope(await finish(token, first), 401, 'INVALID_CREDENTIALS')
      world.pass(30)
      const used = code()
      const answers = await Promise.all([finish(token, used), finish(token, used), finish(token, used)])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
      const entered = world.browserOf(answers.find(({ status }) => status === 200)!)
      expect((await entered.ask('GET', '/users/@me')).body.email).toBe(ada.email)
      expectEnvelope(await finish(await login(ada.email), code(-30)), 401, 'INVALID_CREDENTIALS')
    })

    it('opens nothing with the first step alone, whose token is no session and no session is such a token', async () => {
      const { ada, code } = await enrolled()
      const token = await login(ada.email)
      const cookie = `__Host-mailwright_session=${token}`
      expectEnvelope(await world.open('GET', '/users/@me', undefined, { cookie }), 401, 'INVALID_SESSION')
      world.pass(30)
      expectEnvelope(await finish(ada.cookie.split('=')[1]!, code()), 401, 'INVALID_SESSION')
      world.pass(300)
      expectEnvelope(await finish(token, code()), 401, 'INVALID_SESSION')
    })

    it('takes each recovery code once, however it is typed', async () => {
      const { ada, recoveryCodes } = await enrolled()
      expect(recoveryCodes).toHaveLength(10)
      const [first = '', second = ''] = recoveryCodes
      expect(first).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
      const token = await login(ada.email)
      expect((await finish(token, ` ${first.toUpperCase().replaceAll('-', ' ')} `)).status).toBe(200)
      expectEnvelope(await finish(token, first), 401, 'INVALID_CREDENTIALS')
      expect((await finish(token, second)).status).toBe(200)
      expect((await ada.ask('GET', '/users/@me')).body.recoveryCodesLeft).toBe(8)
    })

    it('lets five codes be guessed in five minutes, and forgets them no sooner for another login', async () => {
      const { ada, code } = await enrolled()
      for (let i = 0; i < 5; i++) expect((await finish(await login(ada.email), '000000')).status).toBe(401)
      world.pass(30)
      expectEnvelope(await finish(await login(ada.email), code()), 429, 'RATE_LIMIT_EXCEEDED')
      world.pass(300)
      expect((await finish(await login(ada.email), code())).status).toBe(200)
    })

    it('counts wrong codes of the app and recovery codes together, from wherever they come and however many at once', async () => {
      const { ada, code, recoveryCodes } = await enrolled()
      const token = await login(ada.email)
      const wrong = (i: number) => (i % 2 === 0 ? '000000' : `aaaa-aaaa-aaaa-aaa${'abcdefghijkl'[i]}`)
      const from = (i: number) => ({ 'x-forwarded-for': `198.51.${i}.7` })
      const guess = (_: unknown, i: number) =>
        world.open('POST', '/auth/login/code', { token, code: wrong(i) }, from(i))
      const answers = await Promise.all(Array.from({ length: 12 }, guess))
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(401), ...Array(7).fill(429)])
      world.pass(30)
      // the right ones, after the right password, from an address that has not tried yet
      for (const right of [code(), recoveryCodes[0]!]) {
        const late = { token: await login(ada.email), code: right }
        expectEnvelope(await world.open('POST', '/auth/login/code', late, from(99)), 429, 'RATE_LIMIT_EXCEEDED')
      }
      world.pass(300)
      // what was refused is not used up
      expect((await finish(await login(ada.email), recoveryCodes[0]!)).status).toBe(200)
    })

    it('counts apart the codes of a browser that was logged in before, so that no one else can use them up', async () => {
      const { ada, code } = await enrolled()
      const { ada: eve, code: codeOfEve } = await enrolled()
      const browser = async (email: string, right: string) => {
        const entered = await finish(await login(email), right)
        return entered.headers
          .getSetCookie()
          .find((set) => set.includes('mailwright_browser='))!
          .split(';', 1)[0]!
      }
      world.pass(30)
      const [own, foreign] = [await browser(ada.email, code()), await browser(eve.email, codeOfEve())]
      const guess = async (cookie: string, given = '000000') => {
        const json = { token: await login(ada.email), code: given }
        return (await world.open('POST', '/auth/login/code', json, { cookie })).status
      }
      for (let i = 0; i < 5; i++) expect((await finish(await login(ada.email), '000000')).status).toBe(401)
      world.pass(30)
      // one of another user, or a forged one, is no such browser
      for (const cookie of [foreign, `${own.slice(0, -4)}AAAA`]) expect(await guess(cookie, code())).toBe(429)
      expect(await guess(own, code())).toBe(200)
      // nor is it without a limit itself
      for (let i = 0; i < 5; i++) expect(await guess(own)).toBe(401)
      world.pass(30)
      expect(await guess(own, code())).toBe(429)
    })

    it('counts the codes that turn it on and off as well', async () => {
      const ada = await world.signup()
      const { secret } = (await ada.ask('POST', '/users/@me/totp', { json: { password: PASSWORD } })).body
      const codeOf = (text: string) => new TOTP({ secret: text }).generate({ timestamp: world.engine.now().getTime() })
      const confirm = (code: string) => ada.ask('POST', '/users/@me/totp/confirm', { json: { code } })
      for (let i = 0; i < 5; i++) expect((await confirm('000000')).status).toBe(422)
      expectEnvelope(await confirm(codeOf(secret)), 429, 'RATE_LIMIT_EXCEEDED')
      const { ada: bob, code, recoveryCodes } = await enrolled()
      const off = (given: string) => bob.ask('DELETE', '/users/@me/totp', { json: { password: PASSWORD, code: given } })
      for (let i = 0; i < 5; i++) expect((await off(i % 2 ? 'aaaa-aaaa-aaaa-aaaa' : '000000')).status).toBe(422)
      world.pass(30)
      for (const right of [code(), recoveryCodes[0]!]) expectEnvelope(await off(right), 429, 'RATE_LIMIT_EXCEEDED')
    })

    it('outlives a new password, and is turned off by password and code together', async () => {
      const { ada, code, recoveryCodes } = await enrolled()
      await world.open('POST', '/auth/request-password-reset', { email: ada.email })
      const link = tokenOf(await world.linkTo(ada.email, 'reset-password'))
      await world.open('POST', '/auth/reset-password', { token: link, password: PASSWORD })
      world.pass(30)
      const entered = world.browserOf(await finish(await login(ada.email), code()))
      const off = (json: object) => entered.ask('DELETE', '/users/@me/totp', { json })
      world.pass(30)
      expectEnvelope(await off({ code: code() }), 422, 'VALIDATION_ERROR', { password: 'required' })
      expectEnvelope(await off({ password: 'wrong', code: code() }), 422, 'VALIDATION_ERROR', { password: 'custom' })
      expectEnvelope(await off({ password: PASSWORD, code: '000000' }), 422, 'VALIDATION_ERROR', { code: 'custom' })
      const turnedOff = await off({ password: PASSWORD, code: code() })
      expect(turnedOff.status).toBe(204)
      const stays = browserWith(entered, turnedOff.headers.getSetCookie()[0]!)
      const plain = await world.open('POST', '/auth/login', { email: ada.email, password: PASSWORD })
      expect(plain.body.data.id).toBe(ada.id)
      const again = { json: { password: PASSWORD, code: recoveryCodes[0] } }
      expectEnvelope(await stays.ask('DELETE', '/users/@me/totp', again), 409, 'CONFLICT')
    })

    it('makes new recovery codes for the password and a code of the app, and the old ones work no more', async () => {
      const { ada, code, recoveryCodes } = await enrolled()
      const renew = (json: object) => ada.ask('POST', '/users/@me/totp/recovery-codes', { json })
      world.pass(30)
      expectEnvelope(await renew({ code: code() }), 422, 'VALIDATION_ERROR', { password: 'required' })
      expectEnvelope(await renew({ password: 'wrong', code: code() }), 422, 'VALIDATION_ERROR', { password: 'custom' })
      const old = { password: PASSWORD, code: recoveryCodes[0] }
      expectEnvelope(await renew(old), 422, 'VALIDATION_ERROR', { code: 'custom' })
      const renewed = await renew({ password: PASSWORD, code: code() })
      expect(renewed.status).toBe(200)
      expect(renewed.body.recoveryCodes).toHaveLength(10)
      expectEnvelope(await finish(await login(ada.email), recoveryCodes[1]!), 401, 'INVALID_CREDENTIALS')
      expect((await finish(await login(ada.email), renewed.body.recoveryCodes[0])).status).toBe(200)
      const plain = await world.signup()
      const none = await plain.ask('POST', '/users/@me/totp/recovery-codes', { json: { ...old, code: '123456' } })
      expectEnvelope(none, 409, 'CONFLICT')
      expect((await plain.ask('GET', '/users/@me')).body).toMatchObject({ hasPassword: true, secondFactor: false })
    })

    it('ends, with every other change of a login, the sessions and links of before', async () => {
      const changes = {
        'a password set in the account': async ({ ada }: Enrolled) =>
          ada.ask('PATCH', '/users/@me', { json: { password: 'new password', currentPassword: PASSWORD } }),
        'a password set by a link': async ({ spare }: Enrolled) =>
          world.open('POST', '/auth/reset-password', { token: spare, password: 'new password' }),
        'a password set by the operator': async ({ ada }: Enrolled) => {
          await world.engine.accounts.make({ email: ada.email, password: 'new password' })
        },
        'the factor turned on': async ({ ada }: Enrolled) => {
          const { secret } = (await ada.ask('POST', '/users/@me/totp', { json: { password: PASSWORD } })).body
          const code = new TOTP({ secret }).generate({ timestamp: world.engine.now().getTime() })
          return ada.ask('POST', '/users/@me/totp/confirm', { json: { code } })
        },
        'the factor turned off': async ({ ada, code }: Enrolled) => {
          world.pass(30)
          return ada.ask('DELETE', '/users/@me/totp', { json: { password: PASSWORD, code: code?.() } })
        },
        'an end of all sessions': async ({ ada }: Enrolled) => ada.ask('POST', '/auth/logout-everywhere'),
        'a login at a provider': async ({ ada }: Enrolled) => {
          const login = { provider: 'x', subject: ada.id, email: ada.email, emailVerified: true }
          await world.engine.accounts.providers.enter(login)
        },
      }
      type Enrolled = { readonly ada: Browser; readonly spare: string; readonly code?: () => string }
      for (const [what, change] of Object.entries(changes)) {
        const made = what.endsWith('off') ? await enrolled() : { ada: await world.signup() }
        const { ada } = made
        const links: Record<string, string> = {}
        if (!what.endsWith('off')) links['verify-email'] = await world.linkTo(ada.email, 'verify-email')
        await world.open('POST', '/auth/request-password-reset', { email: ada.email })
        const spare = await world.linkTo(ada.email, 'reset-password')
        await world.open('POST', '/auth/request-password-reset', { email: ada.email })
        links['reset-password'] = await world.linkTo(ada.email, 'reset-password', spare)
        const answer = await change({ ...made, spare: tokenOf(spare) })
        expect([what, answer === undefined || answer.status < 300]).toEqual([what, true])
        const token = tokenOf(links['reset-password'])
        const used = await world.open('POST', '/auth/reset-password', { token, password: 'a third password' })
        const verify = links['verify-email'] === undefined ? undefined : tokenOf(links['verify-email'])
        const verified = verify && (await world.open('POST', '/auth/verify-email', { token: verify })).status
        const session = (await ada.ask('GET', '/users/@me')).status
        expect([what, used.status, verified ?? 400, session]).toEqual([what, 400, 400, 401])
      }
    })

    it('is gone, with all sessions, when the operator sets a new password', async () => {
      const { ada, recoveryCodes } = await enrolled()
      const password = 'set by the operator'
      await world.engine.accounts.make({ email: ada.email, password })
      expectEnvelope(await ada.ask('GET', '/users/@me'), 401, 'INVALID_SESSION')
      const entered = world.browserOf(await world.open('POST', '/auth/login', { email: ada.email, password }))
      expect((await entered.ask('GET', '/users/@me')).body).toMatchObject({ id: ada.id, secondFactor: false })
      expect(recoveryCodes).toHaveLength(10)
    })

    it('is turned off by the person who runs the server, who also makes a link for a new password', async () => {
      // those before have used up the sign-ups of an hour
      world.pass(3600)
      const { ada } = await enrolled()
      const people = '/users/@me/operator/users'
      const one = `${people}/${ada.id}`
      const email = newAddress()
      await world.engine.accounts.make({ email, password: PASSWORD })
      const boss = world.browserOf(await world.open('POST', '/auth/login', { email, password: PASSWORD }))
      const json = { password: PASSWORD }
      const found = (await boss.ask('GET', `${people}?search=${ada.email.toUpperCase()}`)).body
      expect(found).toMatchObject({ total: 1, users: [{ id: ada.id, email: ada.email, secondFactor: true }] })
      expect(JSON.stringify(found)).not.toMatch(/password|totp/i)
      const all = (await boss.ask('GET', `${people}?limit=1`)).body
      const next = (await boss.ask('GET', `${people}?limit=1&cursor=${all.cursor}`)).body
      expect([all.users[0].id, next.users[0].id]).toEqual([boss.id, ada.id])

      expectEnvelope(await ada.ask('GET', people), 403, 'FORBIDDEN')
      expectEnvelope(await ada.ask('DELETE', `${one}/totp`, { json }), 403, 'FORBIDDEN')
      expectEnvelope(await ada.ask('POST', `${one}/password-link`, { json }), 403, 'FORBIDDEN')
      expectEnvelope(await boss.ask('DELETE', `${one}/totp`, { json: {} }), 422, 'VALIDATION_ERROR', {
        password: 'required',
      })
      expectEnvelope(await boss.ask('DELETE', `${one}/totp`, { json: { password: 'x' } }), 422, 'VALIDATION_ERROR', {
        password: 'custom',
      })
      for (const id of ['x', PROJECT])
        expectEnvelope(await boss.ask('DELETE', `${people}/${id}/totp`, { json }), 404, 'RESOURCE_NOT_FOUND')
      // whose session was stolen still has them
      expectEnvelope(await boss.ask('DELETE', `${people}/${boss.id}/totp`, { json }), 409, 'CONFLICT')
      expectEnvelope(await boss.ask('POST', `${people}/${boss.id}/password-link`, { json }), 409, 'CONFLICT')
      expect((await ada.ask('GET', '/users/@me')).body.secondFactor).toBe(true)

      expect((await boss.ask('DELETE', `${one}/totp`, { json })).status).toBe(204)
      expectEnvelope(await boss.ask('DELETE', `${one}/totp`, { json }), 409, 'CONFLICT')
      expectEnvelope(await ada.ask('GET', '/users/@me'), 401, 'INVALID_SESSION')
      const made = await boss.ask('POST', `${one}/password-link`, { json })
      expect(made.status).toBe(201)
      const token = made.body.url.split('/').at(-1)
      expect((await world.open('POST', '/auth/reset-password', { token, password: 'another one' })).status).toBe(200)
      const again = await world.open('POST', '/auth/login', { email: ada.email, password: 'another one' })
      const log = (await world.browserOf(again).ask('GET', '/users/@me/audit')).body.data
      const done = log.map(({ action, actor, outcome }: AuditRow) => `${action} ${actor.name} ${outcome}`)
      expect(done).toContain(`removeSecondFactor ${email} done`)
      expect(done).toContain(`makePasswordLink ${email} done`)
      // the operator's own log has whom it was for
      const helped = (await boss.ask('GET', '/users/@me/audit')).body.data
      expect(helped).toContainEqual(
        expect.objectContaining({ action: 'removeSecondFactor', target: expect.objectContaining({ name: ada.email }) }),
      )
    })

    it('is set up only with the password, confirmed by a right code, and never a second time', async () => {
      const ada = await world.signup()
      const enrol = (json: object) => ada.ask('POST', '/users/@me/totp', { json })
      expectEnvelope(await enrol({}), 422, 'VALIDATION_ERROR', { password: 'required' })
      const confirm = (code: string) => ada.ask('POST', '/users/@me/totp/confirm', { json: { code } })
      expectEnvelope(await confirm('123456'), 409, 'CONFLICT')
      await enrol({ password: PASSWORD })
      expectEnvelope(await confirm('000000'), 422, 'VALIDATION_ERROR', { code: 'custom' })
      const login = await world.open('POST', '/auth/login', { email: ada.email, password: PASSWORD })
      expect(login.body.data).toEqual({ id: ada.id, email: ada.email })
      const { ada: other } = await enrolled()
      expectEnvelope(await other.ask('POST', '/users/@me/totp', { json: { password: PASSWORD } }), 409, 'CONFLICT')
    })
  })
}
