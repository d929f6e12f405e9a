import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { keyScopeOf } from '../../core/projects/roles.ts'
import { ROUTES } from '../../server/app.ts'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { areaOf, type KeyRoute } from '../../server/http/route.ts'
import { MAX_CHARACTERS, resultOf } from '../../server/mcp/answer.ts'
import { NEVER_OFFERED, READING_POSTS, toolsFor } from '../../server/mcp/tools.ts'
import { openApiDocument } from '../../server/openapi/document.ts'
import { readCommand } from '../../server/process/command-line.ts'
import { MAIL, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { ANY } from '../support/matrix.ts'
import { COMPILE_CACHE, freePort, MAIN } from '../support/server-process.ts'

let test: TestApp
let http: HttpServer
let url: string
let projectId: string

beforeAll(async () => {
  test = await testApp(ANY)
  http = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
  url = http.url
  projectId = (await test.ask('GET', '/keys/@me')).body.projectId
})

afterAll(() => http.close(0))

/** A key of the test's project with these scopes. */
async function keyWith(scopes: readonly string[]): Promise<string> {
  const json = { name: scopes.join(), kind: 'secret', scopes }
  return (await test.ask('POST', `/projects/${projectId}/keys`, { json })).body.key
}

/** The program as a client of models starts it. */
async function started(key: string, args: readonly string[] = []): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    env: { MAILWRIGHT_URL: url, MAILWRIGHT_API_KEY: key, ...COMPILE_CACHE },
    stderr: 'ignore',
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

/** The text of a tool's answer, its parts one behind the other. */
async function called(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: given })
  const parts = (content as readonly { readonly text: string }[]).map((part) => part.text)
  const text = parts.filter((part) => !part.startsWith('[The answer above has words')).join('\n')
  return { isError: isError === true, text }
}

/** The operations that keys with this scope may call by the route table, but for secrets, files and pages. */
function allowedTo(scope: string): string[] {
  const keyed = ROUTES.filter((route): route is KeyRoute => route.access === 'secret' || route.access === 'public')
  return keyed
    .filter((route) => {
      const area = areaOf(route)
      const needed = area === 'any' ? area : keyScopeOf(area)
      return needed === 'any' || needed === scope || (scope === 'full' && needed !== undefined)
    })
    .filter(({ operation, body }) => body !== 'multipart' && !NEVER_OFFERED.includes(operation))
    .map(({ operation }) => operation)
    .toSorted()
}

