import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import S3rver from 's3rver'
import { beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../core/ports/log.ts'
import { s3 } from '../../plugins/blobs-s3/index.ts'
import { blobStoreContract } from '../contracts/blob-store.ts'
import { atEndOfFile } from '../support/end-of-file.ts'

const BUCKET = 'mailwright-test'
const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
let endpoint: string
/** Where the service itself listens. */
let inner: string
let prefixes = 0

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mailwright-s3-'))
  const server = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory },
    configureBuckets: [{ name: BUCKET, configs: [] }],
  })
  const { port } = await server.run()
  inner = `http://127.0.0.1:${port}`
  const front = createServer(oneAtATime(port)).listen(0, '127.0.0.1')
  await once(front, 'listening')
  endpoint = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  atEndOfFile(async () => {
    front.close()
    front.closeAllConnections()
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  })
})

async function open(options: Partial<Parameters<typeof s3>[0]> = {}) {
  const given = { bucket: BUCKET, region: 'us-east-1', endpoint, credentials, ...options }
  const { blobs, close } = await s3(given).open({ log: silentLog, clock: { now: () => new Date() } })
  return { blobs, close: async () => close?.() }
}

describe('blobs in a bucket', () => {
  blobStoreContract(async () => {
    const front = createServer(oneAtATime(Number(new URL(inner).port))).listen(0, '127.0.0.1')
    await once(front, 'listening')
    const unplug = async () => {
      front.close()
      front.closeAllConnections()
    }
    const own = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
    const { blobs, close } = await open({ prefix: `test-${prefixes++}/`, endpoint: own })
    return { blobs, unplug, close: () => Promise.all([close(), unplug()]).then(() => {}) }
  })

  it('keep to their prefix, so that others may use the bucket', async () => {
    const [mine, theirs] = [await open({ prefix: 'mine/deep/' }), await open({ prefix: 'theirs/' })]
    await mine.blobs.put('a', Buffer.from('x'))
    expect(await theirs.blobs.get('a')).toBeUndefined()
    expect(await (await open()).blobs.get('mine/deep/a')).toBeDefined()
  })

  it('are shared with another process', async () => {
    const [one, other] = [await open(), await open()]
    await one.blobs.put('shared', Buffer.from('x'))
    expect(Buffer.from((await other.blobs.get('shared'))!).toString()).toBe('x')
  })

  it('are no missing blobs when the bucket, the key or the service is missing, but errors', async () => {
    const wrong = [
      { bucket: 'no-such-bucket' },
      { credentials: { ...credentials, accessKeyId: 'nobody' } },
      { endpoint: 'http://127.0.0.1:1', timeouts: { connect: 1, request: 1 } },
    ]
    for (const options of wrong) {
      const { blobs, close } = await open(options)
      await expect(blobs.check()).rejects.toThrow()
      await expect(blobs.put('a', Buffer.from('x'))).rejects.toThrow()
      await expect(blobs.get('a')).rejects.toThrow()
      await expect(blobs.stream('a')).rejects.toThrow()
      await close()
    }
  })

  it('names wrong options', () => {
    const problems = s3({ bucket: 'No', region: 'eu central', prefix: '/a', endpoint: 'ftp://x' }).problems()
    expect(problems.map(({ field }) => field)).toEqual(['bucket', 'region', 'prefix', 'endpoint'])
    expect(s3({ bucket: 'acme-mail', region: 'eu-central-1' }).problems()).toEqual([])
  })
})

/** Hands on one request after the other: s3rver writes over an object in place, where S3 never shows a half. */
function oneAtATime(port: number): RequestListener {
  let last: Promise<unknown> = Promise.resolve()
  return async (asked, answer) => {
    const body = await buffer(asked)
    const turn = last.then(async () => {
      const { method = '', url: path = '', headers } = asked
      const onward = request({ host: '127.0.0.1', port, method, path, headers })
      onward.end(body)
      const [answered] = (await once(onward, 'response')) as [IncomingMessage]
      return { answered, bytes: await buffer(answered) }
    })
    last = turn.catch(() => {})
    const { answered, bytes } = await turn
    answer.writeHead(answered.statusCode ?? 500, answered.headers).end(bytes)
  }
}
