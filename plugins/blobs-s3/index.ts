import { loadOptional } from '../../core/plugin/optional-packages.ts'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { S3Options } from './options.ts'
import { S3BlobStore } from './s3-blob-store.ts'

export { S3Options } from './options.ts'

/** How many requests may be under way at the same time. */
const MAX_CONNECTIONS = 50

/**
 * Keeps blobs as objects of a bucket, at Amazon S3 or a service that speaks its protocol. Several processes may share the
 * bucket. Needs the package `@aws-sdk/client-s3`; throws EngineError `CONFIG_INVALID` on opening without it. `s3({ bucket:
 * 'acme-mail', region: 'eu-central-1' })`.
 */
export const s3 = definePlugin({
  name: 'blobs-s3',
  provides: ['blobs'],
  options: S3Options,
  describe: ({ bucket, endpoint }) => (endpoint ? `${bucket} at ${endpoint}` : bucket),
  async open({ bucket, prefix, region, endpoint, credentials, forcePathStyle, timeouts }) {
    const sdk = await loadOptional('blobs-s3', 's3', () => import('@aws-sdk/client-s3'))
    const { accessKeyId = '', secretAccessKey = '', sessionToken } = credentials ?? {}
    const key = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
    const client = new sdk.S3Client({
      region,
      forcePathStyle: forcePathStyle ?? endpoint !== undefined,
      ...(credentials === undefined ? {} : { credentials: key }),
      // other services do not know all of Amazon's check sums
      ...(endpoint === undefined ? {} : { endpoint, requestChecksumCalculation: 'WHEN_REQUIRED' }),
      requestHandler: {
        connectionTimeout: timeouts.connect * 1000,
        requestTimeout: timeouts.request * 1000,
        throwOnRequestTimeout: true,
        httpAgent: { keepAlive: true, maxSockets: MAX_CONNECTIONS },
        httpsAgent: { keepAlive: true, maxSockets: MAX_CONNECTIONS },
      },
    })
    return {
      blobs: new S3BlobStore(sdk, client, { bucket, prefix }),
      close: async () => client.destroy(),
    }
  },
})
