import * as v from 'valibot'
import { canonicalDomain, isDomain } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import { instantOf } from '../values/iso-date.ts'
import { say } from '../values/parse.ts'
import { objectOf } from './object-of.ts'

/** The kinds of mail that rules tell apart. */
export const MAIL_CLASSES = ['transactional', 'workflow', 'campaign'] as const
export type MailClass = (typeof MAIL_CLASSES)[number]

/** Stands before a domain for everything below it. */
export const BELOW = '*.'

/** Receivers that take the mail of many domains, by the names under which their mail exchangers are. */
export const RECEIVERS = {
  google: ['google.com', 'googlemail.com'],
  microsoft: ['outlook.com', 'mx.microsoft'],
  yahoo: ['yahoodns.net'],
  apple: ['icloud.com', 'mail.me.com'],
  zoho: ['zoho.com', 'zoho.eu', 'zohomail.com', 'zoho.in'],
  proton: ['protonmail.ch', 'proton.ch'],
  fastmail: ['messagingengine.com'],
  mimecast: ['mimecast.com'],
  proofpoint: ['pphosted.com', 'ppe-hosted.com'],
  ionos: ['kundenserver.de', 'ionos.de', 'ionos.com', '1and1.com'],
  gmx: ['gmx.net', 'web.de'],
  yandex: ['yandex.ru', 'yandex.net'],
  'mail.ru': ['mail.ru'],
} as const
export type Receiver = keyof typeof RECEIVERS
/** Their names. */
export const RECEIVER_NAMES = Object.keys(RECEIVERS) as [Receiver, ...Receiver[]]

const MOST = 1_000
const NO_MAIL = 'is an empty list, which no mail fits: add a value, or leave the key out'

const text = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, say('too_small', 'must not be empty')),
  v.maxLength(500, say('too_big', 'must have at most 500 characters')),
)

const domain = v.pipe(
  v.string(),
  v.transform((given) => {
    const written = given.trim().toLowerCase()
    return written.startsWith(BELOW) ? BELOW + canonicalDomain(written.slice(BELOW.length)) : canonicalDomain(written)
  }),
  v.check(
    (given) => isDomain(given.startsWith(BELOW) ? given.slice(BELOW.length) : given),
    'must be a domain such as example.com, or *.example.com for all below it',
  ),
)

/** One value, or a list of which one has to fit. */
function oneOf<const Item extends v.GenericSchema<string, string>>(item: Item, is: string, empty = NO_MAIL) {
  return v.optional(
    v.pipe(
      v.union(
        [
          item,
          v.pipe(
            v.array(item),
            v.minLength(1, say('too_small', empty)),
            v.maxLength(MOST, say('too_big', `must have at most ${MOST} values`)),
          ),
        ],
        `must be ${is}, or a list of them`,
      ),
      v.transform(listOf<v.InferOutput<Item>>),
    ),
  )
}

/** A list of what may be one value, each once. */
function listOf<Value>(given: Value | Value[]): Value[] {
  return [...new Set(Array.isArray(given) ? given : [given])]
}

const pairs = (example: string) =>
  v.optional(
    v.pipe(
      v.record(text, text, `must be values by name, such as ${example}`),
      v.check((given) => Object.keys(given).length > 0, `is empty: write it as ${example}, or leave the key out`),
    ),
  )

/** Which mails a rule is for: all that fit every key that is given. */
const RouteCondition = objectOf({
  /** The kind of mail. */
  class: oneOf(v.picklist(MAIL_CLASSES), MAIL_CLASSES.join(', ')),
  /** The project, by its id or its name. */
  project: oneOf(text, 'the id or the name of a project'),
  /** The domain of the sender. */
  senderDomain: oneOf(domain, 'a domain such as example.com'),
  /** The domain of the recipient. */
  recipientDomain: oneOf(domain, 'a domain such as example.com'),
  /** Who takes the mail of the recipient's domain, by its MX records. */
  receiver: oneOf(v.picklist(RECEIVER_NAMES), `one of ${RECEIVER_NAMES.join(', ')}`),
  /** The template that it was made from. */
  template: oneOf(v.pipe(text, v.uuid('must be the id of a template')), 'the id of a template'),
  /** Tags by name, each with the value that it has to have; `*` for any. */
  tag: pairs('{ "stream": "receipts" }'),
  /** Header fields by name, likewise. */
  header: pairs('{ "X-Stream": "receipts" }'),
})

