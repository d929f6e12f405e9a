import type { Refusal } from '../ports/mail-transport.ts'

/** A message that comes back, and how many milliseconds after its mail was taken. */
export type Response = { readonly afterMs: number } & (
  | { readonly kind: 'delivered' }
  | { readonly kind: 'delayed' }
  | { readonly kind: 'failed'; readonly status: string; readonly reply: string }
  | { readonly kind: 'complaint' }
  | { readonly kind: 'away' }
  | { readonly kind: 'reply' }
)

/** How the simulator treats mail to one address. */
export interface Behaviour {
  /** Why it is refused in the session, at each try or only at the first; absent: it is accepted. */
  readonly refusal?: Refusal & { readonly isOnce?: true }
  /** The messages that come back once it is accepted. */
  readonly responses: readonly Response[]
}

/** When a server reports: once it is stored that the mail was handed over. */
const REPORT_MS = 500
/** When people and their machines answer: after its delivery was reported. */
const ANSWER_MS = 1_500
/** How long a delayed mail takes. */
const DELAY_MS = 30_000

const DELIVERED: Response = { kind: 'delivered', afterMs: REPORT_MS }
const BUSY: Behaviour['refusal'] = {
  permanent: false,
  stage: 'rcpt',
  code: 451,
  enhancedCode: '4.3.2',
  reason: '451 4.3.2 Simulator: not accepting messages now, try again later',
  isOnce: true,
}

/** By the name before the `@` and before any `+`, in the order of the documentation. */
const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map([
  ['delivered', { responses: [DELIVERED] }],
  ['bounce', { responses: [failed('5.1.1', '550 5.1.1 Simulator: user unknown')] }],
  ['soft', { refusal: BUSY, responses: [DELIVERED] }],
  ['full', { responses: [failed('5.2.2', '552 5.2.2 Simulator: mailbox full')] }],
  ['complaint', { responses: [DELIVERED, { kind: 'complaint', afterMs: ANSWER_MS }] }],
  [
    'delay',
    {
      responses: [
        { kind: 'delayed', afterMs: REPORT_MS },
        { kind: 'delivered', afterMs: DELAY_MS },
      ],
    },
  ],
  ['ooo', { responses: [DELIVERED, { kind: 'away', afterMs: ANSWER_MS }] }],
  ['reply', { responses: [DELIVERED, { kind: 'reply', afterMs: ANSWER_MS }] }],
])

/** A name that means nothing is refused, as an unknown user is. */
const UNKNOWN: Behaviour = {
  refusal: {
    permanent: true,
    stage: 'rcpt',
    code: 550,
    enhancedCode: '5.1.1',
    reason: `550 5.1.1 Simulator: user unknown. It knows ${[...BEHAVIOURS.keys()].join(', ')}`,
  },
  responses: [],
}

/** How the simulator treats mail to this stored address of its own. */
export function behaviourOf(address: string): Behaviour {
  const [name = ''] = address.split(/[+@]/, 1)
  return BEHAVIOURS.get(name) ?? UNKNOWN
}

function failed(status: string, reply: string): Response {
  return { kind: 'failed', status, reply, afterMs: REPORT_MS }
}
