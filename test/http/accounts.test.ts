import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { decodeJwt, SignJWT } from 'jose'
import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine, silentLog, systemClock } from '../../config/library.ts'
import type { Accounts } from '../../core/accounts/accounts.ts'
import { Links } from '../../core/mail/links/links.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import {
  type AccountWorld,
  accountWorld,
  type Browser,
  newAddress,
  ORIGIN,
  PASSWORD,
  tokenOf,
} from '../support/accounts.ts'
import { expectEnvelope, PUBLIC, SECRET } from '../support/app.ts'
import { GLUED, LINK_SETTINGS } from '../support/contact-links.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { freshFile } from '../support/fresh-sqlite.ts'
import { QUICK } from '../support/matrix.ts'
import { startReceiver } from '../support/receiver.ts'
import { tlsJson } from '../support/reports.ts'
import { until } from '../support/until.ts'

for (const store of [QUICK]) {
  describe(`accounts on ${store.name}`, () => {
    let world: AccountWorld

    beforeAll(async () => {
      world = await accountWorld(store, { egress: { allow: ['127.0.0.0/8'] } })
    })

    it('sign up with a cookie out of reach of scripts and other sites, and log in and out', async () => {
      const email = newAddress()
      const made = await world.open('POST', '/auth/signup', { email: ` ${email.toUpperCase()}`, password: PASSWORD })
      expect(made).toMatchObject({
        status: 200,
        body: { success: true, data: { email, id: expect.any(String), verification: 'sent' } },
      })
      expect(made.headers.get('strict-transport-security')).toBe('max-age=31536000')
      const [cookie] = made.headers.getSetCookie()
      expect(cookie).toMatch(
        /^__Host-mailwright_session=[\w.-]+; Max-Age=604[78]\d\d; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
      const answer = await world.open('POST', '/auth/login', { email, password: PASSWORD })
      expect(answer).toMatchObject({ status: 200, body: { success: true, data: { email } } })
      const me = await world.browserOf(answer).ask('GET', '/users/@me')
      expect(me.body).toMatchObject({ email, name: null, emailVerified: false, secondFactor: false })
      const out = await world.browserOf(answer).ask('GET', '/auth/logout')
      expect(out.headers.getSetCookie()[0]).toMatch(/^__Host-mailwright_session=; Max-Age=0; Path=\/;/)
    })

    it('confirm an address by the link of a mail, once, and nobody else reads that mail', async () => {
      const ada = await world.signup()
      const link = await world.linkTo(ada.email, 'verify-email')
      const { body: mails } = await world.ask('GET', '/emails?limit=100')
      const mail = mails.data.find(({ to }: { to: string }) => to === ada.email)
      const shown = await world.ask('GET', `/emails/${mail.id}`)
      const apart = { sourceType: 'TRANSACTIONAL', about: 'account' }
      expect(shown.body).toMatchObject({ to: ada.email, subject: null, body: null, text: null, ...apart })
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

    it('are mailed in the language of the person, else of the browser that asks, else of the project', async () => {
      const subjectsTo = async (email: string) => {
        const mails = world.sink.messages.filter(({ to }) => to.includes(email))
        return Promise.all(mails.map(async ({ raw }) => (await simpleParser(raw)).subject ?? ''))
      }
      const lastTo = async (email: string, count: number) => {
        await until(`mail ${count} to ${email}`, async () => (await subjectsTo(email)).length === count)
        return (await subjectsTo(email)).at(-1)
      }
      const forgotten = (email: string, wish?: string) =>
        world.open(
          'POST',
          '/auth/request-password-reset',
          { email },
          wish === undefined ? {} : { 'accept-language': wish },
        )
      const email = newAddress()
      const german = { 'accept-language': 'xx, de-AT;q=0.9, en;q=0.8' }
      const made = await world.open('POST', '/auth/signup', { email, password: PASSWORD }, german)
      expect(await lastTo(email, 1)).toBe('Bestätigen Sie Ihre E-Mail-Adresse')
      const eva = world.browserOf(made)
      expect((await eva.ask('GET', '/users/@me')).body.language).toBe('de')
      // the person's own language counts, not that of the browser
      await forgotten(email, 'en')
      expect(await lastTo(email, 2)).toBe('Setzen Sie ein neues Passwort')
      expect((await eva.ask('PATCH', '/users/@me', { json: { language: 'en' } })).body.language).toBe('en')
      await forgotten(email, 'de')
      expect(await lastTo(email, 3)).toBe('Set a new password')
      const refused = await eva.ask('PATCH', '/users/@me', { json: { language: 'fr' } })
      expectEnvelope(refused, 422, 'VALIDATION_ERROR', { language: expect.any(String) })
      // of an account that the operator made nothing is known: the browser that asks counts, then the project
      const known = await world.engine.accounts.make({ email: newAddress(), password: PASSWORD })
      await forgotten(known.email, 'de')
      expect(await lastTo(known.email, 1)).toBe('Setzen Sie ein neues Passwort')
      await forgotten(known.email)
      expect(await lastTo(known.email, 2)).toBe('Set a new password')
      const [test] = await world.engine.projects.list()
      await world.engine.projects.change(test!, { locale: 'de-CH' })
      await forgotten(known.email)
      expect(await lastTo(known.email, 3)).toBe('Setzen Sie ein neues Passwort')
      await world.engine.projects.change(await world.engine.projects.get(test!.id), { locale: null })
      // the first login in a browser says it, a later one nothing new
      for (const wish of ['de', 'en']) {
        const headers = { 'accept-language': wish }
        const entered = await world.open('POST', '/auth/login', { email: known.email, password: PASSWORD }, headers)
        expect((await world.browserOf(entered).ask('GET', '/users/@me')).body.language).toBe('de')
      }
      // who is invited without an account is written to in the language of the inviter
      const { id } = (await eva.ask('POST', '/users/@me/projects', { json: { name: 'Bäckerei' } })).body
      await eva.ask('PATCH', '/users/@me', { json: { language: 'de' } })
      const guest = newAddress()
      await eva.ask('POST', `/projects/${id}/members`, { json: { email: guest } })
      expect(await lastTo(guest, 1)).toBe('Sie sind in ein Projekt eingeladen')
      const { text } = await simpleParser(world.sink.messages.find(({ to }) => to.includes(guest))!.raw)
      expect(text).toContain(
        `Eine Person, die sich als ${email} registriert und diese Adresse nicht bestätigt hat, hat Sie in ein Projekt namens „Bäckerei“ eingeladen.`,
      )
      // and one with an account in the person's own
      const bob = await world.signup()
      await bob.ask('PATCH', '/users/@me', { json: { language: 'en' } })
      await eva.ask('POST', `/projects/${id}/members`, { json: { email: bob.email } })
      expect(await lastTo(bob.email, 2)).toBe('You are invited to a project')
      // those who sign up are counted by the hour
      world.pass(3600)
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
      const headers = { 'x-project-id': id }
      expect((await ada.ask('GET', '/users/@me/projects')).body).toMatchObject([{ id, role: 'OWNER' }])
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
      const look = { postalAddress: 'Acme,\n 1 Main St', logoUrl: 'https://example.com/l.png', color: '#0B7285' }
      const kept = { ...look, postalAddress: 'Acme, 1 Main St', color: '#0b7285' }
      const change = async (given: object | null) => ada.ask('PATCH', `/projects/${id}`, { json: { look: given } })
      expect((await change(look)).body.look).toEqual(kept)
      expect((await change({ logoUrl: null })).body.look).toEqual({ ...kept, logoUrl: undefined })
      for (const logoUrl of ['http://example.com/l.png', 'javascript:alert(1)', "https://x.example/';img-src *", 'x']) {
        expectEnvelope(await change({ logoUrl }), 422, 'VALIDATION_ERROR', { 'look.logoUrl': expect.any(String) })
      }
      const long = { postalAddress: `a${' '.repeat(900_000)}b` }
      expectEnvelope(await change(long), 422, 'VALIDATION_ERROR', { 'look.postalAddress': 'too_big' })
      expectEnvelope(await change({ color: 'red' }), 422, 'VALIDATION_ERROR', { 'look.color': expect.any(String) })
      for (const width of [399, 801, 600.5, '600']) {
        expectEnvelope(await change({ width }), 422, 'VALIDATION_ERROR', { 'look.width': expect.any(String) })
      }
      expectEnvelope(await change({ font: 'Comic Sans' }), 422, 'VALIDATION_ERROR', {
        'look.font': 'invalid_enum_value',
      })
      const widest = { font: 'georgia', width: 800 }
      expect((await change(widest)).body.look).toMatchObject(widest)
      expect((await change({ width: 400 })).body.look).toMatchObject({ ...widest, width: 400 })
      const eight = Array.from({ length: 8 }, (_, i) => ({ name: `Page ${i}`, url: `https://social.example/${i}` }))
      expect((await change({ links: eight })).body.look).toMatchObject({ ...widest, width: 400, links: eight })
      const refusedLinks = [
        [[...eight, eight[0]], 'look.links'],
        [[{ name: 'x'.repeat(41), url: 'https://a.example' }], 'look.links.0.name'],
        [[{ name: '{{ x }}', url: 'https://a.example' }], 'look.links.0.name'],
        [[{ name: ' ', url: 'https://a.example' }], 'look.links.0.name'],
        [[eight[0], { name: 'a', url: 'http://a.example' }], 'look.links.1.url'],
        [[{ name: 'a', url: 'https://a.example/{{ x }}' }], 'look.links.0.url'],
      ] as const
      for (const [links, field] of refusedLinks) {
        expectEnvelope(await change({ links }), 422, 'VALIDATION_ERROR', { [field]: expect.any(String) })
      }
      expect((await change({ links: [] })).body.look).toEqual({ ...kept, ...widest, logoUrl: undefined, width: 400 })
      expect((await change(null)).body.look).toBeNull()
      expectEnvelope(await ada.ask('GET', `/projects/${other!.id}`), 404, 'PROJECT_NOT_FOUND')
    })

    it('tell the owner of a paused webhook by mail, once a day, and the other endpoints by an event', async () => {
      const ada = await world.signup()
      const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: '{{ Crew }}' } })).body
      const [gone, other] = [
        await startReceiver((_, answer) => void answer.writeHead(410).end()),
        await startReceiver(),
      ]
      const ask: Browser['ask'] = (method, path, asked) =>
        ada.ask(method, path, { ...asked, headers: { 'x-project-id': id } })
      const json = { url: `${gone.url}?token=secret`, events: ['email.*'] }
      const hook = (await ask('POST', '/webhooks', { json })).body
      await ask('POST', '/webhooks', { json: { url: other.url, events: ['webhook.*'] } })
      for (const times of [1, 2]) {
        await ask('PATCH', `/webhooks/${hook.id}`, { json: { enabled: true, test: true } })
        await until('the other one is told', () => other.requests.length === times)
      }
      expect((await ask('GET', `/webhooks/${hook.id}`)).body).toMatchObject({ enabled: false })
      expect(JSON.parse(other.requests[0]?.body ?? '')).toMatchObject({
        type: 'webhook.paused',
        data: { event: { endpointId: hook.id, url: `${gone.url}?…`, reason: 'The receiver answered 410 Gone.' } },
      })
      const mails = () =>
        world.sink.messages.filter(({ to, raw }) => to.includes(ada.email) && /webhook/i.test(String(raw)))
      await until('the mail is there', () => mails().length > 0)
      // the next look finds it told
      await new Promise((resolve) => setTimeout(resolve, 5_500))
      expect(mails()).toHaveLength(1)
      const { text, subject } = await simpleParser(mails()[0]!.raw)
      expect(subject).toBe('A webhook was paused')
      expect(text).toContain(`the project {{ Crew }} to ${gone.url}?… was paused: The receiver answered 410 Gone.`)
    })

    /** The owner of a project, who reads German, with an endpoint for these events. */
    const germanOwner = async (events: string) => {
      const ada = await world.signup()
      const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).body
      await ada.ask('PATCH', '/users/@me', { json: { language: 'de' } })
      const receiver = await startReceiver()
      const ask: Browser['ask'] = (method, path, asked) =>
        ada.ask(method, path, { ...asked, headers: { 'x-project-id': id } })
      await ask('POST', '/webhooks', { json: { url: receiver.url, events: [events] } })
      return { ada, id, receiver, ask }
    }

    it('tell the owner of an attacked form by mail, and endpoints by an event', async () => {
      const { ada, receiver, ask } = await germanOwner('form.*')
      const about = { name: '{{ Footer }}', texts: { title: 'News' }, consent: 'Yes.', doubleOptIn: false }
      const form = (await ask('POST', '/forms', { json: about })).body
      const trapped = () => world.open('POST', `/f/${form.id}`, { email: 'p@example.org', _website: 'x' })
      for (let i = 0; i < 100; i++) await trapped()
      expect((await ask('GET', `/forms/${form.id}`)).body.attackedAt).toBeUndefined()
      await trapped()
      const { attackedAt } = (await ask('GET', `/forms/${form.id}`)).body
      await until('the endpoint is told', () => receiver.requests.length > 0)
      expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({
        type: 'form.attacked',
        data: { event: { formId: form.id, form: '{{ Footer }}', attackedAt } },
      })
      const mails = () =>
        world.sink.messages.filter(({ to, raw }) => to.includes(ada.email) && /angegriffen/i.test(String(raw)))
      await until('the mail is there', () => mails().length > 0)
      const { text } = await simpleParser(mails()[0]!.raw)
      expect(text).toContain('das Formular {{ Footer }} des Projekts Crew')
    })

    it('tell the owner of news in the reports on a domain by mail, and endpoints by an event, once', async () => {
      const { ada, id, receiver, ask } = await germanOwner('domain.*')
      const domain = (await ask('POST', '/domains', { json: { domain: 'acme.example' } })).body
      const begin = world.engine.now().getTime() - 2 * 86_400_000
      const range = {
        'start-datetime': new Date(begin).toISOString(),
        'end-datetime': new Date(begin + 86_399_000).toISOString(),
      }
      const report = JSON.stringify({ ...JSON.parse(tlsJson()), 'date-range': range })
      await world.engine.domains.reports.add(await world.engine.projects.get(id), domain.id, {
        file: new TextEncoder().encode(report),
      })
      const look = (world.engine.accounts as Accounts).tasks().find(({ name }) => name === 'news in reports on domains')
      await Promise.all([1, 2].map(() => look?.run(new AbortController().signal)))
      await look?.run(new AbortController().signal)
      await until('the endpoint is told', () => receiver.requests.length > 0)
      expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({
        type: 'domain.alerted',
        data: {
          event: { domainId: domain.id, domain: 'acme.example', alerts: [{ kind: 'tls', sessions: 100, failed: 10 }] },
        },
      })
      const mails = () =>
        world.sink.messages.filter(({ to, raw }) => to.includes(ada.email) && /acme\.example/.test(String(raw)))
      await until('the mail is there', () => mails().length > 0)
      const { text } = await simpleParser(mails()[0]!.raw)
      expect(text).toContain(
        'Von 100 Verbindungen zu ihren Mailservern waren 10 nicht so verschlüsselt, wie sie sollten.',
      )
      expect([mails().length, receiver.requests.length]).toEqual([1, 1])
    })

    it('invite others, who join by the link of a mail; whoever signed up with their address before loses it', async () => {
      const ada = await world.signup({ name: 'Ada' })
      const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).body
      const thief = await world.signup({ name: 'Thief' })
      const invited = await ada.ask('POST', `/projects/${id}/members`, { json: { email: thief.email, role: 'ADMIN' } })
      expect(invited).toMatchObject({ status: 201, body: { email: thief.email, role: 'ADMIN', status: 'INVITED' } })
      expect((await thief.ask('GET', '/users/@me/projects')).body).toEqual([])
      const link = await world.linkTo(thief.email, 'accept-invite')
      const token = tokenOf(link)
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
      await ada.ask('POST', `/projects/${second}/members`, { json: { email: bob.email } })
      const other = tokenOf(await world.linkTo(bob.email, 'accept-invite', link))
      const joined = await world.open('POST', '/auth/accept-invite', { token: other })
      expect([joined.status, joined.headers.getSetCookie()]).toEqual([200, []])
      const twice = await ada.ask('POST', `/projects/${second}/members`, { json: { email: bob.email } })
      expectEnvelope(twice, 409, 'CONFLICT')
    })

    it('answer an invitation alike whether the address has an account or not, and are no members before they accept', async () => {
      const ada = await world.signup()
      const bob = await confirmed(world, await world.signup({ name: 'Bob' }))
      const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).body
      const invite = (email: string, role = 'ADMIN') =>
        ada.ask('POST', `/projects/${id}/members`, { json: { email, role } })
      const answers = [await invite(bob.email), await invite(newAddress())]
      const shapes = answers.map(({ status, body }) => ({
        answer: status,
        ...body,
        id: '',
        email: '',
        link: '',
        createdAt: '',
        expiresAt: '',
      }))
      expect(shapes[0]).toMatchObject({ name: null, role: 'ADMIN', status: 'INVITED' })
      expect(shapes[0]).toEqual({ ...shapes[1], answer: 201 })
      expect((await bob.ask('GET', '/users/@me/projects')).body).toEqual([])
      expectEnvelope(await bob.ask('GET', `/projects/${id}`), 404, 'PROJECT_NOT_FOUND')

      const [invitation] = (await bob.ask('GET', '/users/@me/invitations')).body
      expect(invitation).toMatchObject({ project: { id, name: 'Crew' }, role: 'ADMIN', invitedBy: ada.email })
      const place = `/users/@me/invitations/${invitation.id}`
      // a user who signed up with an address that is not confirmed, or is another's, gets nothing
      expect((await ada.ask('GET', '/users/@me/invitations')).body).toEqual([])
      expectEnvelope(await ada.ask('POST', `${place}/accept`), 404, 'RESOURCE_NOT_FOUND')
      expectEnvelope(await ada.ask('DELETE', place), 404, 'RESOURCE_NOT_FOUND')
      const unproven = await world.signup()
      await invite(unproven.email)
      expect((await unproven.ask('GET', '/users/@me/invitations')).body).toEqual([])

      const accepted = await bob.ask('POST', `${place}/accept`)
      expect(accepted).toMatchObject({ status: 201, body: { id, name: 'Crew', role: 'ADMIN' } })
      expectEnvelope(await bob.ask('POST', `${place}/accept`), 404, 'RESOURCE_NOT_FOUND')
      expect((await bob.ask('GET', '/users/@me/invitations')).body).toEqual([])
      // who waits is for those who decide about it
      const statuses = async (who: Browser) =>
        (await who.ask('GET', `/projects/${id}/members`)).body.map(({ status }: { status: string }) => status)
      expect(await statuses(ada)).toEqual(['ACTIVE', 'ACTIVE', 'INVITED', 'INVITED'])
      expect(await statuses(bob)).toEqual(['ACTIVE', 'ACTIVE'])
    })

    it('see where they are logged in, and end one session, all others, or all others by a new password', async () => {
      const ada = await world.signup()
      const login = async (agent: string) => {
        const { email } = ada
        const answer = await world.open('POST', '/auth/login', { email, password: PASSWORD })
        const browser = world.browserOf(answer)
        const ask: Browser['ask'] = (method, path, asked = {}) =>
          browser.ask(method, path, { ...asked, headers: { 'user-agent': agent, ...asked.headers } })
        await ask('GET', '/users/@me')
        return { ...browser, ask }
      }
      const firefox = await login('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')
      const phone = await login(
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      )
      const named = async (who: Pick<Browser, 'ask'>) =>
        (await who.ask('GET', '/users/@me/sessions')).body
          .map(({ browser, system, current }: Record<string, unknown>) => `${browser} ${system} ${current}`)
          .toSorted()
      expect(await named(phone)).toEqual(['Firefox Linux false', 'Safari iPhone true', 'null null false'])
      const { body } = await phone.ask('GET', '/users/@me/sessions')
      const one = body.find(({ browser }: { browser: string }) => browser === 'Firefox')
      const bob = await world.signup()
      expectEnvelope(await bob.ask('DELETE', `/users/@me/sessions/${one.id}`), 404, 'RESOURCE_NOT_FOUND')
      expectEnvelope(await bob.ask('DELETE', '/users/@me/sessions/x'), 404, 'RESOURCE_NOT_FOUND')
      expect((await phone.ask('DELETE', `/users/@me/sessions/${one.id}`)).status).toBe(204)
      expectEnvelope(await firefox.ask('GET', '/users/@me'), 401, 'INVALID_SESSION')
      expect((await ada.ask('GET', '/users/@me')).status).toBe(200)

      const others = await phone.ask('DELETE', '/users/@me/sessions')
      expect(others).toMatchObject({ status: 200, body: [{ current: false }] })
      for (const ended of [ada, phone]) expectEnvelope(await ended.ask('GET', '/users/@me'), 401, 'INVALID_SESSION')
      const left = world.browserOf({ ...others, body: { data: { id: ada.id, email: ada.email } } })
      expect((await left.ask('GET', '/users/@me/sessions')).body).toMatchObject([{ current: true }])

      const curl = await login('curl/8.5.0')
      const json = { currentPassword: PASSWORD, password: 'another password' }
      const changed = await left.ask('PATCH', '/users/@me', { json })
      expect(changed.body.endedSessions).toMatchObject([{ browser: 'curl', system: null, current: false }])
      expectEnvelope(await curl.ask('GET', '/users/@me'), 401, 'INVALID_SESSION')
      // logging out leaves no session behind that a copied cookie opens
      const last = world.browserOf({ ...changed, body: { data: { id: ada.id, email: ada.email } } })
      await last.ask('GET', '/auth/logout')
      expectEnvelope(await last.ask('GET', '/users/@me'), 401, 'INVALID_SESSION')
    })

    it('have 100 sessions at most: a login beyond them ends the one that was unused for longest', async () => {
      const { email } = await world.engine.accounts.make({ email: newAddress(), password: PASSWORD })
      const login = async () => world.browserOf(await world.open('POST', '/auth/login', { email, password: PASSWORD }))
      const ada = await login()
      const unused = await login()
      world.pass(1)
      const together = (many: number) => Promise.all(Array.from({ length: many }, login))
      for (let made = 2; made < 98; made += 4) await together(4)
      const [last] = await together(2)
      const all = async () => (await last!.ask('GET', '/users/@me/sessions')).body
      expect(await all()).toHaveLength(100)
      expect((await ada.ask('GET', '/users/@me')).status).toBe(200)
      await login()
      expect(await all()).toHaveLength(100)
      expect((await ada.ask('GET', '/users/@me')).status).toBe(200)
      expectEnvelope(await unused.ask('GET', '/users/@me'), 401, 'INVALID_SESSION')
    })

    it('have the use of a session noted once a minute, also of a browser that tells nothing of itself', async () => {
      const { email } = await world.engine.accounts.make({ email: newAddress(), password: PASSWORD })
      const ada = world.browserOf(await world.open('POST', '/auth/login', { email, password: PASSWORD }))
      world.pass(1)
      const noted = async () => (await ada.ask('GET', '/users/@me/sessions')).body[0].lastUsedAt
      const first = await noted()
      world.pass(30)
      expect(await noted()).toBe(first)
      world.pass(31)
      expect(Date.parse(await noted()) - Date.parse(first)).toBeGreaterThan(60_000)
    })

    it('stay logged in by a token of before 0.2, which names no session, until all others are ended', async () => {
      const { email } = await world.engine.accounts.make({ email: newAddress(), password: PASSWORD })
      const ada = world.browserOf(await world.open('POST', '/auth/login', { email, password: PASSWORD }))
      const [name, token] = ada.cookie.split('=')
      const { ses, ...claims } = decodeJwt(token!)
      const links = new Links({ ...LINK_SETTINGS, secret: Buffer.from(LINK_SETTINGS.secret) })
      const key = links.keyFor('mailwright sessions', claims.iss!.slice('mailwright:'.length))
      const cookie = `${name}=${await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(key)}`
      const earlier = (path: string) => world.ask('GET', path, { key: null, headers: { origin: ORIGIN, cookie } })
      expect((await earlier('/users/@me')).body).toMatchObject({ email })
      expect((await earlier('/users/@me/sessions')).body).toMatchObject([{ id: ses, current: false }])
      expect((await ada.ask('DELETE', '/users/@me/sessions')).status).toBe(200)
      expectEnvelope(await earlier('/users/@me'), 401, 'INVALID_SESSION')
    })

    it('pass an invitation on by a link, which makes an account but proves no address and opens none that is there', async () => {
      const ada = await world.signup()
      const bob = await confirmed(world, await world.signup({ name: 'Bob' }))
      const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).body
      const invite = async (email: string) => {
        const { body } = await ada.ask('POST', `/projects/${id}/members`, { json: { email, role: 'EDITOR' } })
        expect(body.note).toBeNull()
        expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(7 * 24 * 3600 * 1000)
        const [listed] = (await ada.ask('GET', `/projects/${id}/members`)).body.slice(-1)
        expect(listed).toEqual(body)
        return tokenOf(body.link)
      }
      const opened = async (token: string) => (await world.open('GET', `/auth/accept-invite/${token}`)).text
      const take = (token: string) => world.open('POST', '/auth/accept-invite', { token, password: PASSWORD })
      const [known, fresh] = [await invite(bob.email), newAddress()]
      const token = await invite(fresh)
      // the inviter may open a link that is passed on, and does not see there who has an account
      expect((await opened(token)).replaceAll(fresh, bob.email)).toBe(await opened(known))
      for (const asked of [known, token])
        expectEnvelope(await world.open('POST', '/auth/accept-invite', { token: asked }), 422, 'VALIDATION_ERROR')
      expectEnvelope(await take(known), 409, 'CONFLICT')
      expect((await bob.ask('GET', '/users/@me/invitations')).body).toHaveLength(1)
      const eve = world.browserOf(await take(token))
      expect((await eve.ask('GET', '/users/@me')).body).toMatchObject({ email: fresh, emailVerified: false })
      expect((await eve.ask('GET', '/users/@me/projects')).body).toMatchObject([{ id, role: 'EDITOR' }])
      // the same invitation, so that the link of the mail has ended as well
      for (const used of [token, tokenOf(await world.linkTo(fresh, 'accept-invite'))])
        expectEnvelope(await take(used), 400, 'INVALID_TOKEN')
      // nor may an editor raise themself or bring others in
      const raise = { json: { role: 'OWNER' } }
      expectEnvelope(await eve.ask('PATCH', `/projects/${id}/members/${eve.id}`, raise), 403, 'FORBIDDEN')
      const more = await eve.ask('POST', `/projects/${id}/members`, { json: { email: newAddress() } })
      expectEnvelope(more, 403, 'FORBIDDEN')
      expect((await eve.ask('GET', `/projects/${id}/members`)).body).toHaveLength(2)
    })

    it('are invited until the invitation is declined or taken back', async () => {
      const ada = await world.signup()
      const bob = await confirmed(world, await world.signup())
      const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).body
      const invite = () => ada.ask('POST', `/projects/${id}/members`, { json: { email: bob.email } })
      const declined = (await invite()).body.id
      expect((await bob.ask('DELETE', `/users/@me/invitations/${declined}`)).status).toBe(204)
      const takenBack = (await invite()).body.id
      const token = tokenOf(await world.linkTo(bob.email, 'accept-invite'))
      expect((await ada.ask('DELETE', `/projects/${id}/members/${takenBack}`)).status).toBe(204)
      for (const each of [declined, takenBack, 'nothing'])
        expectEnvelope(await bob.ask('POST', `/users/@me/invitations/${each}/accept`), 404, 'RESOURCE_NOT_FOUND')
      expectEnvelope(await world.open('POST', '/auth/accept-invite', { token }), 400, 'INVALID_TOKEN')
      expect((await ada.ask('GET', `/projects/${id}/members`)).body).toHaveLength(1)
    })

    it('let an OWNER change roles and remove people, and keep one OWNER whoever leaves at the same time', async () => {
      const [ada, bob] = [await world.signup(), await world.signup()]
      await confirmed(world, bob)
      const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Two' } })).body
      const { body: invited } = await ada.ask('POST', `/projects/${id}/members`, { json: { email: bob.email } })
      await bob.ask('POST', `/users/@me/invitations/${invited.id}/accept`)
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

    it('leave no way back in by an invitation when they are removed', async () => {
      world.pass(3600)
      const [owner, other] = [await world.signup(), await world.signup()]
      const { id } = (await owner.ask('POST', '/users/@me/projects', { json: { name: 'Ours' } })).body
      await confirmed(world, other)
      const invite = async (by: Browser, email: string) => {
        const answer = await by.ask('POST', `/projects/${id}/members`, { json: { email, role: 'OWNER' } })
        expect(answer.status, answer.text).toBeLessThan(300)
        return world.linkTo(email, 'accept-invite')
      }
      const accept = (link: string) =>
        world.open('POST', '/auth/accept-invite', { token: tokenOf(link), password: PASSWORD })
      expect((await accept(await invite(owner, other.email))).status).toBe(200)
      const mine = newAddress()
      const theirs = await invite(other, mine)
      const ours = await invite(owner, newAddress())
      expect((await owner.ask('DELETE', `/projects/${id}/members/${other.id}`)).status).toBe(204)
      expectEnvelope(await accept(theirs), 400, 'INVALID_TOKEN')
      expect((await accept(ours)).status).toBe(200)
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

    it('are asked before a project counts for their hundred, and are told when it is one too many', async () => {
      const ada = await world.signup()
      const bob = await confirmed(world, await world.signup())
      for (let i = 0; i < 99; i++) await bob.ask('POST', '/users/@me/projects', { json: { name: 'Own' } })
      const invite = async () => {
        const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).body
        return (await ada.ask('POST', `/projects/${id}/members`, { json: { email: bob.email } })).body.id
      }
      const first = await invite()
      const before = await world.linkTo(bob.email, 'accept-invite')
      const second = await invite()
      const link = await world.linkTo(bob.email, 'accept-invite', before)
      expect((await bob.ask('POST', `/users/@me/invitations/${first}/accept`)).status).toBe(201)
      expectEnvelope(await bob.ask('POST', `/users/@me/invitations/${second}/accept`), 409, 'CONFLICT')
      expectEnvelope(await world.open('POST', '/auth/accept-invite', { token: tokenOf(link) }), 409, 'CONFLICT')
      const page = await world.ask('POST', link, { key: null, headers: { origin: ORIGIN } })
      expect(page).toMatchObject({ status: 422, text: expect.stringContaining('100 projects') })
      // it still waits
      const [left] = (await bob.ask('GET', '/users/@me/projects')).body
      expect((await bob.ask('DELETE', `/projects/${left.id}/members/${bob.id}`)).status).toBe(409)
      expect((await bob.ask('GET', '/users/@me/invitations')).body).toMatchObject([{ id: second }])
    })
  })
}