describe('mailwright mcp', () => {
  it('offers each key the tools that the route table opens to its scope, and those of a read key change nothing', async () => {
    const offered = async (key: string, args: readonly string[]) => (await (await started(key, args)).listTools()).tools
    const read = await keyWith(['read'])
    const [full, readers, senders, trackers, everyday, careful] = await Promise.all([
      offered(SECRET, ['--only', 'all']),
      offered(read, ['--only', 'all']),
      offered(await keyWith(['send']), ['--only', 'all']),
      offered(await keyWith(['track']), ['--only', 'all']),
      offered(read, []),
      offered(SECRET, ['--only', 'campaigns, getContact', '--read-only']),
    ])
    const names = (tools: typeof full) => tools.map(({ name }) => name).toSorted()
    expect(names(full)).toEqual(allowedTo('full'))
    expect(names(readers)).toEqual(allowedTo('read'))
    expect(names(senders)).toEqual(allowedTo('send'))
    expect(names(trackers)).toEqual(allowedTo('track'))
    expect(readers.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([])
    expect(names(everyday)).toContain('listEmails')
    expect(names(everyday)).not.toContain('listWorkflows')
    expect(names(careful)).toContain('previewCampaign')
    expect(
      names(careful).filter((name) => !/Campaign|getContact|LeftOut|Recipients|SeedTests|Variant/.test(name)),
    ).toEqual([])
    expect(names(careful)).not.toContain('sendCampaign')
    const hints = Object.fromEntries(full.map(({ name, annotations }) => [name, annotations]))
    expect(hints.createCampaign).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: false })
    expect(hints.sendMail).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    expect(hints.deleteContact).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true })
  }, 60_000)

  it('calls the API with path, query, body and idempotency key, and hands on its errors', async () => {
    const client = await started(SECRET, ['--only', 'all'])
    const { instructions = '' } = { instructions: client.getInstructions() }
    expect(instructions).toContain(projectId)
    const sent = { body: MAIL, 'Idempotency-Key': 'mcp-1' }
    const [first, again] = [await called(client, 'sendMail', sent), await called(client, 'sendMail', sent)]
    expect(JSON.parse(again.text)).toEqual(JSON.parse(first.text))
    expect((await test.counts()).emails).toBe(1)
    const listed = await called(client, 'listEmails', { limit: 1, search: 'to:ada@example.org' })
    expect(JSON.parse(listed.text).data ?? JSON.parse(listed.text)).toBeDefined()
    const { id } = JSON.parse((await called(client, 'upsertContact', { body: { email: 'grace@example.org' } })).text)
    expect(JSON.parse((await called(client, 'getContact', { id })).text)).toMatchObject({ email: 'grace@example.org' })
    expect(await called(client, 'deleteContact', { id })).toEqual({
      isError: false,
      text: '204: done, there is no body',
    })

    const wrong = await called(client, 'upsertContact', { body: { email: 'nobody' } })
    expect(wrong).toMatchObject({ isError: true, text: expect.stringMatching(/^422: .*"field":"email"/) })
    expect(await called(client, 'listEmails', { limit: 0 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('"field":"limit"'),
    })
    // each of these would ask another endpoint, or lose what was meant
    for (const bad of ['', '.', '..', '\ud800'])
      expect(await called(client, 'getContact', { id: bad })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^id: must/),
      })
    expect(await called(client, 'getContact', { id: '../campaigns' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('404'),
    })
    expect(await called(client, 'getContact', {})).toEqual({ isError: true, text: 'id: is missing' })
    expect((await called(client, 'upsertContact', { email: 'a@example.org', body: {} })).text).toMatch(
      /^email: .*body$/,
    )
    expect((await called(client, 'sendMail', { body: MAIL, 'Idempotency-Key': 'a\r\nx: y' })).text).toMatch(
      /^Idempotency-Key: must/,
    )
    for (const name of ['createApiKey', 'getMe', 'toString'])
      expect(await called(client, name)).toMatchObject({ isError: true, text: expect.stringContaining('no tool') })
  }, 60_000)

  it('says in one line on stderr why it cannot serve, with the exit code of the reason', async () => {
    const other = await otherServer()
    const run = async (env: Record<string, string>, args: readonly string[] = []) => {
      const child = spawn(process.execPath, [MAIN, 'mcp', ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...COMPILE_CACHE, ...env },
      })
      const [stdout, stderr, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ])
      expect(stdout).toBe('')
      expect(stderr.split('\n')).toHaveLength(2)
      return `${status} ${stderr.trim()}`
    }
    const MAILWRIGHT_API_KEY = SECRET
    expect(await run({ MAILWRIGHT_API_KEY })).toMatch(/^78 .*--url/)
    expect(await run({ MAILWRIGHT_URL: url })).toMatch(/^78 .*MAILWRIGHT_API_KEY/)
    expect(await run({ MAILWRIGHT_API_KEY }, ['--url', 'ftp://a.example'])).toMatch(/^64 .*--url/)
    expect(await run({ MAILWRIGHT_API_KEY }, ['--url', `http://127.0.0.1:${await freePort()}`])).toMatch(
      /^69 .*ECONNREFUSED/,
    )
    expect(await run({ MAILWRIGHT_API_KEY, MAILWRIGHT_URL: other.url })).toMatch(/^78 .*is not the API/)
    expect(await run({ MAILWRIGHT_API_KEY, MAILWRIGHT_URL: `${other.url}/moved` })).toMatch(/^78 .*leads to/)
    expect(await run({ MAILWRIGHT_API_KEY, MAILWRIGHT_URL: `${other.url}/broken` })).toMatch(/^69 .*503/)
    expect(other.keys()).toEqual([])
    expect(await run({ MAILWRIGHT_API_KEY: PUBLIC, MAILWRIGHT_URL: url })).toMatch(/^77 .*refuses/)
    expect(await run({ MAILWRIGHT_API_KEY: `${SECRET}x`, MAILWRIGHT_URL: url })).toMatch(/^77 .*refuses/)
    expect(await run({ MAILWRIGHT_API_KEY, MAILWRIGHT_URL: url }, ['--only', 'campaing'])).toMatch(/^64 .*campaigns\?/)
    // the client has gone at once
    expect(await run({ MAILWRIGHT_API_KEY, MAILWRIGHT_URL: url })).toMatch(/^0 mailwright mcp: \d+ tools/)
  }, 60_000)
})

