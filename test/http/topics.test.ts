import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, ownProject, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const LETTER = { name: 'Letter', subject: 'Hi', body: '<p>Hi</p>', from: 'hello@example.com' }
const CAMPAIGN = { ...LETTER, audienceType: 'ALL' }

for (const store of [QUICK]) {
  describe(`topics on ${store.name}`, () => {
    let test: TestApp
    const fresh = async () => {
      const { ask } = await ownProject(test)
      const made = async (path: string, json: object) => {
        const answer = await ask('POST', path, { json })
        expect(answer.status, answer.text).toBeLessThan(300)
        return answer.body.data?.id ? answer.body.data : answer.body
      }
      const contact = (name: string, more: object = {}) => made('/contacts', { email: `${name}@example.org`, ...more })
      const choose = (id: string, ...topics: object[]) => ask('PUT', `/contacts/${id}/topics`, { json: { topics } })
      const events = async (id: string) => (await ask('GET', `/events/contact/${id}`)).body.events
      return { ask, made, contact, choose, events }
    }

    beforeAll(async () => {
      test = await testApp(store, {}, { publicUrl: 'https://mail.example.net' })
      await test.engine.start()
    })

    it('makes, lists, changes and removes them, by id and by slug', async () => {
      const { ask, made } = await fresh()
      const news = await made('/topics', { name: 'Größe & Preis', description: 'All of it' })
      expect(news).toMatchObject({ slug: 'große-preis', standing: 'out', public: true, archived: false })
      expect(news.counts).toEqual({ subscribed: 0, unsubscribed: 0 })
      const same = await made('/topics', { name: 'Größe, Preis', standing: 'in', public: false })
      expect(same).toMatchObject({ slug: 'große-preis-2', standing: 'in', public: false })
      expect((await ask('GET', '/topics')).body.data).toEqual([news, same])
      const changed = await ask('PATCH', '/topics/große-preis-2', {
        json: { slug: 'prices', description: 'D', archived: true, standing: 'out' },
      })
      expect(changed.body).toMatchObject({ slug: 'prices', description: 'D', archived: true, standing: 'out' })
      await ask('PATCH', `/topics/${same.id}`, { json: { description: null, archived: false } })
      expect((await ask('GET', '/topics/prices')).body).toMatchObject({ id: same.id, archived: false })
      expect((await ask('GET', '/topics/prices')).body.description).toBeUndefined()
      expect((await ask('DELETE', '/topics/prices')).status).toBe(204)
      for (const [method, json] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
        expectEnvelope(await ask(method, '/topics/prices', json ? { json } : {}), 404, 'TOPIC_NOT_FOUND')
        expectEnvelope(await ask(method, `/topics/${UNKNOWN_ID}`, json ? { json } : {}), 404, 'TOPIC_NOT_FOUND')
      }
    })

    it.each([
      ['no name', {}, { name: 'required' }],
      ['a blank name', { name: ' ' }, { name: 'too_small' }],
      ['a long name', { name: 'x'.repeat(101) }, { name: 'too_big' }],
      ['a long description', { name: 'N', description: 'x'.repeat(501) }, { description: 'too_big' }],
      ['a long slug', { name: 'N', slug: 'x'.repeat(65) }, { slug: 'too_big' }],
      ['a slug that is none', { name: 'N', slug: 'A b' }, { slug: 'invalid_string' }],
      ['a slug like an id', { name: 'N', slug: UNKNOWN_ID }, { slug: 'invalid_string' }],
      ['an unknown standing', { name: 'N', standing: 'maybe' }, { standing: 'invalid_enum_value' }],
    ])('refuses %s', async (_what, json, fields) => {
      const { ask } = await fresh()
      expectEnvelope(await ask('POST', '/topics', { json }), 422, 'VALIDATION_ERROR', fields)
    })

    it('takes 50 of a project, names of 100 characters, and each slug once', async () => {
      const { ask, made } = await fresh()
      const topics = []
      for (let i = 0; i < 50; i++) topics.push(await made('/topics', { name: 'ß'.repeat(100) }))
      expect(new Set(topics.map(({ slug }) => slug)).size).toBe(50)
      expect(Math.max(...topics.map(({ slug }) => slug.length))).toBe(64)
      expectEnvelope(await ask('POST', '/topics', { json: { name: 'More' } }), 409, 'CONFLICT')
      const [one, two] = topics
      const taken = await ask('PATCH', `/topics/${one.id}`, { json: { slug: two.slug } })
      expectEnvelope(taken, 409, 'CONFLICT', { slug: 'custom' })
      await ask('DELETE', `/topics/${one.id}`)
      expectEnvelope(await ask('POST', '/topics', { json: { name: 'More', slug: two.slug } }), 409, 'CONFLICT')
    })

    it('keeps what contacts choose, with the proof of it, and makes an event of each change', async () => {
      const { ask, made, contact, choose, events } = await fresh()
      const [news, offers] = [
        await made('/topics', { name: 'News' }),
        await made('/topics', { name: 'Offers', standing: 'in' }),
      ]
      const ada = await contact('ada')
      const before = await ask('GET', '/contacts/Ada@Example.org/topics')
      expect(before.body).toMatchObject({
        ...{ contactId: ada.id, subscribed: true },
        topics: [
          { topicId: news.id, topic: 'news', name: 'News', subscribed: false, chosen: false, at: null, source: null },
          { topic: 'offers', subscribed: true, chosen: false },
        ],
      })
      const at = '2020-01-02T03:04:05.000Z'
      const chosen = await choose(ada.id, { topic: 'news', subscribed: true, text: 'Yes, please', at })
      const proof = { subscribed: true, chosen: true, at, source: 'api', text: 'Yes, please' }
      expect(chosen.body.topics[0]).toMatchObject(proof)
      // the same once more is no change, and its first proof stays
      expect((await choose('ada@example.org', { topic: news.id, subscribed: true })).body.topics[0]).toMatchObject(
        proof,
      )
      await choose(ada.id, { topic: 'offers', subscribed: false })
      await choose(ada.id, { topic: 'offers', subscribed: null })
      const told = (await events(ada.id)).map(({ name, data }: { name: string; data: object }) => [name, data])
      const about = (topic: { id: string; slug: string }, subscribed: boolean) => [
        `contact.${subscribed ? '' : 'un'}subscribed`,
        { subscribed, reason: 'api', topicId: topic.id, topic: topic.slug },
      ]
      expect(told).toEqual([about(offers, true), about(offers, false), about(news, true)])
      expect((await ask('GET', '/topics')).body.data.map(({ counts }: { counts: object }) => counts)).toEqual([
        { subscribed: 1, unsubscribed: 0 },
        { subscribed: 0, unsubscribed: 0 },
      ])
      expect((await ask('GET', `/contacts/${ada.id}`)).body.subscribed).toBe(true)
    })

    it.each([
      ['no topics', { topics: [] }, 422, { topics: 'too_small' }],
      ['too many', { topics: Array(51).fill({ topic: 'news', subscribed: true }) }, 422, { topics: 'too_big' }],
      [
        'one twice',
        { topics: Array(2).fill({ topic: 'news', subscribed: true }) },
        422,
        { 'topics.1.topic': 'custom' },
      ],
      ['no choice', { topics: [{ topic: 'news' }] }, 422, { 'topics.0.subscribed': 'required' }],
      [
        'the future',
        { topics: [{ topic: 'news', subscribed: true, at: '2999-01-01T00:00:00Z' }] },
        422,
        { 'topics.0.at': 'custom' },
      ],
      [
        'long words',
        { topics: [{ topic: 'news', subscribed: true, text: 'x'.repeat(2001) }] },
        422,
        { 'topics.0.text': 'too_big' },
      ],
      ['an unknown one', { topics: [{ topic: 'none', subscribed: true }] }, 404, undefined],
    ])('refuses choices with %s, and stores nothing', async (_what, json, status, fields) => {
      const { ask, made, contact } = await fresh()
      await made('/topics', { name: 'News' })
      const { id } = await contact('ada')
      const code = status === 404 ? 'TOPIC_NOT_FOUND' : 'VALIDATION_ERROR'
      expectEnvelope(await ask('PUT', `/contacts/${id}/topics`, { json }), status, code, fields)
      expect((await ask('GET', `/contacts/${id}/topics`)).body.topics[0].chosen).toBe(false)
      for (const nobody of [UNKNOWN_ID, 'nobody@example.org', 'x']) {
        expectEnvelope(await ask('GET', `/contacts/${nobody}/topics`), 404, 'CONTACT_NOT_FOUND')
      }
    })

    it('goes with campaigns and marketing templates, which keep it from being removed', async () => {
      const { ask, made } = await fresh()
      const { id } = await made('/topics', { name: 'News' })
      await made('/topics', { name: 'Other' })
      const letter = await made('/templates', { ...LETTER, type: 'MARKETING', topicId: 'news' })
      expect(letter.topicId).toBe(id)
      const own = await made('/campaigns', { ...CAMPAIGN, topicId: id })
      const taken = await made('/campaigns', { name: 'Taken', audienceType: 'ALL', template: letter.id })
      expect([own.topicId, taken.topicId]).toEqual([id, id])
      for (const [topicId, expected] of [
        [null, undefined],
        ['news', id],
        [undefined, id],
      ] as const) {
        const json = { name: 'Taken', ...(topicId === undefined ? {} : { topicId }) }
        expect((await ask('PUT', `/campaigns/${taken.id}`, { json })).body.topicId).toBe(expected)
      }
      const refused = await ask('DELETE', '/topics/news')
      expectEnvelope(refused, 409, 'CONFLICT')
      expect(refused.body.error.message).toMatch(/template "Letter".*campaign "Taken".*campaign "Letter"/)
      for (const [path, json] of [
        ['/campaigns', CAMPAIGN],
        ['/templates', { ...LETTER, type: 'MARKETING' }],
      ] as const) {
        expectEnvelope(await ask('POST', path, { json: { ...json, topicId: 'none' } }), 404, 'TOPIC_NOT_FOUND')
      }
      const plain = { ...LETTER, type: 'TRANSACTIONAL', topicId: 'news' }
      expectEnvelope(await ask('POST', '/templates', { json: plain }), 422, 'VALIDATION_ERROR', { topicId: 'custom' })
      const change = await ask('PATCH', `/templates/${letter.id}`, { json: { type: 'TRANSACTIONAL' } })
      expectEnvelope(change, 422, 'VALIDATION_ERROR', { topicId: 'custom' })
      await ask('PATCH', `/templates/${letter.id}`, { json: { topicId: null } })
      for (const { id: campaignId } of [own, taken]) await ask('DELETE', `/campaigns/${campaignId}`)
      expect((await ask('DELETE', '/topics/news')).status).toBe(204)
    })

    it('leaves out of a campaign those who do not get its topic, and says how many before', async () => {
      const { ask, made, contact, choose } = await fresh()
      const { id: topicId } = await made('/topics', { name: 'News' })
      const [yes, no, late] = [await contact('yes'), await contact('no'), await contact('late')]
      await contact('silent')
      await contact('off', { subscribed: false })
      await choose(yes.id, { topic: 'news', subscribed: true })
      await choose(late.id, { topic: 'news', subscribed: true })
      await choose(no.id, { topic: 'news', subscribed: false })
      const { id } = await made('/campaigns', { ...CAMPAIGN, topicId })
      const preview = (await ask('POST', `/campaigns/${id}/preview`)).body
      expect(preview).toMatchObject({ totalRecipients: 2, skipped: { unsubscribed: 1, suppressed: 0, topic: 2 } })
      expect((await ask('POST', `/campaigns/${id}/send`, { json: {} })).status).toBe(200)
      await until('it is SENT', async () => (await ask('GET', `/campaigns/${id}`)).body.status === 'SENT' || undefined)
      const stats = (await ask('GET', `/campaigns/${id}/stats`)).body
      expect(stats).toMatchObject({
        totalRecipients: 2,
        sent: 2,
        skipped: { unsubscribed: 1, topic: 2 },
        leftOutAtStart: 3,
      })
      const leftOut = async (query: string) => {
        const { data, total } = (await ask('GET', `/campaigns/${id}/left-out${query}`)).body
        expect(total).toBe(data.length)
        return data.map(({ email, reason }: { email: string; reason: string }) => `${email} ${reason}`).toSorted()
      }
      const without = ['no@example.org topic', 'silent@example.org topic']
      expect(await leftOut('')).toEqual([...without, 'off@example.org unsubscribed'].toSorted())
      expect(await leftOut('?reason=topic')).toEqual(without)
      expect(await leftOut('?reason=capped')).toEqual([])
      // what changes afterwards changes nothing of it, and an erased contact still counts
      await choose(no.id, { topic: 'news', subscribed: true })
      expect((await ask('DELETE', `/contacts/${no.id}`)).status).toBe(204)
      expect(await leftOut('?reason=topic')).toEqual(['deleted topic', 'silent@example.org topic'])
      // the same people by a rule, which is frozen when sending begins
      const news = { field: 'topic.news', operator: 'equals', value: true }
      const rule = { operator: 'AND', conditions: [news] }
      const ruled = await made('/campaigns', { ...CAMPAIGN, audienceType: 'FILTERED', audienceFilter: rule })
      expect((await ask('POST', `/campaigns/${ruled.id}/send`, { json: {} })).status).toBe(200)
      const sent = () => ask('GET', `/campaigns/${ruled.id}`)
      await until('it is SENT', async () => (await sent()).body.status === 'SENT' || undefined)
      expect((await sent()).body).toMatchObject({ totalRecipients: 2, sent: 2 })
    })

    it('skips mail to those who leave a topic before it is sent: of the API, and of workflows', async () => {
      const { ask, made, contact, choose } = await fresh()
      await made('/topics', { name: 'News', standing: 'in' })
      const letter = await made('/templates', { ...LETTER, type: 'MARKETING', topicId: 'news' })
      const [ada, eve] = [await contact('ada'), await contact('eve')]
      const soon = new Date(Date.now() + 1_500).toISOString()
      const json = { to: ['ada@example.org', 'eve@example.org'], template: letter.id, scheduledFor: soon }
      const { emails } = (await ask('POST', '/v1/send', { json })).body.data
      await choose(ada.id, { topic: 'news', subscribed: false })
      const ended = (email: string) =>
        until('it has ended', async () => {
          const { body } = await ask('GET', `/emails/${email}`)
          return ['QUEUED', 'SENDING'].includes(body.status) ? undefined : body
        })
      const mails = await Promise.all(emails.map(({ email }: { email: string }) => ended(email)))
      expect(mails.map(({ status, skipReason = null }) => [status, skipReason])).toEqual([
        ['SKIPPED', 'topic'],
        [expect.stringMatching(/SENT|DELIVERED/), null],
      ])
      const { id: workflow } = await made('/workflows', { name: 'W', eventName: 'joined' })
      await made(`/workflows/${workflow}/steps`, { type: 'SEND_EMAIL', config: { templateId: letter.id } })
      await ask('PATCH', `/workflows/${workflow}`, { json: { enabled: true } })
      for (const [{ id: contactId }, output] of [
        [ada, { reason: 'topic', to: 'ada@example.org' }],
        [eve, { emailId: expect.any(String), to: 'eve@example.org' }],
      ] as const) {
        const { id } = await made(`/workflows/${workflow}/executions`, { contactId })
        const run = await until('the step has run', async () => {
          const { body } = await ask('GET', `/workflows/${workflow}/executions/${id}`)
          return body.status === 'COMPLETED' ? body : undefined
        })
        expect(run.steps.at(-1).output).toEqual(output)
      }
    })
  })
}
