import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createEngine, type Engine } from '../../config/library.ts'
import { disk } from '../../plugins/blobs-disk/index.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { expectEnvelope, MAIL, OTHER_SECRET, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { QUICK } from '../support/matrix.ts'
import { ID } from './endpoints.ts'

const EVENT = { email: 'ada@example.org', event: 'seen' }
const clock = { at: undefined as number | undefined, now: () => new Date(clock.at ?? Date.now()) }

let test: TestApp
/** `/projects/{id}/keys` of the project that has SECRET. */
let keys: string

beforeAll(async () => {
  test = await testApp(QUICK, {}, { clock })
})

beforeEach(async () => {
  clock.at = undefined
  const project = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!
  keys = `/projects/${project.id}/keys`
  for (const { id, name } of await test.engine.projects.keys.list(project)) {
    if (name !== 'config') await test.engine.projects.keys.revoke(project, id)
  }
})

const made = async (json: object) => {
  const answer = await test.ask('POST', keys, { json: { name: 'app', kind: 'secret', scopes: ['full'], ...json } })
  expect(answer.status).toBe(201)
  return answer.body
}

describe('API keys', () => {
  it('are shown once, work at once, are listed without the key, and end at once', async () => {
    const { key, ...record } = await made({ name: ' App ', scopes: ['read', 'send', 'read'] })
    expect(key).toMatch(/^sk_[0-9a-f]{48}$/)
    const projectId = keys.split('/')[2]
    const never = { client: null, expiresAt: null, lastUsedAt: null, stoppedAt: null }
    const fixed = {
      projectId,
      name: 'App',
      kind: 'secret',
      scopes: ['send', 'read'],
      prefix: key.slice(0, 8),
      test: false,
    }
    expect(record).toEqual({ id: record.id, ...fixed, createdAt: record.createdAt, ...never })
    expect((await test.ask('GET', '/contacts', { key })).status).toBe(200)

    await expect.poll(async () => (await test.ask('GET', '/keys/@me', { key })).body.lastUsedAt).not.toBeNull()
    const me = await test.ask('GET', '/keys/@me', { key })
    expect(me.body).toEqual({ ...record, lastUsedAt: me.body.lastUsedAt })
    const listed = await test.ask('GET', keys)
    expect(listed.body[0]).toEqual(me.body)
    expect(listed.body.map(({ name }: { name: string }) => name)).toEqual(['App', 'config', 'config'])
    expect(listed.text).not.toContain(key)
    expect(listed.text).not.toMatch(/hash/)

    const gone = await test.ask('DELETE', `${keys}/${record.id}`)
    expect({ status: gone.status, text: gone.text }).toEqual({ status: 204, text: '' })
    expectEnvelope(await test.ask('GET', '/contacts', { key }), 401, 'INVALID_API_KEY')
    expectEnvelope(await test.ask('DELETE', `${keys}/${record.id}`), 404, 'KEY_NOT_FOUND')
    expect((await test.ask('GET', keys)).text).not.toContain(record.id)
  })

  it.each([
    [['send'], ['send']],
    [['track'], ['track']],
    [['read'], ['read']],
    [
      ['send', 'read'],
      ['send', 'read'],
    ],
    [['full'], ['send', 'track', 'read', 'full']],
  ])('with the scopes %j may do what needs %j, and are told what they lack', async (scopes, allowed) => {
    const { key } = await made({ scopes })
    const asked = [
      ['send', 'POST', '/v1/send', MAIL],
      ['track', 'POST', '/v1/track', EVENT],
      ['track', 'POST', '/events/track', { ...EVENT, name: 'seen' }],
      ['read', 'GET', '/contacts', undefined],
      ['read', 'GET', '/emails', undefined],
      ['full', 'POST', '/contacts', { email: 'ada@example.org' }],
      ['full', 'DELETE', `/templates/${ID}`, undefined],
      ['full', 'GET', '/webhooks/secret', undefined],
      ['full', 'GET', keys, undefined],
      ['full', 'POST', keys, {}],
    ] as const
    for (const [scope, method, path, json] of asked) {
      const answer = await test.ask(method, path, { key, ...(json ? { json } : {}) })
      if (allowed.includes(scope)) expect([401, 403]).not.toContain(answer.status)
      else {
        expectEnvelope(answer, 403, 'FORBIDDEN')
        expect(answer.body.message).toContain(`"${scope}"`)
      }
    }
    expect((await test.ask('GET', '/keys/@me', { key })).body).toMatchObject({ scopes, kind: 'secret' })
  })

  it('never make a key that may do more', async () => {
    const project = await test.engine.projects.get(keys.split('/')[2]!)
    const wish = { name: 'more', kind: 'secret', scopes: ['read', 'full'] } as const
    for (const granted of [['read'], ['send', 'track', 'read'], []] as const) {
      await expect(test.engine.projects.keys.create(project, wish, granted)).rejects.toMatchObject({
        code: 'FORBIDDEN',
      })
    }
    const { record } = await test.engine.projects.keys.create(project, { ...wish, scopes: ['read'] }, ['read'])
    expect(record.scopes).toEqual(['read'])
  })

  it('of another project do not exist, nor does its list', async () => {
    const { id } = await made({})
    for (const [method, path] of [
      ['GET', keys],
      ['POST', keys],
      ['DELETE', `${keys}/${id}`],
    ] as const) {
      const json = method === 'POST' ? { json: { name: 'x', kind: 'secret', scopes: ['full'] } } : {}
      expectEnvelope(await test.ask(method, path, { key: OTHER_SECRET, ...json }), 404, 'PROJECT_NOT_FOUND')
    }
    const other = (await test.engine.projects.list()).find(({ name }) => name === 'Other')!
    const theirs = await test.ask('DELETE', `/projects/${other.id}/keys/${id}`, { key: OTHER_SECRET })
    expectEnvelope(theirs, 404, 'KEY_NOT_FOUND')
    for (const odd of ['x', '%00', "'", ID]) {
      expect((await test.ask('DELETE', `${keys}/${odd}`)).status).toBe(404)
      expect((await test.ask('GET', `/projects/${odd}/keys`)).status).toBe(404)
    }
  })

  it('that are public track and nothing else', async () => {
    const { key } = await made({ kind: 'public', scopes: ['track'] })
    expect(key).toMatch(/^pk_[0-9a-f]{48}$/)
    expect((await test.ask('POST', '/v1/track', { key, json: EVENT })).status).toBe(200)
    for (const asked of [key, PUBLIC]) {
      for (const path of ['/keys/@me', keys, '/contacts']) {
        expectEnvelope(await test.ask('GET', path, { key: asked }), 403, 'FORBIDDEN')
      }
    }
    for (const scopes of [['full'], ['track', 'read'], ['send']]) {
      const json = { name: 'web', kind: 'public', scopes }
      expectEnvelope(await test.ask('POST', keys, { json }), 422, 'VALIDATION_ERROR', { scopes: 'custom' })
    }
  })

  it('end at the set moment, also when they were in use just before, and say so', async () => {
    clock.at = Date.now()
    const expiresAt = new Date(clock.at + 3_000).toISOString()
    const { key, expiresAt: shown } = await made({ expiresAt })
    expect(shown).toBe(expiresAt)
    clock.at += 2_999
    expect((await test.ask('GET', '/contacts', { key })).status).toBe(200)
    clock.at += 1
    const ended = await test.ask('GET', '/contacts', { key })
    expectEnvelope(ended, 401, 'INVALID_API_KEY')
    expect(ended.body.message).toBe(`The API key expired at ${expiresAt}.`)
    expect((await test.ask('GET', keys)).body[0]).toMatchObject({ expiresAt })
  })

  it.each([
    [{ name: undefined }, { name: 'required' }],
    [{ name: '  ' }, { name: 'too_small' }],
    [{ name: 'x'.repeat(101) }, { name: 'too_big' }],
    [{ name: 'a\nb' }, { name: 'header_injection' }],
    [{ name: 'config' }, { name: 'custom' }],
    [{ kind: 'root' }, { kind: 'invalid_enum_value' }],
    [{ scopes: [] }, { scopes: 'too_small' }],
    [{ scopes: 'full' }, { scopes: 'invalid_type' }],
    [{ scopes: ['admin'] }, { 'scopes.0': 'invalid_enum_value' }],
    [{ scopes: Array(1e4).fill('x') }, { scopes: 'too_big' }],
    [{ expiresAt: 'soon' }, { expiresAt: 'invalid_date' }],
    [{ expiresAt: '2020-01-01' }, { expiresAt: 'too_small' }],
  ])('are refused with %j', async (wrong, fields) => {
    const json = { name: 'x'.repeat(100), kind: 'secret', scopes: ['full'], ...wrong }
    expectEnvelope(await test.ask('POST', keys, { json }), 422, 'VALIDATION_ERROR', fields)
  })

  it('are at most 100 in a project, also when many are made at the same time', async () => {
    const json = { name: 'x'.repeat(100), kind: 'secret', scopes: ['read'] }
    const project = await test.engine.projects.get(keys.split('/')[2]!)
    for (let i = 0; i < 96; i++) await test.engine.projects.keys.create(project, json as never)
    const answers = await Promise.all(Array.from({ length: 6 }, () => test.ask('POST', keys, { json })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409])
    const { body } = await test.ask('GET', keys)
    expect(body).toHaveLength(100)
    expect((await test.ask('DELETE', `${keys}/${body[0].id}`)).status).toBe(204)
    expect((await test.ask('POST', keys, { json })).status).toBe(201)
  })

  it('that the configuration names are not revoked here, since the next start would bring them back', async () => {
    const configured = (await test.ask('GET', keys)).body
    for (const { id } of configured) expectEnvelope(await test.ask('DELETE', `${keys}/${id}`), 409, 'CONFLICT')
    expect((await test.ask('GET', '/contacts')).status).toBe(200)
  })

  it('of a disabled project are neither made nor revoked, but listed', async () => {
    const { engine, ask } = test
    const key = `sk_${'5'.repeat(48)}`
    await engine.projects.applySettings([{ name: 'Off', secretKey: key, disabled: true }])
    const off = (await engine.projects.list()).find(({ name }) => name === 'Off')!
    const path = `/projects/${off.id}/keys`
    const listed = await ask('GET', path, { key })
    expect(listed.body).toHaveLength(1)
    const json = { name: 'x', kind: 'secret', scopes: ['full'] }
    expectEnvelope(await ask('POST', path, { key, json }), 403, 'PROJECT_DISABLED')
    expectEnvelope(await ask('DELETE', `${path}/${listed.body[0].id}`, { key }), 403, 'PROJECT_DISABLED')
  })
})

