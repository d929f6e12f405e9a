import type { VariantTest } from '../../core/ports/store/campaigns.ts'
import type { Store } from '../../core/ports/store/store.ts'
import type { ProjectId } from '../../core/values/project-id.ts'
import { sourceOf } from '../contracts/store/domain-reports.ts'
import { leftOut } from '../contracts/store/left-out.ts'
import {
  at,
  campaign,
  claimMails,
  contact,
  content,
  delivery,
  email,
  endpoint,
  event,
  execution,
  form,
  HOSTILE,
  NOON,
  newId,
  project,
  request,
  result,
  senderDomain,
  step,
  stepRun,
  submission,
  suppression,
  template,
  transition,
  workflow,
} from '../contracts/store/records.ts'
import { sendRequest } from '../contracts/store/send-requests.ts'
import { series } from '../contracts/store/series.ts'
import { draft, version } from '../contracts/store/template-versions.ts'

/** Texts that have broken stores before. */
export const HOSTILE_TEXT = Object.values(HOSTILE)
  .filter((value) => typeof value === 'string')
  .join(' {NULL} \\ " ')

const VARIANT_TEST: VariantTest = {
  ...{ share: 20, holdOut: 0, metric: 'event', event: HOSTILE_TEXT, hours: 4 },
  ...{ winner: 'manual', whenUnclear: 'wait' },
}

