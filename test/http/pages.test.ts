import { beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../core/mail/languages/translations-in.ts'
import { DISABLED_SECRET, MAIL, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { contactToken, GLUED, LINK_SETTINGS, mailToken } from '../support/contact-links.ts'
import { QUICK } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

const FORM = 'application/x-www-form-urlencoded'
const PATHS = ['unsubscribe', 'subscribe', 'manage'] as const

for (const store of [QUICK]) {
  describe(`the pages on ${store.name}`, () => {
    let test: TestApp
    let projectId: string
    let count = 0

    beforeAll(async () => {
      test = await testApp(store, {}, LINK_SETTINGS)
      const projects = await test.engine.projects.list()
      projectId = projects.find(({ name }) => name === 'Test')!.id
    })

    async function person(change: object = {}) {
      const json = { email: `p${++count}@example.org`, subscribed: true, ...change }
      const { body } = await test.ask('POST', '/contacts', { json })
      return { id: body.id as string, email: body.email as string, token: contactToken(projectId, body.id) }
    }
    const look = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      test.ask(method, path, { key: null, headers })
    const post = (path: string, form = '', headers: Record<string, string> = {}) =>
      test.ask('POST', path, { key: null, raw: form, headers: { 'content-type': FORM, ...headers } })
    const isSubscribed = async (id: string) => (await test.ask('GET', `/contacts/${id}`)).body.subscribed as boolean
    const events = async (id: string): Promise<{ name: string; data: object; emailId?: string }[]> =>
      (await test.ask('GET', `/events/contact/${id}`)).body.events

    it.each(PATHS)('/%s changes nothing when it is looked at, by GET and HEAD, however often', async (path) => {
      for (const subscribed of [true, false]) {
        const { id, token } = await person({ subscribed })
        const before = (await test.ask('GET', `/contacts/${id}`)).body
        for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS']) {
          const headers = { purpose: 'prefetch', 'sec-purpose': 'prefetch' }
          expect((await look(`/${path}/${token}`, headers, method)).status).toBe(method === 'OPTIONS' ? 204 : 200)
        }
        expect((await test.ask('GET', `/contacts/${id}`)).body).toEqual(before)
        expect(await events(id)).toEqual([])
      }
    })

    it('unsubscribe and take it back by their buttons, each time with one event', async () => {
      const { id, token } = await person()
      const path = `/unsubscribe/${token}`
      const asked = await look(path)
      expect(asked.text).toContain('<h1>Unsubscribe</h1>')
      expect(buttonOf(asked.text)).toEqual({ field: 'unsubscribe', text: 'Unsubscribe' })
      for (let times = 0; times < 2; times++) {
        const done = await post(path, 'subscription=unsubscribe')
        expect(done.status).toBe(200)
        expect(done.text).toContain('<h1>You are unsubscribed</h1>')
        expect(buttonOf(done.text)).toEqual({ field: 'subscribe', text: 'Subscribe again' })
      }
      expect(await isSubscribed(id)).toBe(false)
      expect((await look(path)).text).toContain('<h1>You are unsubscribed</h1>')
      const back = await post(path, 'subscription=subscribe')
      expect(back.text).toContain('<h1>You are subscribed</h1>')
      expect(await isSubscribed(id)).toBe(true)
      expect((await events(id)).map(({ name, data }) => ({ name, data }))).toEqual([
        { name: 'contact.subscribed', data: { subscribed: true, reason: 'link' } },
        { name: 'contact.unsubscribed', data: { subscribed: false, reason: 'link' } },
      ])
    })

    it('subscribe by the button, and also by an empty post', async () => {
      for (const form of ['subscription=subscribe', '']) {
        const { id, token } = await person({ subscribed: false })
        const asked = await look(`/subscribe/${token}`)
        expect(buttonOf(asked.text)).toEqual({ field: 'subscribe', text: 'Subscribe' })
        const done = await post(`/subscribe/${token}`, form)
        expect({ status: done.status, subscribed: await isSubscribed(id) }).toEqual({ status: 200, subscribed: true })
        expect(done.text).toContain('<h1>You are subscribed</h1>')
      }
    })

    it('manage shows how it is and offers the other; a post that says nothing changes nothing', async () => {
      const { id, token } = await person()
      const path = `/manage/${token}`
      expect(buttonOf((await look(path)).text)).toEqual({ field: 'unsubscribe', text: 'Unsubscribe' })
      for (const form of ['', 'subscription=', 'subscription=perhaps', 'x=1']) {
        const answer = await post(path, form)
        expect({ status: answer.status, subscribed: await isSubscribed(id) }).toEqual({ status: 200, subscribed: true })
        expect(answer.text).toContain('<h1>Email preferences</h1>')
      }
      await post(path, 'subscription=unsubscribe')
      expect(await isSubscribed(id)).toBe(false)
      expect(buttonOf((await look(path)).text)).toEqual({ field: 'subscribe', text: 'Subscribe' })
      await post(path, 'subscription=subscribe')
      expect(await isSubscribed(id)).toBe(true)
    })

    it('note at the mail that its recipient unsubscribed, once and only on a real change', async () => {
      const sent = await test.ask('POST', '/v1/send', {
        json: { ...MAIL, to: `m${++count}@example.org`, subscribed: true },
      })
      const [{ contact, email: emailId }] = sent.body.data.emails
      const token = contactToken(projectId, contact.id, emailId)
      await post(`/unsubscribe/${token}`)
      const project = await test.engine.projects.get(projectId)
      const { email } = await test.engine.mails.get(project, emailId)
      expect(email.unsubscribedAt).toEqual(expect.any(Date))
      await post(`/unsubscribe/${token}`, 'subscription=subscribe')
      await post(`/unsubscribe/${token}`)
      expect((await test.engine.mails.get(project, emailId)).email.unsubscribedAt).toEqual(email.unsubscribedAt)
      const told = (await events(contact.id)).filter(({ name }) => name === 'contact.unsubscribed')
      expect(told.map((event) => event.emailId)).toEqual([emailId, emailId])
      // who only comes back by the link of a later mail has left none by it
      const again = await test.ask('POST', '/v1/send', { json: { ...MAIL, to: contact.email } })
      const [{ email: laterId }] = again.body.data.emails
      await post(`/subscribe/${contactToken(projectId, contact.id, laterId)}`)
      expect(await isSubscribed(contact.id)).toBe(true)
      expect((await test.engine.mails.get(project, laterId)).email.unsubscribedAt).toBeUndefined()
    })

    it('tell whose contact was deleted so, and that nothing is left to be done', async () => {
      const gone = await person()
      await test.ask('DELETE', `/contacts/${gone.id}`)
      const other = (await test.engine.projects.list()).find(({ name }) => name === 'Other')!
      for (const token of [gone.token, contactToken(other.id, (await person()).id)]) {
        for (const [path, status] of [
          ['unsubscribe', 200],
          ['subscribe', 410],
          ['manage', 410],
        ] as const) {
          const answer = await look(`/${path}/${token}`)
          expect({ path, status: answer.status }).toEqual({ path, status })
          expect(answer.text).toContain('<h1>You will get no more emails</h1>')
          expect(answer.text).not.toContain('<form')
          expect((await post(`/${path}/${token}`, 'List-Unsubscribe=One-Click')).status).toBe(200)
        }
        expect((await post(`/manage/${token}`, 'subscription=subscribe')).status).toBe(410)
      }
    })

    it('know no other tokens: each is the same page with 404, on every path and method', async () => {
      const { token } = await person()
      const wrong = [
        mailToken(projectId, ID),
        token.slice(0, -1),
        `${token}A`,
        token.toLowerCase(),
        '%',
        ID,
        'x'.repeat(3000),
      ]
      const { text } = await look('/unsubscribe/x')
      expect(text).toContain('<h1>This link is not valid</h1>')
      for (const path of PATHS) {
        for (const bad of wrong) {
          for (const answer of [
            await look(`/${path}/${bad}`),
            await post(`/${path}/${bad}`, 'subscription=subscribe'),
          ]) {
            expect({ path, bad, status: answer.status, text: answer.text }).toEqual({ path, bad, status: 404, text })
          }
        }
      }
    })

    it.each(PATHS)('/%s works with what mail programs put behind an address', async (path) => {
      const { id, token } = await person({ subscribed: path === 'unsubscribe' })
      const form = `subscription=${path === 'unsubscribe' ? path : 'subscribe'}`
      for (const sign of GLUED) {
        const address = `/${path}/${token}${sign}`
        expect([sign, (await look(address)).status]).toEqual([sign, 200])
        expect([sign, (await post(address, form)).status]).toEqual([sign, 200])
      }
      expect(await isSubscribed(id)).toBe(path !== 'unsubscribe')
    })

    it('work for a disabled project, whose people still may leave it', async () => {
      const disabled = (await test.engine.projects.list()).find(({ name }) => name === 'Disabled')!
      await test.engine.projects.applySettings([{ name: 'Disabled', disabled: false }])
      const { body } = await test.ask('POST', '/contacts', { json: { email: 'd@example.org' }, key: DISABLED_SECRET })
      await test.engine.projects.applySettings([{ name: 'Disabled', disabled: true }])
      expect((await post(`/unsubscribe/${contactToken(disabled.id, body.id)}`)).status).toBe(200)
      const after = await test.ask('GET', `/contacts/${body.id}`, { key: DISABLED_SECRET })
      expect(after.body.subscribed).toBe(false)
    })

    it('make no difference between callers with a key and without', async () => {
      const { id, token } = await person()
      for (const key of [SECRET, PUBLIC, 'nonsense', null]) {
        expect((await test.ask('GET', `/unsubscribe/${token}`, { key })).status).toBe(200)
        expect((await test.ask('POST', `/unsubscribe/${token}`, { key })).status).toBe(200)
      }
      expect(await events(id)).toHaveLength(1)
    })

    describe('in every language', () => {
      it.each([...LANGUAGES.keys()])('%s', async (language) => {
        const words = LANGUAGES.get(language)!
        const { token, email } = await person({ data: { locale: `${language}-XX` } })
        const who = { email, sender: 'Test' }
        const asked = await look(`/unsubscribe/${token}`)
        expectPage(asked.text, language, words.unsubscribe.title, words.unsubscribe.sentence(who))
        expect(asked.headers.get('content-language')).toBe(language)
        expect(buttonOf(asked.text).text).toBe(escaped(words.unsubscribe.button))
        const manage = await look(`/manage/${token}`)
        expectPage(manage.text, language, words.manage.title, words.manage.whenSubscribed(who))
        const { title, sentence, full, anonymous, none, button, saved } = words.manage.tracking
        const shown = [title, sentence('Test'), full, anonymous, none, button]
        for (const text of shown) expect(manage.text).toContain(escaped(text))
        const kept = await post(`/manage/${token}`, 'tracking=none')
        expectPage(kept.text, language, words.manage.title, words.manage.whenSubscribed(who))
        expect(kept.text).toContain(escaped(saved))
        const subscribed = await look(`/subscribe/${token}`)
        expectPage(subscribed.text, language, words.subscribed.title, words.subscribed.sentence(who))
        const done = await post(`/unsubscribe/${token}`)
        expectPage(done.text, language, words.unsubscribed.title, words.unsubscribed.sentence(who))
        const again = await look(`/subscribe/${token}`)
        expectPage(again.text, language, words.subscribe.title, words.subscribe.sentence(who))
        const managed = await look(`/manage/${token}`)
        expectPage(managed.text, language, words.manage.title, words.manage.whenUnsubscribed(who))
        const invalid = await look('/manage/x', { 'accept-language': language })
        expectPage(invalid.text, language, words.invalid.title, words.invalid.sentence)
        const trouble = await look(`/manage/${token}`, { 'accept-language': language }, 'PUT')
        expectPage(trouble.text, language, words.trouble.title, words.trouble.refused)
      })

      it('the contact’s comes first, then the project’s, then the browser’s, then English', async () => {
        const lang = async (token: string, accept: string) =>
          /<html lang="(\w+)"/.exec((await look(`/manage/${token}`, { 'accept-language': accept })).text)?.[1]
        const [french, silent] = [await person({ data: { locale: 'fr_CA' } }), await person({ data: { locale: 5 } })]
        expect(await lang(french.token, 'ja')).toBe('fr')
        expect(await lang(silent.token, 'xx, it;q=0.3, pt-BR;q=0.8, de;q=0')).toBe('pt')
        for (const accept of ['', '*', 'xx-YY;q=nonsense', ',;,;q=1,', 'de;q=0']) {
          expect({ accept, lang: await lang(silent.token, accept) }).toEqual({ accept, lang: 'en' })
        }
        await test.engine.projects.applySettings([{ name: 'Test', locale: 'nl-BE' }])
        expect(await lang(french.token, 'ja')).toBe('fr')
        expect(await lang(silent.token, 'ja')).toBe('nl')
        await test.engine.projects.applySettings([{ name: 'Test', locale: 'en' }])
        const given = {
          postalAddress: '<1> Main St',
          logoUrl: 'https://cdn.example.com/l.png?a=1',
          color: '#ffe066',
          font: 'georgia',
        } as const
        const links = [{ name: '<b>Us</b>', url: 'https://social.example/@us?a=1&b=2' }]
        await test.engine.projects.applySettings([{ name: 'Test', look: { ...given, links } }])
        const shown = await test.ask('GET', `/unsubscribe/${silent.token}`, { key: null })
        for (const part of [
          '&#60;1&#62; Main St',
          'src="https://cdn.example.com/l.png?a=1"',
          '--accent:#ffe066;--on-accent:#000',
          'body{font-family:Georgia,',
          '<a href="https://social.example/@us?a=1&#38;b=2" dir="auto">&#60;b&#62;Us&#60;/b&#62;</a>',
        ]) {
          expect(shown.text).toContain(part)
        }
        expect(shown.headers.get('content-security-policy')).toContain('img-src https://cdn.example.com;')
        await test.engine.projects.applySettings([{ name: 'Test', look: null }])
      })
    })

    it('hold nobody’s markup', async () => {
      const evil = await testApp(
        store,
        {},
        {
          ...LINK_SETTINGS,
          projects: [{ name: `<script>alert(1)</script>"'&`, secretKey: SECRET }],
        },
      )
      const [project] = await evil.engine.projects.list()
      const { body } = await evil.ask('POST', '/contacts', { json: { email: `o'neil&co@example.org` } })
      for (const path of PATHS) {
        const { text } = await evil.ask('GET', `/${path}/${contactToken(project!.id, body.id)}`, { key: null })
        expect(text).not.toContain('<script')
        expect(text).toContain('&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;')
        expect(text).toContain('o&#39;neil&#38;co@example.org')
      }
    })

    it('carry the header fields that keep their token and their button to themselves', async () => {
      const { token } = await person()
      const answers = [
        await look(`/unsubscribe/${token}`),
        await post(`/manage/${token}`),
        await look('/subscribe/x'),
        await look(`/unsubscribe/${token}`, {}, 'DELETE'),
      ]
      for (const { headers, text } of answers) {
        const policy = headers.get('content-security-policy')!
        expect(policy).toMatch(
          /^default-src 'none'; style-src 'sha256-[^']+='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
        )
        expect(Object.fromEntries(headers)).toMatchObject({
          'content-type': 'text/html; charset=utf-8',
          'x-frame-options': 'DENY',
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'x-robots-tag': 'noindex, nofollow',
          'cache-control': 'no-store',
          'content-language': 'en',
          'x-request-id': expect.any(String),
        })
        expect(headers.get('vary')).toContain('Accept-Language')
        expect(headers.get('set-cookie')).toBeNull()
        expect(text).not.toMatch(/<script|\son\w+=|style="|src=|href=/)
      }
      expect(answers[3]!.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
    })

    it('are pages also when they fail: wrong methods, too large bodies, faults', async () => {
      const { id, token } = await person()
      const path = `/unsubscribe/${token}`
      const large = await post(path, 'x'.repeat(70_000))
      expect({ status: large.status, isPage: isPage(large.text) }).toEqual({ status: 413, isPage: true })
      for (const method of ['PUT', 'DELETE', 'PATCH']) {
        const answer = await look(path, {}, method)
        expect({ status: answer.status, isPage: isPage(answer.text) }).toEqual({ status: 405, isPage: true })
      }
      expect(await isSubscribed(id)).toBe(true)
    })

    it('are pages also when the store is gone', async () => {
      const gone = await testApp(store, {}, LINK_SETTINGS)
      await gone.engine.stop()
      const answer = await gone.app.request(`/unsubscribe/${contactToken(projectId, ID)}`)
      expect([500, 503]).toContain(answer.status)
      expect(isPage(await answer.text())).toBe(true)
    })

    it('leave their tokens out of the log', async () => {
      const { token } = await person()
      await post(`/unsubscribe/${token}`)
      await look(`/manage/${token}`, {}, 'PUT')
      expect(JSON.stringify(test.lines)).not.toContain(token)
      expect(test.lines.map(({ fields }) => fields.path)).toContain('/unsubscribe/:token')
    })

    it('are not counted with the project, but by client address', async () => {
      const small = await testApp(
        store,
        { requestsPerMinute: 1, pagesPerMinutePerIp: 3, trustProxy: true },
        LINK_SETTINGS,
      )
      const from = (address: string) =>
        small.ask('GET', '/unsubscribe/x', { key: null, headers: { 'x-forwarded-for': address } })
      for (let visits = 0; visits < 3; visits++) expect((await from('192.0.2.1')).status).toBe(404)
      const refused = await from('192.0.2.1')
      expect({ status: refused.status, isPage: isPage(refused.text) }).toEqual({ status: 429, isPage: true })
      expect(refused.text).toContain('try again in a few minutes')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await from('192.0.2.2')).status).toBe(404)
      expect((await small.ask('GET', '/contacts')).status).toBe(200)
    })
  })
}

function isPage(text: string): boolean {
  return text.startsWith('<!doctype html>') && text.includes('<h1>Something went wrong</h1>')
}

function expectPage(text: string, language: string, title: string, sentence: string): void {
  expect(text).toContain(`<html lang="${language}" dir="ltr">`)
  expect(text).toContain(`<title>${escaped(title)}`)
  expect(text).toContain(`<h1>${escaped(title)}</h1>`)
  expect(text).toContain(`<p>${escaped(sentence)}</p>`)
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function buttonOf(text: string): { field: string | undefined; text: string | undefined } {
  return {
    field: /<input type="hidden" name="subscription" value="(\w+)">/.exec(text)?.[1],
    text: /<button type="submit"[^>]*>([^<]+)<\/button>/.exec(text)?.[1],
  }
}
