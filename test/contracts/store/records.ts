import { randomUUID } from 'node:crypto'
import { contentId } from '../../../core/mail/content.ts'
import type { Campaign } from '../../../core/ports/store/campaigns.ts'
import type { Contact } from '../../../core/ports/store/contacts.ts'
import type { MailContent } from '../../../core/ports/store/contents.ts'
import type { SenderDomain } from '../../../core/ports/store/domains.ts'
import type { ClaimedEmail, DeliveryResult, Email, Lease } from '../../../core/ports/store/emails.ts'
import type { ContactEvent } from '../../../core/ports/store/events.ts'
import type { Execution } from '../../../core/ports/store/executions.ts'
import type { Form, FormSubmission } from '../../../core/ports/store/forms.ts'
import type { Project } from '../../../core/ports/store/projects.ts'
import type { StepRun } from '../../../core/ports/store/step-runs.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { Suppression } from '../../../core/ports/store/suppressions.ts'
import type { Template } from '../../../core/ports/store/templates.ts'
import type { WebhookDelivery } from '../../../core/ports/store/webhook-deliveries.ts'
import type { WebhookEndpoint } from '../../../core/ports/store/webhook-endpoints.ts'
import type { Workflow, WorkflowStep, WorkflowTransition } from '../../../core/ports/store/workflows.ts'
import type { WriteBatchRequest, WriteBatchWrites } from '../../../core/ports/store/write-batch.ts'
import { idSource } from '../../../core/values/id.ts'
import type { Json, JsonObject } from '../../../core/values/json.ts'
import { asProjectId, type ProjectId } from '../../../core/values/project-id.ts'

/** A moment all records of the contract are made at unless they say otherwise. */
export const NOON = new Date('2025-06-01T12:00:00.123Z')

/** The moment so many seconds after noon. */
export function at(seconds: number): Date {
  return new Date(NOON.getTime() + seconds * 1000)
}

/** Ids that only grow. */
export const newId = idSource(() => NOON.getTime())

export function newProjectId(): ProjectId {
  const id = asProjectId(newId())
  if (id === undefined) throw new Error('not an id')
  return id
}

export function project(fields: Partial<Project> = {}): Project {
  return {
    id: newProjectId(),
    name: 'Acme',
    disabled: false,
    tracking: 'ENABLED',
    trackingConsent: 'full',
    publicData: 'all',
    mode: 'live',
    trustedDomains: ['acme.example'],
    version: 1,
    createdAt: NOON,
    updatedAt: NOON,
    ...fields,
  }
}

export function contact(projectId: ProjectId, fields: Partial<Contact> = {}): Contact {
  const id = newId()
  const email = `${id}@example.com`
  const wishes = { subscribed: true, tracking: 'full' } as const
  return { id, projectId, email, ...wishes, data: {}, createdAt: NOON, updatedAt: NOON, ...fields }
}

export function senderDomain(projectId: ProjectId, name: string, fields: Partial<SenderDomain> = {}): SenderDomain {
  return {
    id: newId(),
    projectId,
    domain: name,
    status: 'PENDING',
    keys: [{ selector: 's1', publicData: 'AAAA', sealed: 'v1:x', state: 'PENDING', createdAt: NOON.toISOString() }],
    findings: {},
    failures: 0,
    dueAt: NOON,
    createdAt: NOON,
    updatedAt: NOON,
    ...fields,
  }
}

export function event(projectId: ProjectId, contactId: string, fields: Partial<ContactEvent> = {}): ContactEvent {
  return { id: newId(), projectId, name: 'signed.up', contactId, data: {}, createdAt: NOON, ...fields }
}

export function template(projectId: ProjectId, fields: Partial<Template> = {}): Template {
  const texts = { name: 'Welcome', subject: 'Hello', body: '<p>Hi</p>' }
  const made = { id: newId(), projectId, ...texts, type: 'TRANSACTIONAL', version: 1 } as const
  return { ...made, createdAt: NOON, updatedAt: NOON, ...fields }
}

export function suppression(projectId: ProjectId, email: string, fields: Partial<Suppression> = {}): Suppression {
  return { id: newId(), projectId, email, reason: 'MANUAL', createdAt: NOON, ...fields }
}

export function content(projectId: ProjectId, fields: Partial<MailContent> = {}): MailContent {
  const words = {
    projectId,
    subject: 'Hello {{name}}',
    html: '<p>Hello {{name}}</p>',
    from: { email: 'hi@acme.example' },
    cc: [],
    bcc: [],
    headers: [],
    attachments: [],
    marketing: false,
    ...fields,
  }
  return { ...words, id: fields.id ?? contentId(words), createdAt: NOON }
}

