import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { MailgunHook } from './mailgun-hook.ts'

/** By what Mailgun proves itself, and how it names our mail. All times are in seconds. */
export const MailgunHookOptions = v.strictObject({
  /** The HTTP webhook signing key of the account; not an API key. */
  signingKey: v.pipe(v.string(), v.minLength(16, 'must be the HTTP webhook signing key'), v.maxLength(500)),
  /** A signature is good for so long: failed requests come again for eight hours. */
  tolerance: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(7 * 86_400)), 32_400),
  /** The name of the user variable that may hold the id of our record. The Message-ID tells it as well. */
  variable: v.optional(v.pipe(v.string(), v.minLength(1)), 'mailwright'),
})

/**
 * Takes the events of Mailgun's webhooks: deliveries, failures, complaints, openings and clicks.
 * `mailgunHook({ signingKey })`.
 */
export const mailgunHook = definePlugin({
  name: 'hook-mailgun',
  provides: ['hook'],
  options: MailgunHookOptions,
  open: ({ signingKey, tolerance, variable }) => ({ hook: new MailgunHook(signingKey, tolerance, variable) }),
})
