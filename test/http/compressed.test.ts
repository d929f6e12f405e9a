import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { SECRET, type TestApp, testApp } from '../support/app.ts'
import { ANY } from '../support/matrix.ts'

interface Raw {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

describe('an answer', () => {
  let test: TestApp
  let server: HttpServer
  beforeAll(async () => {
    test = await testApp(ANY)
    server = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
    const body = `<p>${'Hello, everybody. '.repeat(100)}</p>`
    const template = { name: 'Large', subject: 'Hi', body, type: 'TRANSACTIONAL', from: 'hello@example.com' }
    for (let i = 0; i < 30; i++) await test.ask('POST', '/templates', { json: template })
    return () => server.close(0)
  })

  /** Over a socket, as it comes: `fetch` would unpack it. */
  function ask(path: string, encoding?: string, method = 'GET'): Promise<Raw> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${SECRET}`,
        ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
      }
      request(`${server.url}${path}`, { method, headers, agent: false }, (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('end', () => {
          resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(pieces) })
        })
        response.on('error', reject)
      })
        .on('error', reject)
        .end()
    })
  }

  it.each([
    ['of some kilobytes', '/templates?limit=2', 32 * 1024],
    ['of many', '/templates?limit=30', 1024 * 1024],
    ['that is a document', '/openapi.json', 10 * 1024 * 1024],
  ])('%s is compressed for who takes gzip, and is the same', async (_what, path, most) => {
    const plain = await ask(path)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers.vary).toContain('Accept-Encoding')
    expect(plain.bytes.length).toBeLessThan(most)
    for (const encoding of ['gzip', 'br;q=1, GZIP;q=0.5', 'deflate, *', 'x-gzip']) {
      const packed = await ask(path, encoding)
      expect([encoding, packed.headers['content-encoding']]).toEqual([encoding, 'gzip'])
      expect(packed.headers.vary).toContain('Accept-Encoding')
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3)
      expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true)
    }
    for (const encoding of ['gzip;q=0', 'identity', 'br', '', 'gzip;q=0, *;q=1']) {
      const same = await ask(path, encoding)
      expect([encoding, same.headers['content-encoding']]).toEqual([encoding, undefined])
      expect(same.bytes.equals(plain.bytes)).toBe(true)
    }
  })

  it('of less than a kilobyte, a page and an export stay as they are', async () => {
    for (const path of ['/keys/@me', '/unsubscribe/x', '/contacts/export'])
      expect([path, (await ask(path, 'gzip')).headers['content-encoding']]).toEqual([path, undefined])
  })

  it.each([
    '/templates?limit=2',
    '/keys/@me',
    '/unsubscribe/x',
    '/openapi.json',
    '/contacts/export',
    '/nothing',
  ])('has the length of its body, and none that is wrong to HEAD: %s', async (path) => {
    for (const encoding of ['gzip', 'identity']) {
      const { headers, bytes } = await ask(path, encoding)
      const lengthOfGet = headers['content-length']
      if (headers['transfer-encoding'] === undefined) expect(lengthOfGet).toBe(String(bytes.length))
      const head = await ask(path, encoding, 'HEAD')
      expect(head.bytes).toHaveLength(0)
      expect([lengthOfGet, undefined]).toContain(head.headers['content-length'])
    }
  })

  it('to HEAD has no body, and one that is known is 304 by either validator', async () => {
    const head = await ask('/templates', 'gzip', 'HEAD')
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    const { etag } = (await ask('/openapi.json', 'gzip')).headers
    expect(etag).toMatch(/^W\/"/)
    const again = await test.ask('GET', '/openapi.json', { key: null, headers: { 'if-none-match': String(etag) } })
    expect(again.status).toBe(304)
  })

  it('that takes long to write is compressed as it is written, and whole', async () => {
    const body = `<p>${'x'.repeat(200_000)}</p>`
    for (let i = 0; i < 8; i++)
      await test.ask('POST', '/templates', { json: { name: 'Huge', subject: 'Hi', body, type: 'TRANSACTIONAL' } })
    const plain = await ask('/templates?limit=8')
    expect(plain.bytes.length).toBeGreaterThan(1024 * 1024)
    const packed = await ask('/templates?limit=8', 'gzip')
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true)
  })
})
