import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { MAIL, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { ANY } from '../support/matrix.ts'

let test: TestApp
let http: HttpServer
let projectId: string

beforeAll(async () => {
  test = await testApp(ANY)
  http = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
  projectId = (await test.ask('GET', '/keys/@me')).body.projectId
})

afterAll(() => http.close(0))

async function keyWith(more: object): Promise<string> {
  const json = { name: 'Agent', kind: 'secret', ...more }
  return (await test.ask('POST', `/projects/${projectId}/keys`, { json })).body.key
}

/** The official client, as programs of models connect it. */
async function connected(key: string, query = ''): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${http.url}/mcp${query}`), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

async function called(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: given })
  const [{ text }] = content as readonly [{ readonly text: string }]
  return { isError: isError === true, text }
}

const named = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

/** A message as it is, for those that the client would not send. */
async function posted(body: unknown, headers: Record<string, string> = {}, query = '') {
  const answer = await fetch(`${http.url}/mcp${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
}

const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' }

describe('MCP over HTTP', () => {
  it('offers what the key allows, as the address narrows it, and calls the API once for each idempotency key', async () => {
    const client = await connected(SECRET, '?only=all')
    expect(client.getServerVersion()?.name).toBe('mailwright')
    expect(client.getInstructions()).toContain(projectId)
    await client.ping()
    expect(await named(client)).toEqual(expect.arrayContaining(['sendMail', 'createWebhook']))
    expect(await named(client)).not.toContain('createApiKey')
    // which answers with a file
    expect(await named(client)).not.toContain('exportContacts')
    const before = (await test.counts()).emails
    const mail = { body: MAIL, 'Idempotency-Key': 'mcp-http-1' }
    const [first, again] = [await called(client, 'sendMail', mail), await called(client, 'sendMail', mail)]
    expect(first.isError).toBe(false)
    expect(JSON.parse(again.text)).toEqual(JSON.parse(first.text))
    expect((await test.counts()).emails).toBe(before + 1)
    const topic = { body: { name: 'News', slug: 'mcp-news' }, 'Idempotency-Key': 'mcp-http-2' }
    const [made, repeated] = [await called(client, 'createTopic', topic), await called(client, 'createTopic', topic)]
    expect(made.isError).toBe(false)
    expect(repeated).toEqual(made)
    const other = { body: { name: 'Other', slug: 'mcp-other' }, 'Idempotency-Key': 'mcp-http-2' }
    expect(await called(client, 'createTopic', other)).toMatchObject({ isError: true })
    const { id } = JSON.parse((await called(client, 'upsertContact', { body: { email: 'mcp@example.org' } })).text)
    expect(JSON.parse((await called(client, 'getContact', { id })).text)).toMatchObject({ email: 'mcp@example.org' })
    expect(JSON.parse((await called(client, 'listContacts', { limit: 1 })).text).data).toHaveLength(1)
    expect(await called(client, 'deleteContact', { id })).toEqual({
      isError: false,
      text: '204: done, there is no body',
    })

    const narrow = await connected(SECRET, '?only=campaigns,getContact&readOnly=true')
    expect(await named(narrow)).toContain('previewCampaign')
    expect((await named(narrow)).filter((name) => /^(send|create|delete|listContacts)/.test(name))).toEqual([])
    const reader = await connected(await keyWith({ scopes: ['read'] }))
    expect(await named(reader)).toContain('listEmails')
    expect(await called(reader, 'sendMail', { body: MAIL })).toMatchObject({ isError: true })
  })

  it('gives a key for inboxes their tools, and nothing of other inboxes', async () => {
    const make = async (address: string) =>
      (await test.ask('POST', '/inboxes', { json: { name: address, address: `${address}@example.com` } })).body.id
    const [own, other] = [await make('own'), await make('other')]
    const inbox = { inboxIds: [own], rights: ['read', 'draft', 'send'], approval: 'always' }
    const client = await connected(await keyWith({ scopes: ['inbox'], inbox }))
    const tools = await named(client)
    expect(tools).toEqual(expect.arrayContaining(['listInboxes', 'listThreads', 'createDraft', 'sendDraft']))
    expect(tools.filter((name) => /Contact|Campaign|sendMail|approve|deleteInbox|createInbox/.test(name))).toEqual([])
    expect(JSON.parse((await called(client, 'listInboxes')).text).data).toMatchObject([{ id: own }])
    expect(await called(client, 'getInbox', { id: other })).toMatchObject({ isError: true })
    const body = { to: ['ada@example.org'], subject: 'Hi', body: '<p>Hi</p>' }
    const draft = JSON.parse((await called(client, 'createDraft', { id: own, body })).text)
    const sent = await called(client, 'sendDraft', { id: draft.id, body: {} })
    expect(JSON.parse(sent.text)).toMatchObject({ status: 'waiting' })
    const events = JSON.parse((await called(client, 'listInboxEvents', { id: own, after: 0, wait: 20 })).text)
    expect(events.data).toMatchObject([{ type: 'inbox.draft.waiting', data: { draftId: draft.id } }])
  })

  it('tells the model what is wrong with a call, and the client what is wrong with a message', async () => {
    const client = await connected(SECRET)
    const wrong = await called(client, 'sendMail', { body: { ...MAIL, to: 'nowhere' } })
    expect(wrong.isError).toBe(true)
    expect(wrong.text).toMatch(/^422: .*"field":"to/)
    const cases = [
      ['getContact', {}, 'id: is missing'],
      ['getContact', { id: '..' }, 'id: must not be empty'],
      ['getContact', { id: 'x', page: 2 }, 'page: getContact has no such argument'],
      ['getContact', { id: '01900000-0000-7000-8000-00000000ffff' }, '404'],
      ['listContacts', { limit: 'many' }, 'limit'],
      ['noSuchTool', {}, 'There is no tool noSuchTool'],
    ] as const
    for (const [name, given, words] of cases) {
      const answer = await called(client, name, given)
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(words) })
    }
    expect(await posted(LIST, { authorization: `Bearer ${SECRET}x` })).toMatchObject({ status: 401 })
    expect((await posted(LIST, { authorization: '' })).headers.get('www-authenticate')).toMatch(
      /^Bearer resource_metadata=/,
    )
    expect(await posted(LIST, { authorization: `Bearer ${PUBLIC}` })).toMatchObject({ status: 403 })
    expect(await posted('{')).toMatchObject({ status: 400, body: { error: { code: -32600 } } })
    expect(await posted([LIST])).toMatchObject({ status: 400, body: { id: null, error: { code: -32600 } } })
    expect(await posted({ id: 1 })).toMatchObject({ status: 400, body: { error: { code: -32600 } } })
    expect(await posted(LIST, { 'mcp-protocol-version': '1999-01-01' })).toMatchObject({ status: 400 })
    expect(await posted(LIST, { origin: 'https://evil.example' })).toMatchObject({ status: 400 })
    expect(await posted(LIST, { origin: new URL(http.url).origin })).toMatchObject({ status: 200, body: { id: 7 } })
    expect(await posted({ ...LIST, method: 'resources/list' })).toMatchObject({ body: { error: { code: -32601 } } })
    expect(await posted({ ...LIST, method: 'tools/call' })).toMatchObject({ body: { error: { code: -32602 } } })
    expect(await posted(LIST, {}, '?only=campaing')).toMatchObject({
      body: { error: { message: expect.stringContaining('did you mean campaigns?') } },
    })
    expect(await posted(LIST, {}, '?onyl=campaigns')).toMatchObject({ body: { error: { code: -32602 } } })
    expect(await posted(LIST, {}, '?readOnly=yes')).toMatchObject({ body: { error: { code: -32602 } } })
    expect(await posted({ jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({ status: 202 })
    expect(await posted({ jsonrpc: '2.0', id: 1, result: {} })).toMatchObject({ status: 202, body: undefined })
    expect(await posted({ ...LIST, params: { much: 'x'.repeat(5 * 1024 * 1024) } })).toMatchObject({ status: 413 })
    const get = await fetch(`${http.url}/mcp`, { headers: { authorization: `Bearer ${SECRET}` } })
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })
})
