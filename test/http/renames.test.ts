import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, ownProject, type TestApp, testApp } from '../support/app.ts'
import { STORES } from '../support/matrix.ts'

const LETTER = { name: 'Letter', subject: 'Hi', body: '<p>Hi</p>', from: 'hello@example.com' }

for (const store of STORES) {
  describe(`another name on ${store.name}`, () => {
    let test: TestApp
    const fresh = async () => {
      const { ask } = await ownProject(test)
      const made = async (path: string, json: object) => {
        const answer = await ask('POST', path, { json })
        expect(answer.status, answer.text).toBeLessThan(300)
        return answer.body.data?.id ? answer.body.data : answer.body
      }
      const get = async (path: string) => (await ask('GET', path)).body
      const step = async (workflow: { id: string }, type: string, config: object, more: object = {}) => {
        const json = { type, config, ...more }
        return (await made(`/workflows/${workflow.id}/steps`, json)).id as string
      }
      const config = async (workflow: { id: string }, id: string) =>
        (await get(`/workflows/${workflow.id}`)).steps.find((each: { id: string }) => each.id === id).config
      return { ask, made, get, step, config }
    }

    beforeAll(async () => {
      test = await testApp(store, {}, { publicUrl: 'https://mail.example.net' })
      await test.engine.start()
    })

    it('of a topic is refused by all that name it, and follows them when that is wanted', async () => {
      const { ask, made, get, step, config } = await fresh()
      const { id } = await made('/topics', { name: 'News' })
      const other = await made('/topics', { name: 'News 2' })
      const asks = (field: string) => ({ operator: 'AND', conditions: [{ field, operator: 'equals', value: true }] })
      const plunks = { logic: 'AND', groups: [{ filters: [{ field: 'topic.news', operator: 'exists' }] }] }
      const [plain, grouped, byId] = [
        await made('/segments', { name: 'Readers', filters: asks('topic.news') }),
        await made('/segments', { name: 'Choosers', condition: plunks }),
        await made('/segments', { name: 'By id', filters: asks(`topic.${id}`) }),
      ]
      const second = await made('/segments', { name: 'Second', filters: asks('topic.news-2') })
      const draft = await made('/campaigns', {
        ...LETTER,
        audienceType: 'FILTERED',
        audienceFilter: asks('topic.news'),
      })
      const welcome = await made('/workflows', { name: 'Welcome', eventName: 'contact.subscribed' })
      const condition = await step(welcome, 'CONDITION', { filter: asks('contact.topic.news') })
      const chosen = { field: 'event.topic', operator: 'in', value: ['news', 'news-2'] }
      const value = await step(welcome, 'CONDITION', { ...chosen })
      const cases = [{ branch: 'news', values: ['news', 'offers'] }]
      const choice = await step(welcome, 'SWITCH', { field: 'event.topic', cases })
      const hook = { url: 'https://example.org/', method: 'POST', body: { field: 'topic.news', topic: 'news' } }
      const free = await step(welcome, 'WEBHOOK', hook)
      const shop = await made('/workflows', { name: 'Shop', eventName: 'article.read' })
      const article = await step(shop, 'CONDITION', { field: 'event.topic', operator: 'equals', value: 'news' })
      const template = await made('/templates', { ...LETTER, name: 'Weekly', type: 'MARKETING' })
      await ask('PUT', `/templates/${template.id}/draft`, { json: { topicId: 'news' } })
      const form = await made('/forms', {
        name: 'Footer',
        texts: { title: 'T' },
        consent: 'Yes',
        topicIds: [id],
        doubleOptIn: false,
      })

      const slug = 'letters'
      const refused = await ask('PATCH', `/topics/${id}`, { json: { slug } })
      expectEnvelope(refused, 409, 'CONFLICT', { rename: 'required' })
      for (const holder of [
        'segment "Readers"',
        'segment "Choosers"',
        'campaign "Letter"',
        'workflow "Welcome"',
        'draft of the template "Weekly"',
        'form "Footer"',
      ]) {
        expect(refused.body.message).toContain(`the ${holder}`)
      }
      for (const others of ['By id', 'Second', 'Shop']) expect(refused.body.message).not.toContain(others)
      expect((await get(`/topics/${id}`)).slug).toBe('news')
      expect((await ask('PATCH', `/topics/${id}`, { json: { name: 'Our news' } })).status).toBe(200)

      expect((await ask('PATCH', `/topics/${id}`, { json: { slug: 'news-2', rename: true } })).status).toBe(409)
      expect((await get(`/segments/${plain.id}`)).filters).toEqual(asks('topic.news'))
      expect((await ask('PATCH', `/topics/${id}`, { json: { slug, rename: true } })).body.slug).toBe(slug)
      expect((await get(`/segments/${plain.id}`)).filters).toEqual(asks('topic.letters'))
      expect(JSON.stringify(await get(`/segments/${grouped.id}`))).not.toContain('topic.news')
      expect((await get(`/segments/${grouped.id}`)).condition.groups[0].filters[0].field).toBe('topic.letters')
      expect((await get(`/segments/${byId.id}`)).filters).toEqual(asks(`topic.${id}`))
      expect((await get(`/segments/${second.id}`)).filters).toEqual(asks('topic.news-2'))
      expect((await get(`/campaigns/${draft.id}`)).audienceFilter).toEqual(asks('topic.letters'))
      expect(await config(welcome, condition)).toEqual(asks('contact.topic.letters'))
      expect(await config(welcome, value)).toMatchObject({ field: 'event.topic', value: [slug, 'news-2'] })
      expect((await config(welcome, choice)).cases).toEqual([{ branch: 'news', values: [slug, 'offers'] }])
      expect((await config(welcome, free)).body).toEqual(hook.body)
      expect(await config(shop, article)).toMatchObject({ field: 'event.topic', value: 'news' })
      expect((await get(`/templates/${template.id}`)).draft.fields.topicId).toBe(slug)

      // a page that was made before has the box of the old name
      const sent = { email: 'ada@example.org', _topic_news: 'yes' }
      expect((await ask('POST', `/f/${form.id}`, { json: sent, key: null })).status).toBe(200)
      const { topics } = await get('/contacts/ada@example.org/topics')
      expect(topics.map((each: { topic: string; subscribed: boolean }) => [each.topic, each.subscribed])).toEqual([
        [slug, true],
        [other.slug, false],
      ])
      expect((await get(`/segments/${plain.id}/contacts`)).total).toBe(1)
      // and so has a file that was exported before; another column of its kind is noted
      const file = 'email,topic:news,topic:news:text,topic:nwes\nbob@example.org,yes,Mail me,yes\n'
      const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
      const headers = { 'content-type': 'multipart/form-data; boundary=x' }
      const { jobId } = (await ask('POST', '/contacts/import', { raw: `${head}${file}\r\n--x--\r\n`, headers })).body
      await test.engine.idle()
      const { columns } = (await get(`/contacts/import/${jobId}`)).result
      expect(columns.map(({ key }: { key: string }) => key)).toEqual([
        ...['email', 'topic:letters', 'topic:letters:text', 'topicNwes'],
      ])
      expect(columns[3].note).toContain('no topic has this slug')
      const bobs = (await get('/contacts/bob@example.org/topics')).topics
      expect(bobs[0]).toMatchObject({ topic: slug, subscribed: true, text: 'Mail me' })
    })

    it('of a tracked segment is refused by what awaits its events, and follows it when that is wanted', async () => {
      const { ask, made, get, step, config } = await fresh()
      const filters = { operator: 'AND', conditions: [{ field: 'data.vip', operator: 'equals', value: true }] }
      const { id } = await made('/segments', { name: 'VIPs', filters, trackMembership: true })
      const welcome = await made('/workflows', { name: 'Welcome', eventName: 'segment.vips.entry' })
      const waits = await made('/workflows', {
        name: 'Waits',
        eventName: 'signed_up',
        goal: { eventName: 'segment.vips.exit' },
      })
      const wait = await step(
        waits,
        'WAIT_FOR_EVENT',
        { eventName: 'segment.vips.entry', timeout: 3600 },
        { afterStepId: waits.steps[0].id },
      )
      await ask('PATCH', `/workflows/${waits.id}`, { json: { enabled: true } })
      await ask('POST', '/v1/track', { json: { email: 'ada@example.org', event: 'signed_up' } })
      await test.engine.idle()
      const endpoints = [
        { url: 'https://hooks.example.org/a', events: ['segment.vips.exit', 'email.*'] },
        { url: 'https://hooks.example.org/b', events: ['segment.vips.*'], description: 'CRM' },
        { url: 'https://other.example.org/c', events: ['segment.*'] },
      ]
      const hooks: string[] = []
      for (const each of endpoints) hooks.push((await made('/webhooks', each)).id)

      const refused = await ask('PATCH', `/segments/${id}`, { json: { name: 'Best customers' } })
      expectEnvelope(refused, 409, 'CONFLICT', { rename: 'required' })
      for (const holder of ['workflow "Welcome"', 'workflow "Waits"', 'webhook "CRM"']) {
        expect(refused.body.message).toContain(`the ${holder}`)
      }
      const past = { operator: 'AND', conditions: [{ field: 'event.segment.vips.exit', operator: 'triggered' }] }
      const former = await made('/segments', { name: 'Former', filters: past })
      const renamed = () => ask('PATCH', `/segments/${id}`, { json: { name: 'Best customers', rename: true } })
      const bound = await renamed()
      expectEnvelope(bound, 409, 'CONFLICT')
      expect(bound.body.message).toContain('the segment "Former"')
      expect((await get(`/workflows/${welcome.id}`)).triggerConfig.eventName).toBe('segment.vips.entry')
      await ask('DELETE', `/segments/${former.id}`)

      expect((await renamed()).body).toMatchObject({ name: 'Best customers', slug: 'best-customers' })
      expect((await get(`/workflows/${welcome.id}`)).triggerConfig.eventName).toBe('segment.best-customers.entry')
      expect((await get(`/workflows/${waits.id}`)).goal.eventName).toBe('segment.best-customers.exit')
      expect((await config(waits, wait)).eventName).toBe('segment.best-customers.entry')
      const events = await Promise.all(hooks.map(async (each) => (await get(`/webhooks/${each}`)).events))
      expect(events).toEqual([['segment.best-customers.exit', 'email.*'], ['segment.best-customers.*'], ['segment.*']])
      // whoever waits for the event is woken by it
      await ask('PATCH', '/contacts/ada@example.org', { json: { data: { vip: true } } })
      await ask('POST', '/contacts', { json: { email: 'ada@example.org', data: { vip: true } } })
      await ask('POST', `/segments/${id}/compute`)
      await test.engine.idle()
      const { data } = await get(`/workflows/${waits.id}/executions`)
      expect(data.map(({ status }: { status: string }) => status)).toEqual(['COMPLETED'])
    })
  })
}