export function email(projectId: ProjectId, fields: Partial<Email> = {}): Email {
  return {
    id: newId(),
    projectId,
    contentId: randomUUID(),
    to: 'ada@example.com',
    status: 'QUEUED',
    sourceType: 'TRANSACTIONAL',
    lane: 'transactional',
    variables: {},
    tags: {},
    createdAt: NOON,
    dueAt: NOON,
    attempts: 0,
    accepted: [],
    opens: 0,
    clicks: 0,
    updatedAt: NOON,
    ...fields,
  }
}

export function campaign(projectId: ProjectId, fields: Partial<Campaign> = {}): Campaign {
  const words = { name: 'News', subject: 'Hello', body: '<p>Hi</p>', from: 'news@acme.example' }
  const state = { audienceType: 'ALL', status: 'DRAFT', version: 1, createdAt: NOON, updatedAt: NOON } as const
  return { id: newId(), projectId, ...words, ...state, ...fields }
}

export function workflow(projectId: ProjectId, fields: Partial<Workflow> = {}): Workflow {
  const trigger = { triggerType: 'EVENT', eventName: 'signed.up', enabled: true, allowReentry: false } as const
  return {
    id: newId(),
    projectId,
    name: 'Welcome',
    ...trigger,
    version: 1,
    createdAt: NOON,
    updatedAt: NOON,
    ...fields,
  }
}

export function step(of: Workflow, fields: Partial<WorkflowStep> = {}): WorkflowStep {
  const { projectId, id: workflowId } = of
  const place = { position: { x: 0, y: 0 }, config: {}, createdAt: NOON }
  return { id: newId(), projectId, workflowId, type: 'EXIT', name: 'Step', ...place, ...fields }
}

export function transition(from: WorkflowStep, to: WorkflowStep, fields: Partial<WorkflowTransition> = {}) {
  const { projectId, workflowId } = from
  return { id: newId(), projectId, workflowId, fromStepId: from.id, toStepId: to.id, priority: 0, ...fields }
}

/** An execution that is due at noon. */
export function execution(of: Workflow, contactId: string, fields: Partial<Execution> = {}): Execution {
  const way = { status: 'RUNNING', context: {}, event: {}, once: false, attempts: 0, dueAt: NOON } as const
  const ids = { id: newId(), projectId: of.projectId, workflowId: of.id, contactId }
  return { ...ids, ...way, startedAt: NOON, updatedAt: NOON, ...fields }
}

export function stepRun(of: Execution, stepId: string, fields: Partial<StepRun> = {}): StepRun {
  const { projectId, workflowId, id: executionId } = of
  return { id: newId(), projectId, workflowId, executionId, stepId, status: 'RUNNING', startedAt: NOON, ...fields }
}

export function endpoint(projectId: ProjectId, fields: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  const asked = { url: 'https://acme.example/hook', events: ['*'], enabled: true }
  return { id: newId(), projectId, ...asked, createdAt: NOON, updatedAt: NOON, ...fields }
}

/** A delivery that is due at noon. */
export function delivery(projectId: ProjectId, fields: Partial<WebhookDelivery> = {}): WebhookDelivery {
  const asked = { url: 'https://acme.example/hook', method: 'POST', headers: {}, timeout: 10 } as const
  const state = { status: 'PENDING', attempts: 0, dueAt: NOON, createdAt: NOON, updatedAt: NOON } as const
  return { id: newId(), projectId, ...asked, ...state, ...fields }
}

/** A result of a try under this token, sent unless it says otherwise. */
export function result(of: Email, token: string, fields: Partial<DeliveryResult> = {}): DeliveryResult {
  return { emailId: of.id, projectId: of.projectId, token, at: at(10), status: 'SENT', events: [], ...fields }
}

/** A request that reads these addresses and answers what `decide` says, or writes these records as they are. */
export function request<T extends Json>(
  projectId: ProjectId,
  decide: WriteBatchRequest<T>['decide'],
  fields: Partial<Omit<WriteBatchRequest<T>, 'decide'>> = {},
): WriteBatchRequest<T> {
  return { projectId, now: NOON, addresses: [], ...fields, decide }
}

