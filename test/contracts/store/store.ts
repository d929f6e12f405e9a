import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../core/ports/store/store.ts'
import { storeAccountsContract } from './accounts.ts'
import { storeActivityContract } from './activity.ts'
import { storeActivityListContract } from './activity-list.ts'
import { storeAnalyticsContract } from './analytics.ts'
import { storeAnswersContract } from './answers.ts'
import { storeAuditContract } from './audit.ts'
import { storeCampaignMailsContract } from './campaign-mails.ts'
import { storeCampaignsContract } from './campaigns.ts'
import { storeContactFieldsContract } from './contact-fields.ts'
import { storeContactJobsContract } from './contact-jobs.ts'
import { storeContactsContract } from './contacts.ts'
import { storeCountersContract } from './counters.ts'
import { storeDomainReportsContract } from './domain-reports.ts'
import { storeDomainTestsContract } from './domain-tests.ts'
import { storeDomainsContract } from './domains.ts'
import { storeEmailsContract } from './emails.ts'
import { storeEventsContract } from './events.ts'
import { storeExecutionsContract } from './executions.ts'
import { storeFeedbackContract } from './feedback.ts'
import { storeFiltersContract } from './filters.ts'
import { storeFormsContract } from './forms.ts'
import { storeIdempotencyContract } from './idempotency.ts'
import { storeInboundContract } from './inbound.ts'
import { storeInstallationContract } from './installation.ts'
import { storeInterruptedContract } from './interrupted.ts'
import { storeLedgerEventsContract } from './ledger-events.ts'
import { storeLeftOutContract } from './left-out.ts'
import { storeListeningContract } from './listening.ts'
import { storeMailsContract } from './mails.ts'
import { storeMembershipsContract } from './memberships.ts'
import { storeOperationsContract } from './operations.ts'
import { storeOutboxContract } from './outbox.ts'
import { storeProjectsContract } from './projects.ts'
import { at, claimMails, contact, email, HOSTILE, NOON, newProjectId, project, put } from './records.ts'
import { storeReputationContract } from './reputation.ts'
import { storeResultsContract } from './results.ts'
import { storeRetentionContract } from './retention.ts'
import { storeReusedContentContract } from './reused-content.ts'
import { storeSavingContactsContract } from './saving-contacts.ts'
import { storeSegmentsContract } from './segments.ts'
import { storeSendRequestsContract } from './send-requests.ts'
import { storeSeriesContract } from './series.ts'
import { storeSetBackContract } from './set-back.ts'
import { storeSuppressionsContract } from './suppressions.ts'
import { storeTemplateVersionsContract } from './template-versions.ts'
import { storeTemplatesContract } from './templates.ts'
import { storeTopicsContract } from './topics.ts'
import { storeTransactionsContract } from './transactions.ts'
import { storeUploadsContract } from './uploads.ts'
import { storeWebhookDeliveriesContract } from './webhook-deliveries.ts'
import { storeWebhookEndpointsContract } from './webhook-endpoints.ts'
import { storeWorkersContract } from './workers.ts'
import { storeWorkflowsContract } from './workflows.ts'
import { storeWriteBatchContract } from './write-batch.ts'

/** The subject of the store contract: a fresh, empty database for every test, or one that it can empty. */
export interface StoreSubject {
  readonly store: Store
  /** Removes every row. When given, tests share one store, which takes less time than to open one for each. */
  empty?(): Promise<void>
  /** Closes the store and opens it again as a new process would; absent when it keeps nothing. */
  reopen?(): Promise<Store>
  /** Closes what is open and clears up. */
  close(): Promise<void>
}

