import { createPublicKey, type KeyObject } from 'node:crypto'
import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { SendGridHook } from './sendgrid-hook.ts'

/** A P-256 key as the console shows it: the base64 of a SubjectPublicKeyInfo (RFC 5280), or the same as PEM. */
const PublicKey = v.pipe(
  v.string(),
  v.transform(readKey),
  v.check(
    (key) => key?.asymmetricKeyDetails?.namedCurve === 'prime256v1',
    'must be the verification key of the console',
  ),
  v.transform((key) => key as KeyObject),
)

/** How SendGrid's requests are verified, and how they name our mail. Times are in seconds. */
export const SendGridHookOptions = v.strictObject({
  /** The verification key of the signed event webhook. */
  publicKey: PublicKey,
  /** How long a signature is valid: SendGrid retries failed requests for 24 hours. */
  tolerance: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(7 * 86_400)), 90_000),
  /** The unique argument that holds our record's id. */
  argument: v.optional(v.pipe(v.string(), v.minLength(1)), 'mailwright'),
})

/**
 * Takes the events of Twilio SendGrid's signed event webhook: deliveries, bounces, blocks, drops, complaints, openings,
 * clicks and unsubscribing. `sendgridHook({ publicKey: 'MFkwEwYH…' })`.
 */
export const sendgridHook = definePlugin({
  name: 'hook-sendgrid',
  provides: ['hook'],
  options: SendGridHookOptions,
  open: ({ publicKey, tolerance, argument }) => ({ hook: new SendGridHook(publicKey, tolerance, argument) }),
})

function readKey(text: string): KeyObject | undefined {
  try {
    if (text.includes('BEGIN')) return createPublicKey(text)
    return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}
