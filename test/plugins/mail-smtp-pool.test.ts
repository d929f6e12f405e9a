import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Log, silentLog } from '../../core/ports/log.ts'
import type { Keeping } from '../../plugins/kit/smtp-client/connection.ts'
import { Deadline } from '../../plugins/kit/smtp-client/connection.ts'
import { SmtpPool } from '../../plugins/kit/smtp-client/pool.ts'
import { type FaultAnswer, type FaultScript, type FaultSmtp, startFaultSmtp } from '../support/fault-smtp.ts'
import * as hops from '../support/next-hops.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const never = new AbortController().signal
const envelope = { from: 'from@sender.test', to: ['ada@example.com'] }
const message = Buffer.from('Subject: hi\r\n\r\nhello\r\n')
const closers: (() => Promise<void>)[] = []

function pool(port: number, maxConnections: number, keeping: Partial<Keeping> = {}, log?: Log): SmtpPool {
  const hop = { host: '127.0.0.1', port, secure: false, requireTls: false, name: 'me.test', connectTimeout: 5_000 }
  const usual = { pipelining: true, commandTimeout: 5_000, dataTimeout: 5_000, idleTimeout: 5_000 }
  const made = new SmtpPool(hop, { ...usual, ...keeping }, maxConnections, log)
  closers.push(() => made.close())
  return made
}

async function sink(options?: SmtpSinkOptions): Promise<SmtpSink> {
  const started = await startSmtpSink({ checked: false, ...options })
  closers.push(() => started.close())
  return started
}

async function faulty(script: FaultScript): Promise<FaultSmtp> {
  const started = await startFaultSmtp(script)
  closers.push(() => started.close())
  return started
}

const send = (from: SmtpPool, signal = never) => from.send(envelope, message, signal)
const sendMany = (from: SmtpPool, count: number) => Promise.all(Array.from({ length: count }, () => send(from)))
const outcomes = (results: readonly { readonly outcome: string }[]) => [
  ...new Set(results.map(({ outcome }) => outcome)),
]

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

