import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, ownProject, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const LETTER = { name: 'Letter', subject: 'Hi', body: '<p>Hi</p>', from: 'hello@example.com' }

for (const store of [QUICK]) {
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

    it('of a snippet is refused by all that render it, and follows them when that is wanted', async () => {
      const { ask, made, get, step, config } = await fresh()
      const footer = await made('/snippets', { name: 'foot', body: '<p>Acme</p>' })
      await made('/snippets', { name: 'foot-2', body: '<p>Other</p>' })
      const body = (name: string) =>
        [
          `<p>foot, render 'foot'</p>{% render '${name}' %}{%- render "${name}", title: 'foot' -%}`,
          `{%render&nbsp;&quot;${name}&quot;, to: "foot"%}`,
          `{% render 'foot-2' %}{% comment %}{% render 'foot' %}{% endcomment %}`,
          `{% raw %}{% render 'foot' %}{% endraw %}{{ "{% render 'foot' %" }}{% if foot == 'foot' %}x{% endif %}`,
        ].join('\n')
      const after = (name: string) =>
        body(name).replace(`{%render&nbsp;&quot;${name}&quot;, to`, `{%render "${name}", to`)
      const old = body('foot')
      const mjml = (name: string) => `<mjml><mj-body><mj-raw>{% render '${name}' %}</mj-raw></mj-body></mjml>`
      const markdown = (name: string) => `# foot\n\n{% render '${name}' %}\n`
      const design = (name: string) => ({ foot: [{ html: `{% render '${name}' %}`, name: 'foot' }] })
      const template = await made('/templates', { ...LETTER, name: 'Weekly', type: 'MARKETING', body: old })
      const drawn = await made('/templates', { ...LETTER, type: 'MARKETING', body: old, design: design('foot') })
      const built = await made('/templates', {
        ...{ name: 'Built', subject: 'Hi', type: 'TRANSACTIONAL' },
        source: { format: 'MJML', text: mjml('foot') },
      })
      await ask('PUT', `/templates/${template.id}/draft`, { json: { body: `${old}<p>More</p>` } })
      const mail = { ...LETTER, audienceType: 'ALL' }
      const campaign = await made('/campaigns', {
        ...mail,
        variants: [{ subject: "{{ 'foot' }}" }, { source: { format: 'MARKDOWN', text: markdown('foot') } }],
      })
      const over = await made('/campaigns', { ...mail, name: 'Over', body: old })
      const scheduledFor = new Date(Date.now() + 86_400_000).toISOString()
      await ask('POST', `/campaigns/${over.id}/send`, { json: { scheduledFor } })
      await ask('POST', `/campaigns/${over.id}/cancel`)
      expect((await get(`/campaigns/${over.id}`)).status).toBe('CANCELLED')
      const inner = await made('/snippets', { name: 'below', body: old })
      const frame = await made('/layouts', { name: 'Brand', body: `${old}{{ content }}` })
      const welcome = await made('/workflows', { name: 'Welcome', eventName: 'joined' })
      const mailing = await step(welcome, 'SEND_EMAIL', { subject: 'foot', body: old, from: LETTER.from })
      const hook = { url: 'https://example.org/', method: 'POST', body: { body: 'render foot' } }
      const free = await step(welcome, 'WEBHOOK', hook)

      const rename = (json: object) => ask('PATCH', `/snippets/${footer.id}`, { json })
      const refused = await rename({ name: 'legal' })
      expectEnvelope(refused, 409, 'CONFLICT', { rename: 'required' })
      for (const holder of [
        ...['template "Weekly"', 'template "Built"', 'draft of the template "Weekly"', 'campaign "Letter"'],
        ...['snippet "below"', 'layout "Brand"', 'workflow "Welcome"'],
      ])
        expect(refused.body.message).toContain(`the ${holder}`)
      expect(refused.body.message).not.toContain('Over')
      // a name that is taken changes nothing
      expect((await rename({ name: 'foot-2', rename: true })).status).toBe(409)
      expect((await get(`/templates/${template.id}`)).body).toBe(old)

      expect((await rename({ name: 'legal', rename: true })).body).toMatchObject({ name: 'legal', version: 2 })
      const written = after('legal')
      const { draft, ...weekly } = await get(`/templates/${template.id}`)
      expect(weekly).toMatchObject({ body: written, version: 2 })
      expect(draft).toMatchObject({ fields: { body: `${written}<p>More</p>` }, version: 2 })
      expect(await get(`/templates/${drawn.id}`)).toMatchObject({ body: written, design: design('legal') })
      const { source, body: html } = await get(`/templates/${built.id}`)
      expect(source.text).toBe(mjml('legal'))
      expect(html).toContain("{% render 'legal' %}")
      const { variants } = await get(`/campaigns/${campaign.id}`)
      expect(variants[0].subject).toBe("{{ 'foot' }}")
      expect(variants[1].source.text).toBe(markdown('legal'))
      expect(variants[1].body).toContain("{% render 'legal' %}")
      expect((await get(`/campaigns/${over.id}`)).body).toBe(written)
      expect(await get(`/snippets/${inner.id}`)).toMatchObject({ body: written, version: 2 })
      expect(await get(`/layouts/${frame.id}`)).toMatchObject({ body: `${written}{{ content }}`, version: 2 })
      expect(await config(welcome, mailing)).toMatchObject({ body: written, subject: 'foot' })
      expect((await config(welcome, free)).body).toEqual(hook.body)
      // everything is as it was made: the draft can be published, and nothing renders the old name
      expect((await ask('POST', `/templates/${template.id}/publish`, { json: {} })).status).toBe(200)
      expect((await get(`/snippets/${footer.id}/usage`)).snippets).toEqual([{ id: inner.id, name: 'below' }])
      await made('/snippets', { name: 'foot', body: 'x' })
      expect((await ask('DELETE', `/snippets/${footer.id}`)).status).toBe(409)
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
      // an execution that waits for the event is woken by it
      await ask('PATCH', '/contacts/ada@example.org', { json: { data: { vip: true } } })
      await ask('POST', '/contacts', { json: { email: 'ada@example.org', data: { vip: true } } })
      await ask('POST', `/segments/${id}/compute`)
      await test.engine.idle()
      const { data } = await get(`/workflows/${waits.id}/executions`)
      expect(data.map(({ status }: { status: string }) => status)).toEqual(['COMPLETED'])
    })
  })
}
