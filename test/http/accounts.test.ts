import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine, silentLog, systemClock } from '../../config/library.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { type AccountWorld, accountWorld, newAddress, ORIGIN, PASSWORD, tokenOf } from '../support/accounts.ts'
import { expectEnvelope, SECRET } from '../support/app.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { freshFile } from '../support/fresh-sqlite.ts'
import { QUICK, STORES, STRICT } from '../support/matrix.ts'

for (const store of STORES) {
  describe(`accounts on ${store.name}`, () => {
    let world: AccountWorld

    beforeAll(async () => {
      world = await accountWorld(store)
    })

    it('sign up with a cookie out of reach of scripts and other sites, and log in and out', async () => {
      const email = newAddress()
      const made = await world.open('POST', '/auth/signup', { email: ` ${email.toUpperCase()}`, password: PASSWORD })
      expect(made).toMatchObject({
        status: 200,
        body: { success: true, data: { email, id: expect.any(String), verification: 'sent' } },
      })
      const [cookie] = made.headers.getSetCookie()
      expect(cookie).toMatch(
        /^__Host-mailwright_session=[\w.-]+; Path=\/; Max-Age=604[78]\d\d; HttpOnly; SameSite=Lax; Secure$/,
      )
      const answer = await world.open('POST', '/auth/login', { email, password: PASSWORD })
      expect(answer).toMatchObject({ status: 200, body: { success: true, data: { email } } })
      const me = await world.browserOf(answer).ask('GET', '/users/@me')
      expect(me.body).toMatchObject({ email, name: null, emailVerified: false, secondFactor: false })
      const out = await world.browserOf(answer).ask('GET', '/auth/logout')
      expect(out.headers.getSetCookie()[0]).toMatch(/^__Host-mailwright_session=; Path=\/; Max-Age=0;/)
    })

    it('confirm an address by the link of a mail, once, and nobody else reads that mail', async () => {
      const ada = await world.signup()
      const link = await world.linkTo(ada.email, 'verify-email')
      const { body: mails } = await world.ask('GET', '/emails?limit=100')
      const mail = mails.data.find(({ to }: { to: string }) => to === ada.email)
      const shown = await world.ask('GET', `/emails/${mail.id}`)
      expect(shown.body).toMatchObject({ to: ada.email, subject: null, body: null, text: null })
      expect(JSON.stringify(shown.body)).not.toContain(tokenOf(link))
      expectEnvelope(await world.ask('GET', `/emails/${mail.id}/raw`), 404, 'RESOURCE_NOT_FOUND')
      const again = await world.ask('POST', `/emails/${mail.id}/resend`, { json: {} })
      expectEnvelope(again, 409, 'CONFLICT')
      expect(again.body.message).toContain('about an account')
      expect((await world.ask('GET', `/contacts?search=${ada.email}`)).body.data).toEqual([])

      expect((await world.open('POST', '/auth/verify-email', { token: tokenOf(link) })).status).toBe(200)
      expect((await ada.ask('GET', '/users/@me')).body.emailVerified).toBe(true)
      expectEnvelope(await world.open('POST', '/auth/verify-email', { token: tokenOf(link) }), 400, 'INVALID_TOKEN')
    })

    it('set a new password by the link of a mail, once, within an hour, and all sessions end', async () => {
      const ada = await world.signup()
      const asked = await world.open('POST', '/auth/request-password-reset', { email: ada.email })
      expect(asked).toMatchObject({ status: 200, body: { success: true } })
      const token = tokenOf(await world.linkTo(ada.email, 'reset-password'))
      const short = await world.open('POST', '/auth/reset-password', { token, password: '1234567' })
      expectEnvelope(short, 422, 'VALIDATION_ERROR', { password: 'too_small' })
      const json = { token, password: 'another password' }
      expect((await world.open('POST', '/auth/reset-password', json)).status).toBe(200)
      expectEnvelope(await world.open('POST', '/auth/reset-password', json), 400, 'INVALID_TOKEN')
      expectEnvelope(await ada.ask('GET', '/users/@me'), 401, 'INVALID_SESSION')
      const old = await world.open('POST', '/auth/login', { email: ada.email, password: PASSWORD })
      expectEnvelope(old, 401, 'INVALID_CREDENTIALS')
      const again = await world.open('POST', '/auth/login', { email: ada.email, password: 'another password' })
      expect((await world.browserOf(again).ask('GET', '/users/@me')).body.emailVerified).toBe(true)
    })

    it('change the name and the password, which ends every other session', async () => {
      const ada = await world.signup()
      const elsewhere = world.browserOf(
        await world.open('POST', '/auth/login', { email: ada.email, password: PASSWORD }),
      )
      expect((await ada.ask('PATCH', '/users/@me', { json: { name: ' Ada ' } })).body.name).toBe('Ada')
      expect((await elsewhere.ask('GET', '/users/@me')).body.name).toBe('Ada')
      for (const currentPassword of [undefined, 'wrong password']) {
        const refused = await ada.ask('PATCH', '/users/@me', { json: { password: 'new password', currentPassword } })
        expectEnvelope(refused, 422, 'VALIDATION_ERROR', { currentPassword: expect.any(String) })
      }
      const json = { password: 'new password', currentPassword: PASSWORD, name: null }
      const changed = await ada.ask('PATCH', '/users/@me', { json })
      expect(changed).toMatchObject({ status: 200, body: { name: null } })
      for (const old of [ada, elsewhere]) expectEnvelope(await old.ask('GET', '/users/@me'), 401, 'INVALID_SESSION')
      const cookie = changed.headers.getSetCookie()[0]!.split(';', 1)[0]!
      expect((await ada.ask('GET', '/users/@me', { headers: { cookie } })).status).toBe(200)
      expect((await ada.ask('POST', '/auth/logout-everywhere', { headers: { cookie } })).status).toBe(200)
      expectEnvelope(await ada.ask('GET', '/users/@me', { headers: { cookie } }), 401, 'INVALID_SESSION')
    })

    it('act for the projects they are in, by the role they have there', async () => {
      const ada = await world.signup()
      const made = await ada.ask('POST', '/users/@me/projects', { json: { name: 'Mine' } })
      expect(made).toMatchObject({ status: 201, body: { name: 'Mine', role: 'OWNER', from: null } })
      const { id } = made.body
      expect((await ada.ask('GET', '/users/@me/projects')).body).toMatchObject([{ id, role: 'OWNER' }])
      const headers = { 'x-project-id': id }
      expect((await ada.ask('POST', '/contacts', { json: { email: 'c@example.org' }, headers })).status).toBe(201)
      expect((await ada.ask('GET', '/contacts', { headers })).body.total).toBe(1)
      expectEnvelope(await ada.ask('GET', '/contacts'), 422, 'VALIDATION_ERROR', { 'X-Project-Id': 'required' })
      const [other] = await world.engine.projects.list()
      for (const strange of [other!.id, 'nothing', `${id}'`]) {
        const answer = await ada.ask('GET', '/contacts', { headers: { 'x-project-id': strange } })
        expectEnvelope(answer, 404, 'PROJECT_NOT_FOUND')
      }
      const json = { name: 'Ours', locale: 'de', tracking: 'DISABLED' }
      expect((await ada.ask('PATCH', `/projects/${id}`, { json })).body).toMatchObject(json)
      const foreign = { json: { from: 'a@example.com' } }
      expectEnvelope(await ada.ask('PATCH', `/projects/${id}`, foreign), 403, 'DOMAIN_NOT_VERIFIED')
      expect((await ada.ask('PATCH', `/projects/${id}`, { json: { locale: null } })).body).toMatchObject({
        name: 'Ours',
        locale: null,
      })
      expectEnvelope(await ada.ask('GET', `/projects/${other!.id}`), 404, 'PROJECT_NOT_FOUND')
    })

    it('invite others, who join by the link of a mail; whoever signed up with their address before loses it', async () => {
      const ada = await world.signup({ name: 'Ada' })
      const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).body
      const thief = await world.signup({ name: 'Thief' })
      const invited = await ada.ask('POST', `/projects/${id}/members`, { json: { email: thief.email, role: 'ADMIN' } })
      expect(invited).toMatchObject({ status: 201, body: { email: thief.email, role: 'ADMIN', status: 'INVITED' } })
      expect((await thief.ask('GET', '/users/@me/projects')).body).toEqual([])
      const token = tokenOf(await world.linkTo(thief.email, 'accept-invite'))
      expectEnvelope(await world.open('POST', '/auth/accept-invite', { token }), 422, 'VALIDATION_ERROR', {
        password: 'required',
      })
      const accepted = await world.open('POST', '/auth/accept-invite', { token, password: 'my own password' })
      const bob = world.browserOf(accepted)
      expect((await bob.ask('GET', '/users/@me/projects')).body).toMatchObject([{ id, role: 'ADMIN' }])
      expectEnvelope(await thief.ask('GET', '/users/@me'), 401, 'INVALID_SESSION')
      expectEnvelope(
        await world.open('POST', '/auth/login', { email: thief.email, password: PASSWORD }),
        401,
        'INVALID_CREDENTIALS',
      )
      expect((await bob.ask('GET', `/projects/${id}/members`)).body).toMatchObject([
        { id: ada.id, name: 'Ada', role: 'OWNER', status: 'ACTIVE' },
        { id: bob.id, role: 'ADMIN', status: 'ACTIVE' },
      ])

      const second = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Second' } })).body.id
      const known = await ada.ask('POST', `/projects/${second}/members`, { json: { email: bob.email } })
      expect(known.body).toMatchObject({ id: bob.id, role: 'MEMBER', status: 'ACTIVE' })
      const twice = await ada.ask('POST', `/projects/${second}/members`, { json: { email: bob.email } })
      expectEnvelope(twice, 409, 'CONFLICT')
    })

    it('let an OWNER change roles and remove people, and keep one OWNER whoever leaves at the same time', async () => {
      const [ada, bob] = [await world.signup(), await world.signup()]
      await world.open('POST', '/auth/verify-email', { token: tokenOf(await world.linkTo(bob.email, 'verify-email')) })
      const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Two' } })).body
      await ada.ask('POST', `/projects/${id}/members`, { json: { email: bob.email } })
      const place = (who: { id: string }) => `/projects/${id}/members/${who.id}`
      for (const [method, json] of [['PATCH', { role: 'OWNER' }] as const, ['DELETE', undefined] as const]) {
        const answer = await bob.ask(method, place(ada), json ? { json } : {})
        expectEnvelope(answer, 403, 'FORBIDDEN')
      }
      expectEnvelope(await ada.ask('PATCH', place(ada), { json: { role: 'ADMIN' } }), 409, 'CONFLICT')
      expect((await ada.ask('PATCH', place(bob), { json: { role: 'OWNER' } })).body.role).toBe('OWNER')
      const leaving = await Promise.all([ada.ask('DELETE', place(ada)), bob.ask('DELETE', place(bob))])
      expect(leaving.map(({ status }) => status).sort()).toEqual([204, 409])
      const stays = leaving[0].status === 204 ? bob : ada
      expectEnvelope(await stays.ask('DELETE', `/projects/${id}/members/${ada.id}x`), 404, 'MEMBER_NOT_FOUND')
    })

    it('take over a project that has no OWNER by its secret key, once', async () => {
      const [ada, bob] = [await world.signup(), await world.signup()]
      const json = { secretKey: SECRET }
      expect((await ada.ask('POST', '/users/@me/projects', { json })).body).toMatchObject({
        name: 'Test',
        role: 'OWNER',
      })
      expectEnvelope(await bob.ask('POST', '/users/@me/projects', { json }), 409, 'CONFLICT')
      const wrong = await bob.ask('POST', '/users/@me/projects', { json: { secretKey: 'sk_wrong' } })
      expectEnvelope(wrong, 401, 'INVALID_API_KEY')
      for (const refused of [{}, { name: 'x', secretKey: SECRET }])
        expect((await bob.ask('POST', '/users/@me/projects', { json: refused })).status).toBe(422)
    })

    it('are in a hundred projects at most, also when they ask for several at once', async () => {
      const ada = await world.signup()
      const another = () => ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })
      for (let i = 0; i < 97; i++) expect((await another()).status).toBe(201)
      const last = await Promise.all(Array.from({ length: 8 }, another))
      expect(last.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409])
    })
  })
}

