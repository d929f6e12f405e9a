import { beforeAll, expect, it } from 'vitest'
import { installationSettings } from '../../config/mail-server.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { type AccountWorld, accountWorld, type Browser, newAddress, PASSWORD } from '../support/accounts.ts'
import { expectEnvelope } from '../support/app.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { QUICK } from '../support/matrix.ts'

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
