import * as v from 'valibot'
import { isJsonObject, type JsonObject } from '../../core/values/json.ts'
import { say } from '../../core/values/parse.ts'
import { isLoopback } from '../kit/net/loopback.ts'
import { line } from '../kit/net/options.ts'
import { readTemplate, type TemplateProblem } from './template.ts'

const MAX_BODY = 65_536

const status = v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(599))
const statuses = (...fallback: readonly number[]) =>
  v.optional(v.pipe(v.array(status), v.maxLength(100)), [...fallback])
const path = v.pipe(
  v.string(),
  v.maxLength(200),
  v.regex(/^[\w-]+(?:\.[\w-]+)*$/, 'must be names with dots between them, such as MessageID or messages.0.id'),
)

/** Which request hands a mail over, and what its answer means. Times are in seconds. */
const Entries = v.strictObject({
  /** Where the mail goes. */
  url: v.pipe(v.string(), v.maxLength(2000), v.check(isPlainUrl, 'must be an http or https URL without a login in it')),
  /** The method of the request; by default POST. */
  method: v.optional(v.picklist(['POST', 'PUT', 'PATCH']), 'POST'),
  /** Header fields of the request, for example the one with the provider's key. */
  headers: v.optional(
    v.pipe(
      v.record(
        v.pipe(v.string(), v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be the name of a header field')),
        v.pipe(v.string(), v.regex(/^[\t\x20-\x7e]{1,8000}$/, 'must be 1 to 8000 characters of ASCII')),
      ),
      v.check((fields) => Object.keys(fields).length <= 30, 'must be at most 30'),
    ),
    {},
  ),
  /** A login by HTTP Basic authentication. */
  auth: v.optional(v.strictObject({ user: line, pass: v.string() })),
  /** How the body is written: as JSON, as a form, or as a form with files. */
  format: v.optional(v.picklist(['json', 'form', 'multipart']), 'json'),
  /** The body, with placeholders for the mail's fields; see docs/mail-http.md. */
  body: v.pipe(
    v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object')),
    v.check((body) => JSON.stringify(body).length <= MAX_BODY, `must be at most ${MAX_BODY} characters of JSON`),
  ),
  /** Where the answer has the provider's id of the mail. */
  id: v.optional(path),
  /** The value that an answer with an accepting status must have, for providers that answer 200 to what they refuse. */
  acceptedWhen: v.optional(v.strictObject({ path, is: v.union([v.string(), v.number(), v.boolean()]) })),
  /** The meanings of statuses that differ from the default. */
  statuses: v.optional(
    v.strictObject({
      /** The mail is taken. Default all from 200 to 299. */
      accepted: v.optional(v.pipe(v.array(status), v.minLength(1), v.maxLength(100))),
      /** This mail will never be taken. */
      permanent: statuses(400, 413, 422),
      /** It was certainly not taken, and may be later. */
      temporary: statuses(),
      /** Too many requests: no mail goes until the time that `Retry-After` says. */
      rateLimited: statuses(429),
    }),
    {},
  ),
  /** The header field by which the provider knows a request that it has had before. */
  idempotencyHeader: v.optional(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header field')),
  ),
  /** How long a request may take. */
  timeout: v.optional(v.pipe(v.number(), v.minValue(0.05), v.maxValue(600)), 60),
  /** The most requests at the same time. */
  maxConnections: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000)), 10),
  /** Set this when the provider reports each delivery by a hook, so that its acceptance does not count as delivery. */
  reportsDelivery: v.optional(v.boolean(), false),
  /** Sends mail and key unencrypted, to other machines too: only on a network you trust. */
  allowInsecure: v.optional(v.boolean(), false),
})

export const HttpMailOptions = v.pipe(
  Entries,
  v.rawTransform(({ dataset: { value: options }, addIssue, NEVER }) => {
    const refuse = (keys: TemplateProblem['path'], message: string) => {
      const items = keys.map((key) => ({
        type: 'object' as const,
        origin: 'value' as const,
        input: {},
        key: String(key),
        value: undefined,
      }))
      const [first, ...rest] = items
      if (first) addIssue({ message: say('custom', message), path: [first, ...rest] })
    }
    const template = readTemplate(options.body)
    const problems = [...problemsOf(options, template.uses), ...template.problems.map(inBody)].slice(0, 20)
    for (const each of problems) refuse(each.path, each.message)
    return problems.length > 0 ? NEVER : { ...options, template }
  }),
)
export type HttpMailOptions = v.InferOutput<typeof HttpMailOptions>

const inBody = ({ path, message }: TemplateProblem): TemplateProblem => ({ path: ['body', ...path], message })

function* problemsOf(options: v.InferOutput<typeof Entries>, uses: ReadonlySet<string>): Generator<TemplateProblem> {
  const { protocol, hostname } = new URL(options.url)
  if (protocol === 'http:' && !options.allowInsecure && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
    yield { path: ['url'], message: 'must be https, unless it is this machine or allowInsecure is true' }
  }
  const names = Object.keys(options.headers).map((name) => name.toLowerCase())
  if (options.auth && names.includes('authorization')) {
    yield { path: ['auth'], message: 'must be left out beside the header field Authorization' }
  }
  if (options.format !== 'json' && names.includes('content-type')) {
    yield { path: ['headers', 'content-type'], message: `is set by the format ${options.format}` }
  }
  for (const name of ['from', 'to', 'subject'].filter((name) => !uses.has(name))) {
    const such = name === 'subject' ? 'subject' : `${name}.text`
    yield { path: ['body'], message: `must have a place for ${name}, such as {{ ${such} }}` }
  }
  if (!uses.has('text') && !uses.has('html'))
    yield { path: ['body'], message: 'must have a place for {{ text }} or {{ html }}' }
  const files = [...uses].find((name) => /^attachments\.\w*[fF]iles$/.test(name))
  if (files !== undefined && options.format !== 'multipart') {
    yield { path: ['body'], message: `can have {{ ${files} }} only with the format multipart` }
  }
  const { accepted = [], ...others } = options.statuses
  const all = [...accepted, ...others.permanent, ...others.temporary, ...others.rateLimited]
  const twice = all.find((each, i) => all.indexOf(each) !== i)
  if (twice !== undefined) yield { path: ['statuses'], message: `must not have ${twice} twice` }
}

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}
