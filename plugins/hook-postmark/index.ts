import { definePlugin } from '../../core/plugin/plugin.ts'
import { PostmarkHookOptions } from './options.ts'
import { PostmarkHook } from './postmark-hook.ts'

export { PostmarkHookOptions } from './options.ts'

/**
 * Takes the events of Postmark's webhooks: bounces, complaints, deliveries, openings, clicks and unsubscribing.
 * `postmarkHook({ user: 'postmark', password })`.
 */
export const postmarkHook = definePlugin({
  name: 'hook-postmark',
  provides: ['hook'],
  options: PostmarkHookOptions,
  open: (options) => ({ hook: new PostmarkHook(options) }),
})