/** A user who opened the link of the mail that asks to confirm the address. */
async function confirmed(world: AccountWorld, browser: Browser): Promise<Browser> {
  const token = tokenOf(await world.linkTo(browser.email, 'verify-email'))
  expect((await world.open('POST', '/auth/verify-email', { token })).status).toBe(200)
  return browser
}

describe('signing up', () => {
  const closed = { passwordCost: 10, from: 'accounts@example.com' }
  const signup = (world: AccountWorld, fields: object = {}) =>
    world.open('POST', '/auth/signup', { email: newAddress(), password: PASSWORD, ...fields })

  it('is closed on a new server: a set-up link, a secret key or the operator makes the first user', async () => {
    const world = await accountWorld(QUICK, { accounts: closed })
    const refused = await signup(world)
    expectEnvelope(refused, 403, 'FORBIDDEN')
    expect(refused.body.error.suggestion).toContain('set-up link')
    expectEnvelope(await signup(world, { secretKey: 'sk_wrong' }), 401, 'INVALID_API_KEY')
    expectEnvelope(await signup(world, { secretKey: PUBLIC }), 403, 'FORBIDDEN')
    const reading = { name: 'reads', kind: 'secret', scopes: ['read'] }
    const [project] = await world.engine.projects.list()
    const { key } = (await world.ask('POST', `/projects/${project!.id}/keys`, { json: reading })).body
    expectEnvelope(await signup(world, { secretKey: key }), 403, 'FORBIDDEN')
    const made = await world.engine.accounts.make({ email: newAddress(), password: PASSWORD })
    expect((await world.open('POST', '/auth/login', { email: made.email, password: PASSWORD })).status).toBe(200)
    for (const fields of [{}, { secretKey: SECRET }]) expectEnvelope(await signup(world, fields), 403, 'FORBIDDEN')
    expect(await world.engine.accounts.firstUser.link(ORIGIN)).toBeUndefined()
  })

  it('lets one in who sends a secret key, also when many come at once, and gives them its project', async () => {
    const world = await accountWorld(QUICK, {
      accounts: closed,
      projects: [
        { name: 'Test', secretKey: SECRET, trustedDomains: ['example.com'] },
        { name: 'Other', trustedDomains: ['other.example'] },
      ],
    })
    const answers = await Promise.all(Array.from({ length: 5 }, () => signup(world, { secretKey: SECRET })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403])
    const ada = world.browserOf(answers.find(({ status }) => status === 200)!)
    expect((await ada.ask('GET', '/users/@me/projects')).body).toMatchObject([{ name: 'Test', role: 'OWNER' }])
    expect((await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).status).toBe(201)
    // the invited join a closed server, and make no projects there
    const [{ id }] = (await ada.ask('GET', '/users/@me/projects')).body
    const email = newAddress()
    await ada.ask('POST', `/projects/${id}/members`, { json: { email } })
    const token = tokenOf(await world.linkTo(email, 'accept-invite'))
    const bob = world.browserOf(await world.open('POST', '/auth/accept-invite', { token, password: PASSWORD }))
    expectEnvelope(await bob.ask('POST', '/users/@me/projects', { json: { name: 'Mine' } }), 403, 'FORBIDDEN')
  })

  it('where it is open makes no projects that send, unless the settings say so', async () => {
    const world = await accountWorld(QUICK, { accounts: { ...closed, signup: true } })
    const [ada, eve] = [await world.signup(), await world.signup()]
    for (const who of [ada, eve])
      expectEnvelope(await who.ask('POST', '/users/@me/projects', { json: { name: 'Mine' } }), 403, 'FORBIDDEN')
    expect((await ada.ask('GET', '/users/@me/projects')).body).toEqual([])
    // a user who has a project's secret key, or owns one, may
    expect((await ada.ask('POST', '/users/@me/projects', { json: { secretKey: SECRET } })).status).toBe(201)
    expect((await ada.ask('POST', '/users/@me/projects', { json: { name: 'Second' } })).status).toBe(201)
    expectEnvelope(await signup(world, { secretKey: SECRET }), 409, 'CONFLICT')
    const made = await world.engine.accounts.make({ email: newAddress(), password: PASSWORD })
    const answer = await world.open('POST', '/auth/login', { email: made.email, password: PASSWORD })
    const json = { name: 'Third' }
    expect((await world.browserOf(answer).ask('POST', '/users/@me/projects', { json })).status).toBe(201)
  })

  it('says in the answer and in the log when no mail can be sent, and invites by a link to pass on', async () => {
    const world = await accountWorld(QUICK, { accounts: { passwordCost: 10, signup: true, projects: true } })
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
    expect(invite).toMatchObject({ status: 201, body: { note: expect.stringContaining('accounts.from is not set') } })
    const accept = { token: tokenOf(invite.body.link), password: PASSWORD }
    expect((await world.open('POST', '/auth/accept-invite', accept)).status).toBe(200)
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

for (const store of [QUICK]) {
  describe(`the set-up link on ${store.name}`, () => {
    const closed = { passwordCost: 10, from: 'accounts@example.com' }
    const projects = [
      { name: 'Test', secretKey: SECRET, publicKey: PUBLIC, trustedDomains: ['example.com'] },
      { name: 'Other <b>', trustedDomains: ['other.example'] },
    ]
    const linkOf = async ({ engine }: AccountWorld) =>
      (await engine.accounts.firstUser.link(ORIGIN))!.slice(ORIGIN.length)
    const stateOf = async (world: AccountWorld, token: string) =>
      (await world.open('GET', `/auth/setup?token=${token}`)).body.data

    it('makes the first user, who owns all projects, once, whichever link and however many at a time', async () => {
      const world = await accountWorld(store, { accounts: closed, projects })
      const tokens = [tokenOf(await linkOf(world)), tokenOf(await linkOf(world))]
      expect(await stateOf(world, tokens[0]!)).toEqual({ needed: true, valid: true, signup: false })
      expect(await stateOf(world, 'junk')).toEqual({ needed: true, valid: false, signup: false })
      const setUp = (token: string, fields: object = {}) =>
        world.open('POST', '/auth/setup', { token, email: newAddress(), password: PASSWORD, ...fields })
      expectEnvelope(await setUp(tokens[0]!, { password: 'short' }), 422, 'VALIDATION_ERROR', { password: 'too_small' })
      expectEnvelope(await setUp('junk'), 400, 'INVALID_TOKEN')
      const answers = await Promise.all([...tokens, ...tokens].map((token) => setUp(token)))
      const done = answers.filter(({ status }) => status === 200)
      expect(done).toHaveLength(1)
      for (const { status } of answers) expect([200, 400, 409]).toContain(status)
      expect(done[0]!.body.data.projects.map(({ name }: { name: string }) => name)).toEqual(['Test', 'Other <b>'])
      const ada = world.browserOf(done[0]!)
      expect((await ada.ask('GET', '/users/@me')).body).toMatchObject({ emailVerified: true })
      expect((await ada.ask('GET', '/users/@me/projects')).body).toMatchObject([
        { name: 'Test', role: 'OWNER' },
        { name: 'Other <b>', role: 'OWNER' },
      ])
      expect((await ada.ask('POST', '/users/@me/projects', { json: { name: 'Third' } })).status).toBe(201)
      for (const token of tokens) {
        expect(await stateOf(world, token)).toEqual({ needed: false, valid: false, signup: false })
        expect((await setUp(token)).status).toBeGreaterThanOrEqual(400)
      }
      expect(await world.engine.accounts.firstUser.link(ORIGIN)).toBeUndefined()
    })

    it('works for 24 hours', async () => {
      const world = await accountWorld(store, { accounts: closed })
      const link = await linkOf(world)
      world.pass(24 * 3600 - 5)
      expect((await world.open('GET', link)).status).toBe(200)
      world.pass(5)
      expect((await world.open('GET', link)).status).toBe(404)
      const json = { token: tokenOf(link), email: newAddress(), password: PASSWORD }
      expectEnvelope(await world.open('POST', '/auth/setup', json), 400, 'INVALID_TOKEN')
    })
  })
}

it('a session opens a server whose store cannot be written, such as on a full disk', async () => {
  const file = freshFile(join(mkdtempSync(join(tmpdir(), 'mailwright-full-')), 'test.db'))
  atEndOfFile(() => rmSync(dirname(file), { recursive: true, force: true }))
  const base = { store: sqlite({ file }), accounts: { passwordCost: 10 }, log: silentLog }
  const before = await createEngine(base)
  const { email } = await before.accounts.make({ email: newAddress(), password: PASSWORD })
  const entered = await before.accounts.login({ email, password: PASSWORD })
  await before.stop()
  const db = new DatabaseSync(file)
  db.exec("create trigger full before update on user_sessions begin select raise(fail, 'no space left'); end")
  db.close()
  const engine = await createEngine(base)
  const { token } = 'session' in entered ? entered.session : { token: '' }
  expect(await engine.accounts.userOf(token)).toMatchObject({ email })
  await engine.stop()
})

describe('projects that users make', () => {
  it('are not those of the configuration, whatever their names, nor do they send the mails about accounts', async () => {
    const file = freshFile(join(mkdtempSync(join(tmpdir(), 'mailwright-named-')), 'test.db'))
    atEndOfFile(() => rmSync(dirname(file), { recursive: true, force: true }))
    const from = 'hello@shop.example'
    const shop = { name: 'Shop', trustedDomains: ['shop.example'], from, secretKey: `sk_${'7'.repeat(24)}` }
    const base = { store: sqlite({ file }), accounts: { passwordCost: 10 }, publicUrl: ORIGIN, log: silentLog }
    const before = await createEngine({ ...base, projects: [] })
    const user = await before.accounts.make({ email: newAddress(), password: PASSWORD })
    const theirs = (await before.accounts.members.addProject(user, { name: 'Shop' })).project
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
    await again.accounts.links.requestReset({ email: user.email })
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
    await start(wished, async ({ accounts }) => {
      const user = await accounts.make({ email: newAddress(), password: PASSWORD })
      await accounts.members.addProject(user, { name: 'Second' })
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
    expect(await within(10, ({ accounts }) => accounts.make(input))).toMatch(/^scrypt\$10\$8\$3\$/)
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
      expect(page.headers.get('referrer-policy')).toBe('same-origin')
    }
    expect((await ada.ask('GET', '/users/@me')).body.emailVerified).toBe(false)
    const done = await post(link, { confirm: 'yes' })
    expect(done).toMatchObject({ status: 200, text: expect.stringContaining('confirmed') })
    expect((await ada.ask('GET', '/users/@me')).body.emailVerified).toBe(true)
    for (const answer of [await post(link, {}), await world.open('GET', link)]) expect(answer.status).toBe(404)
  })

  it('set a server up, from a page of its own alone, and say what is wrong', async () => {
    const fresh = await accountWorld(QUICK, { accounts: { passwordCost: 10 } })
    const link = (await fresh.engine.accounts.firstUser.link(ORIGIN))!.slice(ORIGIN.length)
    const second = (await fresh.engine.accounts.firstUser.link(ORIGIN))!.slice(ORIGIN.length)
    const send = (fields: Record<string, string>, headers: Record<string, string> = { origin: ORIGIN }) => {
      const raw = new URLSearchParams(fields).toString()
      return fresh.ask('POST', link, { key: null, raw, headers: { ...FORM, ...headers } })
    }
    const page = await fresh.open('GET', link)
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('type="email" name="email"') })
    const email = newAddress()
    const rebound = { origin: 'http://evil.example', host: 'evil.example' }
    expect((await send({ email, password: PASSWORD }, rebound)).status).toBe(403)
    const wrong = await send({ email: 'ada', password: 'short' })
    expect(wrong).toMatchObject({
      status: 422,
      text: expect.stringContaining('password must have at least 8 characters'),
    })
    const refilled = await send({ email, password: 'short', name: '"><b>Ada' })
    expect(refilled.text).toContain(`value="${email}"`)
    expect(refilled.text).toContain('value="&#34;&#62;&#60;b&#62;Ada"')
    expect(refilled.text).not.toContain('short')
    const done = await send({ email, password: PASSWORD, name: 'Ada' })
    expect(done).toMatchObject({ status: 200, text: expect.stringContaining('You own “Test”') })
    expect(done.headers.getSetCookie()[0]).toContain('mailwright_session=')
    expect((await fresh.open('GET', link)).status).toBe(404)
    expect(await fresh.open('GET', second)).toMatchObject({
      status: 410,
      text: expect.stringContaining('a user already'),
    })
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
    expect(page.text).toContain(`${email} is invited by ${ada.email} to a project called “&#60;b&#62;Crew`)
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

  it('are in German for browsers that ask for it, also where they say what is wrong', async () => {
    const german = { 'accept-language': 'de-CH,de;q=0.9,en;q=0.5' }
    const sent = (link: string, fields: Record<string, string>) => {
      const raw = new URLSearchParams(fields).toString()
      return world.ask('POST', link, { key: null, raw, headers: { ...FORM, ...german } })
    }
    const ada = await world.signup()
    await world.open('POST', '/auth/request-password-reset', { email: ada.email })
    const reset = await world.linkTo(ada.email, 'reset-password')
    const page = await world.open('GET', reset, undefined, german)
    expect(page.headers.get('content-language')).toBe('de')
    expect(page.text).toMatch(/<html lang="de".*<h1>Neues Passwort setzen.*Passwort, mindestens 8 Zeichen/s)
    expect(await sent(reset, { password: 'short' })).toMatchObject({
      status: 422,
      text: expect.stringContaining('Das Passwort braucht 8 bis 200 Zeichen.'),
    })
    expect((await sent(reset, { password: 'a new password' })).text).toContain('Ihr Passwort ist gesetzt')
    expect((await world.open('GET', reset, undefined, german)).text).toContain('Dieser Link gilt nicht')
    const bob = await world.signup()
    const { id } = (await bob.ask('POST', '/users/@me/projects', { json: { name: 'Garten' } })).body
    const email = newAddress()
    await bob.ask('POST', `/projects/${id}/members`, { json: { email } })
    const invitation = await world.linkTo(email, 'accept-invite')
    const invited = await world.open('GET', invitation, undefined, german)
    expect(invited.text).toContain(`${email} ist von ${bob.email} in ein Projekt namens „Garten“ eingeladen.`)
    expect((await sent(invitation, { password: PASSWORD })).text).toContain('Sie sind jetzt Mitglied.')
    // the first language that there is counts, and English for all others
    const french = { 'accept-language': 'fr, en;q=0.9, de;q=0.5' }
    expect((await world.open('GET', reset, undefined, french)).text).toContain('This link does not work')
  })

  it('are mails of ours, whatever a project is called, and name who invites', async () => {
    const ada = await world.signup()
    const name = 'Crew”. Your account is locked. Go to https://evil.example/login, www.evil.example or evil。example/x'
    const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name } })).body
    const mailTo = async (email: string) => {
      await ada.ask('POST', `/projects/${id}/members`, { json: { email } })
      await world.linkTo(email, 'accept-invite')
      return simpleParser(world.sink.messages.findLast(({ to }) => to.includes(email))!.raw)
    }
    const { text, html, subject } = await mailTo(newAddress())
    expect(subject).toBe('You are invited to a project')
    const shown = "“Crew'. Your account is locked. Go to … … or evil·example/x”"
    expect(text).toContain(`Someone who signed up as ${ada.email}, without confirming that address, has invited you`)
    expect(text).toContain(`to a project called ${shown}. The link`)
    expect(`${html}${text}`).not.toMatch(/evil[.。]/)
    await confirmed(world, ada)
    expect((await mailTo(newAddress())).text).toMatch(new RegExp(`^${ada.email} has invited you to a project`))
  })

  it('work with what mail programs put behind an address', async () => {
    const ada = await world.signup()
    await world.open('POST', '/auth/request-password-reset', { email: ada.email })
    const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).body
    const email = newAddress()
    await ada.ask('POST', `/projects/${id}/members`, { json: { email } })
    const links = [
      await world.linkTo(ada.email, 'verify-email'),
      await world.linkTo(ada.email, 'reset-password'),
      await world.linkTo(email, 'accept-invite'),
    ]
    for (const link of links) {
      for (const sign of GLUED)
        expect([link, sign, (await world.open('GET', link + sign)).status]).toEqual([link, sign, 200])
      expect([link, (await post(`${link}.`, { password: PASSWORD })).status]).toEqual([link, 200])
    }
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
