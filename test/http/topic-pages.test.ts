import { beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../core/mail/languages/translations-in.ts'
import { ownProject, type TestApp, testApp } from '../support/app.ts'
import { LINK_SETTINGS } from '../support/contact-links.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

const FORM = 'application/x-www-form-urlencoded'
const LETTER = { name: 'Letter', subject: 'Hi', body: '<p>Hi</p>', from: 'hello@example.com' }

for (const store of [QUICK]) {
  describe(`pages about topics on ${store.name}`, () => {
    let test: TestApp
    /** A contact that got a mail of a topic, with the ways that mail offers. */
    const reader = async (mail: object = {}) => {
      const { ask } = await ownProject(test)
      const made = async (path: string, json: object) => (await ask('POST', path, { json })).body
      const news = await made('/topics', { name: 'News & more', standing: 'in', description: 'Monthly' })
      const offers = await made('/topics', { name: 'Offers', standing: 'in' })
      const hidden = await made('/topics', { name: 'Hidden', standing: 'in', public: false })
      const template = await made('/templates', { ...LETTER, type: 'MARKETING', topicId: 'news-more', ...mail })
      const { id } = await made('/contacts', { email: 'ada@example.org' })
      const sent = await made('/v1/send', { to: 'ada@example.org', template: template.id })
      const emailId = sent.data.emails[0].email
      const raw = await until('the mail is sent', async () => {
        const { body } = await ask('GET', `/emails/${emailId}`)
        return body.status === 'QUEUED' || body.status === 'SENDING'
          ? undefined
          : (await ask('GET', `/emails/${emailId}/raw`)).text.replaceAll(/=\r?\n|\r?\n /g, '')
      })
      const [, way = ''] = /List-Unsubscribe: ?<https:\/\/mail.example.net(\S+)>/.exec(raw) ?? []
      const post = (form: string, path = way) =>
        test.ask('POST', path, { key: null, raw: form, headers: { 'content-type': FORM } })
      const look = (path = way, headers: Record<string, string> = {}) => test.ask('GET', path, { key: null, headers })
      const state = async () => {
        const { body } = await ask('GET', `/contacts/${id}/topics`)
        return [body.subscribed, ...body.topics.map(({ subscribed }: { subscribed: boolean }) => subscribed)]
      }
      const events = async () => (await ask('GET', `/events/contact/${id}`)).body.events
      return { ask, id, emailId, raw, way, post, look, state, events, news, offers, hidden }
    }

    beforeAll(async () => {
      test = await testApp(store, {}, LINK_SETTINGS)
      await test.engine.start()
    })

    it('leave by one click the topic of the mail alone, with one event and its proof', async () => {
      const { ask, id, emailId, way, post, state, events, news } = await reader()
      for (let times = 0; times < 3; times++) {
        const answer = await post('List-Unsubscribe=One-Click')
        expect({ status: answer.status, location: answer.headers.get('location') }).toEqual({
          status: 200,
          location: null,
        })
      }
      expect(way).toMatch(/^\/unsubscribe\//)
      expect(await state()).toEqual([true, false, true, true])
      expect((await events()).filter(({ name }: { name: string }) => name.startsWith('contact.'))).toMatchObject([
        {
          ...{ name: 'contact.unsubscribed', emailId },
          data: { subscribed: false, reason: 'link', topicId: news.id, topic: 'news-more' },
        },
      ])
      const [chosen] = (await ask('GET', `/contacts/${id}/topics`)).body.topics
      expect(chosen).toMatchObject({ source: 'one-click', at: expect.any(String), text: null })
      const { projectId } = (await ask('GET', '/keys/@me')).body
      const project = (await test.engine.projects.list()).find((each) => each.id === projectId)!
      expect((await test.engine.mails.get(project, emailId)).email.unsubscribedAt).toEqual(expect.any(Date))
    })

    it('ask before anything changes, and then offer all the rest', async () => {
      const { post, look, state, news, offers, hidden } = await reader()
      const asked = await look()
      expect(asked.text).toContain('stop receiving “News &#38; more” from')
      expect(asked.text).toContain('value="unsubscribe-all"')
      expect(await state()).toEqual([true, true, true, true])
      const done = await post('subscription=unsubscribe')
      expect(done.text).toContain('will no longer send “News &#38; more” to ada@example.org')
      expect(boxes(done.text)).toEqual({ [news.id]: false, [offers.id]: true })
      expect(done.text).toContain('<small dir="auto">Monthly</small>')
      expect(done.text).not.toContain(hidden.id)
      expect([...done.text.matchAll(/name="pause" value="(\d+)"/g)].map(([, days]) => days)).toEqual(['30', '90'])
      expect((await post('subscription=subscribe')).text).toContain('will receive “News &#38; more” from')
      expect(await state()).toEqual([true, true, true, true])
      const all = await post('subscription=unsubscribe-all')
      expect(all.text).toContain('<h1>You are unsubscribed</h1>')
      expect(boxes(all.text)).toEqual({ [news.id]: false, [offers.id]: false })
      expect(all.text).not.toContain('unsubscribe-all')
      expect(await state()).toEqual([false, true, true, true])
    })

    it('choose topics by boxes, among those that were shown', async () => {
      const { ask, id, way, post, look, state, news, offers, hidden } = await reader()
      const page = way.replace('unsubscribe', 'manage')
      const { text } = await look(page)
      expect(boxes(text)).toEqual({ [news.id]: true, [offers.id]: true })
      // each button stores them all: a box that was emptied is not lost by the button of another question
      expect(text.match(/<button type="submit" class="quiet" form="choices">Save/g)).toHaveLength(3)
      const choices = `shown=${news.id}&shown=${offers.id}&topic=${news.id}&often=7&tracking=none`
      const saved = await post(choices, page)
      expect(saved.text).toContain('role="status"')
      expect((await ask('GET', `/contacts/${id}`)).body).toMatchObject({ everyDays: 7, tracking: 'none' })
      expect(boxes(saved.text)).toEqual({ [news.id]: true, [offers.id]: false })
      expect(await state()).toEqual([true, true, false, true])
      const { topics } = (await ask('GET', `/contacts/${id}/topics`)).body
      // what a form leaves as it was is no choice
      expect(topics.map(({ source }: { source: string | null }) => source)).toEqual([null, 'page', null])
      // neither what is not offered nor what was not shown
      await post(`shown=${hidden.id}&shown=x`, page)
      expect(await state()).toEqual([true, true, false, true])
      // for a contact who left everything, a choice subscribes to what is chosen
      await post('subscription=unsubscribe-all')
      await post(`shown=${news.id}&shown=${offers.id}`, page)
      expect(await state()).toEqual([false, true, false, true])
      await post(`shown=${news.id}&shown=${offers.id}&topic=${offers.id}`, page)
      expect(await state()).toEqual([true, false, true, true])
    })

    it('pause for 30 or 90 days: no marketing mail meanwhile', async () => {
      const { ask, id, post, emailId } = await reader()
      await post('pause=7')
      expect((await ask('GET', `/contacts/${id}`)).body).toMatchObject({ subscribed: true })
      expect((await ask('GET', `/contacts/${id}`)).body.pausedUntil).toBeUndefined()
      const template = (await ask('GET', '/templates')).body.data[0].id
      for (const days of [30, 90]) {
        expect((await post(`pause=${days}`)).text).toContain('No emails until')
        const until = Date.parse((await ask('GET', `/contacts/${id}`)).body.pausedUntil)
        expect(Math.round((until - Date.now()) / 86_400_000)).toBe(days)
      }
      const again = (await ask('POST', '/v1/send', { json: { to: 'ada@example.org', template } })).body.data.emails[0]
        .email
      const mail = await until('it is skipped', async () => {
        const { body } = await ask('GET', `/emails/${again}`)
        return body.status === 'SKIPPED' ? body : undefined
      })
      expect([mail.skipReason, again === emailId]).toEqual(['paused', false])
      const campaign = (await ask('POST', '/campaigns', { json: { ...LETTER, audienceType: 'ALL' } })).body.data.id
      const preview = (await ask('POST', `/campaigns/${campaign}/preview`)).body
      expect(preview).toMatchObject({ totalRecipients: 0, skipped: { paused: 1, topic: 0 } })
      expect((await post('pause=0')).text).toContain('name="pause" value="30"')
      expect((await ask('GET', `/contacts/${id}`)).body.pausedUntil).toBeUndefined()
      // a pause that is over is none
      await ask('PATCH', `/contacts/${id}`, { json: { pausedUntil: '2020-01-01T00:00:00Z' } })
      expect((await ask('POST', `/campaigns/${campaign}/preview`)).body.totalRecipients).toBe(1)
      await ask('PATCH', `/contacts/${id}`, { json: { pausedUntil: null } })
    })

    it('are as before for mail without a topic', async () => {
      const { post, look, state, way } = await reader({ topicId: null })
      expect((await look()).text).not.toMatch(/unsubscribe-all|checkbox|pause/)
      const done = await post('List-Unsubscribe=One-Click')
      expect(done.text).not.toMatch(/unsubscribe-all|checkbox|name="pause"/)
      expect(await state()).toEqual([false, true, true, true])
      expect(way).toMatch(/^\/unsubscribe\//)
    })

    it('say it all in every language', async () => {
      const { look, post, way } = await reader()
      await post('subscription=unsubscribe')
      const seen = new Set<string>()
      for (const language of LANGUAGES.keys()) {
        const { text } = await look(way, { 'accept-language': language })
        seen.add(text.replace(/[\s\S]*<form/, ''))
        expect(text).toContain('“News &#38; more”'.slice(1, -1))
        expect(text).not.toContain('undefined')
      }
      expect(seen.size).toBe(LANGUAGES.size)
    })
  })
}

/** The boxes of a page, by topic. */
function boxes(text: string): Record<string, boolean> {
  const found = [...text.matchAll(/type="checkbox" name="topic" value="([^"]+)"( checked)?/g)]
  return Object.fromEntries(found.map(([, id = '', checked]) => [id, checked !== undefined]))
}
