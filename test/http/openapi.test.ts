import { beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../server/app.ts'
import { openApiDocument } from '../../server/openapi/document.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { requireDocumented } from '../support/documented.ts'
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

  it('has an example of each JSON answer, as the answer may be', () => {
    const { paths } = openApiDocument(ROUTES)
    let examples = 0
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { responses }] of Object.entries(operations)) {
        for (const [status, response] of Object.entries(responses)) {
          const json = 'content' in response ? response.content?.['application/json'] : undefined
          if (json === undefined) continue
          examples++
          const headers = new Headers({ 'content-type': 'application/json' })
          const body = JSON.parse(JSON.stringify(json.example ?? null))
          requireDocumented(method, path, { status: Number(status), headers, text: JSON.stringify(body), body })
        }
      }
    }
    expect(examples).toBeGreaterThan(150)
  })

  it('tells the configs of steps apart by their types, in requests and answers', () => {
    const { paths, components } = JSON.parse(JSON.stringify(openApiDocument(ROUTES)))
    const asked = paths['/workflows/{id}/steps'].post.requestBody.content['application/json'].schema
    const of = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    for (const [schema, prefix] of [
      [asked, 'New'],
      [components.schemas.Step, ''],
    ] as const) {
      expect(schema.oneOf).toContainEqual(of(`${prefix}DelayStep`))
      expect(schema.discriminator).toMatchObject({
        propertyName: 'type',
        mapping: { DELAY: of(`${prefix}DelayStep`).$ref, SEND_EMAIL: of(`${prefix}SendEmailStep`).$ref },
      })
      const { config, type } = components.schemas[`${prefix}DelayStep`].properties
      expect(type.const).toBe('DELAY')
      expect(JSON.stringify(config)).toContain(of('DelayConfig').$ref)
    }
  })

  it('has a schema for each body that is read', () => {
    const read = ROUTES.filter(({ takes, ...route }) => 'body' in route && route.body && takes?.body === undefined)
    expect(read.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /domains/:id/rotate'])
  })
})
