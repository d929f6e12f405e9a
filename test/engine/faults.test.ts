import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import {
  definePlugin,
  type Engine,
  type GivenSettings,
  type MailTransport,
  type OutgoingMail,
} from '../../config/library.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { engineWithSink } from '../support/engine.ts'
import { freshSqlite } from '../support/fresh-sqlite.ts'
import { until } from '../support/until.ts'

type Project = Awaited<ReturnType<Engine['projects']['get']>>
type Send = MailTransport['send']

/** A transport whose answers are the test's: what real servers do only now and then. */
function scripted(send: Send, concurrency = 5, name = 'scripted') {
  const plugin = definePlugin({
    name,
    provides: ['transport'],
    options: v.object({}),
    open: () => ({ transport: { concurrency, send } }),
  })
  return plugin()
}

/** A store of which one method does what the test says. */
function storeWith(change: (store: Store) => Partial<Store['emails']>) {
  const plugin = freshSqlite()
  return {
    ...plugin,
    async open(kit: Parameters<typeof plugin.open>[0]) {
      const opened = await plugin.open(kit)
      const changed = change(opened.store)
      const emails = new Proxy(opened.store.emails, {
        get: (target, key) => Reflect.get(changed, key) ?? Reflect.get(target, key).bind(target),
      })
      return { ...opened, store: { ...opened.store, emails } }
    },
  }
}

async function engineOver(send: Send | ReturnType<typeof scripted>[], settings: GivenSettings = {}) {
  const transports = typeof send === 'function' ? [scripted(send)] : send
  return engineWithSink({ store: freshSqlite(), transports, ...settings })
}

async function send(engine: Engine, project: Project, change: object = {}): Promise<string> {
  const mail = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>', ...change }
  return (await engine.sending.send(project, mail)).answer.emails[0]!.email
}

function settled(engine: Engine, project: Project, id: string, status: string, withinMs = 5000) {
  return until(
    `the mail is ${status}`,
    async () => {
      const detail = await engine.mails.get(project, id)
      return detail.email.status === status ? detail : undefined
    },
    withinMs,
  )
}

describe('a transport', () => {
  it('that hangs and ignores its signal loses its slot, and the mail is tried again', async () => {
    let tries = 0
    const hanging: Send = async () => (++tries === 1 ? new Promise<never>(() => {}) : { outcome: 'accepted' })
    const { engine, project } = await engineOver([scripted(hanging, 1)], {
      delivery: { sendTimeout: 1, retryDelays: [0.01] },
    })
    await engine.start()
    const id = await send(engine, project)
    await settled(engine, project, id, 'DELIVERED', 12_000)
    expect(tries).toBe(2)
  }, 15_000)

  it('has its text cut and made storable before it is kept', async () => {
    const reason = `550 5.1.1 no such user \u0000\ud800${'x'.repeat(100_000)}`
    const { engine, project } = await engineOver(async () => ({
      outcome: 'refused',
      permanent: true,
      stage: 'rcpt',
      reason,
    }))
    await engine.start()
    const { email } = await settled(engine, project, await send(engine, project), 'BOUNCED')
    expect(email.error!.length).toBeLessThan(1100)
    expect(email.error).not.toContain('\u0000')
    expect(email.error!.isWellFormed()).toBe(true)
  })

  it('that cannot be reached is left out for a while when there is another', async () => {
    let primary = 0
    const down: Send = async () => {
      primary++
      return { outcome: 'refused', permanent: false, stage: 'connect', reason: 'no route' }
    }
    const up: Send = async () => ({ outcome: 'accepted' })
    const { engine, project } = await engineOver([scripted(down, 1, 'down'), scripted(up, 1, 'up')])
    await engine.start()
    for (let i = 0; i < 20; i++) {
      await settled(engine, project, await send(engine, project, { to: `user${i}@example.org` }), 'DELIVERED')
    }
    expect(primary).toBeGreaterThanOrEqual(3)
    expect(primary).toBeLessThan(10)
  })
})

