import * as v from 'valibot'
import { describedBy, named } from '../../values/described.ts'
import { EmailAddress } from '../../values/email-address.ts'
import { isOwnEvent } from '../../values/event-names.ts'
import {
  byDefault,
  count,
  flag,
  found,
  id,
  json,
  label,
  list,
  moment,
  object,
  oneOf,
  optional,
  text,
} from '../../values/kind.ts'
import type { NumberedRequest } from '../../values/page.ts'
import { say } from '../../values/parse.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { given, INTERNAL, owned, type RecordOf, record, TIMES, VERSIONED } from '../../values/record.ts'
import { APPROVALS } from './projects.ts'

/** How many rules and blocked senders an inbox has at most. */
const MAX_RULES = 50
const MAX_BLOCKED = 1_000

/** How many labels an inbox has at most. */
export const MAX_LABELS = 50

/** A label of an inbox, as its threads name it. */
const Label = v.object({
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(40)),
  colour: v.pipe(v.string(), v.regex(/^#[0-9a-fA-F]{6}$/, say('invalid_string', 'must be a colour such as #2f6fde'))),
})

/** An address that takes mail, or `*@` and a domain, for all of its addresses that have no inbox of their own. */
const InboxAddress = describedBy(
  v.pipe(
    v.string(),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const every = dataset.value.trim().startsWith('*@')
      const read = v.safeParse(EmailAddress, every ? `x${dataset.value.trim().slice(1)}` : dataset.value)
      if (read.success) return every ? `*${read.output.slice(1)}` : read.output
      addIssue({ message: say('invalid_string', 'must be an address such as help@example.com, or *@example.com') })
      return NEVER
    }),
  ),
  v.string(),
)

/** An address, or `@` and a domain. */
const Sender = describedBy(
  v.pipe(
    v.string(),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const given = dataset.value.trim()
      const read = v.safeParse(EmailAddress, given.startsWith('@') ? `x${given}` : given)
      if (read.success) return given.startsWith('@') ? read.output.slice(1) : read.output
      addIssue({ message: say('invalid_string', 'must be an address such as ada@example.com, or @example.com') })
      return NEVER
    }),
  ),
  v.string(),
)

const Part = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const CONDITIONS = ['from', 'to', 'subject', 'header', 'authentication', 'list'] as const
const ACTIONS = ['labels', 'folder', 'assigneeId', 'event', 'forward'] as const

/** A rule of an inbox: all of its conditions have to hold for a message that comes in. */
const Rule = v.pipe(
  v.object({
    name: v.exactOptional(v.pipe(v.string(), v.trim(), v.maxLength(100))),
    from: v.exactOptional(Sender),
    to: v.exactOptional(Sender),
    subject: v.exactOptional(Part),
    header: v.exactOptional(
      v.object({
        name: v.pipe(v.string(), v.regex(/^[!-9;-~]{1,100}$/, say('invalid_string', 'must be the name of a field'))),
        contains: v.exactOptional(Part),
      }),
    ),
    authentication: v.exactOptional(
      v.object({
        method: v.picklist(['spf', 'dkim', 'dmarc']),
        result: v.picklist(['pass', 'fail', 'softfail', 'neutral', 'none', 'policy', 'temperror', 'permerror']),
      }),
    ),
    list: v.exactOptional(v.boolean()),
    labels: v.exactOptional(v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(40))), v.maxLength(10))),
    folder: v.exactOptional(v.picklist(['inbox', 'archive', 'spam', 'trash'])),
    assigneeId: v.exactOptional(v.pipe(v.string(), v.minLength(1), v.maxLength(100))),
    forward: v.exactOptional(v.boolean()),
    event: v.exactOptional(
      v.pipe(
        v.string(),
        v.minLength(1),
        v.maxLength(255),
        v.check((name) => !isOwnEvent(name), say('reserved_event', 'is a name only the service itself may use')),
      ),
    ),
  }),
  v.check(
    (rule) => CONDITIONS.some((key) => rule[key] !== undefined),
    say('custom', `must have a condition: ${CONDITIONS.join(', ')}`),
  ),
  v.check(
    (rule) => ACTIONS.some((key) => rule[key] !== undefined),
    say('custom', `must do something: ${ACTIONS.join(', ')}`),
  ),
)

/** The actions that the assistant may be allowed in an inbox: write a draft, and propose what happens to the thread. */
export const ASSISTANT_ACTIONS = ['draft', 'label', 'assign', 'archive', 'spam'] as const
export type AssistantAction = (typeof ASSISTANT_ACTIONS)[number]

/** How the assistant works in an inbox. */
const InboxAssistant = named(
  'InboxAssistant',
  v.object({
    instructions: v.exactOptional(v.pipe(v.string(), v.trim(), v.maxLength(5_000))),
    tone: v.exactOptional(v.pipe(v.string(), v.trim(), v.maxLength(200))),
    actions: v.pipe(v.array(v.picklist(ASSISTANT_ACTIONS)), v.minLength(1), v.maxLength(10)),
    assignees: v.exactOptional(
      v.pipe(
        v.array(
          v.object({
            id: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
            for: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
          }),
        ),
        v.maxLength(20),
      ),
    ),
  }),
)
export interface InboxAssistant extends v.InferOutput<typeof InboxAssistant> {}