/** At least one row of every table, with all that has broken stores before; answers what must come back. */
export async function fillWithEverything(store: Store) {
  const archived = { archiveSlug: 'ours', signUpUrl: HOSTILE_TEXT, tracksCreated: true }
  const consents = { trackingConsent: 'none', publicData: 'none' } as const
  const about = { name: HOSTILE_TEXT, ...consents, trustedDomains: [], disabled: true } as const
  const limits = { timeZone: 'Asia/Kolkata', frequencyCap: { mails: 3, days: 7 }, quotas: { daily: 9, monthly: 90 } }
  const caught = { mode: 'members', allowedRecipients: [HOSTILE_TEXT] } as const
  const made = project({ ...about, ...archived, ...limits, ...caught })
  await store.projects.save(made)
  const hash = 'f'.repeat(64)
  const key = { id: newId(), projectId: made.id, kind: 'secret', name: 'k"', hash, prefix: 'sk_12345', createdAt: NOON }
  await store.projects.addKey({
    ...key,
    kind: 'secret',
    scopes: ['send', 'read'],
    expiresAt: at(9e9),
    lastUsedAt: at(5),
  })
  const image = { hash, name: HOSTILE_TEXT, contentType: 'image/png', width: 1, height: 2, size: 3, createdAt: NOON }
  await store.uploads.insert({ id: newId(), projectId: made.id, ...image })
  await store.audit.add({
    ...{ id: newId(), projectId: made.id, at: at(1), action: 'changeTemplate', requestId: 'r' },
    ...{ actorType: 'user', actorId: newId(), actorName: HOSTILE_TEXT, targetType: 'versions', targetId: '3' },
    ...{ targetName: HOSTILE_TEXT, parentType: 'templates', parentId: newId() },
    ...{ createdId: newId(), fields: [HOSTILE_TEXT], outcome: 'unknown', address: '::1' },
  })
  const asked = { tracking: 'anonymous', pausedUntil: at(9e9), everyDays: 30, leftBy: 'link' } as const
  const person = contact(made.id, { data: HOSTILE, subscribed: false, ...asked })
  const other = contact(made.id, { data: {} })
  const twin = contact(made.id)
  const topicId = newId()
  const letter = template(made.id, {
    slug: 'größe',
    topicId,
    subject: HOSTILE_TEXT,
    body: HOSTILE_TEXT,
    fromName: "O'Neil",
  })
  await store.templates.insert(letter)
  const theme = { id: topicId, projectId: made.id, slug: 'größe', name: HOSTILE_TEXT, description: HOSTILE_TEXT }
  const settled = {
    formerSlugs: [HOSTILE_TEXT],
    standing: 'out',
    public: false,
    archived: true,
    createdAt: NOON,
    updatedAt: NOON,
  } as const
  await store.topics.insert({ ...theme, ...settled })
  const chosen = { contactId: person.id, topicId, projectId: made.id, subscribed: false, at: NOON } as const
  await store.topics.choose([{ ...chosen, source: 'page', text: HOSTILE_TEXT }])
  const piece = { name: 'footer', body: HOSTILE_TEXT, renders: ['a'], version: 3, createdAt: NOON, updatedAt: NOON }
  await store.snippets.insert({ id: newId(), projectId: made.id, title: HOSTILE_TEXT, design: HOSTILE, ...piece })
  const { renders: _, ...frame } = piece
  await store.layouts.insert({ id: newId(), projectId: made.id, design: HOSTILE, ...frame })
  const asking = form(made.id, {
    name: HOSTILE_TEXT,
    consent: HOSTILE_TEXT,
    redirectUrl: 'https://x.example/',
    attackedAt: at(2),
  })
  await store.forms.insert(asking)
  await store.forms.addSubmission(
    submission(asking, person.id, {
      answers: HOSTILE,
      topics: { a: true },
      address: '::1',
      outcome: 'subscribed',
      emailId: newId(),
      confirmedAt: at(1),
    }),
  )
  await store.templateVersions.insert({ ...version(made.id, letter.id, 1), restoredFrom: 1, authorName: HOSTILE_TEXT })
  await store.templateDrafts.put(draft(made.id, letter.id, { fields: HOSTILE }))
  await store.domains.insert(
    senderDomain(made.id, 'münchen.example', { findings: { a: { state: 'wrong', advice: HOSTILE_TEXT } } }),
  )
  await store.suppressions.put(suppression(made.id, 'gone@example.com', { detail: HOSTILE_TEXT, expiresAt: at(9e9) }))
  const words = content(made.id, {
    subject: HOSTILE_TEXT,
    text: '',
    cc: [{ email: 'cc@example.com', name: HOSTILE_TEXT }],
    headers: [['X-Hostile', HOSTILE_TEXT]],
    tracking: false,
    trackingAsked: true,
    topicId,
    transport: HOSTILE_TEXT,
    look: { postalAddress: HOSTILE_TEXT, logoUrl: 'https://example.com/logo.png', color: '#0b7285' },
    submitted: { header: `${HOSTILE_TEXT}\r\n`, returnPath: '', html: { from: 1, to: 2, header: HOSTILE_TEXT } },
    attachments: [
      {
        filename: 'ключ "1".bin',
        contentType: 'x/y',
        disposition: 'inline',
        contentId: 'a@b',
        bytes: Uint8Array.from({ length: 600 }, (_, i) => i % 256),
      },
      { filename: '', contentType: 'text/plain', disposition: 'attachment', bytes: new Uint8Array() },
    ],
  })
  const toPerson = { contactId: person.id, to: person.email, contentId: words.id }
  const sent = email(made.id, { ...toPerson, variables: HOSTILE, tags: { 'a.b': '"' }, templateId: letter.id })
  const answer = { status: 'RECEIVED', sourceType: 'INBOUND', inReplyTo: sent.id, repliedAt: at(9) } as const
  const replied = email(made.id, { ...toPerson, ...answer })
  const fanOut = { frozenAt: HOSTILE_TEXT, upTo: '', cursor: '', done: false, recipients: 1, skipped: { '"': 2 } }
  const variants = [{ subject: HOSTILE_TEXT, preheader: null, design: HOSTILE }]
  const tested = { fanOut, variants, test: VARIANT_TEST, publishedAt: at(4), transport: HOSTILE_TEXT }
  const news = campaign(made.id, { name: HOSTILE_TEXT, status: 'SENDING', ...tested })
  await store.campaigns.insert(news)
  await store.campaignAttachments.insert(made.id, newId(), Uint8Array.of(0, 255, 10))
  await store.leftOut.add([leftOut(made.id, news.id, { contactId: person.id })])
  const weekly = series(made.id, { name: HOSTILE_TEXT, feed: { title: HOSTILE_TEXT } })
  await store.series.insert(weekly)
  await store.series.remember([{ seriesId: weekly.id, projectId: made.id, key: HOSTILE_TEXT, seenAt: NOON }])
  await store.secrets.keep('links', HOSTILE_TEXT, NOON)
  await store.installation.put({ name: 'mail-servers', value: HOSTILE, version: 1, updatedAt: NOON })
  await store.projectServers.put({ projectId: made.id, value: HOSTILE, version: 1, updatedAt: NOON })
  const tried = email(made.id, { contentId: sent.contentId, status: 'SENT' })
  const sending = email(made.id, { ...toPerson, lane: 'campaign', campaignId: news.id, variant: 'B' })
  const waiting = email(made.id, { contentId: words.id, lane: 'workflow', dueAt: at(900) })
  const happened = event(made.id, person.id, { data: HOSTILE, emailId: sent.id })
  const work = { position: HOSTILE, result: {}, createdAt: NOON, updatedAt: NOON }
  const job = {
    id: newId(),
    projectId: made.id,
    type: 'import',
    state: 'waiting',
    progress: 7,
    request: HOSTILE,
  } as const
  const jobs = [{ job: { ...job, ...work }, file: Uint8Array.from({ length: 300 }, (_, i) => i % 256) }]
  const writes = {
    contacts: [person, other, twin],
    emails: [sent, sending, waiting, tried, replied],
    events: [happened],
    jobs,
    contents: [words],
  }
  await store.contactJobs.keepRefused(job.id, 2, Uint8Array.from([0, 255]))
  const idempotency = { key: HOSTILE_TEXT, fingerprint: 'print', since: at(-60) }
  await store.writeBatch.commit(
    request(made.id, () => ({ ...writes, answer: HOSTILE }), { idempotency, publicDataKeys: [HOSTILE_TEXT] }),
  )
  const many = {
    filterEdition: 2,
    trackMembership: true,
    memberCount: 1,
    begunAt: NOON,
    createdAt: NOON,
    updatedAt: NOON,
  }
  const filter = {
    operator: 'AND',
    conditions: [{ field: 'data.a"b', operator: 'equals', value: HOSTILE_TEXT }],
  } as const
  const segment = { id: newId(), projectId: made.id, name: HOSTILE_TEXT, slug: 'a', type: 'DYNAMIC', filter } as const
  await store.segments.insert({ ...segment, ...many, version: 4 })
  await store.memberships.enter([
    { id: newId(), projectId: made.id, segmentId: segment.id, contactId: person.id, enteredAt: NOON },
  ])
  await store.memberships.leave(made.id, segment.id, [person.id], at(5))
  for (const mail of [sent, sending]) await claimMails(store, [mail], NOON, { token: 'lease', until: at(1e9) })
  await store.emails.record([
    result(sent, 'lease', {
      ...{ accepted: ['a@b.c'], providerId: HOSTILE_TEXT, transport: 'main' },
      tries: [{ at: at(9), transport: 'main', outcome: 'unknown', reason: HOSTILE_TEXT }],
    }),
  ])
  await store.emails.recordActivity([
    { projectId: made.id, emailId: sending.id, kind: 'open', at: at(7), machine: true },
    { projectId: made.id, emailId: tried.id, kind: 'click', at: at(8), machine: false, link: HOSTILE_TEXT },
  ])
  const way = await fillWithWorkflows(store, made.id, person.id)
  await store.contacts.remove(made.id, other.id, NOON)
  await store.transaction((tx) => tx.merges.absorb(made.id, person.id, twin, NOON))
  await store.retention.setPosition(HOSTILE_TEXT, newId())
  const begun = { kind: 'event', key: HOSTILE_TEXT, projectId: made.id } as const
  await store.begunWork.giveUp({ ...begun, reason: HOSTILE_TEXT, at: NOON })
  await store.begunWork.begin('segment', [begun], NOON, { token: 'lease', until: at(900) })
  const proof = { selector: 's"', publicData: HOSTILE_TEXT, sealed: HOSTILE_TEXT, state: 'ACTIVE' } as const
  await store.domains.insert({
    ...{ id: newId(), projectId: made.id, domain: 'bücher.example', status: 'VERIFIED', failures: 1 },
    ...{
      keys: [{ ...proof, createdAt: NOON.toISOString() }],
      findings: { 'TXT "': { state: 'found', advice: HOSTILE_TEXT } },
    },
    link: { host: 'links.bücher.example', inUse: true, failures: 2 },
    sts: { mode: 'testing', mx: ['*.bücher.example'], maxAge: 86_400 },
    ...{ provenAt: NOON, lastCheckedAt: at(5), dueAt: at(7), createdAt: NOON, updatedAt: at(8) },
  })
  await store.feedback.firstTime([{ emailId: sent.id, key: HOSTILE_TEXT, at: NOON }])
  const between = { sendingDomain: 'bücher.example', recipientDomain: 'b.example' }
  const refusal = { code: HOSTILE_TEXT, text: HOSTILE_TEXT }
  await store.reputation.add([{ projectId: made.id, at: NOON, ...between, facts: ['sent', 'bounced'], refusal }])
  const went = {
    id: newId(),
    projectId: made.id,
    domainId: newId(),
    to: HOSTILE_TEXT,
    isOurs: true,
    isMarketing: false,
  }
  await store.domainTests.add({ ...went, createdAt: NOON })
  const times = { createdAt: NOON, updatedAt: at(9) }
  const seed = { id: newId(), projectId: made.id, address: 'a@b.example', host: HOSTILE_TEXT, port: 993 }
  await store.seeds.addMailbox({ ...seed, security: 'tls', user: HOSTILE_TEXT, sealed: HOSTILE_TEXT, ...times })
  const landed = { mailboxId: seed.id, address: 'a@b.example', emailId: newId(), messageId: HOSTILE_TEXT }
  const found = { outcome: 'tab' as const, folder: HOSTILE_TEXT, tab: 'promotions', arrivedAt: null, lookedAt: null }
  await store.seeds.addTest({
    ...{ id: newId(), projectId: made.id, campaignId: news.id, variant: 'A', minutes: 15, waits: false },
    ...{ results: [{ ...landed, ...found, problem: HOSTILE_TEXT }], ...times },
  })
  const reported = { id: newId(), projectId: made.id, domainId: went.domainId }
  await store.domainReports.add(
    {
      ...{ ...reported, kind: 'dmarc', reporter: HOSTILE_TEXT, reportId: HOSTILE_TEXT, domain: 'b.example' },
      ...{ begin: NOON, end: at(9), messages: 3, passed: 3, policy: 'reject', sender: 'c.example', createdAt: NOON },
      stsSessions: 2,
      failures: [{ type: HOSTILE_TEXT, sessions: 1, host: 'mx.b.example', detail: HOSTILE_TEXT }],
    },
    [sourceOf(reported)],
  )
  await store.domainReports.addFigures([
    {
      ...{ id: newId(), projectId: made.id, domainId: went.domainId, receiver: 'microsoft', figure: 'complaintRate' },
      ...{ day: '2026-05-01', subject: HOSTILE_TEXT, value: 0.1, word: HOSTILE_TEXT, createdAt: NOON },
    },
  ])
  await store.domainReports.countFailures([{ projectId: made.id, domainId: went.domainId, day: 20_000, reports: 7 }])
  await store.notices.first(made.id, HOSTILE_TEXT, NOON, 1)
  const user = {
    id: newId(),
    email: 'ada@b.example',
    language: 'de' as const,
    sessionVersion: 3,
    createdAt: NOON,
    updatedAt: at(9),
  }
  const factor = { totpSecret: HOSTILE_TEXT, totpSince: at(2), totpStep: 58_000_000 }
  await store.users.insert({
    ...user,
    ...factor,
    trusted: true,
    name: HOSTILE_TEXT,
    passwordHash: HOSTILE_TEXT,
    verifiedAt: at(1),
  })
  await store.users.addIdentity({ provider: 'oidc', subject: HOSTILE_TEXT, userId: user.id, createdAt: NOON })
  await store.users.setRecoveryCodes(user.id, ['a', HOSTILE_TEXT])
  await store.members.add({ projectId: made.id, userId: user.id, role: 'OWNER', createdAt: NOON })
  const invited = {
    userId: user.id,
    email: 'b@b.example',
    projectId: made.id,
    role: 'ADMIN',
    inviter: HOSTILE_TEXT,
  } as const
  await store.userTokens.add({ id: newId(), purpose: 'invite', ...invited, expiresAt: at(9e9), createdAt: NOON })
  await store.userSessions.add({
    ...{ id: newId(), userId: user.id, agent: HOSTILE_TEXT, address: '::1' },
    ...{ lastUsedAt: at(1), expiresAt: at(9e9), createdAt: NOON },
  })
  await store.presence.note(
    {
      ...{ id: HOSTILE_TEXT, projectId: made.id, kind: 'templates', thingId: newId(), userId: user.id },
      ...{ name: HOSTILE_TEXT, openedAt: NOON, seenAt: at(1) },
    },
    NOON,
    { ofProject: 1, ofUser: 1 },
  )
  await store.attempts.count(HOSTILE_TEXT, NOON, at(9e9))
  await store.inbound.add([
    {
      ...{
        id: newId(),
        projectId: made.id,
        sender: '',
        recipients: [HOSTILE_TEXT],
        raw: Buffer.from([0, 255, 13, 10]),
      },
      ...{ remoteAddress: '::1', helo: HOSTILE_TEXT, tls: true, attempts: 3, dueAt: at(9), receivedAt: NOON },
    },
  ])
  const keyed = { projectId: made.id, idempotencyKey: HOSTILE_TEXT, fingerprint: HOSTILE_TEXT }
  await store.sendRequests.add([sendRequest({ ...keyed, outcome: HOSTILE, doneAt: at(9) })])
  await store.sendRequests.claim(at(9), { token: 'lease', until: at(900) }, { requests: 1, bytes: 1000 })
  return { made, hash, person, words, letter, happened, news, way }
}

