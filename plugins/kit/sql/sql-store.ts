import type { MikroORM } from '@mikro-orm/sql'
import type { EventRecord } from '../../../core/ports/store/events.ts'
import type { Repositories, Store } from '../../../core/ports/store/store.ts'
import type { Workers } from '../../../core/ports/store/workers.ts'
import type { Access, Database } from './engine/access.ts'
import { OutsideAccess } from './engine/outside-access.ts'
import type { StoredEvents } from './engine/stored-events.ts'
import { type Tables, tablesOf } from './engine/tables.ts'
import { SqlAttempts } from './repositories/accounts/attempts.ts'
import { SqlMembers } from './repositories/accounts/members.ts'
import { SqlPresence } from './repositories/accounts/presence.ts'
import { SqlUserSessions } from './repositories/accounts/user-sessions.ts'
import { SqlUserTokens } from './repositories/accounts/user-tokens.ts'
import { SqlUsers } from './repositories/accounts/users.ts'
import { SqlActivity } from './repositories/activity/activity.ts'
import { SqlAnalytics } from './repositories/analytics.ts'
import { SqlAnswers } from './repositories/answers.ts'
import { SqlAudit } from './repositories/audit.ts'
import { SqlBegunWork } from './repositories/begun-work.ts'
import { SqlCampaignAttachments } from './repositories/campaigns/campaign-attachments.ts'
import { SqlCampaignMails } from './repositories/campaigns/campaign-mails.ts'
import { SqlCampaigns } from './repositories/campaigns/campaigns.ts'
import { SqlLeftOut } from './repositories/campaigns/left-out.ts'
import { SqlSeeds } from './repositories/campaigns/seeds.ts'
import { SqlSeries } from './repositories/campaigns/series.ts'
import { ClaimedWork } from './repositories/claimed-work.ts'
import { SqlContactFields } from './repositories/contacts/contact-fields.ts'
import { SqlContactJobs } from './repositories/contacts/contact-jobs.ts'
import { SqlContacts } from './repositories/contacts/contacts.ts'
import { SqlForms } from './repositories/contacts/forms.ts'
import { SqlMerges } from './repositories/contacts/merges.ts'
import { SqlSuppressions } from './repositories/contacts/suppressions.ts'
import { SqlTopics } from './repositories/contacts/topics.ts'
import { SqlLayouts } from './repositories/content/layouts.ts'
import { SqlSnippets } from './repositories/content/snippets.ts'
import { SqlDomainReports } from './repositories/domains/domain-reports.ts'
import { SqlDomainTests } from './repositories/domains/domain-tests.ts'
import { SqlDomains } from './repositories/domains/domains.ts'
import { SqlReputation } from './repositories/domains/reputation.ts'
import { SqlEmails } from './repositories/emails/emails.ts'
import { SqlFeedback } from './repositories/emails/feedback.ts'
import { SqlInbound } from './repositories/emails/inbound.ts'
import { directWrites, type LedgerWrites, sharedWrites } from './repositories/emails/ledger-writes.ts'
import { SqlMails } from './repositories/emails/mails.ts'
import { SqlSendRequests } from './repositories/emails/send-requests.ts'
import { SqlEvents } from './repositories/events/events.ts'
import { SqlOutbox } from './repositories/events/outbox.ts'
import { SqlDraftAttachments } from './repositories/inboxes/draft-attachments.ts'
import { SqlInboxDrafts } from './repositories/inboxes/drafts.ts'
import { SqlInboxEvents } from './repositories/inboxes/events.ts'
import { SqlInboxes } from './repositories/inboxes/inboxes.ts'
import { SqlMailWords } from './repositories/inboxes/mail-words.ts'
import { SqlThreadMails, SqlThreadNotes, SqlThreads } from './repositories/inboxes/threads.ts'
import { SqlInstallation, SqlProjectServers } from './repositories/installation.ts'
import { SqlNotices } from './repositories/notices.ts'
import { SqlOperations } from './repositories/operations.ts'
import { SqlProjects } from './repositories/projects.ts'
import { SqlRetention } from './repositories/retention/retention.ts'
import { SqlSecrets } from './repositories/secrets.ts'
import { SqlMemberships } from './repositories/segments/memberships.ts'
import { SqlSegments } from './repositories/segments/segments.ts'
import { moveUp } from './repositories/set-back.ts'
import { SqlTemplateDrafts, SqlTemplateVersions } from './repositories/template-versions.ts'
import { SqlTemplates } from './repositories/templates.ts'
import { SqlUploads } from './repositories/uploads.ts'
import { SqlWebhookDeliveries } from './repositories/webhooks/webhook-deliveries.ts'
import { SqlWebhookEndpoints } from './repositories/webhooks/webhook-endpoints.ts'
import { SqlDatedWorkflows } from './repositories/workflows/dated-workflows.ts'
import { SqlExecutions } from './repositories/workflows/executions.ts'
import { SqlGoals } from './repositories/workflows/goals.ts'
import { SqlStepRuns } from './repositories/workflows/step-runs.ts'
import { SqlWorkflows } from './repositories/workflows/workflows.ts'
import { SqlWriteBatch } from './repositories/write-batch.ts'

