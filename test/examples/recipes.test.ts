import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { type ParsedMail, simpleParser } from 'mailparser'
import { createTransport } from 'nodemailer'
import { beforeAll, describe, expect, it } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { smtpServer } from '../../plugins/inbound-smtp/index.ts'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { LINK_SETTINGS } from '../support/contact-links.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { commandsOf, runPage } from '../support/run-page.ts'
import { freePort } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

/** Recipes for programs of others, which `test/packed/frameworks.test.ts`, `cms.test.ts` and tests of plugins run. */
const OF_FRAMEWORKS = ['next', 'auth', 'nestjs', 'cron', 'cms', 'supabase']
const RECIPES = globSync('docs/recipes/*.md')
  .map((page) => basename(page, '.md'))
  .filter((name) => !OF_FRAMEWORKS.includes(name))
  .sort()
const [NORTH_KEY, SOUTH_KEY] = [`sk_${'n'.repeat(48)}`, `sk_${'s'.repeat(48)}`]
/** Each recipe has a project, and a recipient of its own. */
const keyOf = (recipe: string) => `sk_${Buffer.from(recipe).toString('hex').padEnd(48, '0')}`

describe('the recipes', () => {
  let test: TestApp
  let server: HttpServer
  let sink: SmtpSink
  let inboundPort: number

  beforeAll(async () => {
    sink = await startSmtpSink()
    atEndOfFile(() => sink.close())
    const dns = await startDnsServer({})
    atEndOfFile(() => dns.close())
    inboundPort = await freePort()
    const inbound = smtpServer({ host: '127.0.0.1', port: inboundPort, hostname: 'mx.acme.example' })
    test = await testApp(
      QUICK,
      {},
      {
        ...{
          ...LINK_SETTINGS,
          transports: [toSink(sink)],
          inbound: [inbound],
          dns: nodeDns({ servers: [dns.address] }),
        },
        projects: [
          // what comes in goes to every project that has the domain
          ...RECIPES.map((name) => ({
            ...{ name, secretKey: keyOf(name) },
            trustedDomains: [name === 'reply-handling' ? 'acme.example' : 'example.com'],
          })),
          {
            name: 'North',
            secretKey: NORTH_KEY,
            trustedDomains: ['north.example'],
            from: 'North <hello@north.example>',
          },
          {
            name: 'South',
            secretKey: SOUTH_KEY,
            trustedDomains: ['south.example'],
            from: 'South <hello@south.example>',
          },
        ],
      },
    )
    await test.engine.start()
    server = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
    atEndOfFile(() => server.close(0))
  })

  /** The mails that the sink has got since, once there are so many. */
  async function mails(count: number): Promise<readonly ParsedMail[]> {
    const got = await sink.waitFor(count, 20)
    return Promise.all(got.map(({ raw }) => simpleParser(raw)))
  }

  /** Runs the commands of a recipe as they stand on its page. */
  async function cook(recipe: string): Promise<(method: string, path: string) => ReturnType<TestApp['ask']>> {
    sink.clear()
    const key = keyOf(recipe)
    const env = { NORTH_KEY, SOUTH_KEY }
    const { code, log } = await runPage(commandsOf(`docs/recipes/${recipe}.md`), { url: server.url, key, env })
    expect(code, log).toBe(0)
    return (method, path) => test.ask(method, path, { key })
  }

  const dishes: Readonly<Record<string, () => Promise<void>>> = {
    'welcome-series': async () => {
      await cook('welcome-series')
      const [welcome, second] = await mails(2)
      expect([welcome?.subject, second?.subject]).toEqual(['Welcome, Grace', 'Your project Compilers'])
      expect(second?.headers.has('list-unsubscribe') || second?.headers.has('list')).toBe(true)
    },
    'double-opt-in': async () => {
      const ask = await cook('double-opt-in')
      const [mail] = await mails(1)
      expect(mail?.from?.text).toBe('"Acme News" <news@example.com>')
      const link = [...(mail?.text ?? '').matchAll(/https:\/\/mail\.example\.net(\/\S+)/g)].map(([, path = '']) => path)
      expect(link[0]).toContain('/subscribe/')
      await test.ask('POST', link[0] ?? '', {
        ...{ key: null, raw: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      })
      const { body } = await ask('GET', '/contacts?search=grace@example.org')
      expect(body.data[0]).toMatchObject({ subscribed: true, data: { name: 'Grace' } })
    },
    'win-back': async () => {
      await cook('win-back')
      expect((await mails(1))[0]?.subject).toBe('Grace, we have missed you')
    },
    'password-reset': async () => {
      const ask = await cook('password-reset')
      const got = await mails(1)
      expect(got[0]?.html).toMatch(/href="https:\/\/app\.example\.com\/reset\/[0-9a-f]{32}"/)
      expect(got[0]?.html).not.toContain(LINK_SETTINGS.publicUrl)
      const { data } = (await ask('GET', '/contacts?search=grace@example.org')).body.data[0]
      expect(data).toEqual({ name: 'Grace' })
      expect((await ask('GET', '/emails')).body.total).toBe(1)
    },
    'receipt-with-pdf': async () => {
      await cook('receipt-with-pdf')
      const [mail] = await mails(1)
      expect(mail?.subject).toBe('Your order 1701')
      expect(mail?.text).toContain('2 × Lamp')
      expect(mail?.text).toContain('01.05.2026')
      expect(mail?.attachments).toMatchObject([{ filename: 'invoice-1701.pdf', contentType: 'application/pdf' }])
      expect(mail?.attachments[0]?.content.toString()).toBe('%PDF-1.4\n%%EOF\n')
    },
    'reply-handling': async () => {
      const ask = await cook('reply-handling')
      const [mail] = await mails(1)
      const inReplyTo = mail?.messageId ?? ''
      await createTransport({ host: '127.0.0.1', port: inboundPort, tls: { rejectUnauthorized: false } }).sendMail({
        ...{ from: 'grace@example.org', to: 'hello@acme.example', subject: 'Re: How do you like it?', text: 'A lot.' },
        ...{ inReplyTo, references: [inReplyTo] },
      })
      const [, note] = await mails(2)
      expect(note?.subject).toBe('Reply from Grace: Re: How do you like it?')
      expect(note?.to).toMatchObject({ text: 'support@example.org' })
      expect(note?.text).toContain('grace@example.org replied')
      const replied = async () => (await ask('GET', '/contacts?search=grace@example.org')).body.data[0].data.lastReply
      await until('the contact is marked', replied)
    },
    'several-brands': async () => {
      await cook('several-brands')
      const got = await mails(2)
      expect(got.map(({ from }) => from?.text).sort()).toEqual([
        '"North" <hello@north.example>',
        '"South" <hello@south.example>',
      ])
    },
  }

  it('are all looked at', () => {
    expect(Object.keys(dishes).sort()).toEqual(RECIPES)
  })

  it.each(RECIPES)('%s sends what it says', async (recipe) => {
    await dishes[recipe]?.()
  })
})
