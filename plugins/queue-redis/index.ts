import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { isRedisUrl } from './redis-url.ts'

const seconds = (least: number, most: number) => v.pipe(v.number(), v.minValue(least), v.maxValue(most))

export const RedisQueueOptions = v.strictObject({
  /** Where Redis is: `redis://user:password@host:6379/0`, or `rediss://…` for TLS. The path is the number of a database. */
  url: v.pipe(
    v.string(),
    v.check(
      isRedisUrl,
      'must be a URL such as redis://user:password@localhost:6379/0; special characters in user and password are percent-encoded: # is %23, / is %2F',
    ),
  ),
  /** The start of all its keys. Installations that share a database of Redis each need their own. */
  prefix: v.optional(
    v.pipe(v.string(), v.regex(/^[\w.{}-]{1,64}$/, 'must be 1 to 64 letters, digits and _ . - { }')),
    'mailwright',
  ),
  /** With `rediss://`: certificates of one's own. */
  tls: v.optional(
    v.strictObject({
      /** Certificates in PEM. */
      ca: v.optional(v.string()),
      /** This program's own certificate, in PEM, where the server asks for one. */
      cert: v.optional(v.string()),
      /** Its private key, in PEM. */
      key: v.optional(v.string()),
      /** False accepts any certificate: only for a server on a network you trust. Default true. */
      rejectUnauthorized: v.optional(v.boolean()),
    }),
    {},
  ),
  /** How many seconds connecting may take. */
  connectTimeout: v.optional(seconds(0.1, 60), 5),
  /** How many seconds Redis may take to answer. What takes longer counts as an outage, and the connection is made anew. */
  answerTimeout: v.optional(seconds(0.1, 4), 2),
})

/**
 * The doorbell of several processes: BullMQ on Redis. Whichever process rings, an idle worker process is woken at once.
 *
 * How it keeps the port's promises:
 * - A topic and lane is a queue of BullMQ, which has one job: the earliest ring. A later ring finds it and writes nothing;
 *   an earlier one takes its place.
 * - A ring is also published. Of the processes that listen and are not at work on the same topic and lane, the one that
 *   takes the job is woken.
 * - The job is completed, and so removed, when the wake begins. When the process dies just before, BullMQ gives the job
 *   back within some ten seconds; when it dies later, the ring is lost, and the engine's regular looks find the work.
 * - When Redis goes away, `ring()` throws SERVICE_UNAVAILABLE and wakes go on. Rings are lost when Redis comes back empty.
 *
 * It needs two connections in a process that works, and one in a process that only rings.
 */
export const redisQueue = definePlugin({
  name: 'queue-redis',
  provides: ['queue'],
  options: RedisQueueOptions,
  async open(options, kit) {
    // packages of 900 KB, which no one else needs
    const { RedisQueue } = await import('./redis-queue.ts')
    const queue = new RedisQueue(options, kit)
    await queue.open()
    return { queue, close: () => queue.stop() }
  },
})
