import net from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { installationSettings } from '../../config/mail-server.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { type AccountWorld, accountWorld, type Browser, newAddress, PASSWORD } from '../support/accounts.ts'
import { expectEnvelope, PROJECT } from '../support/app.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { isSwapped, QUICK } from '../support/matrix.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const SERVERS = '/users/@me/operator/mail-servers'
const ADDRESS = '/users/@me/operator/public-address'

let world: AccountWorld
let operator: Browser

beforeAll(async () => {
  world = await accountWorld(QUICK, { installation: installationSettings({ transportsFrom: 'SMTP_URL' }) })
  const address = newAddress()
  await world.engine.accounts.make({ email: address, password: PASSWORD })
  operator = world.browserOf(await world.open('POST', '/auth/login', { email: address, password: PASSWORD }))
})

it('mail servers are for the person who runs the server alone', async () => {
  const stranger = await world.signup()
  const asked = [
    ['GET', SERVERS],
    ['POST', SERVERS],
    ['POST', `${SERVERS}/test`],
    ['PATCH', `${SERVERS}/x`],
    ['DELETE', `${SERVERS}/x`],
    ['GET', ADDRESS],
    ['PUT', ADDRESS],
  ] as const
  for (const [method, path] of asked) {
    const json = method === 'GET' || method === 'DELETE' ? {} : { json: { host: '127.0.0.1', url: null } }
    expectEnvelope(await stranger.ask(method, path, json), 403, 'FORBIDDEN')
    expectEnvelope(await world.open(method, path, json.json), 401, 'MISSING_AUTH')
  }
})

it('are added, listed, changed and removed, and the log of the person has no password', async () => {
  const { body: added, status } = await operator.ask('POST', SERVERS, {
    json: { preset: 'brevo', user: 'me@example.com', password: 'a-secret-key' },
  })
  expect({ status, ...added }).toMatchObject({
    ...{ status: 201, name: 'Brevo', preset: 'brevo', host: 'smtp-relay.brevo.com', port: 587, security: 'starttls' },
    ...{ user: 'me@example.com', hasPassword: true, enabled: true },
  })
  const changed = await operator.ask('PATCH', `${SERVERS}/${added.id}`, { json: { port: 465, name: 'Post' } })
  expect(changed.body).toMatchObject({ name: 'Post', port: 465, security: 'tls' })
  const { body: list, text } = await operator.ask('GET', SERVERS)
  expect(list).toMatchObject({ setBy: 'SMTP_URL', hasSecret: expect.any(Boolean), servers: [{ id: added.id }] })
  expect(list.presets.length).toBeGreaterThan(40)
  expect(text).not.toContain('a-secret-key')
  expect((await operator.ask('GET', '/users/@me/audit')).text).not.toContain('a-secret-key')
  expect((await operator.ask('DELETE', `${SERVERS}/${added.id}`)).status).toBe(204)
  expectEnvelope(await operator.ask('DELETE', `${SERVERS}/${added.id}`), 404, 'RESOURCE_NOT_FOUND')
})

it('a trial answers what is wrong, and a refusal names the field', async () => {
  const { status, body } = await operator.ask('POST', `${SERVERS}/test`, {
    json: { host: '127.0.0.1', port: 9, security: 'none' },
  })
  expect({ status, ...body }).toMatchObject({ status: 200, ok: false, at: 'connection', trouble: 'port-refused' })
  const refused = await operator.ask('POST', `${SERVERS}/test`, { json: { host: '127.0.0.1', port: 0 } })
  expect(refused.body.error).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ field: 'port' }] })
  const unknown = await operator.ask('POST', SERVERS, { json: { preset: 'nope', user: 'me', password: 'x' } })
  expect(unknown.body.message).toContain('preset: is not a known provider: the list of mail servers has their names')
})

