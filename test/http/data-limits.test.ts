import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, MAIL, ownProject, PUBLIC, type TestApp, testApp } from '../support/app.ts'
import { ended, upload } from '../support/contact-jobs.ts'
import { STRICT } from '../support/matrix.ts'
import { until } from '../support/until.ts'

/** So many keys with a short value. */
const keys = (count: number, name = 'k') => Object.fromEntries(Array.from({ length: count }, (_, i) => [name + i, 1]))
const KB = 1024
const TOO_BIG = { data: 'too_big' }

// The size of its body was once the only bound of a call, and nothing bound what many calls make of one contact
for (const store of [STRICT]) {
  describe(`limits of data on ${store.name}`, () => {
    // what is checked before anything is stored no store decides
    const isStricter = store.name === 'PostgreSQL'
    let test: TestApp

    const made = async (email: string, data: object) =>
      (await test.ask('POST', '/contacts', { json: { email, data } })).body.id
    const dataOf = async (id: string) => (await test.ask('GET', `/contacts/${id}`)).body.data

    beforeAll(async () => {
      test = await testApp(store)
      await test.engine.start()
    })

    if (isStricter)
      it.each([
        ['501 keys', keys(501), /at most 500 keys/],
        ['a key of 201 characters', { ['k'.repeat(201)]: 1 }, /200 characters/],
        ['more than a contact may have', { text: 'x'.repeat(65 * KB) }, /at most (64|32) KB/],
        ['257 KB that are not stored', { text: { value: 'x'.repeat(257 * KB), persistent: false } }, /at most 256 KB/],
        ['100 levels', { deep: JSON.parse('['.repeat(100) + ']'.repeat(100)) }, /64 levels/],
      ])('%s are refused wherever data comes in, and nothing is stored', async (_what, data, said) => {
        const before = await test.counts()
        const id = await made('known@limits.example', {})
        for (const [method, path, json] of [
          ['POST', '/v1/send', { ...MAIL, to: 'send@limits.example', data }],
          ['POST', '/v1/track', { email: 'track@limits.example', event: 'e', data }],
          ['POST', '/events/track', { contactId: id, name: 'e', data }],
          ['POST', '/contacts', { email: 'post@limits.example', data }],
          ['PATCH', `/contacts/${id}`, { data }],
        ] as const) {
          const answer = await test.ask(method, path, { json })
          expectEnvelope(answer, 422, 'VALIDATION_ERROR')
          expect(answer.body.error.errors[0]).toMatchObject({ code: 'too_big', message: expect.stringMatching(said) })
        }
        expect(await dataOf(id)).toEqual({})
        await test.ask('DELETE', `/contacts/${id}`)
        expect(await test.counts()).toEqual(before)
      })

    it('what is within them is taken: 500 keys of 200 characters, 60 KB, 31 KB in an event', async () => {
      const email = 'large@limits.example'
      const id = await made(email, keys(500, 'k'.repeat(100)))
      expect(Object.keys(await dataOf(id))).toHaveLength(500)
      expect(await dataOf(await made('heavy@limits.example', { text: 'é'.repeat(30 * KB) }))).toBeDefined()
      const json = { email: 'event@limits.example', event: 'e', data: { text: 'x'.repeat(31 * KB) } }
      expect((await test.ask('POST', '/v1/track', { json })).status).toBe(200)
      const data = { html: { value: 'x'.repeat(200 * KB), persistent: false } }
      expect((await test.ask('POST', '/v1/send', { json: { ...MAIL, data } })).status).toBe(200)
    })

    it('a contact does not grow over many calls, also at the same time, and can be made smaller', async () => {
      const email = 'grown@limits.example'
      const id = await made(email, {})
      const calls = Array.from({ length: 20 }, (_, i) => ({ [`part${i}`]: 'x'.repeat(8 * KB) }))
      const answers = await Promise.all([
        ...calls.slice(0, 10).map((data) => test.ask('POST', '/contacts', { json: { email, data } })),
        ...calls.slice(10).map((data) => test.ask('PATCH', `/contacts/${id}`, { json: { data } })),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
      for (const answer of answers) {
        if (answer.status !== 200) expectEnvelope(answer, 422, 'VALIDATION_ERROR', TOO_BIG)
        if (answer.status !== 200) expect(answer.body.message).toContain('64 KB')
      }
      const [first] = Object.keys(await dataOf(id))
      expect((await test.ask('PATCH', `/contacts/${id}`, { json: { data: { [first ?? '']: null } } })).status).toBe(200)
      expect(Object.keys(await dataOf(id))).toHaveLength(6)
    })

    if (isStricter)
      it('a body under a public key has at most 64 KB, under a secret one more', async () => {
        const json = { email: 'public@limits.example', event: 'e', data: {}, note: 'x'.repeat(65 * KB) }
        const refused = await test.ask('POST', '/v1/track', { json, key: PUBLIC })
        expectEnvelope(refused, 413, 'PAYLOAD_TOO_LARGE')
        expect(refused.body.message).toContain('64 KB')
        expect((await test.ask('POST', '/v1/track', { json })).status).toBe(200)
      })

    it('public keys bring at most 1,000 different keys into a project; deleted fields make room', async () => {
      const own = await testApp(store)
      const track = (data: object, key?: string) =>
        own.ask('POST', '/v1/track', { json: { email: 'p@limits.example', event: 'e', data }, ...(key && { key }) })
      const bring = (data: object) => track(data, PUBLIC)
      const forget = (data: object) => Object.fromEntries(Object.keys(data).map((key) => [key, null]))
      for (const name of ['a', 'b']) {
        expect((await bring(keys(500, name))).status).toBe(200)
        expect((await bring(forget(keys(500, name)))).status).toBe(200)
      }
      const refused = await bring({ one: 1 })
      expectEnvelope(refused, 422, 'VALIDATION_ERROR', TOO_BIG)
      expect(refused.body.message).toContain('at most 1000')
      expect((await own.counts()).events).toBe(4)
      // what is known already, or stored nowhere, is taken, and a secret key brings what it wants
      expect((await bring({ a0: 2, b499: 2, seen: { value: 1, persistent: false } })).status).toBe(200)
      expect((await track({ one: 1 })).status).toBe(200)
      expect((await bring({ one: 2 })).status).toBe(200)
      expect((await own.ask('DELETE', '/contacts/fields/a0')).body).toEqual({ deletedFrom: 1 })
      expect((await bring({ two: 1 })).status).toBe(200)
      expectEnvelope(await bring({ three: 1 }), 422, 'VALIDATION_ERROR', TOO_BIG)
    })

    it('lists of fields have at most 1,000 of contacts and 1,000 of events, those that most contacts have', async () => {
      const own = await ownProject(test)
      for (const name of ['a', 'b', 'c']) {
        const json = { email: `${name}@limits.example`, event: 'e', data: { ...keys(499, name), zz: 'x' } }
        expect((await own.ask('POST', '/v1/track', { json })).status).toBe(200)
      }
      const { body } = await own.ask('GET', '/contacts/fields')
      expect([body.fields.length, body.count, body.total]).toEqual([1007, 1007, 1505])
      expect(body.fields.at(-1)).toEqual({ field: 'data.zz', type: 'string', coverage: 100 })
      const { typedFields } = (await own.ask('GET', '/workflows/fields')).body
      expect(typedFields.filter(({ category }: { category: string }) => category === 'event')).toHaveLength(1000)
      expect(typedFields).toHaveLength(2007)
    })

    it('a row of a file fails whose contact would become too large, and the others are imported', async () => {
      await made('full@limits.example', keys(499))
      const rows = ['full@limits.example,1,2', 'ok@limits.example,1,2', `long@limits.example,${'x'.repeat(65 * KB)},2`]
      const job = await ended(test, await upload(test, `email,new1,new2\n${rows.join('\n')}\n`), 'import')
      expect(job).toMatchObject({
        state: 'completed',
        result: { totalRows: 3, successCount: 1, createdCount: 1, updatedCount: 0, failureCount: 2 },
      })
      expect(job.result.errors).toEqual([
        { row: 2, email: 'full@limits.example', error: expect.stringContaining('500 keys') },
        { row: 4, email: 'long@limits.example', error: expect.stringContaining('65536 characters') },
      ])
    })

    if (isStricter)
      it('a step UPDATE_CONTACT fails with the reason', async () => {
        const { body: workflow } = await test.ask('POST', '/workflows', { json: { name: 'Grow', eventName: 'grow' } })
        const steps = `/workflows/${workflow.id}/steps`
        const config = { data: { copied: '{{ event.text }}', again: '{{ event.text }}', third: '{{ event.text }}' } }
        const json = { type: 'UPDATE_CONTACT', name: 'Copy', config, afterStepId: workflow.steps[0].id }
        expect((await test.ask('POST', steps, { json })).status).toBe(201)
        const tooMany = await test.ask('POST', steps, { json: { ...json, config: { data: keys(501) } } })
        expectEnvelope(tooMany, 422, 'VALIDATION_ERROR', { 'config.data': 'too_big' })
        expect((await test.ask('PATCH', `/workflows/${workflow.id}`, { json: { enabled: true } })).status).toBe(200)
        const id = await made('step@limits.example', {})
        const text = { value: 'x'.repeat(30 * KB), persistent: false }
        const track = { email: 'step@limits.example', event: 'grow', data: { text } }
        expect((await test.ask('POST', '/v1/track', { json: track })).status).toBe(200)
        const failed = await until('the step has failed', async () => {
          const { body } = await test.ask('GET', `/workflows/${workflow.id}/executions`)
          return body.executions[0]?.steps.find(({ error }: { error: string | null }) => error !== null)
        })
        expect(failed.error).toContain('64 KB')
        expect(await dataOf(id)).toEqual({})
      })

    if (isStricter)
      it('the context of an execution is bound, too', async () => {
        const { body: workflow } = await test.ask('POST', '/workflows', { json: { name: 'Context', eventName: 'ctx' } })
        const context = { text: 'x'.repeat(33 * KB) }
        const start = { json: { contactId: await made('ctx@limits.example', {}), context } }
        const started = await test.ask('POST', `/workflows/${workflow.id}/executions`, start)
        expectEnvelope(started, 422, 'VALIDATION_ERROR', { context: 'too_big' })
      })
  })
}