/** A workflow with a contact in it, an endpoint with a delivery, and an event that was not dispatched yet. */
async function fillWithWorkflows(store: Store, projectId: ProjectId, contactId: string) {
  const drawn = workflow(projectId, {
    name: HOSTILE_TEXT,
    eventName: HOSTILE_TEXT,
    description: HOSTILE_TEXT,
    goalEvent: HOSTILE_TEXT,
    eventTrigger: { formId: HOSTILE_TEXT, wholeSubscription: true },
    dateTrigger: { field: HOSTILE_TEXT, at: '09:00', offset: { amount: 1, unit: 'weeks', direction: 'before' } },
    startedUntil: at(4),
    dueAt: at(5),
  })
  const steps = [step(drawn, { type: 'TRIGGER' }), step(drawn, { config: HOSTILE, templateId: newId() })]
  const transitions = [transition(steps[0]!, steps[1]!, { branch: 'yes', priority: -1 })]
  await store.workflows.insert({ workflow: drawn, steps, transitions })
  const waits = {
    status: 'WAITING',
    currentStepId: steps[1]!.id,
    waitingFor: HOSTILE_TEXT,
    dueAt: at(60),
    goalAt: at(3),
  } as const
  const way = execution(drawn, contactId, { ...waits, context: HOSTILE, event: HOSTILE, eventId: newId(), once: true })
  await store.executions.start([way])
  const run = stepRun(way, steps[1]!.id, { status: 'WAITING', output: HOSTILE, error: HOSTILE_TEXT })
  await store.executions.wake([{ from: way, to: way, runs: [run] }])
  await fillInbox(store, projectId)
  await store.webhookEndpoints.saveSecrets({ projectId, secret: 'whsec_b', earlier: 'whsec_a', earlierUntil: at(60) })
  const told = endpoint(projectId, {
    events: ['*', HOSTILE_TEXT],
    failingSince: NOON,
    pausedReason: HOSTILE_TEXT,
    dialect: 'resend',
  })
  await store.webhookEndpoints.insert(told)
  const headers = { 'x-hostile': HOSTILE_TEXT, constructor: 'c' }
  const request = { endpointId: told.id, eventId: newId(), headers, dialect: 'resend', body: HOSTILE_TEXT.repeat(50) }
  await store.webhookDeliveries.add([delivery(projectId, { ...request, responseBody: HOSTILE_TEXT })])
  await store.webhookDeliveries.claim(NOON, 9, { token: 'lease', until: at(1e9) })
  await store.events.record([event(projectId, contactId, { name: HOSTILE_TEXT })])
  return way
}

