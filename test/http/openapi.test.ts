import { beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../server/app.ts'
import { openApiDocument } from '../../server/openapi/document.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { ANY } from '../support/matrix.ts'

describe('/openapi.json', () => {
  let test: TestApp

  beforeAll(async () => {
    test = await testApp(ANY, {}, { publicUrl: 'https://mail.example.com/api' })
  })

  it('is the document of all routes, for everybody, with the public address as its server', async () => {
    const { status, body, headers } = await test.ask('GET', '/openapi.json', { key: null })
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(body).toEqual(JSON.parse(JSON.stringify(openApiDocument(ROUTES, 'https://mail.example.com/api'))))
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } })
    expect(body.servers).toEqual([{ url: 'https://mail.example.com/api' }])
  })

  it('is not sent again to a reader that has it', async () => {
    const etag = (await test.ask('GET', '/openapi.json', { key: null })).headers.get('etag') ?? ''
    const again = (field: string) =>
      test.ask('GET', '/openapi.json', { key: null, headers: { 'if-none-match': field } })
    expect(await again(etag)).toMatchObject({ status: 304, text: '' })
    expect(await again(`"other", W/${etag}`)).toMatchObject({ status: 304, text: '' })
    expect((await again('"other"')).status).toBe(200)
  })

  it('tells readers without a public address to ask where they found it', () => {
    expect(openApiDocument(ROUTES).servers).toEqual([{ url: '.' }])
  })

  it('names each operation once', () => {
    const names = ROUTES.map(({ operation }) => operation)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
    expect(names.filter((name) => !/^[a-z][a-zA-Z]{2,50}$/.test(name))).toEqual([])
  })

  it('names the keys that belong to no project, where nothing else would tell a reader of them', () => {
    const { paths, components } = JSON.parse(JSON.stringify(openApiDocument(ROUTES)))
    expect(paths['/operator'].get.security).toEqual([{ operatorKey: [] }])
    expect(paths['/metrics'].get.security).toEqual([{ metricsKey: [] }])
    expect(components.securitySchemes).toMatchObject({
      operatorKey: { type: 'http', scheme: 'bearer' },
      metricsKey: { type: 'http', scheme: 'bearer' },
    })
  })

  it('has a schema for each body that is read', () => {
    const read = ROUTES.filter(({ takes, ...route }) => 'body' in route && route.body && takes?.body === undefined)
    expect(read.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /domains/:id/rotate'])
  })
})
