import { beforeAll, describe, expect, it, vi } from 'vitest'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { createApp } from '../../server/index.ts'
import { accountWorld, newAddress, PASSWORD, tokenOf } from '../support/accounts.ts'
import { askApp, expectEnvelope, MAIL, type TestApp, testApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'
import { freePort } from '../support/server-process.ts'

const KEY = 'the-key-of-the-operator'

for (const store of [STRICT]) {
  describe(`the operator's view, on ${store.name}`, () => {
    let test: TestApp
    let app: ReturnType<typeof createApp>
    const ask = (key: string | null) => askApp(app, 'GET', '/operator', { key })

    beforeAll(async () => {
      const port = await freePort()
      const transports = [{ name: 'main', plugin: smtp({ host: '127.0.0.1', port }) }]
      test = await testApp(store, {}, { transports })
      app = createApp(test.engine, { operatorKey: KEY, hookFailuresPerMinutePerIp: 5 })
      await test.engine.start()
    })

    it('shows projects, what waits, the transport that fails and why, the database and the disk', async () => {
      expect(
        (
          await test.ask('POST', '/v1/send', {
            json: { ...MAIL, to: ['a@example.org', 'b@example.org', 'c@example.org'] },
          })
        ).status,
      ).toBe(200)
      const view = await vi.waitFor(async () => {
        const { status, body } = await ask(KEY)
        expect(status).toBe(200)
        expect(body.transports).toMatchObject([
          { name: 'main', lastError: { reason: expect.stringContaining('ECONNREFUSED') } },
        ])
        expect(body.queues).toMatchObject([{ queue: 'transactional', waiting: 3 }])
        return body
      }, 10_000)
      expect(['paused', 'slowed']).toContain(view.transports[0].state)
      expect(view).toMatchObject({
        process: { role: 'all', residentBytes: expect.any(Number) },
        database: { schema: expect.stringMatching(/^\d{4}-/), bytes: expect.any(Number) },
        disk: { freeBytes: expect.any(Number), totalBytes: expect.any(Number) },
        parts: { store: { ok: true } },
        backOffs: [],
        ramps: [],
        routeRamps: [],
        quotas: [],
        providerQuotas: [],
      })
      expect(view.projects.length).toBeGreaterThan(1)
      expect(view.projects[0]).toMatchObject({ mailWay: 'installation', mailServers: [] })
      expect(view.projects.map(({ id }: { id: string }) => id)).toContain(view.queues[0].projectId)
      expect(view.workers).toHaveLength(store.name === 'SQLite' ? 0 : 1)
      expect(JSON.stringify(view)).not.toMatch(/sk_|pk_|whsec_/)
    })

    it('opens for its key alone: not for a project’s, none or a part of it; without one set there is nothing', async () => {
      for (const wrong of [null, KEY.slice(1), `${KEY}x`, 'sk_'.padEnd(51, 'a')])
        expectEnvelope(await ask(wrong), 401, wrong === null ? 'MISSING_AUTH' : 'INVALID_API_KEY')
      expectEnvelope(await test.ask('GET', '/operator', { key: KEY }), 404, 'RESOURCE_NOT_FOUND')
    })
  })
}

it('shows the same to the user who runs the server, unless a project belongs to others alone', async () => {
  const world = await accountWorld(STRICT)
  const stranger = await world.signup()
  expect((await stranger.ask('GET', '/users/@me')).body.operator).toBe(false)
  expectEnvelope(await stranger.ask('GET', '/users/@me/operator'), 403, 'FORBIDDEN')
  expectEnvelope(await world.open('GET', '/users/@me/operator'), 401, 'MISSING_AUTH')
  const address = newAddress()
  await world.engine.accounts.make({ email: address, password: PASSWORD })
  const login = await world.open('POST', '/auth/login', { email: address, password: PASSWORD })
  const operator = world.browserOf(login)
  // no project has an OWNER yet
  expect((await operator.ask('GET', '/users/@me')).body.operator).toBe(true)
  const { status, body } = await operator.ask('GET', '/users/@me/operator')
  expect({ status, users: body.users, names: body.projects.map(({ name }: { name: string }) => name) }).toMatchObject({
    ...{ status: 200, users: 2 },
    names: expect.arrayContaining(['Test']),
  })
  expect(JSON.stringify(body)).not.toMatch(/sk_|pk_|whsec_/)
  // a project of one's own is no one else's
  expect((await operator.ask('POST', '/users/@me/projects', { json: { name: 'Mine' } })).status).toBe(201)
  expect((await operator.ask('GET', '/users/@me')).body.operator).toBe(true)
  expect((await stranger.ask('POST', '/users/@me/projects', { json: { name: 'Theirs' } })).status).toBe(201)
  expect((await operator.ask('GET', '/users/@me')).body.operator).toBe(false)
  expectEnvelope(await operator.ask('GET', '/users/@me/operator'), 403, 'FORBIDDEN')
})

it('lets a user who was not made by the operator run the server, and takes that back', async () => {
  const world = await accountWorld(STRICT)
  const { accounts } = world.engine
  const ada = await world.signup()
  const runs = async () => (await ada.ask('GET', '/users/@me')).body.operator
  // a stranger may have signed up with it
  await expect(accounts.trust({ email: ada.email })).rejects.toMatchObject({
    code: 'CONFLICT',
    suggestion: expect.stringContaining(`users reset-password ${ada.email}`),
  })
  expect(await runs()).toBe(false)
  const token = tokenOf(await world.linkTo(ada.email, 'verify-email'))
  await world.open('POST', '/auth/verify-email', { token })
  expect(await accounts.trust({ email: ` ${ada.email.toUpperCase()}` })).toMatchObject({ id: ada.id, trusted: true })
  expect(await runs()).toBe(true)
  expect(await accounts.trust({ email: ada.email }, false)).not.toHaveProperty('trusted')
  // of this session, too
  expect(await runs()).toBe(false)
  await expect(accounts.trust({ email: newAddress() })).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' })
  await expect(accounts.trust({ email: 'ada' }, false)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
})