/**
 * The Store port over an open database: every repository, the write batch, and transactions of both. `sharing` is there
 * for a store that several processes can share.
 */
export function sqlStore(database: Database, orm: MikroORM, sharing?: Sharing): Store {
  const tables = tablesOf(database.dialect, orm, database.exclusive ? 1 : COUNT_SLOTS)
  const { stored } = tables.events
  const outside = new OutsideAccess(database, stored)
  const shared = sharedWrites(outside, tables, WRITES_AT_A_TIME)
  const store: Store = {
    ...allRepositories(outside, tables, shared),
    writeBatch: new SqlWriteBatch(outside, tables),
    exclusive: database.exclusive,
    listen: (listener) => stored.listen(listener),
    moveUp: (now, from, limit) => moveUp(outside, now, from, limit),
    ...(sharing ? { workers: workersOf(sharing, new ClaimedWork(outside, tables)) } : {}),
    transaction: (work) =>
      outside.transaction((inside) => work(repositories(inside, tables, directWrites(inside, tables)))),
    join: (client, work) =>
      outside.join(client, async ({ inside, session, ended }) => {
        const noted = stored.collect(session)
        const there = repositories(inside, tables, directWrites(inside, tables))
        const writeBatch = new SqlWriteBatch(inside, tables)
        // what the host's transaction holds back as a whole needs none of its own
        const joined: Store = Object.assign(there, {
          writeBatch,
          exclusive: store.exclusive,
          listen: store.listen,
          moveUp: store.moveUp,
          check: store.check,
          transaction: <T>(inner: (tx: Repositories) => Promise<T>) => inner(there),
        })
        const answer = await work({ store: joined, ended })
        if (noted.length > 0) void ended.then(() => tellCommitted(outside, stored, noted)).catch(() => {})
        return answer
      }),
    check: shareable(() => outside.check()),
  }
  return store
}

/** Tells the listeners about those of the events that the host's transaction has stored: it may have been rolled back. */
async function tellCommitted(access: Access, stored: StoredEvents, noted: readonly EventRecord[]): Promise<void> {
  const { dialect } = access
  const sql = `select "id" from "events" where "id" ${dialect.listed('uuid')}`
  const rows = await access.all(sql, [dialect.list(noted.map(({ id }) => id))])
  const there = new Set(rows.map(({ id }) => id))
  stored.tell(noted.filter(({ id }) => there.has(id)))
}

/** The part of the Workers port that depends on the database. */
type Sharing = Pick<Workers, 'join' | 'members' | 'hasEnded' | 'heed' | 'lead'>

function workersOf(sharing: Sharing, work: ClaimedWork): Workers {
  return {
    join: () => sharing.join(),
    members: () => sharing.members(),
    hasEnded: (process) => sharing.hasEnded(process),
    heed: (listener) => sharing.heed(listener),
    lead: (task) => sharing.lead(task),
    claims: (now) => work.claims(now),
    takeBack: (tokens, now) => work.takeBack(tokens, now),
  }
}

