import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Log } from '../../core/ports/log.ts'
import { LANES, type Queue } from '../../core/ports/queue.ts'
import { redisQueue } from '../../plugins/queue-redis/index.ts'
import { type RedisServer, sharedRedis, startRedis } from '../support/redis.ts'
import { freePort } from '../support/server-process.ts'
import { until } from '../support/until.ts'

let shared: Awaited<ReturnType<typeof sharedRedis>>
let prefix: string
let client: Redis

beforeAll(async () => {
  shared = await sharedRedis()
  client = new Redis(shared.url)
})
afterAll(async () => {
  client.disconnect()
  await shared.stop()
})

/** A time that is not reached in a test. */
const LATER_MS = 60_000
/** A hash of settings, a stream of what happened, a mark that BullMQ keeps for a while, and those of a ring that waits. */
const KEYS_OF_A_BELL = 6

describe('the Redis queue', () => {
  it('wakes an idle process at once when another rings', async () => {
    const [{ queue: rings }, { queue: works }] = [await open(), await open()]
    const woken: number[] = []
    await works.listen(['mail'], async () => void woken.push(performance.now()))
    const waits: number[] = []
    for (let i = 0; i < 20; i++) {
      const start = performance.now()
      await rings.ring('mail')
      waits.push((await until('it is woken', () => woken[i])) - start)
    }
    expect(waits.sort((a, b) => a - b)[10]).toBeLessThan(100)
    expect(waits.at(-1)).toBeLessThan(500)
  })

  it('wakes for many rings a second a few times, and always after the last', async () => {
    const [{ queue: rings }, { queue: works }] = [await open(), await open()]
    let [stored, seen, wakes] = [0, 0, 0]
    await works.listen(['mail'], async () => {
      wakes++
      seen = stored
    })
    await Promise.all(
      Array.from({ length: 2000 }, async (_, i) => {
        await new Promise((resolve) => setTimeout(resolve, i % 100))
        stored++
        await rings.ring('mail')
      }),
    )
    await until('all is seen', () => seen === 2000)
    expect(wakes).toBeLessThan(500)
  })

  it('wakes at the earliest of times that several processes ring for in any order, and keeps one ring', async () => {
    const queues = await Promise.all(Array.from({ length: 5 }, async () => (await open()).queue))
    let wakes = 0
    await queues[0]!.listen(['mail'], async () => void wakes++)
    for (let round = 1; round <= 10; round++) {
      const ring = (queue: Queue, ahead: number) => queue.ring('mail', { at: new Date(Date.now() + ahead) })
      const times = Array.from({ length: 20 }, (_, i) => LATER_MS + ((i * 7) % 20) * 1000)
      times.splice(round, 0, 60)
      await Promise.all(times.map((ahead, i) => ring(queues[i % queues.length]!, ahead)))
      await until('it is woken', () => wakes === round, 5_000)
    }
    expect(await client.zcard(`${prefix}:mail-workflow:delayed`)).toBe(0)
    for (let ahead = 100; ahead > 0; ahead--)
      await queues[1]!.ring('mail', { at: new Date(Date.now() + LATER_MS + ahead * 1000) })
    expect(await client.zcard(`${prefix}:mail-workflow:delayed`)).toBe(1)
  })

  it('keeps a few keys for each topic and lane, however often it is rung', async () => {
    const { queue } = await open()
    await queue.listen(['mail'], async () => {})
    const ring = async (times: number) => {
      for (let i = 0; i < times; i++) await queue.ring('mail', { at: new Date(Date.now() + (i % 3)) })
      await until('all is taken', async () => (await client.exists(`${prefix}:mail-workflow:now`)) === 0)
    }
    await ring(300)
    const most = LANES.length * KEYS_OF_A_BELL
    expect((await keysOf()).length).toBeLessThan(most)
    await ring(600)
    expect((await keysOf()).length).toBeLessThan(most)
    // Redis trims a stream by whole nodes of a hundred
    expect(await client.xlen(`${prefix}:mail-workflow:events`)).toBeLessThan(250)
  })

  it('takes a ring of a process that was killed while it took one', async () => {
    const { queue } = await open()
    await queue.ring('mail')
    const dies = new Worker('mail-workflow', undefined, {
      connection: client.duplicate({ maxRetriesPerRequest: null }),
      prefix,
    })
    onTestFinished(() => dies.close(true))
    expect(await dies.getNextJob('dies', { block: false })).toMatchObject({ id: 'now' })
    // what a killed process holds, after its time
    await client.del(`${prefix}:mail-workflow:now:lock`)
    let wakes = 0
    await queue.listen(['mail'], async () => void wakes++)
    await until('it wakes', () => wakes === 1)
    await queue.ring('mail')
    await until('it wakes again', () => wakes === 2)
  })

  it('has two connections in a process that listens, and one in another', async () => {
    const server = await ownRedis()
    const { queue: rings } = await open({ url: server.url })
    const { queue: works } = await open({ url: server.url })
    await works.listen(['mail', 'step', 'webhooks.deliver'], async () => {})
    await rings.ring('mail')
    const asks = new Redis(server.url)
    const list = String(await asks.client('LIST'))
    asks.disconnect()
    expect(list.match(/name=mailwright-queue\b/g)).toHaveLength(3)
  })

  it('hears nothing of an installation with another prefix', async () => {
    const [{ queue }, { queue: other }] = [await open(), await open({ prefix: `${prefix}-other` })]
    const heard: string[] = []
    await queue.listen(['mail', 'end'], async (topic) => void heard.push(topic))
    await other.ring('mail')
    await queue.ring('end')
    await until('the last is heard', () => heard.length > 0)
    expect(heard).toEqual(['end'])
    await other.listen(['mail'], async () => {})
    await until('it is taken', async () => (await client.exists(`${prefix}-other:mail-workflow:now`)) === 0)
  })
})