/** The promises of every store. `setup` makes a fresh, empty one. */
export function storeContract(setup: () => Promise<StoreSubject>) {
  let subject: StoreSubject | undefined
  const fresh = async () => {
    if (subject) await subject.empty?.()
    subject ??= await setup()
    return subject.store
  }
  const close = async () => {
    const closing = subject
    subject = undefined
    await closing?.close()
  }

  afterEach(async () => {
    if (subject?.empty === undefined) await close()
  })
  afterAll(close)

  describe('projects', () => storeProjectsContract(fresh))
  describe('contacts', () => storeContactsContract(fresh))
  describe('contact jobs', () => storeContactJobsContract(fresh))
  describe('many contacts at once', () => storeSavingContactsContract(fresh))
  describe('fields of contacts', () => storeContactFieldsContract(fresh))
  describe('events', () => storeEventsContract(fresh))
  describe('listeners', () => storeListeningContract(fresh))
  describe('reports about mail', () => storeFeedbackContract(fresh))
  describe('filters', () => storeFiltersContract(fresh))
  describe('templates', () => storeTemplatesContract(fresh))
  describe('snippets and layouts', () => storeReusedContentContract(fresh))
  describe('topics', () => storeTopicsContract(fresh))
  describe('forms', () => storeFormsContract(fresh))
  describe('versions of templates', () => storeTemplateVersionsContract(fresh))
  describe('received messages', () => storeInboundContract(fresh))
  describe('work that processes end with', () => storeInstallationContract(fresh))
  describe('work that processes end with', () => storeInterruptedContract(fresh))
  describe('mails that other programs ask for', () => storeSendRequestsContract(fresh))
  describe('segments', () => storeSegmentsContract(fresh))
  describe('single mails', () => storeMailsContract(fresh))
  describe('members of segments', () => storeMembershipsContract(fresh))
  describe('suppressions', () => storeSuppressionsContract(fresh))
  describe('write batches', () => storeWriteBatchContract(fresh))
  describe('idempotency', () => storeIdempotencyContract(fresh))
  describe('emails', () => storeEmailsContract(fresh))
  describe('results of deliveries', () => storeResultsContract(fresh))
  describe('events that the row of a mail stands for', () => storeLedgerEventsContract(fresh))
  describe('campaigns', () => storeCampaignsContract(fresh))
  describe('series of campaigns', () => storeSeriesContract(fresh))
  describe('mails of campaigns', () => storeCampaignMailsContract(fresh))
  describe('those whom a campaign left out', () => storeLeftOutContract(fresh))
  describe('workflows', () => storeWorkflowsContract(fresh))
  describe('executions', () => storeExecutionsContract(fresh))
  describe('endpoints of webhooks', () => storeWebhookEndpointsContract(fresh))
  describe('deliveries of webhooks', () => storeWebhookDeliveriesContract(fresh))
  describe('a clock that is set back', () => storeSetBackContract(fresh))
  describe('workers', () => storeWorkersContract(fresh))
  describe('outbox', () => storeOutboxContract(fresh))
  describe('answers and audiences', () => storeAnswersContract(fresh))
  describe('activity', () => storeActivityContract(fresh))
  describe('all that happened', () => storeActivityListContract(fresh))
  describe('figures by moment', () => storeAnalyticsContract(fresh))
  describe('counters', () => storeCountersContract(fresh))
  describe('domains', () => storeDomainsContract(fresh))
  describe('reports on domains', () => storeDomainReportsContract(fresh))
  describe('tests of domains', () => storeDomainTestsContract(fresh))
  describe('uploads', () => storeUploadsContract(fresh))
  describe('the audit log', () => storeAuditContract(fresh))
  describe('operations', () => storeOperationsContract(fresh))
  describe('figures of domains', () => storeReputationContract(fresh))
  describe('accounts', () => storeAccountsContract(fresh))
  describe('retention', () => storeRetentionContract(fresh))
  describe('transactions', () => storeTransactionsContract(fresh))

  describe('as a whole', () => {
    it('says that it is well', async () => {
      const store = await fresh()
      await expect(store.check()).resolves.toBeUndefined()
    })

    it('still has everything it answered for after it was opened again, or says that it keeps nothing', async () => {
      const store = await fresh()
      const acme = project()
      const ada = contact(acme.id, { data: HOSTILE })
      const mail = email(acme.id, { contactId: ada.id, variables: HOSTILE })
      await store.projects.save(acme)
      await put(store, acme.id, { contacts: [ada], emails: [mail] })
      const lease = { token: 'worker-1', until: at(300) }
      await claimMails(store, [mail], NOON, lease)
      if (subject?.reopen === undefined) return

      const again = await subject.reopen()
      expect(await again.projects.list()).toEqual([acme])
      expect(await again.contacts.find(acme.id, ada.id)).toEqual(ada)
      expect(await again.emails.find(acme.id, mail.id)).toMatchObject({ status: 'SENDING', variables: HOSTILE })
      expect(await again.emails.expireLeases(at(301))).toBe(1)
    })

    it('is unavailable once it was closed', async () => {
      const store = await fresh()
      const projectId = newProjectId()
      await close()
      const unavailable = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' })
      await expect(store.check()).rejects.toEqual(unavailable)
      await expect(store.projects.list()).rejects.toEqual(unavailable)
      await expect(put(store, projectId, { contacts: [contact(projectId)] })).rejects.toEqual(unavailable)
    })
  })
}