/** An address whose mail people and programs read and answer as conversations. */
export const Inbox = record('Inbox', 'An address whose mail people and programs read and answer as conversations.', {
  ...owned('inbox'),
  address: [
    found({ ...text(1, 254), read: InboxAddress }),
    'The address, at a verified domain of the project; `*@in.acme.example` takes mail to all of its addresses that have no inbox of their own. Without one, the inbox gets a free address.',
    given('create'),
  ],
  name: [label(100), 'The name that members see.', given('create', 'change')],
  senderName: [
    optional(label(255)),
    'The name beside the address in mail that is sent from here. In a request, null removes it.',
    given('create', 'change'),
  ],
  signature: [
    optional(text(0, 10_000)),
    'HTML that stands below what is written here. In a request, null removes it.',
    given('create', 'change'),
  ],
  labels: [
    byDefault(json<readonly v.InferOutput<typeof Label>[]>(v.pipe(v.array(Label), v.maxLength(MAX_LABELS))), []),
    'The labels that its threads may have, at most 50, each with a colour.',
    given('create', 'change'),
  ],
  memberIds: [
    optional(list(id, 1, 200)),
    'The users who see it; without it all members of the project do. In a request, null removes it.',
    given('create', 'change'),
  ],
  approval: [
    byDefault(oneOf(APPROVALS), 'never'),
    'Which mails of keys wait for a person: `never` (none), `new-threads`, `outside` (recipients that the thread does not have, and new threads) or `always`. A key may be held to more.',
    given('create', 'change'),
  ],
  metadata: [byDefault(object, {}), 'Values of your own by name, at most 50.', given('create', 'change')],
  rules: [
    optional(json<readonly v.InferOutput<typeof Rule>[]>(v.pipe(v.array(Rule), v.maxLength(MAX_RULES)))),
    'What is done with messages that come in, at most 50 rules; all that hold count. In a request, null removes them.',
    given('create', 'change'),
  ],
  blocked: [
    optional(json<readonly string[]>(v.pipe(v.array(Sender), v.maxLength(MAX_BLOCKED)))),
    'Senders whose new threads begin in `spam`: addresses, and domains such as `@example.com`, at most 1,000. In a request, null removes them.',
    given('create', 'change'),
  ],
  filterSpam: [
    optional(flag),
    'Whether messages begin in `spam` that a filter in front has marked, or that the domain of their author asks to reject (DMARC). By default they do; in a request, null is the default.',
    given('create', 'change'),
  ],
  forwardTo: [
    optional({ ...text(1, 254), read: EmailAddress }),
    'A mailbox that what comes in goes on to, once it has agreed by the link in a mail to it. Where rules have `forward: true`, only what they hold for. In a request, null removes it.',
    given('create', 'change'),
  ],
  forwardConfirmedAt: [optional(moment), 'When that mailbox agreed; absent: nothing goes there yet.'],
  forwardToken: [optional(id), 'The id that the link in the mail to that mailbox names.', INTERNAL],
  retentionDays: [
    optional({ ...count, read: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3650)) }),
    'After how many days its messages leave it and lose their text, 1 to 3,650; absent: as for all mail of the server. In a request, null removes it.',
    given('create', 'change'),
  ],
  assistant: [
    optional(json<InboxAssistant>(InboxAssistant)),
    'How the assistant works here, if the server has one; without it, no mail of this inbox goes to its model. In a request, null removes it.',
    given('create', 'change'),
  ],
  lastEvent: [optional(count), 'The number of its last event.', INTERNAL],
  ...VERSIONED,
  ...TIMES,
})
export interface Inbox extends RecordOf<typeof Inbox> {}

/** Which inboxes of a project. */
export interface InboxFilter {
  /** Only these. */
  readonly ids?: readonly string[]
  /** Only those that this user sees. */
  readonly memberId?: string
}

/** The inboxes of projects. */
export interface InboxRepository {
  find(projectId: ProjectId, id: string): Promise<Inbox | undefined>
  /** As `find`, inside a transaction, which locks the inbox until it ends. */
  lock(projectId: ProjectId, id: string): Promise<Inbox | undefined>
  /** The inboxes that have one of these addresses, inside a transaction, which locks them until it ends. */
  lockAt(projectId: ProjectId, addresses: readonly string[]): Promise<readonly Inbox[]>
  /** Up to `limit + 1`, newest first (by id); `offset` skips rows of a numbered page. */
  page(projectId: ProjectId, filter: InboxFilter, page: NumberedRequest): Promise<readonly Inbox[]>
  count(projectId: ProjectId, filter: InboxFilter): Promise<number>
  /** Up to `limit` inboxes of all projects with a retention of their own, by id, after this one. */
  withRetention(after: string | undefined, limit: number): Promise<readonly Inbox[]>
  insert(inbox: Inbox): Promise<'inserted' | 'address-taken'>
  /** Writes every field. */
  update(inbox: Inbox): Promise<'updated' | 'address-taken' | 'missing'>
  remove(projectId: ProjectId, id: string): Promise<boolean>
}
