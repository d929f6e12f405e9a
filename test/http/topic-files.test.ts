import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, ownProject, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

for (const store of [QUICK]) {
  describe(`topics in files and filters on ${store.name}`, () => {
    let test: TestApp
    const fresh = async () => {
      const { ask } = await ownProject(test)
      const made = async (path: string, json: object) => (await ask('POST', path, { json })).body
      const form = (text: string, query = '') => {
        const head =
          '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'
        const headers = { 'content-type': 'multipart/form-data; boundary=x' }
        return (path: string) => ask('POST', `${path}${query}`, { raw: `${head}${text}\r\n--x--\r\n`, headers })
      }
      const imported = async (text: string, query = '') => {
        const { body } = await form(text, query)('/contacts/import')
        return until('it is imported', async () => {
          const job = (await ask('GET', `/contacts/import/${body.jobId}`)).body
          return job.state === 'completed' ? job.result : undefined
        })
      }
      const found = async (...conditions: object[]) => {
        const filter = JSON.stringify({ operator: 'AND', conditions })
        const { body } = await ask('GET', `/contacts?sort=email&filter=${encodeURIComponent(filter)}`)
        return body.data.map(({ email }: { email: string }) => email[0]).join('')
      }
      return { ask, made, form, imported, found }
    }

    beforeAll(async () => {
      test = await testApp(store)
      await test.engine.start()
    })

    it('are read from columns of their own and from a list, with the proof, and come out again', async () => {
      const { ask, made, form, imported, found } = await fresh()
      await made('/topics', { name: 'News' })
      await made('/topics', { name: 'Big Offers' })
      const rows = [
        'email,topic:news,Topics,plan',
        'a@example.org,yes,big offers,pro',
        'b@example.org,0,"news; big-offers",',
        'c@example.org,,,',
        'd@example.org,maybe,,',
        'e@example.org,,none,',
      ]
      const preview = (await form(rows.join('\n'))('/contacts/import/preview')).body
      expect(preview.columns.map(({ key }: { key: string }) => key)).toEqual(['email', 'topic:news', 'topics', 'plan'])
      const result = await imported(rows.join('\n'))
      expect(result).toMatchObject({ successCount: 3, failureCount: 2 })
      expect(result.errors).toMatchObject([
        { email: 'd@example.org', error: 'topic:news: must be true, 1, yes, false, 0 or no' },
        { email: 'e@example.org', error: 'topics: there is no topic "none"' },
      ])
      const news = { field: 'topic.news', operator: 'equals', value: true }
      const offers = { ...news, field: 'topic.big-offers' }
      expect([await found(news), await found(offers), await found({ ...news, operator: 'exists' })]).toEqual([
        'a',
        'ab',
        'ab',
      ])
      const { body } = await ask('GET', '/contacts/a@example.org')
      expect(body).toBeDefined()
      const { topics } = (await ask('GET', '/contacts/a@example.org/topics')).body
      expect(topics).toMatchObject([{ source: 'import', at: expect.any(String) }, { source: 'import' }])
      const csv = (await ask('GET', '/contacts/export')).text.split('\r\n')
      expect(csv[0]).toMatch(/,topic:news,topic:news:text,topic:big-offers,topic:big-offers:text,plan$/)
      expect(csv.slice(1, 4).map((line) => line.split(',').slice(-5).join())).toEqual([
        'true,,true,,pro',
        'false,,true,,',
        ',,,,',
      ])
      // the file makes the same choices elsewhere
      const other = await fresh()
      for (const name of ['News', 'Big Offers']) await other.made('/topics', { name })
      await other.imported(csv.join('\r\n'))
      expect([await other.found(news), await other.found(offers)]).toEqual(['a', 'ab'])
    })

    it('go to every contact of a file, but to nobody who left', async () => {
      const { ask, made, form, imported, found } = await fresh()
      await made('/topics', { name: 'News' })
      await made('/contacts', { email: 'a@example.org' })
      await ask('PUT', '/contacts/a@example.org/topics', { json: { topics: [{ topic: 'news', subscribed: false }] } })
      await imported('email,subscribed\na@example.org,\nb@example.org,true\nc@example.org,false\n', '?topic=news')
      const news = { field: 'topic.news', operator: 'equals', value: true }
      expect(await found(news)).toBe('b')
      // an older file may have a column of the topic, too
      const old = 'email,topic:news\na@example.org,true\n'
      const kept = { keptUnsubscribed: 1, resubscribed: 0 }
      expect((await form(old)('/contacts/import/preview')).body).toMatchObject(kept)
      expect(await imported(old)).toMatchObject(kept)
      expect(await found(news)).toBe('b')
      const back = { keptUnsubscribed: 0, resubscribed: 1 }
      expect((await form(old, '?resubscribe=true')('/contacts/import/preview')).body).toMatchObject(back)
      expect(await imported(old, '?resubscribe=true')).toMatchObject(back)
      expect(await found(news)).toBe('ab')
      const refused = await form('email\na@example.org\n', '?topic=none')('/contacts/import')
      expectEnvelope(refused, 422, 'VALIDATION_ERROR', { topic: 'custom' })
    })

    it('keep the words that contacts agreed to, of the file, of a row or of one topic, which come out again', async () => {
      const { ask, made, form, imported } = await fresh()
      for (const name of ['News', 'Offers']) await made('/topics', { name })
      const proof = async (name: string, of = ask) => {
        const { topics } = (await of('GET', `/contacts/${name}@example.org/topics`)).body
        return topics.map(({ subscribed, text }: { subscribed: boolean; text: string | null }) => [subscribed, text])
      }
      const words = `Yes, "news"; 'til I\u2019m bored\nand offers`
      const quoted = words.replaceAll('"', '""')
      const rows = [
        'email,topics,topic:offers,topic:offers:text,Wording',
        'a@example.org,news,,,',
        `b@example.org,news,yes,,"${quoted}"`,
        `c@example.org,news,yes,=Offers,Row`,
        `d@example.org,,no,,Row`,
        `e@example.org,news,,,${'x'.repeat(2000)}`,
        `f@example.org,news,,,${'x'.repeat(2001)}`,
      ].join('\n')
      const columns = encodeURIComponent(JSON.stringify({ Wording: 'consentText' }))
      const query = `?columns=${columns}&consentText=${encodeURIComponent('Of the file')}`
      const { columns: shown } = (await form(rows, query)('/contacts/import/preview')).body
      expect(shown.map(({ key }: { key: string }) => key)).toEqual([
        ...['email', 'topics', 'topic:offers', 'topic:offers:text', 'consentText'],
      ])
      expect((await imported(rows, query)).errors).toMatchObject([
        { email: 'f@example.org', error: 'consentText: must have at most 2000 characters' },
      ])
      const all = { a: [true, 'Of the file', false, null], b: [true, words, true, words] }
      const more = { c: [true, 'Row', true, '=Offers'], d: [false, null, false, null] }
      for (const [name, expected] of Object.entries({ ...all, ...more })) {
        expect([name, (await proof(name)).flat()]).toEqual([name, expected])
      }
      expect((await proof('e'))[0]).toEqual([true, 'x'.repeat(2000)])
      // what is imported once more keeps its first proof
      const before = (await ask('GET', '/contacts/b@example.org/topics')).body
      const csv = (await ask('GET', '/contacts/export')).text
      await imported(csv)
      expect((await ask('GET', '/contacts/b@example.org/topics')).body).toEqual(before)
      const other = await fresh()
      for (const name of ['News', 'Offers']) await other.made('/topics', { name })
      expect(await other.imported(csv)).toMatchObject({ successCount: 5, failureCount: 0 })
      for (const name of 'abcde') expect([name, await proof(name, other.ask)]).toEqual([name, await proof(name)])
      const long = await form(rows, `?consentText=${'x'.repeat(2001)}`)('/contacts/import')
      expectEnvelope(long, 422, 'VALIDATION_ERROR', { consentText: 'too_big' })
    })

    it('are read from a column of another name, as groups of Mailchimp are', async () => {
      const { made, imported, found } = await fresh()
      await made('/topics', { name: 'News' })
      await made('/topics', { name: 'Offers' })
      const columns = encodeURIComponent(JSON.stringify({ Interests: 'topics', Weekly: 'topic:news' }))
      const rows = ['Email Address,Interests,Weekly', 'a@example.org,"Offers, News",', 'b@example.org,,1']
      expect(await imported(rows.join('\n'), `?columns=${columns}`)).toMatchObject({ successCount: 2 })
      const news = { field: 'topic.news', operator: 'equals', value: true }
      expect([await found(news), await found({ ...news, field: 'topic.offers' })]).toEqual(['ab', 'a'])
    })

    it('are made of groups in several columns, with commas in their names, after the preview has named them', async () => {
      const { ask, made, form, imported } = await fresh()
      const columns = { Interests: 'topics', Products: 'topics', Empty: 'topics' }
      const query = `?columns=${encodeURIComponent(JSON.stringify(columns))}`
      const rows = [
        'Email Address,Interests,Products,Empty,UNSUB_TIME',
        'a@example.org,"News, Food\\, drink",Shoes; and more,,',
        'b@example.org,"Food\\, drink",,,',
        'c@example.org,News,,,2026-01-02 03:04:05',
      ].join('\n')
      const { missingTopics, failureCount } = (await form(rows, query)('/contacts/import/preview')).body
      const shoes = ['Shoes', 'and more'].map((name) => ({ name, rows: 1 }))
      expect(missingTopics).toEqual([...['News', 'Food, drink'].map((name) => ({ name, rows: 2 })), ...shoes])
      expect(failureCount).toBe(3)
      expect(await imported(rows, query)).toMatchObject({ successCount: 0, failureCount: 3 })
      for (const { name } of missingTopics) await made('/topics', { name })
      expect((await form(rows, query)('/contacts/import/preview')).body).toMatchObject({
        missingTopics: [],
        failureCount: 0,
      })
      expect(await imported(rows, query)).toMatchObject({ successCount: 3 })
      const chosen = async (name: string) =>
        (await ask('GET', `/contacts/${name}@example.org/topics`)).body.topics.flatMap(
          (topic: { name: string; source: string | null; subscribed: boolean }) =>
            topic.source === null ? [] : [[topic.name, topic.subscribed]],
        )
      expect((await chosen('a')).toSorted()).toEqual(
        ['Food, drink', 'News', 'Shoes', 'and more'].map((name) => [name, true]),
      )
      expect(await chosen('b')).toEqual([['Food, drink', true]])
      // who left there gets none
      expect(await chosen('c')).toEqual([])
      const long = `email,topics\nx@example.org,"${'x,'.repeat(5000)}"\ny@example.org,"${'x,'.repeat(5001)}"\n`
      const { errors } = await imported(long)
      expect(errors.map(({ error }: { error: string }) => error)).toEqual([
        'topics: there is no topic "x"',
        'topics: has more than 10000 characters',
      ])
    })

    it('are read as Resend has them, in columns of their names and as its API answers them', async () => {
      const { ask, made, imported } = await fresh()
      for (const name of ['Product Updates', 'Offers']) await made('/topics', { name })
      const json = (name: string, subscription: string) =>
        `"[{""name"":""${name}"",""subscription"":""${subscription}""}]"`
      await imported(
        [
          'id,created_at,first_name,email,unsubscribed,Product Updates,topics',
          `1,2026-01-02,Ada,a@example.org,false,opt_in,${json('Offers', 'opt_out')}`,
          `2,2026-01-02,Bob,b@example.org,true,opt_out,${json('Offers', 'opt_in')}`,
          '3,2026-01-02,Eve,e@example.org,false,,"[""offers""]"',
        ].join('\n'),
      )
      const chosen = async (name: string) => {
        const { topics } = (await ask('GET', `/contacts/${name}@example.org/topics`)).body
        return topics.map((topic: { source: string | null; subscribed: boolean }) => topic.source && topic.subscribed)
      }
      expect([await chosen('a'), await chosen('b'), await chosen('e')]).toEqual([
        [true, false],
        [false, null],
        [null, true],
      ])
      const { data } = (await ask('GET', '/contacts?search=a@example.org')).body
      expect(data[0]).toMatchObject({ subscribed: true, data: { first_name: 'Ada' } })
    })

    it('begin a campaign whose only reader comes after a hundred others', async () => {
      const { ask, made, imported } = await fresh()
      await made('/topics', { name: 'News' })
      const others = Array.from({ length: 101 }, (_, i) => `p${i}@example.org`)
      await imported(['email', ...others].join('\n'))
      await made('/contacts', { email: 'reader@example.org' })
      const mail = { name: 'C', subject: 'Hi', body: '<p>Hi</p>', from: 'a@example.com', audienceType: 'ALL' }
      const { id } = (await made('/campaigns', { ...mail, topicId: 'news' })).data
      // no contact gets the topic yet
      expectEnvelope(await ask('POST', `/campaigns/${id}/send`, { json: {} }), 400, 'BAD_REQUEST')
      await ask('PUT', '/contacts/reader@example.org/topics', {
        json: { topics: [{ topic: 'news', subscribed: true }] },
      })
      expect((await ask('POST', `/campaigns/${id}/send`, { json: {} })).status).toBe(200)
    })

    it('are ordinary data in a project without topics', async () => {
      const { ask, imported } = await fresh()
      await imported('email,topics,topic:news\na@example.org,x,y\n')
      const { data } = (await ask('GET', '/contacts')).body.data[0]
      expect(Object.values(data).sort()).toEqual(['x', 'y'])
    })

    it('are filtered by, in segments and workflows, which keep a topic from being removed', async () => {
      const { ask, made, found } = await fresh()
      const { id } = await made('/topics', { name: 'News', standing: 'in' })
      await made('/contacts', { email: 'a@example.org' })
      await made('/contacts', { email: 'b@example.org' })
      await ask('PUT', '/contacts/a@example.org/topics', { json: { topics: [{ topic: 'news', subscribed: false }] } })
      const news = { field: 'topic.news', operator: 'equals', value: true }
      expect([await found(news), await found({ ...news, operator: 'notEquals' })]).toEqual(['b', 'a'])
      const filters = { operator: 'AND', conditions: [news] }
      const segment = await made('/segments', { name: 'Readers', filters })
      expect(segment.memberCount).toBe(1)
      const workflow = await made('/workflows', { name: 'Flow', eventName: 'x' })
      await made(`/workflows/${workflow.id}/steps`, { type: 'CONDITION', config: { ...news, field: `topic.${id}` } })
      const refused = await ask('DELETE', '/topics/news')
      expectEnvelope(refused, 409, 'CONFLICT')
      expect(refused.body.error.message).toMatch(/segment "Readers".*workflow "Flow"/)
      const unknown = { operator: 'AND', conditions: [{ ...news, field: 'topic.none' }] }
      expectEnvelope(
        await ask('POST', '/segments', { json: { name: 'X', filters: unknown } }),
        422,
        'VALIDATION_ERROR',
        {
          'filters.conditions.0.field': 'custom',
        },
      )
      const bad = { operator: 'AND', conditions: [{ ...news, operator: 'contains', value: 'x' }] }
      expectEnvelope(await ask('POST', '/segments', { json: { name: 'X', filters: bad } }), 422, 'VALIDATION_ERROR')
      await ask('DELETE', `/segments/${segment.id}`)
      await ask('DELETE', `/workflows/${workflow.id}`)
      expect((await ask('DELETE', '/topics/news')).status).toBe(204)
    })
  })
}
