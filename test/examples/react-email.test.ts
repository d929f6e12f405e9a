import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Button, Heading, Html, Text } from '@react-email/components'
import { build } from 'esbuild'
import { createElement } from 'react'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { untrusted } from '../../config/library.ts'
import { createClient, type MailwrightClient } from '../../server/client/index.ts'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { PROJECT, SECRET, type TestApp, testApp } from '../support/app.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { QUICK } from '../support/matrix.ts'
import { linkPackages } from '../support/mounted-host.ts'
import { allBlocks } from '../support/run-page.ts'

function Welcome({ code }: { readonly code: string }) {
  return createElement(
    Html,
    null,
    createElement(Heading, null, 'Hello {{ firstName | default: "you" }} & co'),
    createElement(Text, null, 'Your code is ', code, '.'),
    createElement(Button, { href: 'https://example.com/?a=1&b={{ place }}' }, 'Go on'),
  )
}

function Broken(): never {
  throw new Error('no user')
}

const MAIL = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', data: { firstName: 'Ada', place: 'x' } }
const BROKEN = createElement(Broken)
const ELEMENT = createElement(Welcome, { code: 'A-17' })

/** All that is no element, and a piece of the reason. */
const WRONG = [
  [Welcome, 'it is a component'],
  ['<p>Hi</p>', 'HTML goes into body'],
  [JSON.parse(JSON.stringify(ELEMENT)), 'JSON cannot hold one'],
  [[ELEMENT], 'it is a list'],
  [Promise.resolve(ELEMENT), 'a promise'],
  [true, 'it is a boolean'],
  [BROKEN, 'could not be rendered: no user'],
] as const

