import { isIP } from 'node:net'
import * as v from 'valibot'
import { forbiddenRange, isNetwork } from '../kit/net/forbidden-range.ts'

const whole = (least: number, most: number) => v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most))

/** The endpoint, its model, and the bounds of what it is asked. */
export const AssistantOpenAiOptions = v.strictObject({
  /** The base address of the API: `/chat/completions` is put behind it. Such as `http://127.0.0.1:11434/v1`. */
  url: v.pipe(
    v.string(),
    v.trim(),
    v.check(
      isBase,
      'must be an http or https URL without user, query and fragment, such as https://api.example.com/v1',
    ),
    v.check(isOwnByHttp, 'must begin with https: mails and the key would be readable on the way to a public address'),
    v.transform((url) => url.replace(/(?<!\/)\/+$/, '')),
  ),
  /** The key, sent as `Authorization: Bearer`. Local servers often need none. */
  apiKey: v.optional(
    v.pipe(v.string(), v.minLength(1), v.regex(/^[!-~]+$/, 'must be letters, digits and signs of ASCII')),
  ),
  /** The name of the model, as the endpoint calls it. */
  model: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
  /** For a whole answer, in seconds. */
  timeout: v.optional(whole(1, 300), 60),
  /** How many tokens an answer has at most. */
  maxAnswerTokens: v.optional(whole(50, 32_000), 1_500),
  /** How many requests a project may make in a day (UTC). */
  requestsPerDay: v.optional(whole(0, 1_000_000), 200),
  /** How many tokens a project may use in a day (UTC), of questions and answers together. */
  tokensPerDay: v.optional(whole(0, 1_000_000_000), 500_000),
  /**
   * Networks in CIDR notation that the name in `url` may lead to besides public addresses. An address in `url`, and
   * `localhost`, need none.
   */
  allow: v.optional(v.array(v.pipe(v.string(), v.check(isNetwork, 'must be a network such as 10.0.0.0/8'))), []),
  /**
   * More fields of each request, such as `{ temperature: 0.2 }`. They replace ours of the same name, but for `model` and
   * `messages`; null leaves a field out.
   */
  body: v.optional(
    v.pipe(
      v.record(v.string(), v.unknown()),
      v.check(
        (body) => !('model' in body || 'messages' in body || 'stream' in body),
        'must not have model, messages or stream: these are ours',
      ),
    ),
    {},
  ),
})
export interface AssistantOpenAiOptions extends v.InferOutput<typeof AssistantOpenAiOptions> {}

/** The host of a URL without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** Whether the operator has written an address of this machine or a network, and no name that leads to one. */
export function isWritten(host: string): boolean {
  return isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost')
}

function isBase(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === ''
  )
}

/** Names are judged by their addresses, at each request. */
function isOwnByHttp(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.protocol === 'https:') return true
  const host = hostOf(url)
  return isIP(host) === 0 || forbiddenRange(host, []) !== undefined
}