describe('an answer for a model', () => {
  const tools = new Map(toolsFor(openApiDocument(ROUTES), ['full']).map((tool) => [tool.name, tool]))
  const cutOf = (name: string, text: string) => {
    const tool = tools.get(name)
    if (!tool) throw new Error(`no tool ${name}`)
    return resultOf(tool, { status: 200, text, isCut: false }).content.map((part) =>
      part.type === 'text' ? part.text : '',
    )
  }

  it('is whole up to the bound, and beyond it says how to have the rest', () => {
    const others = expect.stringMatching(/^\[The answer above .* written by others/)
    expect(cutOf('listEmails', 'x'.repeat(MAX_CHARACTERS))).toEqual(['x'.repeat(MAX_CHARACTERS), others])
    expect(cutOf('listTopics', 'x')).toEqual(['x'])
    const list = JSON.stringify({ data: Array.from({ length: 100 }, () => 'y'.repeat(1000)), cursor: 'next' })
    const [shown, note] = cutOf('listEmails', list)
    expect(shown).toHaveLength(MAX_CHARACTERS)
    expect(note).toMatch(/first 50000 of \d+ characters\. Call again with a limit of 37, and page on with cursor/)
    expect(cutOf('downloadEmail', 'z'.repeat(MAX_CHARACTERS + 1))[1]).toContain('cannot be had')
  })

  it('never needs a tool that is gone: the names of what is left out and of what only reads are operations', () => {
    const names = ROUTES.map(({ operation }) => operation)
    expect([...NEVER_OFFERED, ...READING_POSTS].filter((name) => !names.includes(name))).toEqual([])
  })

  it('comes from tools whose schemas stand for themselves', () => {
    const refs = [...tools.values()].flatMap(({ name, inputSchema }) =>
      [...JSON.stringify(inputSchema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)].map(([, to = '']) => ({
        name,
        known: Object.hasOwn((inputSchema.$defs ?? {}) as object, to),
      })),
    )
    expect(refs.length).toBeGreaterThan(5)
    expect(refs.filter(({ known }) => !known)).toEqual([])
    expect(JSON.stringify([...tools.values()])).not.toContain('#/components/')
  })
})

it('mailwright mcp takes no key as an argument, and no options of other commands', () => {
  for (const args of [['--key', 'sk_x'], ['--port', '1'], ['--only', 'a,,b'], ['more']])
    expect(readCommand(['mcp', ...args])).toMatchObject({ kind: 'misused' })
  expect(readCommand(['--url', 'http://a.example'])).toMatchObject({ kind: 'misused' })
})

/** A web server that is no Mailwright, and the keys it was sent. */
async function otherServer() {
  const keys: string[] = []
  const server: Server = createServer((request, response) => {
    if (request.headers.authorization) keys.push(request.headers.authorization)
    if (request.url?.startsWith('/moved')) response.writeHead(301, { location: 'https://elsewhere.example/' })
    if (request.url?.startsWith('/broken')) response.writeHead(503)
    response.end('<p>Hello</p>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it does not listen')
  return { url: `http://127.0.0.1:${address.port}`, keys: () => keys }
}
