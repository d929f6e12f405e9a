import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { Secret, StandardProof } from '../kit/hooks/standard-webhooks.ts'
import { SignedHook } from './signed-hook.ts'

/** How requests are verified. */
export const SignedHookOptions = v.strictObject({
  /** The secret that signs requests; several while it is being changed. */
  secret: v.union([Secret, v.pipe(v.array(Secret), v.minLength(1), v.maxLength(5))]),
  /** How many seconds a signature is valid, before and after its time. */
  tolerance: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(86_400)), 300),
})

/**
 * Takes reports from any sender with the secret, in Mailwright's own form (`FeedbackReport`, one or a list), signed as
 * in Standard Webhooks 1.0.0: a bridge from any provider. `signedHook({ secret: 'whsec_…' })`.
 */
export const signedHook = definePlugin({
  name: 'hook-signed',
  provides: ['hook'],
  options: SignedHookOptions,
  open: ({ secret, tolerance }) => ({ hook: new SignedHook(new StandardProof([secret].flat(), tolerance)) }),
})