/** Stores records through a write batch, as accepting does. */
export async function put(
  store: Store,
  projectId: ProjectId,
  records: Partial<Omit<WriteBatchWrites<null>, 'answer'>>,
): Promise<void> {
  const writes = { contacts: [], contents: [], emails: [], events: [], ...records, answer: null }
  await store.writeBatch.commit(request(projectId, () => writes))
}

/** Stores a contact and answers it. */
export async function putContact(store: Store, projectId: ProjectId, fields: Partial<Contact> = {}): Promise<Contact> {
  const made = contact(projectId, fields)
  await put(store, projectId, { contacts: [made] })
  return made
}

/** Removes contacts and erases what speaks of them, a few rows at a time. */
export async function removeWholly(
  store: Store,
  projectId: ProjectId,
  ...contactIds: readonly string[]
): Promise<void> {
  await store.contacts.removeAll(projectId, contactIds, NOON)
  await eraseWholly(store, projectId, contactIds)
}

/** Erases what is left of removed contacts; of mails the words stay. */
export async function eraseWholly(store: Store, projectId: ProjectId, contactIds: readonly string[]): Promise<void> {
  const { retention } = store
  for (let isMore = true; isMore; ) {
    const mails = await retention.mailsTo(projectId, contactIds, 3)
    const changes = mails.map((mail) => ({ ...mail, newContentId: mail.contentId }))
    if (mails.length > 0) await retention.eraseMails(projectId, changes, [], NOON)
    else isMore = await retention.eraseHistory(projectId, contactIds, 3, NOON)
  }
  await retention.erased(contactIds)
}

/** Claims these mails, all of one lane or campaign, as a worker does: from what is due. What else was due is given back. */
export async function claimMails(
  store: Store,
  mails: readonly Email[],
  now: Date,
  lease: Lease,
): Promise<readonly ClaimedEmail[]> {
  const [{ campaignId, lane, projectId }] = mails as readonly [Email]
  const due = campaignId === undefined ? { lane, projectIds: [projectId], share: 5000 } : { campaignId, limit: 5000 }
  const claimed = await store.emails.claimDue(due, now, lease)
  const [wanted, others] = [mails.map(({ id }) => id), claimed.map(({ id }) => id)]
  const back = others.filter((id) => !wanted.includes(id))
  if (back.length > 0) await store.emails.release(back, lease.token, now)
  return claimed.filter(({ id }) => wanted.includes(id))
}

/** Stores an e-mail record to a contact of its own, and answers it. */
export async function putEmail(store: Store, projectId: ProjectId, fields: Partial<Email> = {}): Promise<Email> {
  const to = contact(projectId)
  const made = email(projectId, { contactId: to.id, to: to.email, ...fields })
  await put(store, projectId, { contacts: [to], emails: [made] })
  return made
}

/** An object whose keys and values have broken stores before. */
export const HOSTILE: JsonObject = JSON.parse(
  JSON.stringify({
    constructor: 'c',
    toString: { prototype: { polluted: true } },
    hasOwnProperty: false,
    '': 'empty key',
    'a.b': 1,
    '$.a[0]': 'path',
    'quote"\'`\\': 'quote"\'`\\',
    'with space\n\ttab': null,
    '👩‍👩‍👧 ключ': '🙂 naïve 中文 \u2028\u2029',
    long: 'x'.repeat(10_000),
    '1e3': 0.1,
    large: 12345678901234,
    negative: -1.5e-7,
    nested: [[], {}, [{ deep: [1, 'two', null, true] }]],
    percent: '100%_\\',
    question: '? $1 :name @p1 ?1',
    date: '2025-06-01T12:00:00.000Z',
    digits: '00123',
  }).replace('{', '{"__proto__":{"polluted":"yes"},'),
)

export function form(projectId: ProjectId, fields: Partial<Form> = {}): Form {
  return {
    ...{ id: newId(), projectId, name: 'Footer', active: true, texts: { title: 'News' }, fields: [], consent: 'Yes' },
    ...{
      topicIds: [],
      doubleOptIn: true,
      origins: [],
      shown: 0,
      submitted: 0,
      confirmed: 0,
      version: 1,
      createdAt: NOON,
      updatedAt: NOON,
    },
    ...fields,
  }
}

export function submission(
  { id: formId, projectId, consent }: Form,
  contactId: string,
  fields: Partial<FormSubmission> = {},
): FormSubmission {
  const sent = { id: newId(), projectId, formId, contactId, answers: {}, consent, outcome: 'asked' as const }
  return { ...sent, createdAt: NOON, ...fields }
}
