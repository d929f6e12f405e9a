import { beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../core/mail/languages/translations-in.ts'
import { ownProject, type TestApp, testApp } from '../support/app.ts'
import { contactToken, LINK_SETTINGS } from '../support/contact-links.ts'
import { QUICK } from '../support/matrix.ts'

const FORM = 'application/x-www-form-urlencoded'

for (const store of [QUICK]) {
  describe(`how often a contact wants mail, on ${store.name}`, () => {
    let test: TestApp
    const reader = async () => {
      const { ask } = await ownProject(test)
      const { id } = (await ask('POST', '/contacts', { json: { email: 'ada@example.org' } })).body
      const token = contactToken((await ask('GET', '/keys/@me')).body.projectId, id)
      const path = `/manage/${token}`
      const post = async (raw: string, at = path) =>
        (await test.ask('POST', at, { key: null, raw, headers: { 'content-type': FORM } })).text
      const look = async (headers: Record<string, string> = {}) =>
        (await test.ask('GET', path, { key: null, headers })).text
      const change = (json: object) => ask('PATCH', `/contacts/${id}`, { json })
      const kept = async () => (await ask('GET', `/contacts/${id}`)).body
      return { ask, token, post, look, change, kept }
    }

    beforeAll(async () => {
      test = await testApp(store, {}, LINK_SETTINGS)
    })

    it('is chosen on its page, also in a project without topics', async () => {
      const { post, look, kept } = await reader()
      expect(answers(await look())).toEqual({ 0: true, 7: false, 30: false })
      const saved = await post('often=7')
      expect(saved).toContain('role="status"')
      expect(answers(saved)).toEqual({ 0: false, 7: true, 30: false })
      expect(await kept()).toMatchObject({ everyDays: 7, subscribed: true })
      await post('often=30')
      expect((await kept()).everyDays).toBe(30)
      expect(answers(await post('often=0'))).toEqual({ 0: true, 7: false, 30: false })
      expect(await kept()).not.toHaveProperty('everyDays')
    })

    it('stays what the sender set when the page does not offer it, and is shown', async () => {
      const { post, look, change, kept } = await reader()
      expect((await change({ everyDays: 14 })).body.everyDays).toBe(14)
      const page = await look()
      expect(answers(page)).toEqual({ 0: false, 7: false, 30: false, 14: true })
      expect(page).toContain('At most one email every 14 days')
      for (const often of ['14', '3', '', '-7', '367', 'x']) {
        expect(answers(await post(`often=${often}`))).toEqual({ 0: false, 7: false, 30: false, 14: true })
      }
      await change({ data: { name: 'Ada' } })
      await post('tracking=none')
      expect(await kept()).toMatchObject({ everyDays: 14, tracking: 'none' })
      await change({ everyDays: null })
      expect(await kept()).not.toHaveProperty('everyDays')
    })

    it('comes with the topics on the page of their mail, where choosing it unsubscribes from nothing', async () => {
      const { ask, token, post, kept, look } = await reader()
      await ask('POST', '/topics', { json: { name: 'News', standing: 'in' } })
      expect(answers(await post('often=7', `/unsubscribe/${token}`))).toMatchObject({ 7: true })
      expect(await kept()).toMatchObject({ everyDays: 7, subscribed: true })
      // a mail program's request says nothing of it
      await post('List-Unsubscribe=One-Click&often=30', `/unsubscribe/${token}`)
      expect(await kept()).toMatchObject({ everyDays: 7, subscribed: false })
      expect(answers(await look())).toEqual({})
    })

    it('is said in every language', async () => {
      const { look, change } = await reader()
      const seen = new Set<string>()
      for (const everyDays of [1, 2]) {
        await change({ everyDays })
        for (const language of LANGUAGES.keys()) {
          const page = await look({ 'accept-language': language })
          const [own = ''] = new RegExp(`value="${everyDays}" checked>[^<]*`).exec(page) ?? []
          expect(own).toMatch(everyDays === 1 ? />.*\S/ : /2/)
          expect(page).not.toContain('undefined')
          seen.add(own)
        }
      }
      expect(seen.size).toBe(2 * LANGUAGES.size)
    })

    it.each([0, 367, 1.5, '7', -1])('is not %j', async (everyDays) => {
      const { change, kept } = await reader()
      const { status, body } = await change({ everyDays })
      expect([status, body.error.errors[0].field]).toEqual([422, 'everyDays'])
      expect(await kept()).not.toHaveProperty('everyDays')
    })

    it.each([1, 366])('may be %j', async (everyDays) => {
      const { change, kept } = await reader()
      expect((await change({ everyDays })).status).toBe(200)
      expect((await kept()).everyDays).toBe(everyDays)
    })
  })
}

/** The answers of the page, and which one is chosen. */
function answers(page: string): Record<string, boolean> {
  const found = [...page.matchAll(/type="radio" name="often" value="(\d+)"( checked)?/g)]
  return Object.fromEntries(found.map(([, value = '', checked]) => [value, checked !== undefined]))
}