describe('an outage of Redis', () => {
  it('refuses rings meanwhile, ends no wake, and goes on by itself with an empty Redis', async () => {
    const server = await ownRedis()
    const { queue, lines } = await open({ url: server.url })
    const held = Promise.withResolvers<void>()
    onTestFinished(() => held.resolve())
    const topics: string[] = []
    await queue.listen(['slow', 'mail'], async (topic) => {
      topics.push(topic)
      if (topic === 'slow') await held.promise
    })
    await queue.ring('slow')
    await until('it has begun', () => topics.length === 1)
    await server.kill()
    const refused = async () => String(await queue.ring('mail').catch((error: Error) => error.message))
    await until('it says why', async () => (await refused()).includes('ECONNREFUSED'))
    await expect(queue.ring('mail')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await expect(queue.check()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await server.start()
    await until('it answers again', () => answers(queue))
    await queue.ring('mail')
    await until('it wakes again', () => topics.includes('mail'))
    expect(topics).toEqual(['slow', 'mail'])
    held.resolve()
    expect(lines).toEqual(['warn queue: it has lost Redis and tries to reach it again', 'info queue: it works again'])
    const asks = new Redis(server.url)
    expect(await asks.hget(`${prefix}:mail-workflow:meta`, 'opts.maxLenEvents')).toBe('1')
    asks.disconnect()
    await queue.stop()
  })

  it('is one, too, when Redis stays connected and does not answer: rings and checks end within their time', async () => {
    const server = await ownRedis()
    const { queue, lines } = await open({ url: server.url, answerTimeout: 0.3 })
    let wakes = 0
    await queue.listen(['mail'], async () => void wakes++)
    server.freeze()
    const start = performance.now()
    await expect(queue.ring('mail')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await expect(queue.check()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(performance.now() - start).toBeLessThan(4_000)
    await until('it counts as lost', () => lines.length > 0)
    server.thaw()
    await until('it answers again', () => answers(queue))
    await queue.ring('mail')
    await until('it wakes again', () => wakes > 0)
  })

  it.each(['kill', 'freeze'] as const)('lets it stop meanwhile (%s)', async (how) => {
    const server = await ownRedis()
    const { queue } = await open({ url: server.url, answerTimeout: 0.3 })
    await queue.listen(['mail'], async () => {})
    await queue.ring('mail', { at: new Date(Date.now() + LATER_MS) })
    await server[how]()
    const start = performance.now()
    await expect(queue.stop()).resolves.toBeUndefined()
    expect(performance.now() - start).toBeLessThan(4_000)
  })

  it('at the start does not keep a process from starting: it works as soon as Redis is there', async () => {
    const server = await ownRedis()
    await server.kill()
    const { queue, lines } = await open({ url: server.url })
    let wakes = 0
    await queue.listen(['mail'], async () => void wakes++)
    await expect(queue.check()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(lines).toEqual([
      'warn queue: it cannot reach Redis and goes on trying; work is found by regular looks meanwhile',
    ])
    await server.start()
    await until('it answers', () => answers(queue))
    await queue.ring('mail')
    await until('it wakes', () => wakes === 1)
  })

  it('at the start takes no longer than connectTimeout, when the machine answers nothing', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as { port: number }
    const start = performance.now()
    const { queue } = await open({ url: `redis://127.0.0.1:${port}`, connectTimeout: 0.3, answerTimeout: 0.3 })
    await queue.listen(['mail'], async () => {})
    expect(performance.now() - start).toBeLessThan(4_000)
  })
})

describe('what Redis refuses', () => {
  it.each([
    ['a wrong password', (url: string) => url.replace('open-sesame', 'guessed-wrong'), 'WRONGPASS'],
    ['no password', (url: string) => url.replace(':open-sesame@', ''), 'NOAUTH'],
    ['a database that is not there', (url: string) => `${url}/99`, 'DB index is out of range'],
  ])('is named at the start: %s', async (_what, change, said) => {
    const server = await ownRedis(['--requirepass', 'open-sesame'], ':open-sesame@')
    await expect(open({ url: server.url }).then(({ queue }) => queue.check())).resolves.toBeUndefined()
    const { lines, result } = await tryOpen({ url: change(server.url) })
    const error: Error = await result.then(
      () => expect.unreachable(),
      (thrown) => thrown,
    )
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(said) })
    expect(JSON.stringify([String(error), error, lines])).not.toMatch(/open-sesame|guessed-wrong/)
  })

  it('is shown by the check: a full memory, and a user who may not listen', async () => {
    const server = await ownRedis(['--maxmemory', '1kb'])
    const { queue } = await open({ url: server.url })
    await expect(queue.check()).rejects.toThrow(/OOM/)
    await expect(queue.ring('mail')).rejects.toThrow(/OOM/)

    const users = ['--user', 'deaf', 'on', '>mute', '~*', '+@all', 'resetchannels']
    const other = await ownRedis([...users, '--user', 'mute', 'on', '>deaf', '~*', '&*', '+@all', '-@scripting'])
    const { queue: deaf } = await open({ url: other.url.replace('127', 'deaf:mute@127') })
    await deaf.listen(['mail'], async () => {})
    await expect(deaf.check()).rejects.toThrow(/NOPERM/)
    const { queue: mute } = await open({ url: other.url.replace('127', 'mute:deaf@127') })
    await expect(mute.check()).rejects.toThrow(/NOPERM/)
  })

  it('is warned of once when it would evict rings', async () => {
    const server = await ownRedis(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'])
    const { lines } = await open({ url: server.url })
    await until('it is warned of', () => lines.length > 0)
    await server.kill()
    await server.start()
    await until('it works again', () => lines.some((line) => line.includes('works again')))
    expect(lines.filter((line) => line.includes('noeviction'))).toHaveLength(1)
  })
})

describe('its options', () => {
  it('have TLS, and a user with rights for its own keys alone', async () => {
    const file = (name: string) => fileURLToPath(new URL(`../support/localhost-${name}.pem`, import.meta.url))
    const tls = ['--tls-cert-file', file('cert'), '--tls-key-file', file('key'), '--tls-auth-clients', 'no']
    const port = await freePort()
    const rights = ['--user', 'mail', 'on', '>a/b#c', '~mine:*', '&mine:*', '+@all', '-@dangerous', '+info']
    await ownRedis([...tls, '--tls-port', `${port}`, ...rights])
    const url = `rediss://mail:${encodeURIComponent('a/b#c')}@localhost:${port}/3`
    const ca = readFileSync(file('cert'), 'utf8')
    const { queue } = await open({ url, prefix: 'mine', tls: { ca } })
    let wakes = 0
    await queue.listen(['mail'], async () => void wakes++)
    await queue.ring('mail')
    await until('it wakes', () => wakes === 1)
    await expect(queue.check()).resolves.toBeUndefined()
    const { queue: doubts } = await open({ url, prefix: 'mine', answerTimeout: 0.3 })
    await expect(doubts.check()).rejects.toThrow(/certificate/)
  })

  it('are named when they are wrong', () => {
    const problems = (options: object) =>
      redisQueue(options as never)
        .problems()
        .map(({ field }) => field)
    expect(problems({})).toEqual(['url'])
    for (const url of [
      'http://localhost',
      'redis://',
      'redis://u:p#@h',
      'redis://h/x',
      'redis://h?db=1',
      'redis://u:%@h',
    ])
      expect(problems({ url })).toEqual(['url'])
    for (const url of ['redis://localhost', 'rediss://:p%23@cache.example.com:6380/15', 'redis://[::1]:6379'])
      expect(problems({ url })).toEqual([])
    const url = 'redis://localhost'
    expect(problems({ url, prefix: 'x'.repeat(65), connectTimeout: 61, answerTimeout: 4.1 })).toEqual([
      'prefix',
      'connectTimeout',
      'answerTimeout',
    ])
    expect(problems({ url, prefix: 'x'.repeat(64), connectTimeout: 60, answerTimeout: 4 })).toEqual([])
    expect(problems({ url, connectTimeout: 0, answerTimeout: 0 })).toEqual(['connectTimeout', 'answerTimeout'])
  })
})

const opened: Queue[] = []
const servers: RedisServer[] = []
beforeAll(() => {
  prefix = `mailwright-test-${randomBytes(6).toString('hex')}`
})
afterEach(async () => {
  for (const server of servers) server.thaw()
  await Promise.all(opened.splice(0).map((queue) => queue.stop()))
  await Promise.all(servers.splice(0).map((server) => server.stop()))
  const keys = await keysOf()
  if (keys.length > 0) await client.del(...keys)
})

async function ownRedis(settings: readonly string[] = [], login = ''): Promise<RedisServer> {
  const server = await startRedis(settings, login)
  servers.push(server)
  return server
}

interface Options {
  readonly url?: string
  readonly prefix?: string
  readonly tls?: { readonly ca: string }
  readonly connectTimeout?: number
  readonly answerTimeout?: number
}

async function open(options: Options = {}) {
  const { lines, result } = await tryOpen(options)
  const { queue } = await result
  return { queue, lines }
}

async function tryOpen(options: Options) {
  const lines: string[] = []
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  const log: Log = { debug: () => {}, info: at('info'), warn: at('warn'), error: at('error'), with: () => log }
  const plugin = redisQueue({ url: shared.url, prefix, ...options })
  const result = Promise.resolve(plugin.open({ log, clock: { now: () => new Date() } }))
  const kept = result.then(
    ({ queue }) => opened.push(queue),
    () => {},
  )
  await kept
  return { lines, result }
}

function answers(queue: Queue): Promise<boolean> {
  return queue.check().then(
    () => true,
    () => false,
  )
}

function keysOf(): Promise<string[]> {
  return client.keys(`${prefix}*`)
}