describe('signing up', () => {
  const first = { passwordCost: 10, from: 'accounts@example.com' }
  const signup = (world: AccountWorld, email = newAddress()) =>
    world.open('POST', '/auth/signup', { email, password: PASSWORD })

  it('is for the first user alone unless the settings say otherwise, also when many come at once', async () => {
    const world = await accountWorld(STRICT, { accounts: first })
    const answers = await Promise.all(Array.from({ length: 5 }, () => signup(world)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403])
    expectEnvelope(await signup(world), 403, 'FORBIDDEN')
    const ada = world.browserOf(answers.find(({ status }) => status === 200)!)
    const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).body
    const email = newAddress()
    await ada.ask('POST', `/projects/${id}/members`, { json: { email } })
    const token = tokenOf(await world.linkTo(email, 'accept-invite'))
    expect((await world.open('POST', '/auth/accept-invite', { token, password: PASSWORD })).status).toBe(200)
  })

  it('can be switched off altogether; then users come from the operator', async () => {
    const world = await accountWorld(QUICK, { accounts: { ...first, signup: false } })
    expectEnvelope(await signup(world), 403, 'FORBIDDEN')
    const made = await world.engine.accounts.make({ email: newAddress(), password: PASSWORD })
    expect((await world.open('POST', '/auth/login', { email: made.email, password: PASSWORD })).status).toBe(200)
  })

  it('says in the answer and in the log when no mail can be sent, and invites nobody', async () => {
    const world = await accountWorld(QUICK, { accounts: { passwordCost: 10, signup: true } })
    const answer = await signup(world)
    expect(answer.body.data).toMatchObject({
      verification: 'unavailable',
      note: expect.stringContaining('accounts.from'),
    })
    const ada = world.browserOf(answer)
    const known = await world.open('POST', '/auth/request-password-reset', { email: ada.email })
    const unknown = await world.open('POST', '/auth/request-password-reset', { email: newAddress() })
    expect(known.body.data.message).toContain('accounts.from')
    expect(unknown.body.data).toEqual(known.body.data)
    expectEnvelope(await ada.ask('POST', '/auth/request-verification'), 409, 'CONFLICT')
    const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).body
    const invite = await ada.ask('POST', `/projects/${id}/members`, { json: { email: newAddress() } })
    expectEnvelope(invite, 409, 'CONFLICT')
    expect(invite.body.message).toContain('accounts.from is not set')
    expect(world.lines.filter(({ message }) => message.startsWith('no mail about accounts')).length).toBeGreaterThan(2)
  })

  it('refuses passwords beyond their limits, and takes those at them', async () => {
    const world = await accountWorld(QUICK)
    const tried = (password: unknown) => world.open('POST', '/auth/signup', { email: newAddress(), password })
    expectEnvelope(await tried('a'.repeat(7)), 422, 'VALIDATION_ERROR', { password: 'too_small' })
    expectEnvelope(await tried('a'.repeat(201)), 422, 'VALIDATION_ERROR', { password: 'too_big' })
    expectEnvelope(await tried(12345678), 422, 'VALIDATION_ERROR', { password: 'invalid_type' })
    for (const password of ['a'.repeat(8), 'ä🙂'.repeat(66)]) expect((await tried(password)).status).toBe(200)
  })
})

