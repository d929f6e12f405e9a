import { beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../core/ports/store/store.ts'
import { expectEnvelope, OTHER_SECRET, SECRET, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'
const TEMPLATE = { name: 'Letter', subject: 'One', body: '<p>One</p>', type: 'TRANSACTIONAL', from: 'me@example.com' }
const KEY = { type: 'key', id: expect.any(String), name: expect.any(String) }

for (const store of [QUICK]) {
  describe(`versions of templates on ${store.name}`, () => {
    let test: TestApp
    let opened: Store
    const ask = async (method: string, path: string, json?: object) =>
      test.ask(method, `/templates${path}`, json === undefined ? {} : { json })
    const make = async (change: object = {}) => (await ask('POST', '', { ...TEMPLATE, ...change })).body
    const get = async (id: string) => (await ask('GET', `/${id}`)).body
    const versions = async (id: string) => (await ask('GET', `/${id}/versions`)).body.data
    const sent = async (id: string) => {
      const { body } = await test.ask('POST', '/v1/send', { json: { to: 'a@example.org', template: id } })
      return (await test.ask('GET', `/emails/${body.data.emails[0].email}`)).body.subject
    }
    /** Who changes it, of another name than the key of the other requests. */
    const byAda = async () => {
      const { project } = await test.engine.projects.caller(SECRET)
      return { project, by: { authorType: 'user', authorId: UNKNOWN_ID, authorName: 'ada@example.org' } as const }
    }

    beforeAll(async () => {
      const plugin = store.store()
      const open: typeof plugin.open = async (context) => {
        const parts = await plugin.open(context)
        opened = parts.store
        return parts
      }
      test = await testApp({ store: () => ({ ...plugin, open }) })
    })

    it('grow with each change that changes something, and say who changed what', async () => {
      const { id, version } = await make({ description: 'D' })
      expect(version).toBe(1)
      expect((await ask('PATCH', `/${id}`, { subject: 'Two', description: null })).body.version).toBe(2)
      expect((await ask('PATCH', `/${id}`, { subject: 'Two', slug: 'other-slug' })).body.version).toBe(2)
      const { project, by } = await byAda()
      await test.engine.templates.change(project, id, { body: '<p>Three</p>' }, by)
      await test.engine.templates.change(project, id, { name: 'Four' })
      const all = await ask('GET', `/${id}/versions`)
      expect(all.body).toMatchObject({ total: 4, hasMore: false })
      const one = { restoredFrom: null, by: KEY, createdAt: expect.any(String) }
      expect(all.body.data).toEqual([
        { ...one, number: 4, changed: ['name'], by: { type: 'engine', id: null, name: 'engine' } },
        { ...one, number: 3, changed: ['body'], by: { type: 'user', id: UNKNOWN_ID, name: 'ada@example.org' } },
        { ...one, number: 2, changed: expect.toSatisfy((names) => names.toSorted().join() === 'description,subject') },
        { ...one, number: 1, changed: expect.arrayContaining(['name', 'subject', 'body', 'type', 'from']) },
      ])
      expect((await ask('GET', `/${id}/versions/2`)).body).toEqual({
        ...all.body.data[2],
        fields: { ...TEMPLATE, subject: 'Two' },
      })
      const page = (await ask('GET', `/${id}/versions?limit=3`)).body
      expect(page).toMatchObject({ hasMore: true, total: 4 })
      expect((await ask('GET', `/${id}/versions?limit=3&cursor=${page.cursor}`)).body.data).toEqual(
        all.body.data.slice(3),
      )
    })

    it('are brought back as a new version, the slug and the draft aside', async () => {
      const design = { version: 1, blocks: [] }
      const { id, slug } = await make({ preheader: 'P', design })
      await ask('PATCH', `/${id}`, { subject: 'Two', body: '<p>Two</p>', preheader: null, replyTo: 'r@example.org' })
      await ask('PATCH', `/${id}`, { slug: `${slug}-new` })
      const { revision } = (await ask('PUT', `/${id}/draft`, { subject: 'Draft' })).body
      const restored = await ask('POST', `/${id}/versions/1/restore`)
      expect(restored.body).toMatchObject({ ...TEMPLATE, preheader: 'P', design, version: 3, slug: `${slug}-new` })
      expect(restored.body).not.toHaveProperty('replyTo')
      expect((await get(id)).draft.revision).toBe(revision)
      expect((await versions(id))[0]).toMatchObject({ number: 3, restoredFrom: 1, by: KEY })
      expect(await sent(id)).toBe('One')
    })

    it('are kept up to the last hundred, and go with their template', async () => {
      const { project, by } = await byAda()
      const { id } = await make()
      for (let i = 2; i <= 101; i++) await test.engine.templates.change(project, id, { subject: `S${i}` }, by)
      expect((await ask('GET', `/${id}/versions?limit=100`)).body).toMatchObject({ total: 100, hasMore: false })
      expectEnvelope(await ask('GET', `/${id}/versions/1`), 404, 'RESOURCE_NOT_FOUND')
      expect((await ask('GET', `/${id}/versions/2`)).body.fields.subject).toBe('S2')
      await ask('PUT', `/${id}/draft`, { subject: 'Draft' })
      await ask('DELETE', `/${id}`)
      expect(await test.engine.templates.version(project, id, 101).catch(({ code }) => code)).toBe('TEMPLATE_NOT_FOUND')
      const { templateVersions, templateDrafts } = opened
      expect([await templateVersions.count(project.id, id), await templateDrafts.find(project.id, id)]).toEqual([
        0,
        undefined,
      ])
    })

    it('of drafts are what is sent only once they are published', async () => {
      const { id } = await make({ replyTo: 'r@example.org' })
      const written = { subject: 'Draft', replyTo: null }
      const saved = await ask('PUT', `/${id}/draft`, written)
      expect(saved.body).toEqual({
        ...{ fields: written, version: 1, revision: expect.any(String), by: KEY, updatedAt: expect.any(String) },
      })
      expect((await get(id)).draft).toEqual(saved.body)
      expect(await get(id)).toMatchObject({ subject: 'One', version: 1 })
      expect(await sent(id)).toBe('One')
      const published = await ask('POST', `/${id}/publish`)
      expect(published.body).toMatchObject({ subject: 'Draft', body: TEMPLATE.body, version: 2 })
      expect(published.body).not.toHaveProperty('replyTo')
      expect(await get(id)).toEqual(published.body)
      expect(await sent(id)).toBe('Draft')
      expectEnvelope(await ask('POST', `/${id}/publish`, {}), 404, 'RESOURCE_NOT_FOUND')
      await ask('PUT', `/${id}/draft`, { subject: 'Another' })
      for (let i = 0; i < 2; i++) expect((await ask('DELETE', `/${id}/draft`)).status).toBe(204)
      expect(await get(id)).not.toHaveProperty('draft')
    })

    it('keep what is typed half in a draft, and refuse it when it is published', async () => {
      const { id } = await make()
      const half = { subject: 'Hi {{ name', from: 'me@', type: '', name: '', body: '', design: { any: [null] } }
      expect((await ask('PUT', `/${id}/draft`, half)).body.fields).toEqual(half)
      const wrong = { from: 'invalid_string', type: 'invalid_enum_value', name: 'too_small', body: 'too_small' }
      expectEnvelope(await ask('POST', `/${id}/publish`), 422, 'VALIDATION_ERROR', wrong)
      await ask('PUT', `/${id}/draft`, { subject: 'Hi {{ name' })
      expectEnvelope(await ask('POST', `/${id}/publish`), 422, 'VALIDATION_ERROR', { subject: 'custom' })
      await ask('PUT', `/${id}/draft`, { from: 'me@other.example' })
      expectEnvelope(await ask('POST', `/${id}/publish`), 403, 'DOMAIN_NOT_VERIFIED')
      expect((await get(id)).draft.fields).toEqual({ from: 'me@other.example' })
      for (const [json, fields] of [
        [{ subject: 1 }, { subject: 'invalid_type' }],
        [{ design: 'x' }, { design: 'invalid_type' }],
        [{ body: 'a\ud83d' }, { body: 'invalid_string' }],
        [{ version: 2 }, { version: 'too_big' }],
        [{ version: 0 }, { version: 'too_small' }],
        [{ version: 1.5 }, { version: 'invalid_type' }],
        [{ revision: 'r'.repeat(101) }, { revision: 'too_big' }],
      ] as const) {
        expectEnvelope(await ask('PUT', `/${id}/draft`, json), 422, 'VALIDATION_ERROR', fields)
      }
    })

    it('never write over what somebody else wrote meanwhile', async () => {
      const { project, by } = await byAda()
      const { id } = await make()
      const mine = (await ask('PUT', `/${id}/draft`, { subject: 'Mine', revision: null })).body
      expectEnvelope(await ask('PUT', `/${id}/draft`, { subject: 'X', revision: null }), 409, 'CONFLICT', {
        revision: 'custom',
      })
      const theirs = await test.engine.templates.saveDraft(
        project,
        id,
        { subject: 'Hers', revision: mine.revision },
        by,
      )
      const late = await ask('PUT', `/${id}/draft`, { subject: 'Late', revision: mine.revision })
      expectEnvelope(late, 409, 'CONFLICT', { revision: 'custom' })
      expect(late.body.error.message).toContain(`by ada@example.org at ${theirs.updatedAt.toISOString()}`)
      expectEnvelope(await ask('POST', `/${id}/publish`, { revision: mine.revision }), 409, 'CONFLICT', {
        revision: 'custom',
      })
      await test.engine.templates.change(project, id, { subject: 'Hers, at once' }, by)
      const stale = await ask('PATCH', `/${id}`, { subject: 'Mine', version: 1 })
      expectEnvelope(stale, 409, 'VERSION_CONFLICT', { version: 'custom' })
      expect(stale.body.error.message).toMatch(/^The template was changed by ada@example\.org at \d{4}-/)
      expectEnvelope(await ask('POST', `/${id}/publish`), 409, 'VERSION_CONFLICT', { version: 'custom' })
      expect((await get(id)).draft.version).toBe(1)
      expect((await ask('POST', `/${id}/publish`, { version: 2 })).body).toMatchObject({ subject: 'Hers', version: 3 })
      const gone = await ask('PUT', `/${id}/draft`, { subject: 'Late', revision: theirs.revision })
      expectEnvelope(gone, 409, 'CONFLICT', { revision: 'custom' })
      expect((await ask('PATCH', `/${id}`, { subject: 'Mine', version: 3 })).body.version).toBe(4)
    })

    it('of templates from before versions begin with their first change', async () => {
      const { project } = await byAda()
      const { id, slug: _, createdAt, updatedAt, ...fields } = await make()
      const { templates } = opened
      const old = { ...fields, id: '01900000-0000-7000-8000-00000000000e', projectId: project.id, version: 1 }
      await templates.insert({ ...old, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) })
      const engine = { type: 'engine', id: null, name: 'engine' }
      const first = { number: 1, by: engine, createdAt: updatedAt, restoredFrom: null }
      expect(await versions(old.id)).toMatchObject([first])
      expect((await ask('GET', `/${old.id}/versions/1`)).body).toMatchObject({ ...first, fields: TEMPLATE })
      await ask('PATCH', `/${old.id}`, { subject: 'Two' })
      expect(await versions(old.id)).toMatchObject([{ number: 2, by: KEY, changed: ['subject'] }, first])
    })

    it('of another project, and those that are not there, are 404', async () => {
      const { id } = await make()
      for (const [method, path, json] of [
        ['PUT', '/draft', {}],
        ['DELETE', '/draft', undefined],
        ['POST', '/publish', {}],
        ['GET', '/versions', undefined],
        ['GET', '/versions/1', undefined],
        ['POST', '/versions/1/restore', undefined],
      ] as const) {
        const options = json ? { json } : {}
        for (const [key, at] of [
          [OTHER_SECRET, id],
          [SECRET, UNKNOWN_ID],
          [SECRET, 'no-such-slug'],
        ] as const) {
          const answer = await test.ask(method, `/templates/${at}${path}`, { ...options, key })
          expectEnvelope(answer, 404, 'TEMPLATE_NOT_FOUND')
        }
      }
      for (const number of ['2', '999999999']) {
        expectEnvelope(await ask('GET', `/${id}/versions/${number}`), 404, 'RESOURCE_NOT_FOUND')
      }
      for (const number of ['0', 'x', '9999999999']) {
        expect((await ask('GET', `/${id}/versions/${number}`)).status).toBe(422)
      }
      expectEnvelope(await ask('POST', `/${id}/versions/2/restore`), 404, 'RESOURCE_NOT_FOUND')
    })
  })
}