describe('two processes with one database', () => {
  it('both refuse a revoked key: the one that revoked it at once, the other within 5 seconds', async () => {
    const url = await freshDatabase()
    const later = { off: 0, now: () => new Date(Date.now() + later.off) }
    const open = async (more: object) => {
      const folder = freshFolder()
      const engine = await createEngine({
        ...{
          store: postgres({ url }),
          transports: [outbox({ directory: folder })],
          blobs: disk({ directory: folder }),
        },
        ...more,
      })
      onTestFinished(() => engine.stop())
      return engine
    }
    const one: Engine = await open({ projects: [{ name: 'Test', secretKey: SECRET }] })
    const other = await open({ clock: later })
    const [project] = await one.projects.list()
    const { record, key } = await one.projects.keys.create(project!, { name: 'x', kind: 'secret', scopes: ['read'] })
    expect(await other.projects.caller(key)).toMatchObject({ kind: 'secret', scopes: ['read'] })
    await one.projects.keys.revoke(project!, record.id)
    await expect(one.projects.caller(key)).rejects.toMatchObject({ code: 'INVALID_API_KEY' })
    later.off = 5_000
    await expect(other.projects.caller(key)).rejects.toMatchObject({ code: 'INVALID_API_KEY' })
  })

  it('may revoke the keys that the first start made, which no configuration names', async () => {
    const folder = freshFolder()
    const engine = await createEngine({
      transports: [outbox({ directory: folder })],
      blobs: disk({ directory: folder }),
      store: QUICK.store(),
    })
    onTestFinished(() => engine.stop())
    const first = await engine.projects.applyFirst({ publicKey: PUBLIC })
    const [kept, made] = await engine.projects.keys.list(first!.project)
    expect([kept!.kind, made!.kind]).toEqual(['public', 'secret'])
    await engine.projects.keys.revoke(first!.project, made!.id)
    await expect(engine.projects.caller(first!.keys.secretKey)).rejects.toMatchObject({ code: 'INVALID_API_KEY' })
    await expect(engine.projects.keys.revoke(first!.project, kept!.id)).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})
