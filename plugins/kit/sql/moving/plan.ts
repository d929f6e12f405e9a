import type { Table } from '../engine/table.ts'
import type { Tables } from '../engine/tables.ts'

/** The part of a project that is in one table, as a file of lines has it. */
interface Carried<Rec> {
  /** The meaning of a line, for people. */
  readonly about: string
  /** The table and the column by which a row belongs to a project that does not name it itself. */
  readonly of?: { readonly table: string; readonly by: string }
  /** The record without its secrets. */
  readonly open?: (record: Rec) => Rec
  /** The record as it arrives in another database, where some of it no longer holds. */
  readonly arrived?: (record: Rec, now: Date) => Rec
  /** The record held, so that nothing goes out from both places; undefined: it waits for nothing. */
  readonly held?: (record: Rec, now: Date) => Rec | undefined
}

/** Why a table stays where it is. */
interface Left {
  readonly left: string
}

type PartOf<T> = T extends Table<infer Rec> ? Carried<Rec> | Left : never

const OF_INSTALLATION: Left = { left: 'it is about the installation' }
const MOVED = 'It waited when the project was moved here.'

/** The part of each table when a project leaves: a new table does not compile without a line here. */
export const PLAN: { readonly [Name in keyof Tables]: PartOf<Tables[Name]> } = {
  projects: { about: 'The settings of the project; one line.' },
  apiKeys: { left: 'keys are secrets: make new ones' },
  contacts: { about: 'Contacts with their data and their consent to tracking.' },
  events: { about: 'Events of contacts, and of none.' },
  templates: { about: 'Templates.' },
  snippets: { about: 'Snippets.' },
  layouts: { about: 'Layouts.' },
  templateVersions: { about: 'Versions of templates, and of snippets and layouts.' },
  templateDrafts: { about: 'What is being written of templates and not published yet.' },
  contents: { about: 'The texts of mails, each for one mail or for many.' },
  attachments: {
    about: 'The files of mails, in the order of `position`.',
    of: { table: 'mail_contents', by: 'mail_content_id' },
  },
  emails: {
    about: 'The ledger: every mail, and what became of it.',
    held: (mail, now) =>
      mail.status === 'QUEUED' || mail.status === 'SENDING'
        ? { ...mail, status: 'SKIPPED', skipReason: 'cancelled', updatedAt: now }
        : undefined,
  },
  suppressions: { about: 'Addresses that get no mail.' },
  answers: { left: 'they repeat requests of the last day, and may hold secrets' },
  publicDataKeys: { about: 'The keys of data that a public key may write.' },
  segments: { about: 'Segments with their filters.' },
  forms: { about: 'Sign-up forms with their figures.' },
  formSubmissions: { about: 'What people sent with forms, and the words they agreed to.' },
  memberships: { about: 'Who is in which segment, since when, and until when.' },
  topics: { about: 'Topics.' },
  topicChoices: { about: 'The choices of topics that contacts made, with the source and the words of the consent.' },
  contactJobs: {
    about: 'Imports and other work on many contacts.',
    held: (job, now) =>
      job.state === 'waiting' || job.state === 'active'
        ? { ...job, state: 'failed', failedReason: MOVED, updatedAt: now }
        : undefined,
  },
  contactJobFiles: {
    about: 'The files of imports that are not done.',
    of: { table: 'contact_jobs', by: 'contact_job_id' },
  },
  contactJobRefusals: { about: 'Rows that imports refused.', of: { table: 'contact_jobs', by: 'contact_job_id' } },
  campaigns: {
    about: 'Campaigns; their figures are in `campaigns.csv`, and their mails in `emails.ndjson`.',
    held: (campaign, now) => {
      const { scheduledAt: _, ...unscheduled } = campaign
      if (campaign.status === 'SCHEDULED') return { ...unscheduled, status: 'DRAFT', updatedAt: now }
      if (campaign.status !== 'SENDING') return undefined
      return { ...campaign, status: 'PAUSED', statusReason: MOVED, updatedAt: now }
    },
  },
  campaignAttachments: { about: 'The files of campaigns.' },
  leftOut: { about: 'Who was left out when the audience of a campaign was written, and why.' },
  campaignSeries: {
    about: 'Series: campaigns that are made again and again.',
    held: ({ nextAt, ...series }, now) =>
      nextAt && { ...series, problem: `${MOVED} Resume the series.`, updatedAt: now },
  },
  seenItems: { about: 'Items of feeds that were in an issue of a series.' },
  secrets: OF_INSTALLATION,
  installation: OF_INSTALLATION,
  projectServers: { left: 'they hold the passwords of mail servers: set them anew' },
  workflows: { about: 'Workflows.' },
  workflowSteps: { about: 'The steps of workflows.' },
  workflowTransitions: { about: 'The ways from step to step.' },
  executions: { about: 'Contacts in workflows, and where they are.' },
  stepRuns: { about: 'What the steps of workflows did for each of them.' },
  webhookSecrets: { left: 'they sign webhooks: a new one is made' },
  webhookEndpoints: { about: 'Servers that get events.' },
  webhookDeliveries: {
    about: 'Requests to those servers, and their answers.',
    held: (delivery, now) =>
      delivery.status === 'PENDING' ? { ...delivery, status: 'FAILED', error: MOVED, updatedAt: now } : undefined,
  },
  outboxEvents: { about: 'Events that workflows and webhooks have not seen yet.' },
  begunWork: OF_INSTALLATION,
  erasures: { about: 'Contacts whose traces are still being erased.' },
  mergedContacts: { about: 'Contacts that were merged into others.' },
  inboundMessages: { about: 'Received mail that was not read yet.' },
  sendRequests: {
    about: 'Mails asked for by SQL, and what became of them.',
    held: (request, now) =>
      request.status === 'WAITING' ? { ...request, status: 'REFUSED', outcome: MOVED, doneAt: now } : undefined,
  },
  inboxes: { about: 'Inboxes.' },
  threads: { about: 'Threads of inboxes.' },
  threadMails: { about: 'The mails of threads.' },
  threadNotes: { about: 'Notes of the team at threads.' },
  threadReads: { about: 'Until when people and programs have read threads.' },
  inboxDrafts: { about: 'Mails that are being written in inboxes.' },
  draftAttachments: { about: 'The files of these mails.' },
  inboxEvents: { about: 'Events of inboxes, by their numbers.' },
  mailWords: { about: 'The words by which mails of inboxes are found.' },
  retentionPositions: OF_INSTALLATION,
  domains: {
    about: 'Sender domains without their keys. They arrive unproven: rotate the key of each, and set its new records.',
    open: (domain) => ({ ...domain, keys: [] }),
    arrived: ({ provenAt: _p, lastCheckedAt: _l, link, ...domain }, now) => ({
      ...domain,
      status: 'PENDING',
      keys: [],
      findings: {},
      failures: 0,
      dueAt: now,
      ...(link && { link: { host: link.host, inUse: false, failures: 0 } }),
    }),
  },
  feedbackReports: {
    about: 'Reports of bounces and complaints that were read.',
    of: { table: 'emails', by: 'email_id' },
  },
  anonymousCounts: { about: 'Openings and clicks that are only counted.' },
  links: { about: 'The links of mails.' },
  linkClicks: { about: 'Clicks, by mail and link.' },
  deliveryCounts: { about: 'How mail arrived, by day and by the domains of sender and recipient.' },
  deliveryRefusals: { about: 'The last refusals, by the domains of sender and recipient.' },
  notices: { about: 'When the team was told what.' },
  domainTests: { about: 'Test mails of domains.' },
  seedMailboxes: { left: 'their passwords are encrypted with the secret of the installation: add them anew' },
  seedTests: { about: 'Where test mail of campaigns landed.' },
  domainReports: { about: 'What receivers report on domains.' },
  reportSources: { about: 'The sources of mail in DMARC reports.' },
  failureCounts: { about: 'How many failure reports came, by domain and day.' },
  receiverFigures: { about: 'Figures of receivers on domains, out of uploaded files.' },
  uploads: { about: 'Uploaded images; the bytes of each are in `uploads/`, by their SHA-256.' },
  users: OF_INSTALLATION,
  userIdentities: OF_INSTALLATION,
  recoveryCodes: OF_INSTALLATION,
  projectMembers: { left: 'the people are users of the installation: invite them anew' },
  userTokens: OF_INSTALLATION,
  userSessions: OF_INSTALLATION,
  openTabs: { left: 'it says who looks at what now' },
  attempts: OF_INSTALLATION,
  auditEntries: { about: 'The audit log of the project.' },
}

/** One table that goes along, with the records as any. */
export interface Part extends Carried<object> {
  readonly table: Table<object>
  /** Its file in the archive. */
  readonly file: string
  /** Properties that every record has. */
  readonly needed: readonly string[]
}

/** The tables that go along, in the order in which they arrive. */
export function partsOf(tables: Tables): readonly Part[] {
  const plans: Readonly<Record<string, object>> = PLAN
  return Object.entries(tables).flatMap(([name, table]: readonly [string, Table<object>]) => {
    const plan = plans[name]
    if (plan === undefined || 'left' in plan) return []
    return [{ ...(plan as Carried<object>), table, file: `${plainName(table)}.ndjson`, needed: table.needed }]
  })
}

/** The name of a table without its quotes. */
function plainName({ name }: Table<object>): string {
  return name.replaceAll('"', '')
}
