import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { createTransport } from 'nodemailer'
import { startRedis } from '../test/support/redis.ts'
import { filledCampaign } from './campaign-mail.ts'
import { CONNECTIONS } from './campaign-run.ts'
import type { Figure } from './figure.ts'
import { SINK_PORT } from './references.ts'
import { sampleData } from './sample-mail.ts'
import { startSmtpSink } from './smtp-sink.ts'

/** How many jobs are added in one round trip. */
const BATCH = 500

/**
 * The same mails by what a team of Node programmers builds itself: a job of BullMQ for each, with its contact's data, in a Redis
 * that keeps what it takes in its append-only file, and a worker that hands it to nodemailer's pool. The words are filled in
 * beforehand, and nothing is kept of a mail once it is sent.
 */
export async function measureBullmq(mails: number): Promise<readonly Figure[]> {
  const redis = await startRedis(['--appendonly', 'yes'])
  const sink = await startSmtpSink(SINK_PORT)
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null })
  const transport = createTransport({
    ...{ pool: true, host: '127.0.0.1', port: sink.port, ignoreTLS: true },
    ...{ maxConnections: CONNECTIONS, maxMessages: Number.POSITIVE_INFINITY },
  })
  const mail = { from: 'News <news@example.com>', ...filledCampaign(1) }
  const queue = new Queue<Job>('mails', { connection })
  const { promise: done, resolve, reject } = Promise.withResolvers<void>()
  let sent = 0
  const worker = new Worker<Job>('mails', ({ data: { to } }) => transport.sendMail({ ...mail, to }), {
    ...{ connection, concurrency: 2 * CONNECTIONS, autorun: false },
  })
  worker.on('completed', () => void (++sent === mails && resolve()))
  worker.on('failed', (_job, error) => reject(error))
  try {
    await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()])
    const [start, cpu, theirs] = [performance.now(), process.cpuUsage(), await secondsOf(connection)]
    worker.run().catch(reject)
    for (let next = 0; next < mails; next += BATCH) {
      const some = Array.from({ length: Math.min(BATCH, mails - next) }, (_, i) => next + i)
      const opts = { removeOnComplete: true, attempts: 5 }
      await queue.addBulk(
        some.map((i) => ({ name: 'mail', data: { to: `user${i}@example.org`, data: sampleData(i) }, opts })),
      )
    }
    await done
    const seconds = (performance.now() - start) / 1000
    const { user, system } = process.cpuUsage(cpu)
    const what = "reference: BullMQ on Redis and nodemailer, a campaign's mail"
    const note = `Redis with its append-only file, ${CONNECTIONS} connections`
    return [
      { what, value: mails / seconds, unit: 'mails/s', note },
      { what: `${what}: CPU for each mail`, value: (user + system) / mails, unit: 'µs' },
      {
        what: `${what}: CPU of Redis for each mail`,
        value: (((await secondsOf(connection)) - theirs) / mails) * 1e6,
        unit: 'µs',
      },
    ]
  } finally {
    await worker.close()
    await queue.close()
    connection.disconnect()
    transport.close()
    await sink.close()
    await redis.stop()
  }
}

interface Job {
  readonly to: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The processor time that this Redis has used so far. */
async function secondsOf(redis: Redis): Promise<number> {
  const info = await redis.info('cpu')
  return ['user', 'sys'].reduce((sum, of) => sum + Number(new RegExp(`used_cpu_${of}:([\\d.]+)`).exec(info)?.[1]), 0)
}