it('whoever sets an address at which the server is not found stays logged in where that was done', async () => {
  const home = 'http://127.0.0.1:3000'
  const own = await accountWorld(QUICK, { installation: installationSettings({}), publicUrl: home })
  const address = newAddress()
  await own.engine.accounts.make({ email: address, password: PASSWORD })
  const login = () => own.open('POST', '/auth/login', { email: address, password: PASSWORD })
  const browser = own.browserOf(await login())
  const headers = { origin: home }
  const set = await browser.ask('PUT', ADDRESS, { json: { url: 'https://elsewhere.example/' }, headers })
  const wanted = { url: 'https://elsewhere.example', set: 'https://elsewhere.example', given: home }
  expect(set.body).toMatchObject(wanted)
  expect((await login()).headers.getSetCookie().join()).not.toContain('__Host-')
  // pages of the new address are its own as well
  const there = { json: { url: null }, headers: { origin: 'https://elsewhere.example' } }
  expect((await browser.ask('PUT', ADDRESS, there)).body).toMatchObject({ url: home })
  expectEnvelope(await browser.ask('PUT', ADDRESS, there), 403, 'FORBIDDEN')
})

it('a member who may change nothing reads which way the mail of each project goes', async () => {
  const there = await accountWorld(QUICK, {
    installation: installationSettings({}),
    transports: [outbox({ directory: freshFolder() })],
  })
  const owner = await there.signup()
  const { email } = await there.engine.accounts.make({ email: newAddress(), password: PASSWORD })
  const member = there.browserOf(await there.open('POST', '/auth/login', { email, password: PASSWORD }))
  const ids: string[] = []
  for (const name of ['One', 'Two']) {
    const { body: made } = await owner.ask('POST', '/users/@me/projects', { json: { name } })
    expect(made).toMatchObject({ name, mailWay: 'folder' })
    const invited = await owner.ask('POST', `/projects/${made.id}/members`, { json: { email, role: 'MEMBER' } })
    const accepted = await member.ask('POST', `/users/@me/invitations/${invited.body.id}/accept`)
    expect(accepted.body).toMatchObject({ role: 'MEMBER', mailWay: 'folder' })
    ids.push(made.id)
  }
  const [one, two] = ids as [string, string]
  const headers = { 'x-project-id': one }
  const ways = async () => {
    const { body } = await member.ask('GET', '/users/@me/projects')
    const waysIn = new Map(body.map(({ id, mailWay }: { id: string; mailWay: string }) => [id, mailWay]))
    const shown = await member.ask('GET', `/projects/${one}`, { headers })
    expect(shown.body.mailWay).toBe(waysIn.get(one))
    return [waysIn.get(one), waysIn.get(two)]
  }
  expect((await member.ask('GET', '/mail-servers', { headers })).status).toBe(403)
  const added = await owner.ask('POST', '/mail-servers', { json: { host: 'smtp.example.com' }, headers })
  expect(await ways()).toEqual(['own', 'folder'])
  expect((await owner.ask('DELETE', `/mail-servers/${added.body.id}`, { headers })).status).toBe(204)
  // the audit log names it, also after its deletion
  const { body: log } = await owner.ask('GET', '/audit?kind=mail-servers', { headers })
  const named = log.data.map(({ action, target }: { action: string; target: { name: string } }) => [
    action,
    target.name,
  ])
  expect(named).toEqual([
    ['removeProjectMailServer', 'smtp.example.com'],
    ['addProjectMailServer', 'smtp.example.com'],
  ])
  expect(await ways()).toEqual(['nowhere', 'folder'])
  await there.engine.installation.mailServers.add({ host: 'smtp.example.com' })
  expect(await ways()).toEqual(['installation', 'installation'])
})

