import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { MailgunHook } from './mailgun-hook.ts'

/** How Mailgun's requests are verified, and how they name our mail. Times are in seconds. */
export const MailgunHookOptions = v.strictObject({
  /** The HTTP webhook signing key of the account; not an API key. */
  signingKey: v.pipe(v.string(), v.minLength(16, 'must be the HTTP webhook signing key'), v.maxLength(500)),
  /** How long a signature is valid: Mailgun retries failed requests for eight hours. */
  tolerance: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(7 * 86_400)), 32_400),
  /** The user variable that may hold our record's id. Without it, the Message-ID is used. */
  variable: v.optional(v.pipe(v.string(), v.minLength(1)), 'mailwright'),
})

/**
 * Takes the events of Mailgun's webhooks: deliveries, failures, complaints, openings, clicks and unsubscribing.
 * `mailgunHook({ signingKey })`.
 */
export const mailgunHook = definePlugin({
  name: 'hook-mailgun',
  provides: ['hook'],
  options: MailgunHookOptions,
  open: ({ signingKey, tolerance, variable }) => ({ hook: new MailgunHook(signingKey, tolerance, variable) }),
})