describe('the connections of a pool', () => {
  it('are as many as there are mails at the same time, no more than allowed, and used again', async () => {
    const server = await sink()
    const used = pool(server.port, 3)
    await send(used)
    await send(used)
    expect(server.connections).toBe(1)
    await sendMany(used, 2)
    expect(server.connections).toBe(2)
    await sendMany(used, 50)
    expect(server.connections).toBe(3)
    expect(server.messages).toHaveLength(54)
  })

  it('are closed with QUIT when they lie idle', async () => {
    const server = await faulty({})
    const used = pool(server.port, 2, { idleTimeout: 30 })
    await sendMany(used, 2)
    expect(server.open).toBe(2)
    await server.drained()
    expect(server.connections.map(({ commands }) => commands.at(-1))).toEqual(['QUIT', 'QUIT'])
    expect(await send(used)).toMatchObject({ outcome: 'accepted' })
  })

  it('are retired after as many mails as they may carry', async () => {
    const server = await faulty({})
    const used = pool(server.port, 1, { maxMessages: 2 })
    await sendMany(used, 5)
    expect(server.connections.map(({ commands }) => commands.filter((what) => what === 'END').length)).toEqual([
      2, 2, 1,
    ])
    expect(server.connections.slice(0, 2).map(({ commands }) => commands.at(-1))).toEqual(['QUIT', 'QUIT'])
  })

  it('are never more than allowed, those that say goodbye included', async () => {
    const server = await faulty({ answer: (line) => (line === 'QUIT' ? 'silence' : undefined) })
    const used = pool(server.port, 1, { maxMessages: 1, commandTimeout: 60 })
    const started = performance.now()
    expect(outcomes(await sendMany(used, 2))).toEqual(['accepted'])
    expect(server.connections).toHaveLength(2)
    expect(performance.now() - started).toBeGreaterThan(50)
  })

  it('that the server closed while idle are not used', async () => {
    const server = await sink()
    const used = pool(server.port, 2)
    await sendMany(used, 2)
    server.cut()
    await until('the server has seen both go', () => server.open === 0)
    expect(outcomes(await sendMany(used, 2))).toEqual(['accepted'])
    expect(server.connections).toBe(4)
  })

  it('that died unnoticed are replaced, each mail once', async () => {
    const server = await sink()
    const used = pool(server.port, 4)
    await sendMany(used, 4)
    // the mails are written before the client can see that its connections are gone
    server.cut()
    const results = await sendMany(used, 4)
    expect(outcomes(results)).toEqual(['accepted'])
    expect(server.messages).toHaveLength(8)
    expect(server.connections).toBe(8)
  })

  it('are replaced once only: a server that always hangs up is not asked for ever', async () => {
    const hangUp: FaultAnswer = { say: '', next: 'end' }
    const server = await faulty({
      answer: (line) => (server.messages.length > 0 && line.startsWith('MAIL') ? hangUp : undefined),
    })
    const used = pool(server.port, 1)
    expect(await send(used)).toMatchObject({ outcome: 'accepted' })
    expect(await send(used)).toMatchObject({ outcome: 'refused', permanent: false, stage: 'mail' })
    expect(server.connections).toHaveLength(2)
  })

  it('are replaced once only: the mail waits for a fresh one, and other kept ones go on with others', async () => {
    const answer = (line: string): FaultAnswer | undefined =>
      line.includes('dies') ? { say: '', next: 'end' } : undefined
    const server = await faulty({ answer })
    const used = pool(server.port, 2)
    await sendMany(used, 2)
    const dying = used.send({ from: 'dies@sender.test', to: envelope.to }, message, never)
    expect(outcomes(await sendMany(used, 20))).toEqual(['accepted'])
    expect(await dying).toMatchObject({ outcome: 'refused', permanent: false, stage: 'mail' })
    const asked = server.connections.filter(({ commands }) => commands.some((line) => line.includes('dies')))
    expect(asked).toHaveLength(2)
  })

  it('are not blamed on the mail when RSET finds them broken', async () => {
    const answer = (line: string, connection: number): FaultAnswer | undefined => {
      if (connection === 0 && line.startsWith('RCPT')) return '550 No\r\n'
      if (connection === 0 && line === 'DATA') return '554 No\r\n'
      return line === 'RSET' ? '500 What?\r\n' : undefined
    }
    const server = await faulty({ answer })
    const used = pool(server.port, 1)
    expect(await send(used)).toMatchObject({ outcome: 'refused', permanent: true })
    expect(await send(used)).toMatchObject({ outcome: 'accepted' })
    expect(server.connections).toHaveLength(2)
  })

  it('that a server limits are fewer, and every mail goes through those it allows', async () => {
    const tooMany: FaultAnswer = { say: '421 4.7.0 Too many connections\r\n', next: 'end' }
    const server = await faulty({
      answer: (line, connection) => (line === 'GREETING' && connection >= 2 ? tooMany : undefined),
    })
    const used = pool(server.port, 10)
    expect(outcomes(await sendMany(used, 100))).toEqual(['accepted'])
    expect(outcomes(await sendMany(used, 100))).toEqual(['accepted'])
    // those refused are not tried again with every mail
    expect(server.connections.length).toBeLessThanOrEqual(10)
  })

  it('above what a server allows are tried one by one, ever more rarely, and all again once it allows more', async () => {
    let [open, allowed] = [0, 2]
    const server = await sink({
      server: {
        onConnect(_session, done) {
          const isTooMany = open >= allowed
          if (!isTooMany) open++
          done(isTooMany ? Object.assign(new Error('4.7.0 Too many connections'), { responseCode: 421 }) : null)
        },
      },
    })
    const used = pool(server.port, 10)
    const busyFor = async (ms: number) => {
      const before = server.connections
      for (const end = performance.now() + ms; performance.now() < end; ) {
        expect(outcomes(await sendMany(used, 60))).toEqual(['accepted'])
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return server.connections - before
    }
    expect(await busyFor(500)).toBe(10)
    expect(await busyFor(2_500)).toBeLessThanOrEqual(3)
    allowed = 10
    await until('all are open', async () => (await busyFor(100)) >= 0 && open === 10, 10_000)
  })

  it('are not needed for a mail that has left the line', async () => {
    const server = await faulty({ answer: (line) => (line === 'END' ? 'silence' : undefined) })
    const used = pool(server.port, 1, { dataTimeout: 60 })
    const first = send(used).catch((error: Error) => error)
    const abort = new AbortController()
    const second = send(used, abort.signal)
    abort.abort()
    expect(await second).toMatchObject({ outcome: 'refused', permanent: false, stage: 'connect' })
    expect(String(await first)).toContain('not known')
    expect(server.messages).toHaveLength(1)
  })
})

describe('closing a pool', () => {
  it('says QUIT on idle connections and leaves neither sockets nor timers', async () => {
    const server = await faulty({})
    const resources = () => process.getActiveResourcesInfo().filter((what) => /Timeout|TCPSocket|TLS/.test(what)).length
    const before = resources()
    const used = pool(server.port, 3)
    await sendMany(used, 10)
    await used.close()
    await server.drained()
    expect(resources()).toBeLessThanOrEqual(before)
    expect(server.connections.map(({ commands }) => commands.at(-1))).toEqual(['QUIT', 'QUIT', 'QUIT'])
  })

  it('does not wait for a server that never says goodbye', async () => {
    const server = await faulty({ answer: (line) => (line === 'QUIT' ? 'silence' : undefined) })
    const used = pool(server.port, 1, { commandTimeout: 50 })
    await send(used)
    await used.close()
    await server.drained()
  })

  it('ends what is under way: refused for now, or unknown', async () => {
    const server = await faulty({
      answer: (line, connection) =>
        line === ['MAIL FROM:<from@sender.test> SIZE=22', 'END'][connection] ? 'silence' : undefined,
    })
    const used = pool(server.port, 2)
    const sending = Array.from({ length: 3 }, () => send(used).catch((error: Error) => error))
    await until('both are busy', () => server.connections[0]?.commands[1] !== undefined && server.messages.length === 1)
    await used.close()
    const [first, second, third] = await Promise.all(sending)
    expect([first, second].map((result) => result instanceof Error)).toContain(true)
    expect([first, second]).toContainEqual(
      expect.objectContaining({ outcome: 'refused', permanent: false, stage: 'mail' }),
    )
    expect(third).toMatchObject({ outcome: 'refused', permanent: false, stage: 'connect' })
  })

  it('gives up connections that are being opened', async () => {
    const server = await faulty({ answer: () => 'silence' })
    const used = pool(server.port, 2)
    const sending = sendMany(used, 2)
    await until('both have connected', () => server.open === 2)
    await used.close()
    expect(outcomes(await sending)).toEqual(['refused'])
    await server.drained()
  })

  it('refuses every later mail for now', async () => {
    const server = await faulty({})
    const used = pool(server.port, 1)
    await used.close()
    expect(await send(used)).toMatchObject({ outcome: 'refused', permanent: false, stage: 'connect' })
    await expect(used.check()).rejects.toThrow()
    expect(server.messages).toEqual([])
  })
})

describe('a deadline', () => {
  it('passes at the last time set, and only once', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      const passed = vi.fn()
      const deadline = new Deadline(passed)
      deadline.set(100)
      vi.advanceTimersByTime(90)
      deadline.set(100)
      vi.advanceTimersByTime(90)
      expect(passed).not.toHaveBeenCalled()
      vi.advanceTimersByTime(20)
      expect(passed).toHaveBeenCalledTimes(1)
      deadline.set(1000)
      deadline.set(10)
      vi.advanceTimersByTime(12)
      expect(passed).toHaveBeenCalledTimes(2)
      deadline.set(10)
      deadline.clear()
      vi.advanceTimersByTime(5000)
      expect(passed).toHaveBeenCalledTimes(2)
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})

const mailsOf = (commands: readonly string[]) => commands.filter((line) => line.startsWith('MAIL')).length

describe.each([
  true,
  false,
])('a next hop that takes only so many mails on one connection (pipelining: %s)', (pipelining) => {
  const noting = () => {
    const lines: unknown[] = []
    const log: Log = { ...silentLog, info: (_message, fields) => void lines.push(fields) }
    return { log, lines }
  }

  it.each([
    ['answers MAIL with 452', 7, hops.openSmtpd(7), /Too many messages sent/],
    ['answers MAIL with 421', 7, hops.exim(7), /too many messages in this connection/],
    ['closes', 7, hops.closing(7), /closed/],
    ['closes after RCPT', 7, hops.closingLater(7), /closed/],
    ['takes one mail only', 1, hops.openSmtpd(1), /Too many messages sent/],
    ['takes few connections as well', 7, hops.fewConnections(3, hops.openSmtpd(7)), /Too many messages sent/],
  ] as const)('that %s gets each mail once, and is asked for no more once that is known', async (_how, limit, script, reason) => {
    const server = await faulty(script)
    const { log, lines } = noting()
    const used = pool(server.port, 10, { pipelining }, log)
    const found = () => server.connections.filter(({ commands }) => mailsOf(commands) > limit).length
    expect(outcomes(await sendMany(used, 300))).toEqual(['accepted'])
    expect(server.messages).toHaveLength(300)
    // each of the first connections may have to find out; those opened later know it
    const first = found()
    expect(first).toBeGreaterThan(1)
    expect(first).toBeLessThanOrEqual(10)
    expect(outcomes(await sendMany(used, 100))).toEqual(['accepted'])
    expect(server.messages).toHaveLength(400)
    expect(found()).toBe(first)
    const host = expect.stringContaining('127.0.0.1:')
    expect(lines).toEqual([{ host, mails: limit, reason: expect.stringMatching(reason) }])
  })

  it('is asked for more after a while, at the price of no mail', async () => {
    const server = await faulty(hops.openSmtpd(5))
    const used = pool(server.port, 1, { pipelining })
    expect(outcomes(await sendMany(used, 20))).toEqual(['accepted'])
    const met = () => server.connections.filter(({ commands }) => mailsOf(commands) > 5).length
    expect(met()).toBe(2)
    const now = performance.now.bind(performance)
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000)
    expect(outcomes(await sendMany(used, 20))).toEqual(['accepted'])
    later.mockRestore()
    expect(server.messages).toHaveLength(40)
    expect(met()).toBe(3)
  })

  it('is not thought to be one when a fresh connection refuses as well: that is a refusal, after one more try', async () => {
    const server = await faulty(hops.postfixRate(3, 60_000))
    const { log, lines } = noting()
    const used = pool(server.port, 1, { pipelining }, log)
    expect(outcomes(await sendMany(used, 3))).toEqual(['accepted'])
    const refused = { outcome: 'refused', permanent: false, stage: 'mail', code: 450, enhancedCode: '4.7.1' }
    for (const _mail of [1, 2, 3]) expect(await send(used)).toMatchObject(refused)
    // the one in use was given up, and its successor is kept: it has carried no mail that could have used it up
    expect(server.connections).toHaveLength(2)
    expect(lines).toEqual([])
  })
})
