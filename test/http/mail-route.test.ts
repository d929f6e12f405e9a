import { describe, expect, it, onTestFinished } from 'vitest'
import type { GivenSettings } from '../../config/library.ts'
import { installationSettings } from '../../config/mail-server.ts'
import { accountWorld, newAddress, PASSWORD } from '../support/accounts.ts'
import { expectEnvelope, MAIL, PROJECT, SECRET } from '../support/app.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSinkOptions, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const RULES: NonNullable<GivenSettings['delivery']>['routes'] = [
  { name: 'for-the-rival', when: { project: 'Rival', tag: { vip: '*' } }, to: 'secret-relay' },
  { when: { class: 'campaign' }, to: 'main' },
  { name: 'receipts', when: { tag: { stream: 'receipts' } }, to: 'main', fallback: 'spare' },
]

/** A server with rules, its operator in the browser, and the mail that `send` is given. */
async function world(options: SmtpSinkOptions = {}) {
  const [main, spare, secret] = [await startSmtpSink(options), await startSmtpSink(), await startSmtpSink()]
  for (const sink of [main, spare, secret]) onTestFinished(() => sink.close())
  const transports = [toSink(main, 'main'), toSink(spare, 'spare'), toSink(secret, 'secret-relay')]
  const installation = installationSettings({ transportsFrom: 'transports' })
  const made = await accountWorld(QUICK, { transports, installation, delivery: { threads: 0, routes: RULES } })
  const email = newAddress()
  await made.engine.accounts.make({ email, password: PASSWORD })
  const operator = made.browserOf(await made.open('POST', '/auth/login', { email, password: PASSWORD }))
  await operator.ask('POST', '/users/@me/projects', { json: { secretKey: SECRET } })
  const headers = { 'x-project-id': PROJECT }
  return {
    ...made,
    asOperator: (method: string, path: string, json?: object) =>
      operator.ask(method, path, { headers, ...(json && { json }) }),
    send: async (more: object, key?: string) => {
      const { body } = await made.ask('POST', '/v1/send', { json: { ...MAIL, ...more }, ...(key && { key }) })
      const id: string = body.data.emails[0].email
      const isDone = async () => {
        const { status } = (await made.ask('GET', `/emails/${id}`)).body
        return status !== 'QUEUED' && status !== 'SENDING'
      }
      await until('it has a result', isDone)
      return `/emails/${id}/route`
    },
  }
}

describe('the way of a stored mail', () => {
  it('is explained to the person who runs the server, and its rules to no other', async () => {
    // the rule's first transport refuses, so that the mail goes to its fallback
    const { asOperator, ask, send } = await world({ judge: () => ({ code: 451, message: '4.3.0 not now' }) })
    const path = await send({ tags: { stream: 'receipts' } })
    const tried = ['main', 'spare']
    const about = { way: 'installation', class: 'transactional', tried }
    expect((await asOperator('GET', path)).body).toEqual({
      ...about,
      transports: ['main', 'spare'],
      rule: {
        ...{ number: 3, name: 'receipts', because: 'tag.stream is receipts' },
        fits: [{ key: 'tag.stream', value: 'receipts' }],
      },
      notFitting: [
        {
          ...{ number: 2, name: 'rule 2', because: 'class is transactional, not campaign' },
          ...{ key: 'class', value: 'transactional', wanted: ['campaign'], wantedMore: 0 },
        },
        {
          ...{ number: 1, name: 'for-the-rival', because: 'project is Test, not Rival' },
          ...{ key: 'project', value: expect.any(String), wanted: ['Rival'], wantedMore: 0 },
          because: expect.stringContaining('not Rival'),
        },
      ],
      more: 0,
    })
    // what a key reads is what the record of the mail shows it anyway
    const { body, text } = await ask('GET', path)
    expect(body).toEqual(about)
    expect(text).not.toMatch(/rival|secret-relay|receipts/i)
  })

  it('through servers of the project names these to its members, and no rule', async () => {
    const { asOperator, ask, send } = await world()
    const path = await send({ tags: { stream: 'receipts' } })
    const server = { host: '127.0.0.1', port: 9, name: 'Own' }
    const { body: added } = await asOperator('POST', '/mail-servers', server)
    const own = { way: 'own', transports: ['Own'], tried: ['main'] }
    const { body } = await ask('GET', path)
    expect(body).toMatchObject(own)
    expect(body.rule).toBeUndefined()
    await asOperator('DELETE', `/mail-servers/${added.id}`)
    expect((await ask('GET', path)).body.way).toBe('installation')
  })

  it('ends in the sandbox for a project for tests, and at the simulator', async () => {
    const { asOperator, ask, send } = await world()
    const sent = await send({})
    const simulated = await send({ to: 'delivered@simulator.localhost' })
    expect((await asOperator('GET', simulated)).body).toEqual({
      ...{ way: 'simulator', class: 'transactional', tried: ['simulator'] },
    })
    await asOperator('PATCH', `/projects/${PROJECT}`, { mode: 'members', allowedRecipients: ['example.net'] })
    expect((await ask('GET', sent)).body).toEqual({ way: 'sandbox', class: 'transactional', tried: ['main'] })
    await asOperator('PATCH', `/projects/${PROJECT}`, { allowedRecipients: ['example.org'] })
    expect((await ask('GET', sent)).body.way).toBe('installation')
  })

  it('of a test key is the sandbox, also once that is cleared', async () => {
    const { asOperator, ask, send } = await world()
    const { body: made } = await asOperator('POST', `/projects/${PROJECT}/keys`, {
      name: 'ci',
      kind: 'secret',
      test: true,
    })
    const caught = { way: 'sandbox', class: 'transactional', tried: [] }
    const path = await send({}, made.key)
    expect((await asOperator('GET', path)).body).toEqual(caught)
    expect((await ask('DELETE', '/sandbox/messages')).body).toEqual({ cleared: 1 })
    expect((await asOperator('GET', path)).body).toEqual(caught)
  })

  it('is there for mails of this project that were sent from here', async () => {
    const { ask } = await world()
    expectEnvelope(await ask('GET', `/emails/${PROJECT}/route`), 404, 'EMAIL_NOT_FOUND')
  })
})