async function fillInbox(store: Store, projectId: ProjectId) {
  const [inboxId, threadId, emailId] = [newId(), newId(), newId()]
  const [times, who] = [{ createdAt: NOON, updatedAt: at(1) }, [{ email: 'ada@example.com', name: HOSTILE_TEXT }]]
  await store.inboxes.insert({
    ...{ id: inboxId, projectId, address: '*@größe.example', name: HOSTILE_TEXT, senderName: HOSTILE_TEXT },
    ...{ signature: HOSTILE_TEXT, labels: [{ name: HOSTILE_TEXT, colour: '#000000' }], memberIds: [newId()] },
    ...{ approval: 'outside', blocked: ['@größe.example'], filterSpam: false },
    ...{ rules: [{ subject: HOSTILE_TEXT, labels: [HOSTILE_TEXT], forward: true }] },
    ...{ forwardTo: 'team@elsewhere.example', forwardConfirmedAt: at(1), forwardToken: newId(), retentionDays: 30 },
    ...{ metadata: HOSTILE, version: 2, ...times },
  })
  await store.threads.insert({
    ...{ id: threadId, projectId, inboxId, subject: HOSTILE_TEXT, subjectKey: HOSTILE_TEXT, participants: who },
    ...{ folder: 'spam', labels: [HOSTILE_TEXT], assigneeId: 'host:1', snippet: HOSTILE_TEXT, messageCount: 1 },
    ...{ lastMessageId: emailId, lastMessageAt: NOON, ...times },
  })
  await store.threadMails.add([
    { threadId, emailId, inboxId, projectId, messageId: '<a@b.example>', incoming: true, at: NOON },
  ])
  const author = { authorType: 'user', authorId: newId(), authorName: HOSTILE_TEXT } as const
  await store.threadNotes.add({ id: newId(), projectId, threadId, text: HOSTILE_TEXT, createdAt: NOON, ...author })
  await store.threads.read({ threadId, readerId: 'engine', projectId }, at(1))
  await store.inboxEvents.add([{ inboxId, projectId, name: HOSTILE_TEXT, data: { threadId }, at: NOON }])
  const found = { subject: HOSTILE_TEXT, people: 'ada', body: HOSTILE_TEXT, files: 'a b' }
  await store.mailWords.put([{ emailId, projectId, scope: 'p1 i1', ...found }], at(2))
  const draftId = newId()
  await store.draftAttachments.add(projectId, draftId, [{ id: emailId, bytes: Uint8Array.of(0, 255, 10) }])
  await store.inboxDrafts.insert({
    ...{ id: draftId, projectId, inboxId, threadId, kind: 'reply', messageId: emailId, to: who, cc: who, bcc: who },
    ...{ subject: HOSTILE_TEXT, body: HOSTILE_TEXT, status: 'sent', emailId: newId(), sendAt: at(2) },
    ...{ reason: HOSTILE_TEXT, refusal: HOSTILE_TEXT, decidedBy: HOSTILE_TEXT, authorId: newId() },
    attachments: [
      ...[{ id: emailId, filename: HOSTILE_TEXT, contentType: 'x/y', disposition: 'inline', contentId: 'a', size: 3 }],
    ] as const,
    omittedFiles: 2,
    changedFrom: {
      version: 1,
      to: who,
      cc: who,
      bcc: who,
      subject: HOSTILE_TEXT,
      body: HOSTILE_TEXT,
      files: [{ id: HOSTILE_TEXT, filename: HOSTILE_TEXT }],
    },
    ...{ authorName: HOSTILE_TEXT, version: 3, ...times },
  })
}
