import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEngine, definePlugin, type Log, type MailTransport, silentLog } from '../../config/library.ts'
import { TransportChecks } from '../../core/delivery/transport-checks.ts'
import { silentLog as quiet } from '../../core/ports/log.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { createApp } from '../../server/index.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { freshFile } from '../support/fresh-sqlite.ts'

afterEach(() => {
  vi.useRealTimers()
})

function transport(check?: () => Promise<void>): MailTransport {
  return { concurrency: 1, send: async () => ({ outcome: 'accepted' }), ...(check && { check }) }
}

describe('the next hops', () => {
  const checked = (check?: () => Promise<void>, reachedAt: () => number | undefined = () => undefined) =>
    new TransportChecks(
      { inUse: [{ name: 'main', plugin: 'mail-acme', transport: transport(check) }], reachedAt },
      quiet,
    )

  it('are asked once by whoever asks at the same time, and again after half a minute', async () => {
    vi.useFakeTimers()
    const check = vi.fn(async () => {})
    const checks = checked(check)
    for (let i = 0; i < 3; i++) {
      expect(await Promise.all([checks.health(), checks.health()])).toEqual([{ ok: true }, { ok: true }])
    }
    expect(check).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(30_001)
    check.mockRejectedValueOnce(new Error('gone'))
    expect(await checks.health()).toEqual({ ok: false, error: 'main: gone' })
    expect(check).toHaveBeenCalledTimes(2)
  })

  it('hold nobody up who never answer, and are not asked a second time meanwhile', async () => {
    vi.useFakeTimers()
    const check = vi.fn(() => new Promise<void>(() => {}))
    const checks = checked(check)
    const first = checks.health()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await first).toEqual({ ok: false, error: 'main: has not answered yet' })
    await vi.advanceTimersByTimeAsync(60_000)
    const second = checks.health()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await second).toEqual({ ok: false, error: 'main: no answer within 10 seconds' })
    expect(check).toHaveBeenCalledTimes(1)
  })

  it('say nothing when none of them can be asked', async () => {
    expect(await checked().health()).toBeUndefined()
  })

  it('are not asked while mail has their answers', async () => {
    vi.useFakeTimers()
    const check = vi.fn(() => Promise.reject(new Error('gone')))
    let at: number | undefined
    const checks = checked(check, () => at)
    expect(await checks.health()).toMatchObject({ ok: false })
    vi.advanceTimersByTime(1)
    at = performance.now()
    expect(await checks.health()).toEqual({ ok: true })
    vi.advanceTimersByTime(29_000)
    expect(await checks.health()).toEqual({ ok: true })
    expect(check).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1_001)
    expect(await checks.health()).toMatchObject({ ok: false })
  })
})

it('a relay that is away at start is warned of and told by /health, which stays 200; when it is back that is told too', async () => {
  const problem = 'connect ECONNREFUSED'
  const acme = definePlugin({
    name: 'mail-acme',
    provides: ['transport'],
    open: () => ({
      transport: transport(async () => {
        throw new Error(problem)
      }),
    }),
  })
  const lines: [string, object | undefined][] = []
  const log: Log = {
    ...silentLog,
    warn: (message, fields) => lines.push([message, fields]),
    info: (message, fields) => lines.push([message, fields]),
    with: () => log,
  }
  const settings = {
    store: sqlite({ file: freshFile(`${freshFolder()}/mail.db`) }),
    transports: [acme()],
    log,
    projects: [{ name: 'Acme', trustedDomains: ['example.com'] }],
  }
  const engine = await createEngine(settings)
  onTestFinished(() => engine.stop())
  await engine.start()
  const app = createApp(engine, { log: false })
  const health = async () => {
    const answer = await app.request('/health')
    return [answer.status, await answer.json()]
  }
  const parts = { store: 'ok', queue: 'ok', worker: 'ok', scheduler: 'ok' }
  expect(await health()).toEqual([200, { status: 'degraded', parts: { ...parts, transports: 'down' } }])
  expect(lines.filter(([message]) => message.includes('next hop'))).toEqual([
    ['the next hop cannot be reached; mail is kept until it can', { transport: 'mail-acme', error: problem }],
  ])
  // mail that goes out is proof: no one asks again
  const [project] = await engine.projects.list()
  const mail = { to: 'a@example.org', from: 'hi@example.com', subject: 'Hi', body: 'Hi' }
  await engine.sending.send(project!, mail)
  await expect.poll(health).toEqual([200, { status: 'ok', parts: { ...parts, transports: 'ok' } }])
  expect(lines).toContainEqual(['the next hop can be reached again', { transport: 'mail-acme' }])
})
