import { beforeAll, describe, expect, it } from 'vitest'
import { keyScopeOf } from '../../core/projects/roles.ts'
import { areaOf, type KeyRoute } from '../../server/http/route.ts'
import { accountWorld } from '../support/accounts.ts'
import { expectEnvelope, expectFlat, MAIL, PROJECT, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { freshSqlite } from '../support/fresh-sqlite.ts'
import { ENDPOINTS, WITH_BODY } from './endpoints.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
/** Endpoints whose errors with 400 and 401 are flat. */
const FLAT: readonly string[] = ['/v1/send', '/v1/verify']
/** These are asked in every shape, the others in one of each kind: the door that tells them apart is one. */
const EVERY_SHAPE: readonly string[] = ['/v1/send', '/v1/track', '/contacts']
/** Keys are found by their hashes, and a body that is no JSON never comes to a store: one will do, the quickest. */
const STORE = { store: () => freshSqlite() }

/** Whether no key may do it. */
function isForMembers(route: KeyRoute): boolean {
  const area = areaOf(route)
  return area !== 'any' && keyScopeOf(area) === undefined
}

describe('every endpoint', () => {
  let test: TestApp
  /** Asks as a caller who may: what only members may do, by the session of an owner. */
  let askFor: (route: KeyRoute) => TestApp['ask']
  /** A key with each scope alone. */
  const keys: Record<string, string> = {}

  beforeAll(async () => {
    const world = await accountWorld(STORE)
    test = world
    const owner = await world.signup()
    expect((await owner.ask('POST', '/users/@me/projects', { json: { secretKey: SECRET } })).status).toBe(201)
    const asOwner: TestApp['ask'] = (method, path, asked = {}) =>
      owner.ask(method, path, { ...asked, headers: { 'x-project-id': PROJECT, ...asked.headers } })
    askFor = (route) => (isForMembers(route) ? asOwner : test.ask)
    for (const scope of ['send', 'track', 'read']) {
      const json = { name: scope, kind: 'secret', scopes: [scope] }
      keys[scope] = (await test.ask('POST', `/projects/${PROJECT}/keys`, { json })).body.key
    }
  })

  it.each(ENDPOINTS)('%s %s needs a key', async (method, path) => {
    const json = method === 'GET' || method === 'DELETE' ? {} : { json: MAIL }
    const expect401 = (answer: Parameters<typeof expectFlat>[0], code: string) => {
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      expect(answer.headers.get('ratelimit-limit')).toBeNull()
      if (FLAT.includes(path)) expectFlat(answer, 401)
      else expectEnvelope(answer, 401, code)
    }
    expect401(await test.ask(method, path, { ...json, key: null }), 'MISSING_AUTH')
    const schemes = [`Basic ${SECRET}`, '', 'Bearer', 'Bearer  ', SECRET, `Token ${SECRET}`]
    for (const authorization of someOf(path, schemes, 1)) {
      expect401(await test.ask(method, path, { ...json, headers: { authorization } }), 'MISSING_AUTH')
    }
    const wrong = [`${SECRET}x`, `sk_${'x'.repeat(48)}`, SECRET.toUpperCase(), 'null', "' OR 1=1 --", 'k'.repeat(5000)]
    for (const key of someOf(path, wrong, 1)) {
      expect401(await test.ask(method, path, { ...json, key }), 'INVALID_API_KEY')
    }
  })

  it('takes the scheme in any letter case', async () => {
    const answer = await test.ask('GET', '/contacts', { headers: { authorization: `bearer   ${SECRET}` } })
    expect(answer.status).toBe(200)
  })

  it.each(ENDPOINTS.filter(([, , { access }]) => access === 'secret'))('%s %s refuses public keys', async (...[
    method,
    path,
  ]) => {
    expectEnvelope(await test.ask(method, path, { key: PUBLIC }), 403, 'FORBIDDEN')
  })

  it.each(
    ENDPOINTS,
  )('%s %s refuses keys that may do other things, and says what they lack', async (method, path, route) => {
    const area = areaOf(route)
    const needed = area === 'any' ? area : keyScopeOf(area)
    for (const scope of Object.keys(keys)) {
      const answer = await test.ask(method, path, { key: keys[scope]! })
      // with "any" the room decides, about members
      if (needed === 'any') expect(answer.status).not.toBe(401)
      else if (scope === needed) expect([401, 403]).not.toContain(answer.status)
      else {
        expectEnvelope(answer, 403, 'FORBIDDEN')
        expect(answer.body.message).toContain(needed === undefined ? 'A key does not allow this' : `"${needed}"`)
      }
    }
    if (needed === undefined) expectEnvelope(await test.ask(method, path), 403, 'FORBIDDEN')
  })

  it.each(WITH_BODY)('%s %s refuses bodies that are no JSON with 400', async (method, path, route) => {
    const bad = ['', '{"a":}', ' ', '{', 'undefined', "{'a':1}", '{"a":1}}', 'to=a@b.example', '\ufeff', 'NaN', '[1,]']
    const invalid: Uint8Array[] = [new Uint8Array([0x22, 0xff, 0xfe, 0x22]), new Uint8Array([0x22, 0xc3, 0x22])]
    for (const raw of someOf(path, [...bad, ...invalid], 2) as (string | Uint8Array<ArrayBuffer>)[]) {
      const answer = await askFor(route)(method, path, { raw, headers: JSON_TYPE })
      if (FLAT.includes(path)) expectFlat(answer, 400)
      else expectEnvelope(answer, 400, 'INVALID_JSON')
    }
  })

  it.each(WITH_BODY)('%s %s refuses JSON that is no object with 422', async (method, path, route) => {
    for (const raw of someOf(path, ['null', '[]', '"x"', '1', 'true', '[{}]', '0', '""'], 3)) {
      const answer = await askFor(route)(method, path, { raw, headers: JSON_TYPE })
      expectEnvelope(answer, 422, 'VALIDATION_ERROR')
    }
  })

  it.each(WITH_BODY)('%s %s takes JSON by its content type alone', async (method, path, route) => {
    const right = ['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json ;x=y']
    const wrong = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/vnd.api+json',
      'json',
      'application/json/x',
    ]
    for (const type of someOf(path, right, 1)) {
      const answer = await askFor(route)(method, path, { raw: '{}', headers: { 'content-type': type } })
      expect({ type, status: answer.status }).not.toEqual({ type, status: 415 })
    }
    const none = await askFor(route)(method, path, { raw: new Uint8Array(Buffer.from('{}')) })
    expect(none.status).not.toBe(415)
    for (const type of someOf(path, wrong, 2)) {
      const answer = await askFor(route)(method, path, { raw: '{"a":1}', headers: { 'content-type': type } })
      expectEnvelope(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
    }
  })

  it('reads a body behind a byte order mark', async () => {
    const json = '\ufeff{"email":"bom@example.org"}'
    expect((await test.ask('POST', '/contacts', { raw: json, headers: JSON_TYPE })).status).toBe(201)
  })
})

describe('the size of a body', () => {
  let test: TestApp
  beforeAll(async () => {
    test = await testApp(STORE)
  })
  const MB = 1024 * 1024
  const whole = Buffer.from(`{"a":"${'x'.repeat(MB - 8)}"}`)
  const longer = Buffer.concat([whole, Buffer.from(' ')])
  /** A body of so many bytes without a Content-Length, in pieces; counts what was taken of it. */
  const stream = (bytes: number) => {
    const piece = new Uint8Array(64 * 1024).fill(0x20)
    const taken = { bytes: 0 }
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (taken.bytes >= bytes) return controller.close()
        const size = Math.min(piece.length, bytes - taken.bytes)
        taken.bytes += size
        controller.enqueue(piece.subarray(0, size))
      },
    })
    return { body, taken }
  }

  it.each(
    WITH_BODY.filter(
      ([, path, route]) => !path.startsWith('/v1/send') && !path.endsWith('/attachments') && !isForMembers(route),
    ),
  )('%s %s is at most 1 MB', async (method, path) => {
    const right = await test.ask(method, path, { raw: whole, headers: JSON_TYPE })
    expect(right.status).not.toBe(413)
    const over = await test.ask(method, path, { raw: longer, headers: JSON_TYPE })
    expectEnvelope(over, 413, 'PAYLOAD_TOO_LARGE')
  })

  it('is found too large before the body has come to its end', async () => {
    const { body, taken } = stream(5 * MB)
    const answer = await test.ask('POST', '/contacts', { raw: body, headers: JSON_TYPE })
    expectEnvelope(answer, 413, 'PAYLOAD_TOO_LARGE')
    expect(taken.bytes).toBeLessThan(2 * MB)
  })

  it.each([
    ['/v1/send', 50],
    ['/campaigns/01900000-0000-7000-8000-000000000000/attachments', 15],
    ['/drafts/01900000-0000-7000-8000-000000000000/attachments', 15],
  ])('POST %s is at most %i MB', async (path, most) => {
    const { body, taken } = stream((most + 10) * MB)
    expectEnvelope(await test.ask('POST', path, { raw: body, headers: JSON_TYPE }), 413, 'PAYLOAD_TOO_LARGE')
    expect(taken.bytes).toBeLessThan((most + 1) * MB)
  })

  it('is told by Content-Length before anything is read', async () => {
    const { body, taken } = stream(100)
    const headers = { ...JSON_TYPE, 'content-length': String(50 * MB + 1) }
    expectEnvelope(await test.ask('POST', '/v1/send', { raw: body, headers }), 413, 'PAYLOAD_TOO_LARGE')
    expect(taken.bytes).toBeLessThan(101)
  })

  it('a body that breaks off is 400', async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array([0x7b]))
        controller.error(new Error('gone'))
      },
    })
    expectEnvelope(await test.ask('POST', '/contacts', { raw: body, headers: JSON_TYPE }), 400, 'BAD_REQUEST')
  })
})

/** All of them where every shape is asked, else the first. */
function someOf<T>(path: string, shapes: readonly T[], count: number): readonly T[] {
  return EVERY_SHAPE.includes(path) ? shapes : shapes.slice(0, count)
}
