import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { SignedHook } from './signed-hook.ts'

/** A Standard Webhooks secret: `whsec_` and 24 to 64 bytes in base64. */
const Secret = v.pipe(
  v.string(),
  v.regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'must be whsec_ and base64'),
  v.check((text) => {
    const { length } = Buffer.from(text.slice('whsec_'.length), 'base64')
    return length >= 24 && length <= 64
  }, 'must hold 24 to 64 bytes'),
)

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
  open: ({ secret, tolerance }) => ({ hook: new SignedHook([secret].flat(), tolerance) }),
})