describe('projects that users make', () => {
  it('are not those of the configuration, whatever their names, nor do they send the mails about accounts', async () => {
    const file = freshFile(join(mkdtempSync(join(tmpdir(), 'mailwright-named-')), 'test.db'))
    atEndOfFile(() => rmSync(dirname(file), { recursive: true, force: true }))
    const from = 'hello@shop.example'
    const shop = { name: 'Shop', trustedDomains: ['shop.example'], from, secretKey: `sk_${'7'.repeat(24)}` }
    const base = { store: sqlite({ file }), accounts: { passwordCost: 10 }, publicUrl: ORIGIN, log: silentLog }
    const before = await createEngine({ ...base, projects: [] })
    const { user } = await before.accounts.signup({ email: newAddress(), password: PASSWORD })
    const theirs = (await before.members.addProject(user, { name: 'Shop' })).project
    await before.stop()
    const first = await createEngine({ ...base, projects: [shop] })
    const ours = (await first.projects.list()).find(({ id }) => id !== theirs.id)!
    expect(ours).toMatchObject({ name: 'Shop', trustedDomains: ['shop.example'] })
    expect(await first.projects.get(theirs.id)).toMatchObject({ trustedDomains: [] })
    await first.projects.change(ours, { name: 'Renamed', locale: 'de' })
    await first.stop()
    const again = await createEngine({ ...base, projects: [shop] })
    expect(await again.projects.get(ours.id)).toMatchObject({ name: 'Shop', locale: 'de' })
    expect(await again.projects.list()).toHaveLength(2)
    expect(await again.accounts.signup({ email: newAddress(), password: PASSWORD }).catch(({ code }) => code)).toBe(
      'FORBIDDEN',
    )
    await again.mailedLinks.requestReset({ email: user.email })
    const [mail] = (await again.mails.list(ours, {})).items
    expect(mail).toMatchObject({ to: user.email })
    await again.stop()
  })

  it('do not keep the next start from setting up the first one', async () => {
    const file = freshFile(join(mkdtempSync(join(tmpdir(), 'mailwright-first-')), 'test.db'))
    atEndOfFile(() => rmSync(dirname(file), { recursive: true, force: true }))
    const start = async (wished: object, then?: (engine: Engine) => Promise<unknown>) => {
      const engine = await createEngine({ store: sqlite({ file }), accounts: { passwordCost: 10 }, log: silentLog })
      await engine.projects.applyFirst(wished)
      await then?.(engine)
      const projects = await engine.projects.list()
      await engine.stop()
      return projects.map(({ name, trustedDomains }) => [name, ...trustedDomains])
    }
    const wished = { name: 'First', trustedDomains: ['a.example'] }
    await start(wished, async ({ accounts, members }) => {
      const { user } = await accounts.signup({ email: newAddress(), password: PASSWORD })
      await members.addProject(user, { name: 'Second' })
    })
    const again = await start({ ...wished, trustedDomains: ['b.example'] })
    expect(again).toEqual([['First', 'b.example'], ['Second']])
  })

  it('take no changes while they are disabled', async () => {
    const world = await accountWorld(QUICK, {
      projects: [{ name: 'Off', secretKey: SECRET, disabled: true, trustedDomains: ['example.com'] }],
    })
    const ada = await world.signup()
    const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { secretKey: SECRET } })).body
    const rename = await ada.ask('PATCH', `/projects/${id}`, { json: { name: 'On' } })
    expectEnvelope(rename, 403, 'PROJECT_DISABLED')
    const invite = await ada.ask('POST', `/projects/${id}/members`, { json: { email: newAddress() } })
    expectEnvelope(invite, 403, 'PROJECT_DISABLED')
  })
})