describe('a mail with a React element', () => {
  let test: TestApp
  let server: HttpServer
  let client: MailwrightClient
  beforeAll(async () => {
    test = await testApp(QUICK)
    server = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
    client = createClient({ baseUrl: server.url, key: SECRET })
  })
  afterAll(() => server.close(0))

  const project = async () => {
    const found = await test.engine.projects.list()
    return found.find(({ id }) => id === PROJECT) ?? expect.fail('no project')
  }
  const sentMail = async (id: string) => (await test.ask('GET', `/emails/${id}`)).body

  it('is rendered to HTML and text, with placeholders filled in, by the client and by the engine alike', async () => {
    const { data } = await client.POST('/v1/send', { body: { ...MAIL, react: ELEMENT } })
    const { answer } = await test.engine.sending.send(await project(), { ...MAIL, react: ELEMENT })
    const sent = [data?.data.emails[0]?.email ?? '', answer.emails[0]?.email ?? '']
    const [first, second] = await Promise.all(sent.map(sentMail))
    expect(first.body).toContain('Hello Ada &amp; co</h1>')
    expect(first.body).toMatch(/Your code is (<!-- -->)?A-17/)
    expect(first.body).toContain('href="https://example.com/?a=1&amp;b=x"')
    expect(second.body).toBe(first.body)
    expect(first.text).toBe('Hello Ada & co\n\nYour code is A-17.\n\nGo on https://example.com/?a=1&b=x')
    expect(second.text).toBe(first.text)
  })

  it('keeps a text that is given, is counted once by its key, and stands in batches', async () => {
    const once = { idempotencyKey: 'react-1' }
    const given = { ...MAIL, text: 'Short', react: ELEMENT }
    const first = await test.engine.sending.send(await project(), given, once)
    const again = await test.engine.sending.send(
      await project(),
      { ...given, react: createElement(Welcome, { code: 'A-17' }) },
      once,
    )
    expect(again).toMatchObject({ replayed: true, answer: first.answer })
    expect((await sentMail(first.answer.emails[0]?.email ?? '')).text).toBe('Short')
    const messages = [
      { ...MAIL, body: 'Plain' },
      { ...MAIL, react: ELEMENT },
    ]
    const { data } = await client.request('post', '/v1/send/batch', { body: { messages } })
    const ids = data?.data.results.map((each) => (each.success ? (each.data.emails[0]?.email ?? '') : '')) ?? []
    const { answer } = await test.engine.sending.sendBatch(await project(), { messages })
    for (const { success } of answer.results) expect(success).toBe(true)
    const [plain, drawn] = await Promise.all(ids.map(sentMail))
    expect([plain.body, drawn.body]).toEqual(['Plain', expect.stringContaining('Hello Ada')])
  })

  it.each(WRONG)('is refused when it cannot be one: %s', async (react, reason) => {
    const before = await test.counts()
    const refusal = { code: 'VALIDATION_ERROR', fields: [{ field: 'react', message: expect.stringContaining(reason) }] }
    await expect(test.engine.sending.send(await project(), untrusted({ ...MAIL, react }))).rejects.toMatchObject(
      refusal,
    )
    const untyped: { to: string; react?: never } = { ...MAIL, ...{ react } } as never
    await expect(client.POST('/v1/send', { body: untyped })).rejects.toMatchObject(refusal)
    expect(await test.counts()).toEqual(before)
  })

  it('is refused beside a body, in a batch with its place, and over HTTP without the client', async () => {
    const both = { ...MAIL, body: '<p>Hi</p>', react: ELEMENT }
    await expect(test.engine.sending.send(await project(), both)).rejects.toThrow('react: cannot stand beside body')
    const batch = { messages: [MAIL, both] }
    await expect(test.engine.sending.sendBatch(await project(), batch)).rejects.toMatchObject({
      fields: [{ field: 'messages.1.react' }],
    })
    const { status, body } = await test.ask('POST', '/v1/send', { json: { ...MAIL, react: ELEMENT } })
    expect([status, body.error.errors]).toEqual([422, [expect.objectContaining({ field: 'react' })]])
  })

  it('is sent and previewed as the documentation shows', async () => {
    const [component = '', ...programs] = allBlocks()
      .filter(({ page, language }) => page === 'docs/react-email.md' && language === 'tsx')
      .map(({ text }) => text)
    const folder = freshFolder()
    linkPackages(folder, ['react', 'react-dom', '@react-email/render', '@react-email/components'])
    writeFileSync(join(folder, 'welcome.tsx'), component)
    const shown: string[] = []
    for (const [at, text] of programs.entries()) {
      const source = join(folder, `${at}.tsx`)
      writeFileSync(source, text)
      const outfile = join(folder, `${at}.mjs`)
      const alias = { 'mailwright/client': join(process.cwd(), 'server/client/index.ts') }
      const outside = ['react', 'react-dom', '@react-email/*']
      await build({
        entryPoints: [source],
        outfile,
        bundle: true,
        format: 'esm',
        jsx: 'automatic',
        alias,
        external: outside,
      })
      const env = { ...process.env, MAILWRIGHT_URL: server.url, MAILWRIGHT_KEY: SECRET }
      shown.push((await promisify(execFile)(process.execPath, [outfile], { env })).stdout)
    }
    const sent = await sentMail(shown[0]?.trim() ?? '')
    expect(sent.text).toBe('Hello Ada\n\nYour code is A-17.\n\nStart https://example.com/start?plan=pro')
    // the contact is known by then
    expect(shown[1]).toContain('Hello Ada</h1>')
  })

  it('says which package the application lacks, and how to get it', async () => {
    const folder = freshFolder()
    mkdirSync(join(folder, 'values'))
    cpSync('core/errors.ts', join(folder, 'errors.ts'))
    cpSync('core/values/react-element.ts', join(folder, 'values/react-element.ts'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(
      join(folder, 'app.ts'),
      `import { reactRendered } from './values/react-element.ts'
      const react = { $$typeof: Symbol.for('react.transitional.element'), type: 'p', props: {}, key: null }
      console.log(await reactRendered({ body: 'x' }), await reactRendered({ react }).catch(({ message }) => message))`,
    )
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'app.ts')])
    expect(stdout).toContain(
      `{ body: 'x' } react: needs the package @react-email/render of your application: npm install`,
    )
  })
})
