import { AsyncLocalStorage } from 'node:async_hooks'
import type { MikroORM, SqlEntityManager } from '@mikro-orm/sql'
import { EngineError } from '../../../core/errors.ts'
import type { Repositories, Store } from '../../../core/ports/store/store.ts'
import type { Workers } from '../../../core/ports/store/workers.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import type { Access, Database } from './engine/access.ts'
import type { Dialect } from './engine/dialect.ts'
import type { Session } from './engine/session.ts'
import type { StoredEvents } from './engine/stored-events.ts'
import { type Tables, tablesOf } from './engine/tables.ts'
import { SqlAttempts } from './repositories/accounts/attempts.ts'
import { SqlMembers } from './repositories/accounts/members.ts'
import { SqlUserTokens } from './repositories/accounts/user-tokens.ts'
import { SqlUsers } from './repositories/accounts/users.ts'
import { SqlActivity } from './repositories/activity/activity.ts'
import { SqlAnalytics } from './repositories/analytics/analytics.ts'
import { SqlAudit } from './repositories/audit.ts'
import { SqlCampaignAttachments } from './repositories/campaigns/campaign-attachments.ts'
import { SqlCampaignMails } from './repositories/campaigns/campaign-mails.ts'
import { SqlCampaigns } from './repositories/campaigns/campaigns.ts'
import { ClaimedWork } from './repositories/claimed-work.ts'
import { SqlContactFields } from './repositories/contacts/contact-fields.ts'
import { SqlContactJobs } from './repositories/contacts/contact-jobs.ts'
import { SqlContacts } from './repositories/contacts/contacts.ts'
import { SqlSuppressions } from './repositories/contacts/suppressions.ts'
import { SqlLayouts } from './repositories/content/layouts.ts'
import { SqlSnippets } from './repositories/content/snippets.ts'
import { SqlDomainTests } from './repositories/domains/domain-tests.ts'
import { SqlDomains } from './repositories/domains/domains.ts'
import { SqlReputation } from './repositories/domains/reputation.ts'
import { SqlEmails } from './repositories/emails/emails.ts'
import { SqlFeedback } from './repositories/emails/feedback.ts'
import { SqlInbound } from './repositories/emails/inbound.ts'
import { directWrites, type LedgerWrites, sharedWrites } from './repositories/emails/ledger-writes.ts'
import { SqlMails } from './repositories/emails/mails.ts'
import { SqlEvents } from './repositories/events/events.ts'
import { SqlOutbox } from './repositories/events/outbox.ts'
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
import { SqlExecutions } from './repositories/workflows/executions.ts'
import { SqlGoals } from './repositories/workflows/goals.ts'
import { SqlStepRuns } from './repositories/workflows/step-runs.ts'
import { SqlWorkflows } from './repositories/workflows/workflows.ts'
import { SqlAnswers } from './repositories/write-batch/answers.ts'
import { SqlWriteBatch } from './repositories/write-batch/write-batch.ts'

/**
 * The Store port over an open database: every repository, the write batch, and transactions of both. `sharing` is there
 * for a store that several processes can share.
 */
export function sqlStore(database: Database, orm: MikroORM, sharing?: Sharing): Store {
  const tables = tablesOf(database.dialect, orm, database.exclusive ? 1 : COUNT_SLOTS)
  const { stored } = tables.events
  const outside = new OutsideAccess(database, stored)
  const refuse = () => outside.refuseNested()
  const shared = sharedWrites(outside, tables, WRITES_AT_A_TIME, refuse)
  return {
    ...repositories(outside, tables, shared),
    writeBatch: new SqlWriteBatch(outside, tables, refuse),
    exclusive: database.exclusive,
    listen: (listener) => stored.listen(listener),
    moveUp: (now, from, limit) => moveUp(outside, now, from, limit),
    ...(sharing ? { workers: workersOf(sharing, new ClaimedWork(outside)) } : {}),
    transaction: (work) =>
      outside.transaction((inside) => work(repositories(inside, tables, directWrites(inside, tables)))),
    check: shareable(() => outside.check()),
  }
}

/** The part of the Workers port that depends on the database. */
type Sharing = Pick<Workers, 'join' | 'members' | 'hasEnded' | 'lead'>

function workersOf(sharing: Sharing, work: ClaimedWork): Workers {
  return {
    join: () => sharing.join(),
    members: () => sharing.members(),
    hasEnded: (process) => sharing.hasEnded(process),
    lead: (task) => sharing.lead(task),
    claims: (now) => work.claims(now),
    takeBack: (tokens, now) => work.takeBack(tokens, now),
  }
}