/** Mail servers of the world on this machine, of which only those at 127.0.0.2 and 127.0.0.4 may be connected to. */
async function worldOfServers() {
  const at = async (host: string, port?: number) => {
    const sink = await startSmtpSink({ at: { host, ...(port === undefined ? {} : { port }) } })
    onTestFinished(() => sink.close())
    return sink
  }
  const good = await at('127.0.0.2')
  const inside = await at('127.0.0.3', good.port)
  const mx = (exchange: string) => ({ MX: [{ exchange, priority: 1 }] })
  const names = await startDnsServer({
    'good.example': mx('mx.good.example'),
    'mx.good.example': { A: ['127.0.0.2'] },
    'inside.example': mx('mx.inside.example'),
    'mx.inside.example': { A: ['127.0.0.3'] },
    'mail.example.com': { A: ['127.0.0.1'] },
    '1.0.0.127.in-addr.arpa': { PTR: ['mail.example.com'] },
  })
  onTestFinished(() => names.close())
  // no test may listen at port 25
  const connect = net.connect
  const turned = (options: net.NetConnectOpts) =>
    connect('port' in options && options.port === 25 ? { ...options, port: good.port } : options)
  const spy = vi.spyOn(net, 'connect').mockImplementation(turned as typeof net.connect)
  onTestFinished(() => spy.mockRestore())
  const file = join(freshFolder(), 'mail.db')
  const start = async (address: string, settings: Parameters<typeof accountWorld>[1] = {}) => {
    const started = await accountWorld(
      { store: () => sqlite({ file }) },
      {
        installation: installationSettings({}),
        dns: nodeDns({ servers: [names.address], timeoutMs: 200, tries: 1 }),
        egress: { allow: ['127.0.0.2/32', '127.0.0.4/32'] },
        ...settings,
      },
    )
    await started.engine.accounts.make({ email: address, password: PASSWORD }).catch(() => {})
    return {
      ...started,
      operator: started.browserOf(await started.open('POST', '/auth/login', { email: address, password: PASSWORD })),
    }
  }
  return { good, inside, names, start }
}

const DIRECT = { preset: 'direct', host: 'mail.example.com' }

// catches a stored server that is opened without a resolver or without the rules of egress, and a trial that only looks at names
it.skipIf(isSwapped)(
  'without a provider, mail goes to the servers of its recipients that may be reached, as the operator has set, also after a restart',
  async () => {
    const { good, inside, names, start } = await worldOfServers()
    const me = newAddress()
    const { operator, engine } = await start(me)
    const trial = async (more: object = {}) =>
      (await operator.ask('POST', `${SERVERS}/test`, { json: { ...DIRECT, ...more } })).body

    expect(await trial()).toMatchObject({ ok: false, at: 'connection', trouble: 'dns' })
    names.set('gmail.com', 'MX', [{ exchange: '127.0.0.4', priority: 1 }])
    expect(await trial()).toMatchObject({ ok: false, at: 'connection', trouble: 'no-answer' })
    names.set('outlook.com', 'MX', [{ exchange: '127.0.0.2', priority: 1 }])
    expect(await trial()).toEqual({ ok: true })
    const mail = { to: 'ada@good.example', from: 'hello@example.com' }
    expect(await trial(mail)).toMatchObject({ ok: true, response: expect.stringMatching(/^250/) })
    expect(await trial({ ...mail, to: 'ada@inside.example' })).toMatchObject({
      ...{ ok: false, at: 'mail', reason: expect.stringContaining('it is at an address that is not public') },
    })
    names.set('mail.example.com', 'A', ['192.0.2.7'])
    names.set('1.0.0.127.in-addr.arpa', 'PTR', ['host-1.hoster.example'])
    expect(await trial(mail)).toMatchObject({
      ok: true,
      warnings: [
        { warning: 'leads-elsewhere', reason: expect.stringMatching(/leads to 192\.0\.2\.7.* at 127\.0\.0\.1$/) },
        { warning: 'no-reverse', reason: expect.stringMatching(/^127\.0\.0\.1 .*host-1\.hoster\.example/) },
      ],
    })
    expect(await trial({ host: 'mail.nowhere.example' })).toMatchObject({ trouble: 'host-unknown' })
    names.set('mail.example.com', 'A', ['127.0.0.1'])

    const added = await operator.ask('POST', SERVERS, { json: { ...DIRECT, port: 25 } })
    expect({ status: added.status, ...added.body }).toMatchObject({
      ...{ status: 201, ...DIRECT, name: 'mail.example.com', port: 25, security: 'none', hasPassword: false },
    })
    expect(added.body).not.toHaveProperty('user')
    const project = await engine.projects.get(PROJECT)
    const send = async (by: typeof engine, to: string) => {
      const { answer } = await by.sending.send(project, { to, from: mail.from, subject: 'Hi', body: '<p>Hi</p>' })
      return answer.emails[0]!.email
    }
    const sent = await engine.sending.delivered(project, await send(engine, 'bob@good.example'))
    expect(sent).toMatchObject({ status: 'DELIVERED', transport: 'mail.example.com' })
    const late = await send(engine, 'bob@inside.example')
    await until('the server inside was left alone', async () => {
      const { email } = await engine.mails.get(project, late)
      return email.attempts > 0
    })
    expect((await engine.health()).ok).toBe(true)

    await engine.stop()
    const again = await start(me)
    await again.engine.sending.delivered(project, await send(again.engine, 'cy@good.example'))
    expect(good.messages.map(({ to }) => to[0])).toEqual([
      ...['ada@good.example', 'ada@good.example', 'bob@good.example', 'cy@good.example'],
    ])
    expect(inside.connections).toBe(0)
    await again.engine.stop()
    const { engine: configured, operator: there } = await start(me, {
      installation: installationSettings({ transportsFrom: 'SMTP_URL' }),
    })
    expect((await there.ask('GET', SERVERS)).body).toMatchObject({ setBy: 'SMTP_URL', servers: [DIRECT] })
    expect(configured.analytics.operations.transports().map(({ name }) => name)).not.toContain('mail.example.com')
  },
)