describe('passwords', () => {
  it('are hashed anew at the next login when their cost is changed, and stay right', async () => {
    const file = freshFile(join(mkdtempSync(join(tmpdir(), 'mailwright-cost-')), 'test.db'))
    atEndOfFile(() => rmSync(dirname(file), { recursive: true, force: true }))
    const hashed = async () => {
      const { store, close } = await sqlite({ file }).open({ log: silentLog, clock: systemClock })
      const { passwordHash } = (await store.users.byEmail('ada@example.org'))!
      await close?.()
      return passwordHash
    }
    const input = { email: 'ada@example.org', password: PASSWORD }
    const within = async <T>(passwordCost: number, work: (engine: Engine) => Promise<T>) => {
      const engine = await createEngine({ store: sqlite({ file }), accounts: { passwordCost }, log: silentLog })
      await work(engine)
      await engine.stop()
      return hashed()
    }
    expect(await within(10, ({ accounts }) => accounts.signup(input))).toMatch(/^scrypt\$10\$8\$3\$/)
    const raised = await within(11, ({ accounts }) => accounts.login(input))
    expect(raised).toMatch(/^scrypt\$11\$8\$3\$/)
    expect(await within(11, ({ accounts }) => accounts.login(input))).toBe(raised)
  })
})

describe('the pages that mails link to', () => {
  let world: AccountWorld
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = (path: string, fields: Record<string, string>) =>
    world.ask('POST', path, { key: null, raw: new URLSearchParams(fields).toString(), headers: FORM })

  beforeAll(async () => {
    world = await accountWorld(QUICK)
  })

  it('confirm an address by their button, never by being opened', async () => {
    const ada = await world.signup()
    const link = await world.linkTo(ada.email, 'verify-email')
    for (let i = 0; i < 2; i++) {
      const page = await world.open('GET', link)
      expect(page.status).toBe(200)
      expect(page.text).toContain('<button type="submit">Confirm the address</button>')
      expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    }
    expect((await ada.ask('GET', '/users/@me')).body.emailVerified).toBe(false)
    const done = await post(link, { confirm: 'yes' })
    expect(done).toMatchObject({ status: 200, text: expect.stringContaining('confirmed') })
    expect((await ada.ask('GET', '/users/@me')).body.emailVerified).toBe(true)
    for (const answer of [await post(link, {}), await world.open('GET', link)]) expect(answer.status).toBe(404)
  })

  it('set a new password, and say what is wrong with it', async () => {
    const ada = await world.signup()
    await world.open('POST', '/auth/request-password-reset', { email: ada.email })
    const link = await world.linkTo(ada.email, 'reset-password')
    const page = await world.open('GET', link)
    expect(page.text).toContain('autocomplete="new-password"')
    const short = await post(link, { password: 'short' })
    expect(short).toMatchObject({ status: 422, text: expect.stringContaining('at least 8 characters') })
    expect((await post(link, { password: 'a new password' })).status).toBe(200)
    const login = await world.open('POST', '/auth/login', { email: ada.email, password: 'a new password' })
    expect(login.status).toBe(200)
    expect((await post(link, { password: 'a new password' })).status).toBe(404)
  })

  it('accept an invitation, with a password and a name only for who has no account yet', async () => {
    const ada = await world.signup()
    const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: '<b>Crew</b>' } })).body
    const email = newAddress()
    await ada.ask('POST', `/projects/${id}/members`, { json: { email } })
    const link = await world.linkTo(email, 'accept-invite')
    const page = await world.open('GET', link)
    expect(page.text).toContain('&#60;b&#62;Crew')
    expect(page.text).not.toContain('<b>')
    expect((await post(link, {})).status).toBe(422)
    // else another site could log its visitors in to an account of its own
    const foreign = { ...FORM, origin: 'https://evil.example' }
    const raw = new URLSearchParams({ password: PASSWORD }).toString()
    const posted = await world.ask('POST', link, { key: null, raw, headers: foreign })
    expect([posted.status, posted.headers.get('set-cookie')]).toEqual([403, null])
    expect((await post(link, { password: PASSWORD, name: 'Bob' })).status).toBe(200)
    const entered = await world.open('POST', '/auth/login', { email, password: PASSWORD })
    expect((await world.browserOf(entered).ask('GET', '/users/@me')).body).toMatchObject({ name: 'Bob' })
  })

  it('are gone for tokens of other pages, cut off, made up or expired', async () => {
    const ada = await world.signup()
    const link = await world.linkTo(ada.email, 'verify-email')
    const token = tokenOf(link)
    const wrong = [
      `/auth/reset-password/${token}`,
      `/auth/accept-invite/${token}`,
      link.slice(0, -1),
      `${link}A`,
      '/auth/verify-email/0',
      `/auth/verify-email/${'A'.repeat(38)}`,
    ]
    for (const path of wrong) {
      expect([path, (await world.open('GET', path)).status]).toEqual([path, 404])
      expect([path, (await post(path, { password: PASSWORD })).status]).toEqual([path, 404])
    }
    world.pass(24 * 3600)
    expect((await post(link, {})).status).toBe(404)
  })
})
