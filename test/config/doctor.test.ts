import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { accountMailProblem } from '../../config/account-mail.ts'
import { atClock } from '../../config/doctor/clock.ts'
import { examine } from '../../config/doctor/examine.ts'
import type { Finding } from '../../config/doctor/finding.ts'
import { createEngine, silentLog } from '../../config/library.ts'
import { loadConfig } from '../../config/load.ts'
import { installationSettings } from '../../config/mail-server.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { migrations as MIGRATIONS } from '../../plugins/store-sqlite/migrations/all.ts'
import { readCommand } from '../../server/process/command-line.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { freePort } from '../support/server-process.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'

const DMARC = 'v=DMARC1; p=reject'

it('the doctor tells of each part whether it is in order, says what to do, and makes no database', async () => {
  const folder = freshFolder()
  const [path, file] = [join(folder, 'mail.json'), join(folder, 'mail.db')]
  const dns = await startDnsServer()
  onTestFinished(() => dns.close())
  dns.set('good.example', 'TXT', ['v=spf1 -all'])
  dns.set('_dmarc.good.example', 'TXT', [DMARC])
  dns.set('twice.example', 'TXT', ['v=spf1 -all', 'v=spf1 a -all'])
  dns.set('_dmarc.twice.example', 'TXT', [DMARC])
  for (const [host, number] of [
    ['mail.good.example', 7],
    ['mail.twice.example', 8],
  ] as const) {
    dns.set(host, 'A', [`192.0.2.${number}`])
    dns.set(`${number}.2.0.192.in-addr.arpa`, 'PTR', ['mail.good.example'])
  }
  dns.fail('silent.example', 'SERVFAIL')
  dns.set('2.0.0.127.list.example', 'A', ['127.0.0.2'])
  dns.set('8.100.51.198.list.example', 'A', ['127.0.0.2'])
  const sink = await startSmtpSink({ auth: { user: 'mail', pass: 's3cret-word' } })
  onTestFinished(() => sink.close())
  const provider = createServer((_request, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void provider.close())
  const body = { from: '{{ from.text }}', to: '{{ to.text }}', subject: '{{ subject }}', text: '{{ text }}' }
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/mail`
  const to = (pass: string, port = sink.port) => ({
    use: 'smtp',
    options: { host: '127.0.0.1', port, auth: { user: 'mail', pass }, tls: { rejectUnauthorized: false } },
  })
  const config = {
    server: { port: await freePort() },
    store: { use: 'sqlite', options: { file } },
    dns: { use: 'node', options: { servers: [dns.address], tries: 1 } },
    projects: [{ name: 'Acme', trustedDomains: ['good.example', 'twice.example', 'none.example', 'silent.example'] }],
    transports: [
      { name: 'right', ...to('s3cret-word') },
      { name: 'wrong', ...to('wrong') },
      { name: 'closed', ...to('s3cret-word', 1) },
      { name: 'provider', use: 'http', options: { url, body } },
      { name: 'direct', use: 'direct', options: { name: 'mail.good.example' } },
      { name: 'misnamed', use: 'direct', options: { name: 'mail.twice.example' } },
      { name: 'nameless', use: 'direct', options: { name: 'mail.none.example' } },
    ],
    egress: { allow: ['127.0.0.1'] },
    domains: { sendingAddresses: ['198.51.100.7', '198.51.100.8'], blocklists: ['list.example'] },
  }
  writeFileSync(path, JSON.stringify(config))
  const look = async (timeServer = 'none') => {
    const found: Finding[] = []
    await examine({ config: path, timeServer }, (finding) => found.push(finding))
    return new Map(found.map(({ part, ...finding }) => [part, finding]))
  }
  const first = await look()
  expect(existsSync(file)).toBe(false)
  expect(Object.fromEntries([...first].map(([part, { state }]) => [part, state]))).toEqual({
    config: 'ok',
    store: 'warning',
    queue: 'ok',
    disk: expect.stringMatching(/ok|warning/),
    http: 'ok',
    links: 'warning',
    'account mail': 'warning',
    'transport right': 'ok',
    'transport wrong': 'problem',
    'transport closed': 'problem',
    'transport provider': 'ok',
    'transport direct': 'ok',
    'transport misnamed': 'warning',
    'transport nameless': 'problem',
    'block lists 198.51.100.7': 'ok',
    'block lists 198.51.100.8': 'warning',
    'dns good.example': 'ok',
    'dns twice.example': 'warning',
    'dns none.example': 'warning',
    'dns silent.example': 'unknown',
  })
  expect(first.get('store')?.says).toMatch(
    /^There is no database at .*mail\.db.* The first start of the server makes it\.$/,
  )
  expect(first.get('account mail')?.says).toMatch(/^cannot be sent: accounts\.from is not set\. .*PROJECT_FROM/)
  expect(first.get('transport closed')?.says).toMatch(/127\.0\.0\.1:1: nothing accepts connections there/)
  expect(first.get('transport misnamed')?.says).toMatch(
    /reverse record .*address 192\.0\.2\.8; reverse mail\.good\.example/,
  )
  expect(first.get('transport nameless')?.says).toMatch(/mail\.none\.example has no address in the DNS/)
  expect(first.get('dns twice.example')?.says).toMatch(/2 SPF records.* leave only one/)
  expect(first.get('dns none.example')?.says).toMatch(/no SPF record.*no DMARC policy/)
  expect([...first.values()].filter(({ says }) => says.includes('s3cret-word'))).toEqual([])

  const engine = await createEngine({ store: sqlite({ file }), projects: [{ name: 'Acme' }], log: silentLog })
  onTestFinished(() => engine.stop())
  const [project] = await engine.projects.list()
  const { records } = await engine.domains.add(project ?? expect.fail(), { domain: 'signed.example' })
  const [key] = records.filter(({ purpose }) => purpose === 'dkim')
  expect((await look()).get('store')).toEqual({ state: 'ok', says: expect.stringContaining('a server has it open') })
  await engine.stop()
  const after = await look()
  expect(after.get('store')).toEqual({ state: 'ok', says: expect.stringContaining('takes writes, 1 projects') })
  expect(after.get('dns signed.example')).toEqual({
    state: 'problem',
    says: expect.stringContaining(`TXT ${key?.name}: `),
  })
  for (const { type, name, value } of records) if (type === 'TXT') dns.set(name, 'TXT', [value])
  expect((await look()).get('dns signed.example')).toEqual({
    state: 'ok',
    says: expect.stringContaining(`TXT ${key?.name}`),
  })
})

it.each([
  [{ projects: [{ name: 'A', trustedDomains: ['a.example'], from: 'hi@a.example' }] }, undefined],
  [{ projects: [{ name: 'A', trustedDomains: ['a.example'] }], accounts: { from: 'hi@a.example' } }, undefined],
  [{}, 'accounts.from is not set'],
  [
    { projects: [{ name: 'A', trustedDomains: ['a.example'] }], accounts: { from: 'hi@b.example' } },
    'no project may send as hi@b.example',
  ],
  [{ projects: [{ name: 'A', trustedDomains: ['a.example'] }], accounts: { project: 'B' } }, 'there is no project B'],
  [
    { server: { port: 0 }, projects: [{ name: 'A', trustedDomains: ['a.example'], from: 'hi@a.example' }] },
    'server.publicUrl is not set',
  ],
] as const)('check says of %j whether mail about accounts can be sent', async (document, problem) => {
  const config = await loadConfig({ document, env: {} })
  expect(accountMailProblem(config)).toEqual(problem && expect.stringContaining(problem))
  const path = join(freshFolder(), 'mail.json')
  writeFileSync(path, JSON.stringify(document))
  const asked = readCommand(['check', '--json', '--config', path])
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  expect(asked.kind === 'run' && (await asked.run())).toBe(0)
  const { warnings } = JSON.parse(String(write.mock.calls[0]?.[0]))
  expect(warnings).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)])
})

it('the doctor knows the mail servers and the public address that were set in the dashboard, unless the configuration sets them', async () => {
  const folder = freshFolder()
  const [path, file] = [join(folder, 'mail.json'), join(folder, 'mail.db')]
  const sink = await startSmtpSink({ auth: { user: 'shop', pass: 's3cret-word' } })
  onTestFinished(() => sink.close())
  const server = { host: '127.0.0.1', port: sink.port, security: 'none', user: 'shop' } as const
  const running = await createEngine({
    ...{ store: sqlite({ file }), log: silentLog, installation: installationSettings({}) },
    projects: [{ name: 'Acme', trustedDomains: ['acme.example'], from: 'hi@acme.example' }, { name: 'Bare' }],
  })
  onTestFinished(() => running.stop())
  const { mailServers } = running.installation
  await mailServers.add({ ...server, name: 'right', password: 's3cret-word' })
  const off = await mailServers.add({ ...server, name: 'off', password: 's3cret-word' })
  await mailServers.change(off.id, { enabled: false })
  const wrong = await mailServers.add({ ...server, name: 'wrong', password: 's3cret-word' })
  await mailServers.change(wrong.id, { port: 1 })
  await mailServers.add({ preset: 'direct', host: 'mail.acme.example', name: 'misnamed' })
  const dns = await startDnsServer({
    'mail.acme.example': { A: ['192.0.2.7'] },
    '7.2.0.192.in-addr.arpa': { PTR: ['host-7.hoster.example'] },
  })
  onTestFinished(() => dns.close())
  await running.installation.changePublicAddress({ url: 'https://mail.acme.example' })
  const acme = (await running.projects.list()).find(({ name }) => name === 'Acme')
  const own = running.installation.mailServersOf(acme as NonNullable<typeof acme>, { isOperator: true })
  await own.add({ ...server, name: 'theirs', password: 's3cret-word' })
  const closed = await own.add({ ...server, name: 'closed', password: 's3cret-word' })
  await own.change(closed.id, { port: 1 })
  const look = async (more: object = {}) => {
    const store = { use: 'sqlite', options: { file } }
    const names = { use: 'node', options: { servers: [dns.address], tries: 1 } }
    writeFileSync(path, JSON.stringify({ store, dns: names, projects: [{ name: 'Acme' }], ...more }))
    const found: Finding[] = []
    await examine({ config: path, timeServer: 'none' }, (finding) => found.push(finding))
    const parts = found.filter(({ part }) => /^(transport|mail servers|links|account mail)/.test(part))
    return Object.fromEntries(parts.map(({ part, state, says }) => [part, `${state}: ${says}`]))
  }
  const hidden = expect.stringMatching(/^unknown: .*a server has the database open/)
  expect(await look()).toMatchObject({ 'mail servers': hidden, links: hidden })
  await running.stop()
  expect(await look()).toEqual({
    'transport right': expect.stringMatching(/^ok: .*in order \(set in the dashboard\)$/),
    'transport wrong': expect.stringMatching(/^problem: .*127\.0\.0\.1:1: nothing accepts connections there/),
    'transport misnamed': expect.stringMatching(/^warning: .*reverse record .*host-7.*\(set in the dashboard\)$/),
    'transport theirs of Acme': expect.stringMatching(/^ok: /),
    'transport closed of Acme': expect.stringMatching(/^warning: .*127\.0\.0\.1:1: nothing accepts connections there/),
    links: 'ok: lead to https://mail.acme.example (set in the dashboard)',
    'account mail': 'ok: has a sender',
  })
  expect(await look({ secret: 'another secret of this installation, long enough' })).toMatchObject({
    // sealed with the secret that was made before one was set
    'transport right': expect.stringMatching(/^ok: /),
  })
  const configured = {
    transports: [{ name: 'own', use: 'outbox' }],
    server: { publicUrl: 'https://set.example', port: 0 },
    delivery: { projectServers: 'off' },
  }
  expect(await look(configured)).toEqual({
    'transport own': expect.stringMatching(/^ok: /),
    links: 'ok: lead to https://set.example',
    'account mail': 'ok: has a sender',
  })
  expect(await look({ delivery: { projectServers: 'only' } })).toMatchObject({
    'transport theirs of Acme': expect.stringMatching(/^ok: /),
    'mail servers': expect.stringMatching(/^warning: .*waits, since they have none: Bare$/),
  })
})

it('the doctor warns of mails sent by SQL that no worker accepts, and of roles that may create beside the tables', async () => {
  const [path, url] = [join(freshFolder(), 'mail.json'), await freshDatabase()]
  writeFileSync(path, JSON.stringify({ store: { use: 'postgres', options: { url } }, projects: [{ name: 'Acme' }] }))
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  const look = async () => {
    const found: Finding[] = []
    await examine({ config: path, timeServer: 'none' }, (finding) => found.push(finding))
    return found.find(({ part }) => part === 'store')
  }
  const add = (ago: string) =>
    client.query(`insert into mailwright.send_requests (id, project_id, size, status, attempts, due_at, created_at)
      select gen_random_uuid(), gen_random_uuid(), 1, 'WAITING', 0, 'epoch', now() - interval '${ago}'`)
  await add('30 seconds')
  expect(await look()).toMatchObject({ state: 'ok' })
  await add('1 hour')
  const says = expect.stringMatching(/ but 2 mails sent by SQL wait, the oldest since \S+Z: start a worker/)
  expect(await look()).toMatchObject({ state: 'warning', says })
  await client.query('truncate mailwright.send_requests; grant create on schema mailwright to public')
  const strangers = expect.stringMatching(/ projects, but other roles may create .* \(PUBLIC\): take that right/)
  expect(await look()).toMatchObject({ state: 'warning', says: strangers })
})

it.each([
  [{ use: 'postgres', options: { url: 'postgres://postgres@127.0.0.1:1/none' } }, /ECONNREFUSED 127\.0\.0\.1:1/],
  [
    { use: 'redis', options: { url: 'redis://127.0.0.1:1' } },
    /^queue: Redis does not answer as it should: .*ECONNREFUSED/,
  ],
])('the doctor asks the queue of %j', async (queue, problem) => {
  const path = join(freshFolder(), 'mail.json')
  const store = { use: 'postgres', options: { url: await freshDatabase() } }
  writeFileSync(path, JSON.stringify({ server: { publicUrl: 'https://mail.example.com' }, store, queue }))
  const found: Finding[] = []
  await examine({ config: path, timeServer: 'none' }, (finding) => found.push(finding))
  expect(found.find(({ part }) => part === 'queue')).toMatchObject({
    state: 'problem',
    says: expect.stringMatching(problem),
  })
  expect(found.find(({ part }) => part === 'links')).toMatchObject({ state: 'ok' })
})

it('the doctor names ports that another program has, and a web server where mail is to be handed over', async () => {
  const folder = freshFolder()
  const path = join(folder, 'mail.json')
  const web = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
  await once(web, 'listening')
  onTestFinished(() => void web.close())
  const { port } = web.address() as AddressInfo
  const here = { host: '127.0.0.1', port }
  const config = {
    ...{ server: here, store: { use: 'sqlite', options: { file: join(folder, 'mail.db') } } },
    ...{ inbound: [{ use: 'smtp-server', options: here }], submission: [{ use: 'smtp-server', options: here }] },
    transports: [{ use: 'smtp', options: here }],
  }
  const look = async (changed: object = {}) => {
    writeFileSync(path, JSON.stringify({ ...config, ...changed }))
    const found: Finding[] = []
    await examine({ config: path, timeServer: 'none' }, (finding) => found.push(finding))
    const ports = found.filter(({ part }) => /^(http|inbound|submission|transport)/.test(part))
    return ports.map(({ part, state, says }) => [part.split(' ')[0], state, says])
  }
  const [http, inbound, submission, transport] = await look()
  expect(http).toEqual(['http', 'problem', expect.stringMatching(/port \d+ of 127.* is in use: stop .* server\.port/)])
  const taken = expect.stringMatching(/port \d+ of 127.*: another program has it: stop that, or set another `port`/)
  expect([inbound, submission]).toEqual([
    ['inbound', 'problem', taken],
    ['submission', 'problem', taken],
  ])
  const speaks = expect.stringMatching(/127\.0\.0\.1:\d+: this port speaks HTTP, not SMTP: set port to that of SMTP/)
  expect(transport).toEqual(['transport', 'problem', speaks])

  const free = { host: '127.0.0.1', port: await freePort() }
  const receivers = {
    inbound: [{ use: 'smtp-server', options: free }],
    submission: [],
    transports: [{ use: 'outbox' }],
  }
  expect((await look({ server: free, ...receivers })).slice(0, 2)).toEqual([
    ['http', 'ok', expect.stringContaining('is free')],
    ['inbound', 'ok', expect.stringContaining('is free')],
  ])
  // the server of this very configuration, or another Mailwright: both have their ports
  web.removeAllListeners('request')
  web.on('request', (_request, response) => response.setHeader('x-request-id', 'a').end('{"status":"ok"}'))
  expect((await look({ ...receivers, inbound: [{ use: 'smtp-server', options: here }] })).slice(0, 2)).toEqual([
    ['http', 'ok', expect.stringContaining('a Mailwright server has port')],
    ['inbound', 'ok', expect.stringContaining('the running server has it')],
  ])
})

it('the doctor leaves a database of an older version as it is, since its servers may still run', async () => {
  const folder = freshFolder()
  const [path, file] = [join(folder, 'mail.json'), join(folder, 'mail.db')]
  writeFileSync(path, JSON.stringify({ store: { use: 'sqlite', options: { file } } }))
  const engine = await createEngine({ store: sqlite({ file }), log: silentLog })
  await engine.stop()
  const last = MIGRATIONS.at(-1)?.name ?? expect.fail()
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  database.exec(`delete from mailwright_migrations where name = '${last}'`)
  const found: Finding[] = []
  await examine({ config: path, timeServer: 'none' }, (finding) => found.push(finding))
  expect(found.find(({ part }) => part === 'store')).toMatchObject({
    state: 'warning',
    says: expect.stringMatching(/1 migration waits.*`npx mailwright migrate up`/),
  })
  const names = database.prepare('select name from mailwright_migrations').all()
  expect(names.map(({ name }) => name)).not.toContain(last)
})

it('the clock is compared with a time server', async () => {
  const server = createSocket('udp4')
  onTestFinished(() => void server.close())
  let [ahead, stratum] = [0, 1]
  server.on('message', (request, { port, address }) => {
    const answer = Buffer.alloc(48)
    answer.set([0x1c, stratum])
    request.copy(answer, 24, 40)
    for (const place of [32, 40]) {
      const seconds = Date.now() / 1000 - ahead + 2_208_988_800
      answer.writeUInt32BE(Math.floor(seconds), place)
      answer.writeUInt32BE(Math.floor((seconds % 1) * 2 ** 32), place + 4)
    }
    // an answer to another question does not count
    server.send(Buffer.alloc(48, 0x1c), port, address)
    server.send(answer, port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${server.address().port}`
  expect(await atClock(host)).toEqual({ state: 'ok', says: expect.stringMatching(/^0\.\d s (ahead of|behind) 127/) })
  ahead = 12
  expect(await atClock(host)).toEqual({
    state: 'warning',
    says: expect.stringMatching(/^1[12]\.\d s ahead of .*timedatectl/),
  })
  ahead = -90
  expect(await atClock(host)).toEqual({ state: 'problem', says: expect.stringMatching(/^(90|89)\.\d s behind/) })
  // not synchronised itself
  stratum = 16
  expect(await atClock(host, 300)).toEqual({
    state: 'unknown',
    says: expect.stringMatching(/no answer .*--time-server/),
  })
})
