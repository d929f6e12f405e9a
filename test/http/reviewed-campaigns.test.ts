import { simpleParser } from 'mailparser'
import * as v from 'valibot'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createEngine, definePlugin, type Engine, silentLog } from '../../config/library.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { QUICK } from '../support/matrix.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

// No store decides any of this: one will do, the quicker.
const store = QUICK

const PROJECT = { name: 'Test', trustedDomains: ['example.com'] }
const BODY = { subject: 'Hi', body: '<p>Hi</p>', from: 'news@example.com' }

/** A transport of two slots that answers nothing before it is told to go on. */
function heldTransport() {
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const tried: string[] = []
  const plugin = definePlugin({
    name: 'mail-held',
    provides: ['transport'],
    options: v.strictObject({}),
    open: () => ({
      transport: {
        concurrency: 2,
        async send({ id }) {
          tried.push(id)
          await held
          return { outcome: 'accepted' }
        },
      },
    }),
  })
  return { transport: plugin({}), tried, goOn: () => goOn() }
}

/** Faults that a review by use found once. */
describe('what was once wrong with campaigns', () => {
  let engine: Engine
  afterEach(() => engine.stop())

  it.each(['campaign', 'transactional'])('a stop begins no further mail of the %s lane', async (lane) => {
    const { transport, tried, goOn } = heldTransport()
    engine = await createEngine({
      store: store.store(),
      transports: [transport],
      projects: [PROJECT],
      log: silentLog,
    })
    const [project] = await engine.projects.list()
    const to = Array.from({ length: 20 }, (_, i) => `user${i}@example.org`)
    if (lane === 'campaign') {
      for (const email of to) await engine.contacts.upsert(project!, { email })
      const { campaign } = await engine.campaigns.create(project!, { ...BODY, name: 'News', audienceType: 'ALL' })
      await engine.campaigns.send(project!, campaign.id, undefined)
    } else {
      await engine.sending.send(project!, { ...BODY, to })
    }
    await engine.start()
    await until('all are claimed, and both slots taken', async () => {
      const { total } = await engine.mails.list(project!, { status: 'SENDING' })
      return total === to.length && tried.length === 2
    })
    const stopped = engine.stop()
    goOn()
    await stopped
    expect(tried).toHaveLength(2)
  })

  it('a test to somebody who is no contact has the links of the mail, which change nothing', async () => {
    const sink = await startSmtpSink()
    onTestFinished(() => sink.close())
    engine = await createEngine({
      store: store.store(),
      transports: [smtp({ host: '127.0.0.1', port: sink.port })],
      projects: [PROJECT],
      publicUrl: 'https://mail.example.com',
      log: silentLog,
    })
    await engine.start()
    const [project] = await engine.projects.list()
    const { campaign } = await engine.campaigns.create(project!, { ...BODY, name: 'News', audienceType: 'ALL' })
    await engine.campaigns.test(project!, campaign.id, { email: 'stranger@example.org' })
    const [mail] = await sink.waitFor(1)
    const { html, headers } = await simpleParser(mail!.raw)
    const [, token] = /href="https:\/\/mail\.example\.com\/unsubscribe\/([\w-]+)"/.exec(String(html)) ?? []
    expect(headers.get('list')).toMatchObject({
      unsubscribe: { url: `https://mail.example.com/unsubscribe/${token}` },
    })
    expect(await engine.subscriptions.unsubscribe(token!)).toBeUndefined()
  })

  it('a campaign whose first mail breaks a limit is not begun', async () => {
    engine = await createEngine({ store: store.store(), projects: [PROJECT], log: silentLog })
    const [project] = await engine.projects.list()
    await engine.contacts.upsert(project!, { email: 'ada@example.org' })
    const body = '{% for i in (1..1000000000) %}x{% endfor %}'
    const fields = { ...BODY, body, name: 'News', audienceType: 'ALL' } as const
    const { campaign } = await engine.campaigns.create(project!, fields)
    await expect(engine.campaigns.send(project!, campaign.id, undefined)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: [{ field: 'body' }],
    })
    expect((await engine.campaigns.get(project!, campaign.id)).campaign.status).toBe('DRAFT')
  })

  it('a mail server that is down is said once, not with each mail', async () => {
    const said: string[] = []
    engine = await createEngine({
      store: store.store(),
      transports: [smtp({ host: '127.0.0.1', port: 1 })],
      projects: [PROJECT],
      log: { ...silentLog, warn: (message) => void said.push(message) },
    })
    const [project] = await engine.projects.list()
    const to = Array.from({ length: 30 }, (_, i) => `user${i}@example.org`)
    await engine.sending.send(project!, { ...BODY, to })
    await engine.start()
    await until('all were tried', async () => {
      const { items } = await engine.mails.list(project!, { limit: 100 })
      return items.every(({ status, error }) => status === 'QUEUED' && error !== undefined)
    })
    expect(said.filter((message) => message === 'a transport refused a mail')).toHaveLength(1)
    expect(said.length).toBeLessThan(4)
  })
})