function repositories(access: Access, tables: Tables, writes: LedgerWrites): Repositories {
  return {
    secrets: new SqlSecrets(access),
    projects: new SqlProjects(access, tables),
    contacts: new SqlContacts(access, tables),
    contactFields: new SqlContactFields(access),
    contactJobs: new SqlContactJobs(access, tables),
    events: new SqlEvents(access, tables),
    outbox: new SqlOutbox(access, tables),
    templates: new SqlTemplates(access, tables),
    snippets: new SqlSnippets(access, tables),
    layouts: new SqlLayouts(access, tables),
    templateVersions: new SqlTemplateVersions(access, tables),
    templateDrafts: new SqlTemplateDrafts(access, tables),
    campaignAttachments: new SqlCampaignAttachments(access, tables),
    segments: new SqlSegments(access, tables),
    memberships: new SqlMemberships(access, tables),
    suppressions: new SqlSuppressions(access, tables),
    emails: new SqlEmails(access, tables, writes),
    mails: new SqlMails(access, tables),
    webhookEndpoints: new SqlWebhookEndpoints(access, tables),
    webhookDeliveries: new SqlWebhookDeliveries(access, tables),
    workflows: new SqlWorkflows(access, tables),
    executions: new SqlExecutions(access, tables),
    stepRuns: new SqlStepRuns(access, tables),
    goals: new SqlGoals(access, tables),
    campaigns: new SqlCampaigns(access, tables),
    campaignMails: new SqlCampaignMails(access, tables),
    answers: new SqlAnswers(access, tables),
    retention: new SqlRetention(access, tables),
    domains: new SqlDomains(access, tables),
    feedback: new SqlFeedback(access, tables),
    inbound: new SqlInbound(access, tables, writes),
    reputation: new SqlReputation(access, tables),
    notices: new SqlNotices(access, tables),
    operations: new SqlOperations(access),
    domainTests: new SqlDomainTests(access, tables),
    uploads: new SqlUploads(access, tables),
    users: new SqlUsers(access, tables),
    members: new SqlMembers(access, tables),
    userTokens: new SqlUserTokens(access, tables),
    attempts: new SqlAttempts(access, tables),
    analytics: new SqlAnalytics(access, tables),
    activity: new SqlActivity(access, tables),
    audit: new SqlAudit(access, tables),
  }
}

/** How many processes can count without waiting for each other's rows; more may share some. */
const COUNT_SLOTS = 8

/**
 * How many group commits of each kind run at a time. Where a commit is a round trip, writes about different mails need
 * not wait for each other.
 */
const WRITES_AT_A_TIME = 2

/**
 * The access for everyone outside a transaction. Code inside a transaction that used it would wait for itself where
 * there is one connection, and miss its own writes where there are more, so it is refused.
 */
class OutsideAccess implements Access {
  readonly dialect: Dialect
  readonly #database: Database
  readonly #stored: StoredEvents
  readonly #inside = new AsyncLocalStorage<{ open: boolean }>()

  constructor(database: Database, stored: StoredEvents) {
    this.#stored = stored
    this.dialect = database.dialect
    this.#database = database
  }

  refuseNested(): void {
    if (this.#inside.getStore()?.open) {
      throw new EngineError('STORE_NESTED', 'The store was used inside its own transaction; use `tx` there.')
    }
  }

  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#enter(() => this.#database.read(work))
  }

  scan<T>(projectId: ProjectId, work: (session: Session) => Promise<T>): Promise<T> {
    return this.#enter(() => this.#database.scan(projectId, work))
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#enter(() =>
      this.#stored.committed((begin) =>
        this.#database.write((session) => {
          begin?.(session)
          return work(session)
        }),
      ),
    )
  }

  attempt<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#enter(() => this.#database.attempt(work))
  }

  orm<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T> {
    return this.#enter(() => this.#database.orm(work))
  }

  transaction<T>(work: (inside: Access) => Promise<T>): Promise<T> {
    const here = { open: true }
    const started = (inside: Access) => this.#inside.run(here, () => work(inside))
    const heard = () =>
      this.#stored.committed((begin) =>
        this.#database.transaction(async (inside) => {
          if (begin) await inside.read(async (session) => begin(session))
          return started(inside)
        }),
      )
    return this.#enter(heard).finally(() => {
      here.open = false
    })
  }

  check(): Promise<void> {
    return this.#enter(() => this.#database.check())
  }

  async #enter<T>(call: () => Promise<T>): Promise<T> {
    this.refuseNested()
    try {
      return await call()
    } catch (error) {
      if (EngineError.is(error) || !this.dialect.isUnavailable(error)) throw error
      const reason = error instanceof Error ? error.message : String(error)
      const details = { cause: error, retryAfter: RETRY_AFTER }
      throw new EngineError('SERVICE_UNAVAILABLE', `The database is not available: ${reason}`, details)
    }
  }
}

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

/** Seconds after which to try again when the database was not available. */
const RETRY_AFTER = 5
