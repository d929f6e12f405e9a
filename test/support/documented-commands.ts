import { copyFileSync, createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { createEngine, silentLog } from '../../config/library.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { anewOnRetry } from './anew-on-retry.ts'
import { unlike } from './as-shown.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { atEndOfFile } from './end-of-file.ts'
import { freshDatabase } from './fresh-database.ts'
import { dataBlocks } from './page-json.ts'
import { dmarcXml } from './reports.ts'
import { allBlocks, type PageSetting, runPage } from './run-page.ts'
import { freePort, type ServerProcess, startServerProcess } from './server-process.ts'
import { startSmtpSink } from './smtp-sink.ts'
import { until } from './until.ts'

// Every block of commands of every page, in order, against one server of the compiled product. The recipes, which also have
// their results looked at, are in test/examples/recipes.test.ts.

/** Blocks that do not run here, by their first line, and why. A block that is neither here nor runs fails the test. */
const NOT_HERE: Readonly<Record<string, string>> = {
  'README.md: npm ci && npm start': 'installs: test/packed/installing.test.ts',
  'docs/CONTRIBUTING.md: npm ci && npm start': 'installs: test/packed/installing.test.ts',
  'docs/dashboard.md: npm ci && npm start': 'installs: test/packed/installing.test.ts',
  'docs/production.md: npm ci && npm run build': 'installs: test/packed/installing.test.ts runs the block',
  'docs/production.md: npm ci && npm pack': 'installs: test/packed/installing.test.ts runs the block',
  'docs/plugins.md: npx mailwright plugin new': 'installs: test/packed/plugin-new.test.ts runs the block',
  'docs/cli.md: npx mailwright [COMMAND]': 'a synopsis, with Docker in it',
  'docs/coming-from-listmonk.md: A=api_user:token': 'asks a server of listmonk',
  'docs/coming-from-plunk.md: export PLUNK_KEY': 'asks Plunk: test/programs/bring-over.test.ts has one',
  'docs/coming-from-resend.md: export RESEND_API_KEY': 'asks Resend: test/programs/bring-over.test.ts has one',
  'docs/mcp.md: claude mcp add': 'a program of others',
  'docs/react-email.md: npm install': 'installs packages of others, which test/examples/react-email.test.ts has',
  'docs/scaling.md: createdb mailwright': 'needs the client of PostgreSQL: test/programs/copy.test.ts',
  'docs/submission.md: swaks': 'needs swaks and a certificate: test/plugins/submission-smtp.test.ts',
}

const DATA = dataBlocks()
const isElsewhere = (name: string) => Object.keys(NOT_HERE).find((start) => name.startsWith(start))
const BLOCKS = allBlocks().filter(({ page, language }) => language === 'sh' && !page.startsWith('docs/recipes/'))
const TRIED = BLOCKS.filter(({ name }) => !isElsewhere(name))
/** Pages with commands that start the product. A process takes half a second of a processor, a request a few milliseconds. */
const STARTING = new Set(TRIED.filter(({ text }) => /\bmailwright \w|^npm start/m.test(text)).map(({ page }) => page))
const ALL_PAGES = [...new Set(TRIED.map(({ page }) => page))]
const keyOf = (page: string) => `sk_${Buffer.from(page).toString('hex').slice(-32).padStart(48, '0')}`
type Setting = Omit<PageSetting, 'url' | 'key'>
const [PUBLIC_URL, MX] = ['http://mail.operator.example', 'mx.operator.example']
const ANOTHER = 'another project'
const OPERATOR = 'the-key-of-the-operator'
const PASSWORD = 'a password of some length'

/** A database in the folder's `data` with a project and nothing else, for commands that use it without a server. */
async function ownDatabase(folder: string): Promise<void> {
  const engine = await createEngine({
    store: sqlite({ file: join(folder, 'data/mailwright.db') }),
    projects: [{ name: 'Acme', trustedDomains: ['acme.example'] }],
    log: silentLog,
  })
  await engine.stop()
}

const LISTMONK = 'uuid,email,name,attributes,status,created_at,updated_at\n'
const subscriber = (name: string) => `,${name}@listmonk.example,${name},{},enabled,2024-01-01,2024-01-01\n`
const MAILCHIMP =
  'Interests,Products,TAGS,CC,TIMEZONE,MEMBER_RATING,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,LAST_CHANGED,LEID,EUID,NOTES'

/** Names that pages use for what a reader has of their own: the server, its key, files. */
const PLACEHOLDERS = [
  ...[/http:\/\/(?:127\.0\.0\.1|localhost):3000/g, /https:\/\/mail\.example\.com/g],
  /(?<=MAILWRIGHT_URL=)https:\/\/mail\.acme\.example/g,
]

/** Tries the pages whose commands start the product, or those that only ask a server. */
export function tryPages(which: 'starting' | 'asking'): void {
  const pages = ALL_PAGES.filter((page) => STARTING.has(page) === (which === 'starting'))
  describe(`the commands of the documentation, ${which}`, () => tryEach(pages))
}

function tryEach(pages: readonly string[]): void {
  let server: ServerProcess
  let names: DnsServer
  let another: string
  const begin = async () => {
    names = await startDnsServer({ [MX]: { A: ['127.0.0.1'], MX: [{ exchange: MX, priority: 5 }] } })
    const sink = await startSmtpSink({
      checked: false, // the address of this server is http, which a link of one click must not be
      judge: ({ to: [to = ''] }) =>
        to.endsWith('@gmail.com') ? { code: 550, message: '5.7.26 This mail is unauthenticated' } : undefined,
    })
    atEndOfFile(() => sink.close())
    another = await freshDatabase()
    const folder = mkdtempSync(join(tmpdir(), 'mailwright-pages-'))
    atEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
    const config = {
      secret: 'a secret of sixteen characters and more',
      accounts: { signup: true, projects: true, passwordCost: 10 },
      dns: { servers: [names.address], options: { timeoutMs: 200, tries: 1, cacheEntries: 0 } },
      operator: { key: OPERATOR },
      transports: ['main', 'bulk'].map((name) => ({
        ...{ name, use: 'smtp' },
        options: { host: '127.0.0.1', port: sink.port, tls: { rejectUnauthorized: false } },
      })),
      delivery: { mayName: { bulk: true } },
      inbound: [{ use: 'smtp-server', options: { host: '127.0.0.1', port: await freePort(), hostname: MX } }],
      limits: { requestsPerMinute: 1_000_000 },
      reputation: { bounceRate: { stop: false } },
      log: { level: 'warn' },
      projects: [...pages, ANOTHER].map((name) => ({ name, secretKey: keyOf(name), trustedDomains: ['example.com'] })),
    }
    server = await startServerProcess(folder, config, [], { publicUrl: PUBLIC_URL })
  }
  const end = async () => {
    await server?.kill()
    await names?.close()
  }
  anewOnRetry(begin, end)

  /** The settings that a page takes for granted, or says that a reader makes. */
  const settings: Readonly<Record<string, () => Setting | Promise<Setting>>> = {
    'README.md': () => ({ env: { SMTP_PASS: 'a', OPERATOR_KEY: '' } }),
    'docs/accounts.md': () => ({ env: { PASSWORD }, before: ownDatabase }),
    'docs/analytics.md': () => ({ before: ownDatabase }),
    'docs/audit.md': () => ({
      before: async () => {
        const template = { name: 'A', subject: 'A', body: 'A', type: 'MARKETING' }
        const { id } = await ask('docs/audit.md', 'POST', '/templates', template)
        await ask('docs/audit.md', 'DELETE', `/templates/${id}`)
      },
    }),
    'docs/cli.md': () => ({
      env: { PASSWORD, MAILWRIGHT_URL: server.url, MAILWRIGHT_API_KEY: keyOf('docs/cli.md') },
      before: async (folder) => {
        await ownDatabase(folder)
        writeFileSync(join(folder, 'report.html'), '<p>All is well</p>')
      },
    }),
    'docs/coming-from-listmonk.md': () => ({
      before: (folder) => {
        for (const [file, who] of Object.entries({ everybody: 'ada', weekly: 'ada', 'weekly-left': 'bob' }))
          writeFileSync(join(folder, `${file}.csv`), LISTMONK + subscriber(who))
      },
    }),
    'docs/coming-from-mailchimp.md': () => ({
      before: (folder) => {
        for (const [file, mark] of Object.entries({
          subscribed: 'A',
          unsubscribed: 'UNSUB_TIME',
          cleaned: 'CLEAN_TIME',
        }))
          writeFileSync(
            join(folder, `${file}.csv`),
            `Email Address,${mark},${MAILCHIMP}\n${file}@mc.example,2024-01-01 00:00:00,News,,,de,Europe/Berlin,2,52.5,13.4,1,2,,,,\n`,
          )
      },
    }),
    'docs/coming-from.md': () => ({
      before: async (folder) => {
        const zip = new ZipFile()
        zip.addBuffer(
          Buffer.from('Email Address,Interests,OPTIN_TIME\nada@mc.example,News,2024-01-01\n'),
          'subscribed_a.csv',
        )
        zip.end()
        await pipeline(zip.outputStream, createWriteStream(join(folder, 'audience.zip')))
        writeFileSync(join(folder, 'contacts.csv'), 'Email,Status,EMAIL_BLACKLISTED\nada@b.example,active,No\n')
        writeFileSync(join(folder, 'unsubscribed.csv'), 'Name,Email\nBob,bob@b.example\n')
        writeFileSync(join(folder, 'subscribers.csv'), 'Email,Status,Groups\neve@b.example,Active,News\n')
      },
    }),
    'docs/configuration.md': () => ({ before: (folder) => writeFileSync(join(folder, 'mailwright.yaml'), '{}') }),
    'docs/deliverability.md': () => ({
      before: async () => {
        const page = 'docs/deliverability.md'
        const mail = { to: 'ada@gmail.com', from: 'a@example.com', subject: 'A', body: 'A' }
        await ask(page, 'POST', '/v1/send', mail)
        const figures = () => ask(page, 'GET', '/deliverability?by=recipientDomain')
        await until('it is refused', async () => (await figures())[0]?.lastRefusals.length > 0)
      },
    }),
    'docs/domains.md': () => ({
      after: async (_, block) => {
        if (block === 0) await publish('docs/domains.md')
      },
    }),
    'docs/feedback.md': async () => ({ env: { ID: await brakedCampaign('docs/feedback.md') } }),
    'docs/leaving.md': () => ({
      before: async (folder) => {
        await ownDatabase(folder)
        writeFileSync(join(folder, 'other.yaml'), 'store: { use: sqlite, options: { file: ./other.db } }')
      },
    }),
    'docs/mcp.md': () => ({ env: { MAILWRIGHT_URL: server.url, MAILWRIGHT_API_KEY: keyOf('docs/mcp.md') } }),
    'docs/pages.md': () => ({
      before: (folder) =>
        writeFileSync(
          join(folder, 'suppressed.csv'),
          allBlocks().find(({ page, language }) => page === 'docs/pages.md' && language === 'csv')?.text ?? '',
        ),
    }),
    'docs/production.md': () => ({ before: ownDatabase }),
    'docs/reports.md': async () => {
      const domain = 'reports.example'
      const { id } = await ask('docs/reports.md', 'POST', '/domains', { domain })
      const report = gzipSync(dmarcXml().replaceAll('acme.example', domain))
      const snds = '192.0.2.25,4/29/2026 8:00 AM,4/29/2026 9:00 PM,120,120,118,GREEN,< 0.1%,,,0,,,\n'
      const files = { 'report.xml.gz': report, 'snds.csv': snds }
      const before = (folder: string) => {
        for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes)
      }
      return { env: { ID: id }, before }
    },
    'docs/routing.md': () => ({ env: { OPERATOR_KEY: OPERATOR } }),
    'docs/scaling.md': () => ({ env: { DATABASE_URL: another, PUBLIC_URL: 'https://mail.acme.example' } }),
    'docs/uploads.md': () => ({
      env: { SECRET_KEY: keyOf('docs/uploads.md') },
      before: (folder) => copyFileSync('test/samples/images/still.png', join(folder, 'logo.png')),
    }),
  }

  async function ask(page: string, method: string, path: string, json?: object) {
    const headers = { authorization: `Bearer ${keyOf(page)}`, 'content-type': 'application/json' }
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const answer = await fetch(server.url + path, { method, headers, ...body })
    const text = await answer.text()
    expect(answer.ok, text).toBe(true)
    return text === '' ? undefined : JSON.parse(text)
  }

  /** A campaign that the brake has stopped: the next hop refuses everybody. */
  async function brakedCampaign(page: string): Promise<string> {
    const contacts = Array.from({ length: 25 }, (_, i) => ({ email: `p${i}@gmail.com` }))
    for (const contact of contacts) await ask(page, 'POST', '/contacts', contact)
    const campaign = { name: 'A', subject: 'A', body: 'A', from: 'a@example.com', audienceType: 'ALL' }
    const { id } = (await ask(page, 'POST', '/campaigns', campaign)).data
    await ask(page, 'POST', `/campaigns/${id}/send`)
    await until('it is braked', async () => (await ask(page, 'GET', `/campaigns/${id}`)).status === 'PAUSED')
    return id
  }

  /** Publishes the records that are asked for, as the page says. */
  async function publish(page: string): Promise<void> {
    const { projectId } = await ask(page, 'GET', '/keys/@me')
    const [{ records }] = await ask(page, 'GET', `/domains/project/${projectId}`)
    for (const { name, type, value } of records) names.set(name, type, [value])
  }

  it('are all looked at, and those that are not are there', () => {
    expect(Object.keys(NOT_HERE).filter((start) => !BLOCKS.some(({ name }) => name.startsWith(start)))).toEqual([])
    expect(allBlocks().filter(({ language }) => ['bash', 'console', 'shell'].includes(language))).toEqual([])
  })

  it.each(pages)('on %s do what the page says', async (page) => {
    const [url, key] = [server.url, keyOf(page)]
    const filled = TRIED.filter((block) => block.page === page).map(({ text }) =>
      PLACEHOLDERS.reduce((all, host) => all.replaceAll(host, url), text.replaceAll(/(?<=Origin: )[^']+/g, PUBLIC_URL))
        .replaceAll(/(?<=@me\/projects.*)sk_…/g, keyOf(ANOTHER))
        .replaceAll('sk_…', key)
        .replaceAll('"password":"…"', `"password":"${PASSWORD}"`)
        .replaceAll('=…', '=some-text')
        .replaceAll(/\/(?:backup|etc)\//g, './')
        .replaceAll(/--port \d+/g, '--port 0'),
    )
    const shown = DATA.filter((block) => block.page === page && block.kind === 'answer')
    const { code, printed, log } = await runPage(filled, { url, key, ...(await settings[page]?.()) })
    expect(code, log).toBe(0)
    expect(printed).toHaveLength(filled.length)
    for (const { name, value, after } of shown)
      expect(unlike(value, JSON.parse(printed[after] ?? '')), name).toEqual([])
    // the page says that each of its filters finds its one contact
    if (page === 'docs/filters.md') expect(printed.join('').match(/"count":\d+/g)).toEqual(Array(22).fill('"count":1'))
  })
}
