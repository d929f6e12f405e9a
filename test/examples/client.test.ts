import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, templateNames, welcome } from '../../examples/client.ts'
import { createClient, type MailwrightClient } from '../../server/client/index.ts'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { SECRET, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const TEMPLATE = { name: 'One', subject: 'Hi', body: '<p>Hi</p>', type: 'TRANSACTIONAL' } as const

describe('the typed client', () => {
  let test: TestApp
  let server: HttpServer
  let client: MailwrightClient
  beforeAll(async () => {
    test = await testApp(QUICK)
    server = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
    client = connect(server.url, SECRET)
  })
  afterAll(() => server.close(0))

  it('makes, reads, changes, copies and deletes a record, with the types of the document', async () => {
    const made = await client.POST('/templates', { body: TEMPLATE })
    expect(made.response.status).toBe(201)
    const id = made.data?.id ?? ''
    const params = { path: { id } }
    expect((await client.GET('/templates/{id}', { params })).data).toEqual(made.data)
    const changed = await client.PATCH('/templates/{id}', { params, body: { subject: 'New' } })
    expect(changed.data?.subject).toBe('New')
    const copy = await client.POST('/templates/{id}/duplicate', { params })
    expect(copy.data?.name).toBe('One (Copy)')
    expect((await client.DELETE('/templates/{id}', { params })).response.status).toBe(204)
    const gone = await client.GET('/templates/{id}', { params })
    expect(gone.data).toBeUndefined()
    expect(gone.error).toMatchObject({ error: { code: 'TEMPLATE_NOT_FOUND' } })
  })

  it('sends a key only where one was given', async () => {
    const { error, response } = await createClient({ baseUrl: server.url }).GET('/contacts')
    expect(response.status).toBe(401)
    expect(error).toMatchObject({ error: { code: 'MISSING_AUTH' } })
  })

  it('keeps the header fields of a caller, the key among them', async () => {
    const other = createClient({
      baseUrl: `${server.url}/`,
      key: 'sk_wrong',
      headers: { authorization: `Bearer ${SECRET}` },
    })
    expect((await other.GET('/keys/@me')).data?.kind).toBe('secret')
  })

  it('sends once what the example sends twice, and reads all pages', async () => {
    const first = await welcome(client, 'ada@example.org', '17')
    expect(await welcome(client, 'ada@example.org', '17')).toBe(first)
    expect((await client.GET('/emails', {})).data?.total).toBe(1)
    for (let i = 0; i < 101; i++) await test.ask('POST', '/templates', { json: { ...TEMPLATE, name: `T ${i}` } })
    expect(new Set(await templateNames(client)).size).toBe(102)
  })

  it('sends a file as a form, and reads an export as text and piece by piece', async () => {
    const file = new Blob(['email,plan\nform@example.org,pro\n'])
    const { data } = await client.POST('/contacts/import', { body: { file } })
    const params = { path: { jobId: data?.jobId ?? '' } }
    const job = async () => (await client.GET('/contacts/import/{jobId}', { params })).data
    await test.engine.start()
    await expect.poll(async () => (await job())?.state, { timeout: 10_000 }).toBe('completed')
    const text = (await client.GET('/contacts/export', { parseAs: 'text' })).data ?? ''
    expect(text).toContain('form@example.org')
    const { data: pieces } = await client.GET('/contacts/export', { parseAs: 'stream' })
    expect(await new Response(pieces).text()).toBe(text)
  })

  it('compiles only what the document allows: the compiler reads `compiled`, and says where a line is none that must not', () => {
    expect(compiled).toBeTypeOf('function')
  })

  it('is shown in the documentation as it is here', () => {
    const example = readFileSync('examples/client.ts', 'utf8')
    const shown = /\/\*\* Sends a welcome mail[\s\S]*?\n}\n/.exec(example)?.[0] ?? 'no example'
    expect(readFileSync('docs/client.md', 'utf8')).toContain(shown)
  })
})

/** Never called. */
async function compiled(client: MailwrightClient): Promise<void> {
  const params = { path: { id: '' } }
  await client.POST('/templates', {
    // @ts-expect-error a field that is none
    body: { name: 'One', subject: 'Hi', body: '<p>Hi</p>', type: 'TRANSACTIONAL', title: 'x' },
  })
  // @ts-expect-error a field that is missing
  await client.POST('/templates', { body: { name: 'One' } })
  // @ts-expect-error a type that is none
  await client.POST('/templates', { body: { ...TEMPLATE, type: 'OTHER' } })
  // @ts-expect-error a field is left out, not undefined
  await client.PATCH('/templates/{id}', { params, body: { subject: undefined } })
  // @ts-expect-error a path that is none
  await client.GET('/nothing')
  // @ts-expect-error a file is no text
  await client.POST('/contacts/import', { body: { file: 'email' } })
  await client.POST('/uploads/image', { body: { image: new File([], 'a.png') } })
  await client.POST('/workflows/{id}/steps', { params, body: { type: 'DELAY', config: { amount: 1, unit: 'days' } } })
  // @ts-expect-error the config of another type of step
  await client.POST('/workflows/{id}/steps', { params, body: { type: 'DELAY', config: { eventName: 'x' } } })
  const { data: workflow } = await client.GET('/workflows/{id}', { params })
  for (const step of workflow?.steps ?? []) {
    if (step.type === 'DELAY') step.config satisfies { amount: number; unit: string }
    // @ts-expect-error which has neither
    if (step.type === 'EXIT') step.config satisfies { amount: number }
  }
  const { data: text } = await client.GET('/contacts/export', { parseAs: 'text' })
  text satisfies string | undefined
  const { data: stream } = await client.GET('/contacts/export', { parseAs: 'stream' })
  stream satisfies ReadableStream | null | undefined
  // @ts-expect-error it is no text then
  stream satisfies string | undefined
}