const weight = v.pipe(
  v.number('must be a number: the share of this transport beside the others'),
  v.check(
    (given) => given > 0 && given <= 1_000_000,
    'must be more than 0, at most a million; a transport without a share is left out, or stands under fallback',
  ),
)

/** The day from which a ramp grows, or the moment: `2026-12-01` or `2026-12-01T14:30:00Z`. */
const rampFrom = v.pipe(
  text,
  v.check(
    (given) => RAMP_FROM.test(given) && instantOf(given) !== undefined,
    'must be a day such as 2026-12-01, or a moment such as 2026-12-01T14:30:00Z',
  ),
)
const RAMP_FROM = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/

function percent(least: number, is: string) {
  const words = `must be a number from ${least} to 100: ${is}`
  return v.pipe(v.number(words), v.minValue(least, say('too_small', words)), v.maxValue(100, say('too_big', words)))
}

/** A part of a rule's mail that goes through another transport, and grows day by day. */
const RouteRamp = objectOf({
  /** The transport that takes it. */
  to: text,
  /** When it begins, in UTC. Each 24 hours from then on are a day. Another one begins it again. */
  from: rampFrom,
  /** The percentage of the first day. */
  start: v.optional(percent(0.1, 'the percentage of the first day'), 5),
  /** How many percentage points more each day. */
  add: v.optional(percent(0, 'the percentage points more each day'), 10),
  /** It goes back to nothing once more than this percentage is refused on a day (UTC). */
  backAt: v.optional(percent(0, 'the percentage of refusals above which it goes back'), 2),
})
export type RouteRamp = v.InferOutput<typeof RouteRamp>

/** A rule that has a ramp. */
export interface RampedRule {
  /** It is counted under this name. */
  readonly name: string
  readonly ramp: RouteRamp
}

/** One rule of routing. */
export const RouteRule = objectOf({
  /** Names it in explanations; absent: its number. */
  name: v.optional(v.pipe(text, v.maxLength(100, say('too_big', 'must have at most 100 characters')))),
  /** Which mails it is for; absent: all. */
  when: v.optional(RouteCondition, {}),
  /** The transport that takes them, or several with their shares. */
  to: v.union(
    [
      text,
      v.pipe(
        v.record(text, weight),
        v.check((given) => Object.keys(given).length > 0, 'is empty: name a transport'),
      ),
    ],
    'must be the name of a transport, or shares of several, such as { "main": 9, "relay": 1 }',
  ),
  /** A part that goes through another transport first, and grows. It needs a name of the rule. */
  ramp: v.optional(RouteRamp),
  /** Transports that are tried after those, in this order. */
  fallback: oneOf(text, 'the name of a transport', 'is an empty list: name a transport, or leave the key out'),
  /** Whether mail waits when the quotas of `to` are used up, or goes to `fallback`. Default `fallback`, where there is one. */
  whenFull: v.optional(v.picklist(['wait', 'fallback'])),
})
export type RouteRule = v.InferOutput<typeof RouteRule>

/** Which projects may name a transport for their mail, by the transport: all of them, or those with these ids. */
export const MayName = v.record(
  text,
  v.union(
    [
      v.literal(true),
      v.pipe(
        v.array(v.pipe(text, v.check(isId, 'must be the id of a project: its members may change its name'))),
        v.maxLength(MOST, say('too_big', `must have at most ${MOST} ids`)),
      ),
    ],
    'must be true for all projects, or a list of their ids',
  ),
)
export type MayName = v.InferOutput<typeof MayName>

/** The rules in their order: the first that fits a mail decides. */
export const RouteRules = v.pipe(v.array(RouteRule), v.maxLength(100_000))
