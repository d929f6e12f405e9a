import * as v from 'valibot'
import { EngineError } from '../../core/errors.ts'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { SnsHook } from './sns-hook.ts'
import { SnsKeys } from './sns-keys.ts'

const Topic = v.pipe(
  v.string(),
  v.regex(
    /^arn:aws(?:-[a-z-]+)?:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(?:\.fifo)?$/,
    'must be the ARN of a topic: arn:aws:sns:eu-central-1:123456789012:mailwright',
  ),
)

/** Whose notices are accepted. Times are in seconds. */
export const SesHookOptions = v.strictObject({
  /** The topics Amazon SES publishes to. Notices of other topics are refused, even when properly signed. */
  topics: v.union([Topic, v.pipe(v.array(Topic), v.minLength(1), v.maxLength(50))]),
  /** How long a notice is valid: Amazon SNS retries for an hour at most. */
  tolerance: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(7 * 86_400)), 7200),
})

/**
 * Takes what Amazon SES reports through Amazon SNS: identity notices and configuration set events. It confirms
 * subscriptions to the topics by itself. `sesHook({ topics: 'arn:aws:sns:eu-central-1:123456789012:mailwright' })`.
 */
export const sesHook = definePlugin({
  name: 'hook-ses',
  provides: ['hook'],
  options: SesHookOptions,
  describe: ({ topics }) => [topics].flat().join(', '),
  open({ topics, tolerance }, { log, webhooks }) {
    if (webhooks === undefined) throw new EngineError('PLUGIN_INVALID', 'hook-ses: needs the webhooks of the kit')
    return { hook: new SnsHook(new Set([topics].flat()), tolerance, new SnsKeys(webhooks), webhooks, log) }
  },
})