describe('stopping', () => {
  const waits: Send = (_mail, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () =>
        resolve({ outcome: 'refused', permanent: false, stage: 'data', reason: 'given up' }),
      )
    })

  it('does not count the try it interrupts, even the last one', async () => {
    let store: Store | undefined
    let began = false
    const begins: Send = (mail, signal) => {
      began = true
      return waits(mail, signal)
    }
    const { engine, project } = await engineOver(begins, {
      delivery: { retryDelays: [] },
      store: storeWith((opened) => {
        store = opened
        return {}
      }),
    })
    await engine.start()
    const id = await send(engine, project)
    await until('the try began', () => began)
    const before = store!.emails.find.bind(store!.emails)
    let last: Awaited<ReturnType<typeof before>>
    const released = store!.emails.release.bind(store!.emails)
    store!.emails.release = async (...given) => {
      await released(...given)
      last = await before(project.id, id)
    }
    await engine.stop(50)
    expect(last).toMatchObject({ status: 'QUEUED', attempts: 0 })
  })

  it('waits until every try under way has its result stored', async () => {
    const sent: string[] = []
    const slow: Send = async (mail: OutgoingMail) => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      sent.push(mail.id)
      return { outcome: 'accepted' }
    }
    const recorded: string[] = []
    const { engine, project } = await engineOver(slow, {
      store: storeWith((store) => ({
        record: async (results) => {
          const written = await store.emails.record(results)
          recorded.push(...results.map(({ emailId }) => emailId))
          return written
        },
      })),
    })
    await engine.start()
    await Promise.all(Array.from({ length: 20 }, (_, i) => send(engine, project, { to: `user${i}@example.org` })))
    await until('some are sent', () => sent.length > 0)
    await engine.stop()
    expect(recorded.toSorted()).toEqual(sent.toSorted())
  })
})

describe('the store', () => {
  it('that fails to keep a result is asked again, and the mail is not sent twice', async () => {
    let failures = 2
    let tries = 0
    const accepts: Send = async () => {
      tries++
      return { outcome: 'accepted' }
    }
    const { engine, project } = await engineOver(accepts, {
      store: storeWith((store) => ({
        record: (results) => {
          if (failures-- > 0) throw new Error('the disk is full')
          return store.emails.record(results)
        },
      })),
    })
    await engine.start()
    const id = await send(engine, project)
    await settled(engine, project, id, 'DELIVERED')
    expect(tries).toBe(1)
  })

  it('that never takes one result takes those that come after it', async () => {
    let bad = ''
    const { engine, project } = await engineOver(async () => ({ outcome: 'accepted' }), {
      store: storeWith((store) => ({
        record: (results) => {
          if (results.some(({ emailId }) => emailId === bad)) throw new Error('this one cannot be written')
          return store.emails.record(results)
        },
      })),
    })
    bad = await send(engine, project)
    const next = await send(engine, project, { to: 'next@example.org' })
    await engine.start()
    await settled(engine, project, next, 'DELIVERED')
    await settled(engine, project, await send(engine, project, { to: 'last@example.org' }), 'DELIVERED')
    await engine.stop(0)
  })

  it('that cannot give back a mail is asked again', async () => {
    let failures = 1
    let asked = 0
    const { engine, project } = await engineOver(async () => ({ outcome: 'accepted' }), {
      store: storeWith((store) => ({
        contents: (ids, maxBytes) => {
          if (asked++ < 2) throw new Error('cannot be read')
          return store.emails.contents(ids, maxBytes)
        },
        release: (...given) => {
          if (failures-- > 0) throw new Error('cannot be written')
          return store.emails.release(...given)
        },
      })),
    })
    await engine.start()
    await send(engine, project)
    const delivered = async () => (await engine.mails.list(project, { status: 'DELIVERED' })).total === 1
    await until('it is delivered all the same', delivered, 12_000)
    expect(asked).toBe(3)
  }, 15_000)
})

describe('copies', () => {
  it('are not sent to suppressed addresses', async () => {
    const envelopes: (readonly string[])[] = []
    const { engine, project } = await engineOver(async ({ envelope }) => {
      envelopes.push(envelope.to)
      return { outcome: 'accepted' }
    })
    await engine.suppressions.add(project, { email: 'gone@example.org' })
    await engine.start()
    const copies = { cc: ['gone@example.org', 'here@example.org'], bcc: ['gone@example.org'] }
    await settled(engine, project, await send(engine, project, copies), 'DELIVERED')
    expect(envelopes).toEqual([['ada@example.org', 'here@example.org']])
  })

  it('that are put off and then lost do not spoil the record of a mail its recipient has', async () => {
    let tries = 0
    const answer: Send = async () => {
      if (++tries > 1) throw new Error('cut')
      const refused = { recipient: 'cc@example.org', permanent: false, stage: 'rcpt', reason: '451 later' } as const
      return { outcome: 'accepted', refused: [refused] }
    }
    const { engine, project } = await engineOver(answer, { delivery: { retryDelays: [0.01] } })
    await engine.start()
    const id = await send(engine, project, { cc: ['cc@example.org'] })
    const { events } = await settled(engine, project, id, 'DELIVERED')
    expect(events.map(({ name }) => name)).toEqual(['email.sent', 'email.delivery'])
  })
})
