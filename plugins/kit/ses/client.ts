import type { SESv2Client } from '@aws-sdk/client-sesv2'
import { EngineError } from '../../../core/errors.ts'
import type { SesAccess } from './options.ts'

const PACKAGE = '@aws-sdk/client-sesv2'

export type SesSdk = typeof import('@aws-sdk/client-sesv2')

/**
 * Loads Amazon's SDK, an optional dependency. Throws EngineError `CONFIG_INVALID`, which says how to install it, when
 * it is missing.
 */
export async function loadSdk(plugin: string): Promise<SesSdk> {
  try {
    return await import('@aws-sdk/client-sesv2')
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    const message = `Amazon's SDK is not installed: npm install ${PACKAGE}`
    const fields = [{ field: 'use', code: 'custom', message }] as const
    throw new EngineError('CONFIG_INVALID', `${plugin}: ${message}`, { fields, cause })
  }
}

function isMissing(cause: unknown): boolean {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && String(cause).includes(PACKAGE)
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
