import type { SESv2Client } from '@aws-sdk/client-sesv2'
import { loadOptional } from '../../../core/plugin/optional-packages.ts'
import type { SesAccess } from './options.ts'

export type SesSdk = typeof import('@aws-sdk/client-sesv2')

/** Loads Amazon's SDK. Throws EngineError `CONFIG_INVALID` when it is missing. */
export function loadSesSdk(plugin: string): Promise<SesSdk> {
  return loadOptional(plugin, 'ses', () => import('@aws-sdk/client-sesv2'))
}

/** A client that tries each request once, since the SDK cannot know whether a request may be repeated. */
export function sesClient(
  { SESv2Client }: SesSdk,
  { region, credentials, endpoint, timeouts }: SesAccess,
  maxConnections: number,
): SESv2Client {
  return new SESv2Client({
    region,
    ...(credentials === undefined ? {} : { credentials: keyOf(credentials) }),
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: timeouts.connect * 1000,
      requestTimeout: timeouts.request * 1000,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: maxConnections },
      httpsAgent: { keepAlive: true, maxSockets: maxConnections },
    },
  })
}

function keyOf({ accessKeyId, secretAccessKey, sessionToken }: NonNullable<SesAccess['credentials']>) {
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
}
