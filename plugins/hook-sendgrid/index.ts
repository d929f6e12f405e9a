import { createPublicKey, type KeyObject } from 'node:crypto'
import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { SendGridHook } from './sendgrid-hook.ts'

/** A P-256 key as the console shows it: the base64 of a SubjectPublicKeyInfo (RFC 5280), or that as PEM. */
const PublicKey = v.pipe(
  v.string(),
  v.transform(readKey),
  v.check(
    (key) => key?.asymmetricKeyDetails?.namedCurve === 'prime256v1',
    'must be the verification key of the console',
  ),
  v.transform((key) => key as KeyObject),
)

/** By what SendGrid proves itself, and how it names our mail. All times are in seconds. */
export const SendGridHookOptions = v.strictObject({
  /** The verification key of the signed event webhook. */
  publicKey: PublicKey,
  /** A signature is good for so long: failed requests come again for 24 hours. */
  tolerance: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(7 * 86_400)), 90_000),
  /** The name of the unique argument that holds the id of our record. */
  argument: v.optional(v.pipe(v.string(), v.minLength(1)), 'mailwright'),
})

/**
 * Takes the events of Twilio SendGrid's signed event webhook: deliveries, bounces, blocks, drops, complaints, openings and
 * clicks. `sendgridHook({ publicKey: 'MFkwEwYH…' })`.
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
