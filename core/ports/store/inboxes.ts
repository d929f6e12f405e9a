import * as v from 'valibot'
import { describedBy } from '../../values/described.ts'
import { EmailAddress } from '../../values/email-address.ts'
import { byDefault, count, found, id, json, label, list, object, oneOf, optional, text } from '../../values/kind.ts'
import type { NumberedRequest } from '../../values/page.ts'
import { say } from '../../values/parse.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { given, INTERNAL, owned, type RecordOf, record, TIMES, VERSIONED } from '../../values/record.ts'
import { APPROVALS } from './projects.ts'

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
  insert(inbox: Inbox): Promise<'inserted' | 'address-taken'>
  /** Writes every field. */
  update(inbox: Inbox): Promise<'updated' | 'address-taken' | 'missing'>
  remove(projectId: ProjectId, id: string): Promise<boolean>
}