/** The arguments of each repository; most need no third. */
type Given = readonly [access: Access, tables: Tables, writes: LedgerWrites]

const REPOSITORIES: { readonly [Name in keyof Repositories]: new (...given: Given) => Repositories[Name] } = {
  secrets: SqlSecrets,
  installation: SqlInstallation,
  projectServers: SqlProjectServers,
  projects: SqlProjects,
  contacts: SqlContacts,
  contactFields: SqlContactFields,
  contactJobs: SqlContactJobs,
  events: SqlEvents,
  outbox: SqlOutbox,
  begunWork: SqlBegunWork,
  templates: SqlTemplates,
  seeds: SqlSeeds,
  snippets: SqlSnippets,
  layouts: SqlLayouts,
  templateVersions: SqlTemplateVersions,
  templateDrafts: SqlTemplateDrafts,
  campaignAttachments: SqlCampaignAttachments,
  segments: SqlSegments,
  memberships: SqlMemberships,
  suppressions: SqlSuppressions,
  merges: SqlMerges,
  topics: SqlTopics,
  forms: SqlForms,
  emails: SqlEmails,
  mails: SqlMails,
  webhookEndpoints: SqlWebhookEndpoints,
  webhookDeliveries: SqlWebhookDeliveries,
  workflows: SqlWorkflows,
  executions: SqlExecutions,
  stepRuns: SqlStepRuns,
  goals: SqlGoals,
  datedWorkflows: SqlDatedWorkflows,
  campaigns: SqlCampaigns,
  series: SqlSeries,
  campaignMails: SqlCampaignMails,
  leftOut: SqlLeftOut,
  answers: SqlAnswers,
  retention: SqlRetention,
  domains: SqlDomains,
  feedback: SqlFeedback,
  inbound: SqlInbound,
  inboxes: SqlInboxes,
  threads: SqlThreads,
  threadMails: SqlThreadMails,
  threadNotes: SqlThreadNotes,
  inboxDrafts: SqlInboxDrafts,
  draftAttachments: SqlDraftAttachments,
  inboxEvents: SqlInboxEvents,
  mailWords: SqlMailWords,
  sendRequests: SqlSendRequests,
  reputation: SqlReputation,
  notices: SqlNotices,
  operations: SqlOperations,
  domainTests: SqlDomainTests,
  domainReports: SqlDomainReports,
  uploads: SqlUploads,
  users: SqlUsers,
  members: SqlMembers,
  userTokens: SqlUserTokens,
  userSessions: SqlUserSessions,
  presence: SqlPresence,
  attempts: SqlAttempts,
  analytics: SqlAnalytics,
  activity: SqlActivity,
  audit: SqlAudit,
}

const NAMES = Object.keys(REPOSITORIES) as readonly (keyof Repositories)[]

/** Makes each repository when it is first asked for, since a transaction uses two or three of them. */
const ON_FIRST_USE = Object.defineProperties(
  {},
  Object.fromEntries(
    NAMES.map((name) => [
      name,
      {
        get(this: { readonly given: Given }) {
          const value = new REPOSITORIES[name](...this.given)
          Object.defineProperty(this, name, { value, enumerable: true, configurable: true, writable: true })
          return value
        },
      },
    ]),
  ),
)

function repositories(access: Access, tables: Tables, writes: LedgerWrites): Repositories {
  return Object.create(ON_FIRST_USE, { given: { value: [access, tables, writes] } })
}

/** The same, made at once: a store may be spread into another object. */
function allRepositories(access: Access, tables: Tables, writes: LedgerWrites): Repositories {
  const made = repositories(access, tables, writes)
  for (const name of NAMES) made[name]
  return { ...made }
}

/** How many processes can count without waiting for each other's rows; more may share some. */
const COUNT_SLOTS = 8

/**
 * How many group commits of each kind run at a time. Where a commit is a round trip, writes about different mails need
 * not wait for each other.
 */
const WRITES_AT_A_TIME = 2

/** Callers at the same time share one check. */
function shareable(ask: () => Promise<void>): () => Promise<void> {
  let asking: Promise<void> | undefined
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}