it('without a provider, a mail server has neither a port nor a login, and is not for projects', async () => {
  const add = (json: object) => operator.ask('POST', SERVERS, { json })
  const problems = async (json: object) => {
    const { body } = await add({ preset: 'direct', ...json })
    return body.error?.errors.map(({ field, message }: { field: string; message: string }) => [field, message])
  }
  const fullName = expect.stringMatching(/the full name of this machine in the DNS, such as mail\./)
  expect(await problems({})).toEqual([['host', fullName]])
  for (const host of ['mail', 'localhost', 'mail.localhost', 'localhost.localdomain', '192.0.2.1', 'https://a.example'])
    expect(await problems({ host })).toEqual([['host', fullName]])
  expect(await problems({ host: 'mail.example.com', port: 587, security: 'tls', user: 'me', password: 'x' })).toEqual(
    ['port', 'security', 'user', 'password'].map((field) => [field, expect.stringContaining('without a provider')]),
  )

  const headers = { 'x-project-id': PROJECT }
  for (const path of ['/mail-servers', '/mail-servers/test'])
    expect((await world.ask('POST', path, { json: DIRECT, headers })).body.error.errors).toMatchObject([
      { field: 'preset', message: expect.stringContaining('cannot be direct in a project') },
    ])
  const own = await world.ask('POST', '/mail-servers', { json: { host: 'smtp.example.com' }, headers })
  const turned = await world.ask('PATCH', `/mail-servers/${own.body.id}`, { json: DIRECT, headers })
  expect(turned.body.error.errors).toMatchObject([{ field: 'preset' }])

  // nothing of a login is taken from one kind to the other
  const { body: server } = await add({ host: 'smtp.example.com', port: 2525, user: 'me', password: 'secret' })
  const change = (json: object) => operator.ask('PATCH', `${SERVERS}/${server.id}`, { json })
  expect((await change({ preset: 'direct' })).body.error.errors).toMatchObject([{ field: 'host', code: 'required' }])
  const { body: direct } = await change(DIRECT)
  expect(direct).toMatchObject({ ...DIRECT, port: 25, security: 'none', hasPassword: false })
  expect(direct).not.toHaveProperty('user')
  expect((await change({ security: 'starttls' })).body).toMatchObject({ ...DIRECT, security: 'starttls' })
  const { body: back } = await change({ preset: 'brevo', user: 'me@example.com', password: 'key' })
  expect(back).toMatchObject({ host: 'smtp-relay.brevo.com', port: 587, security: 'starttls', hasPassword: true })
})
