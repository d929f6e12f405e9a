import { EXAMPLE_IDS } from './example-ids.ts'
import { assistantWords } from './words/assistant.ts'
import { seriesWords } from './words/campaign-series.ts'
import { campaignWords } from './words/campaigns.ts'
import { contactWords } from './words/contacts.ts'
import { domainWords, suppressionWords } from './words/domains.ts'
import { eventWords } from './words/events.ts'
import { figureWords } from './words/figures.ts'
import { formWords } from './words/forms.ts'
import { inboxWords } from './words/inboxes.ts'
import { installationWords } from './words/installation.ts'
import { mailServerWords } from './words/mail-servers.ts'
import { mailWords, verificationWords } from './words/mails.ts'
import { accountWords, presenceWords, projectWords } from './words/people.ts'
import { routingWords } from './words/routes.ts'
import { sandboxWords } from './words/sandbox.ts'
import { seedWords } from './words/seeds.ts'
import { segmentWords } from './words/segments.ts'
import { contentWords, templateWords } from './words/templates.ts'
import { topicWords } from './words/topics.ts'
import { webhookWords } from './words/webhooks.ts'
import type { Words } from './words/words.ts'
import { workflowWords } from './words/workflows.ts'

/** A group of routes in the documentation. */
export interface Group {
  readonly name: string
  readonly description: string
  /** The example of `:id` in its paths, and what it is the id of. */
  readonly id?: string
  readonly one?: string
  /** The words about its schemas and fields. */
  readonly words: readonly Words[]
}

/** The groups by the first part of their paths, in the order they are shown. */
const GROUPS: Readonly<Record<string, Group>> = {
  v1: {
    name: 'Public API',
    description: 'Send mail, record events and check addresses.',
    words: [mailWords, verificationWords, eventWords],
  },
  contacts: {
    name: 'Contacts',
    description: 'People, their fields and their consent.',
    id: EXAMPLE_IDS.contact,
    one: 'contact',
    words: [contactWords, topicWords],
  },
  topics: {
    name: 'Topics',
    description: 'Kinds of marketing mail that contacts choose one by one.',
    id: EXAMPLE_IDS.topic,
    one: 'topic',
    words: [topicWords],
  },
  templates: {
    name: 'Templates',
    description: 'Reusable mails with placeholders.',
    id: EXAMPLE_IDS.template,
    one: 'template',
    words: [templateWords],
  },
  snippets: {
    name: 'Snippets',
    description: "Pieces of HTML that bodies render: `{% render 'footer' %}`.",
    id: EXAMPLE_IDS.snippet,
    one: 'snippet',
    words: [contentWords],
  },
  layouts: {
    name: 'Layouts',
    description: 'Frames around the bodies of many mails.',
    id: EXAMPLE_IDS.layout,
    one: 'layout',
    words: [contentWords],
  },
  forms: {
    name: 'Forms',
    description: 'Sign-up forms, and what was sent by them.',
    id: EXAMPLE_IDS.form,
    one: 'form',
    words: [formWords],
  },
  segments: {
    name: 'Segments',
    description: 'Groups of contacts, by a filter or by hand.',
    id: EXAMPLE_IDS.segment,
    one: 'segment',
    words: [segmentWords],
  },
  campaigns: {
    name: 'Campaigns',
    description: 'One mail to many contacts.',
    id: EXAMPLE_IDS.campaign,
    one: 'campaign',
    words: [campaignWords, seedWords],
  },
  'campaign-series': {
    name: 'Campaign series',
    description: 'Campaigns that are made again and again.',
    id: EXAMPLE_IDS.series,
    one: 'series',
    words: [seriesWords],
  },
  workflows: {
    name: 'Workflows',
    description: 'Steps that contacts go through.',
    id: EXAMPLE_IDS.workflow,
    one: 'workflow',
    words: [workflowWords],
  },
  events: { name: 'Events', description: 'What happened to contacts.', words: [eventWords] },
  emails: {
    name: 'E-mails',
    description: 'The ledger: every mail and what became of it.',
    id: EXAMPLE_IDS.email,
    one: 'mail',
    words: [mailWords],
  },
  sandbox: {
    name: 'Sandbox',
    description: 'Mail of tests: caught instead of sent.',
    id: EXAMPLE_IDS.email,
    one: 'mail',
    words: [sandboxWords, mailWords],
  },
  seeds: {
    name: 'Seed list',
    description: 'Mailboxes of your own at receivers, which show where mail lands.',
    id: EXAMPLE_IDS.seedMailbox,
    one: 'mailbox',
    words: [seedWords],
  },
  inboxes: {
    name: 'Inboxes',
    description: 'Addresses whose mail people and programs read and answer as conversations.',
    id: EXAMPLE_IDS.inbox,
    one: 'inbox',
    words: [inboxWords, assistantWords],
  },
  threads: {
    name: 'Threads',
    description: 'The conversations of inboxes.',
    id: EXAMPLE_IDS.thread,
    one: 'thread',
    words: [inboxWords, assistantWords],
  },
  drafts: {
    name: 'Drafts',
    description: 'Mails that are being written in inboxes.',
    id: EXAMPLE_IDS.draft,
    one: 'draft',
    words: [inboxWords],
  },
  approvals: {
    name: 'Approvals',
    description: 'Mails of keys that wait for a person.',
    words: [inboxWords],
  },
  assistant: {
    name: 'Assistant',
    description: 'Texts of mails by a language model, where the operator has configured one.',
    words: [assistantWords],
  },
  suppressions: {
    name: 'Suppressions',
    description: 'Addresses that get no mail.',
    id: EXAMPLE_IDS.suppression,
    one: 'entry',
    words: [suppressionWords],
  },
  webhooks: {
    name: 'Webhooks',
    description: 'Events sent to your own servers.',
    id: EXAMPLE_IDS.webhook,
    one: 'endpoint',
    words: [webhookWords],
  },
  activity: { name: 'Activity', description: 'What happened, and what is planned.', words: [figureWords] },
  analytics: { name: 'Analytics', description: 'Figures by day, campaign and event.', words: [figureWords] },
  deliverability: {
    name: 'Deliverability',
    description: 'What became of the mail to each provider.',
    words: [figureWords],
  },
  'mail-servers': {
    name: 'Mail servers',
    description: "The project's own mail servers, which take its mail before those of the installation.",
    words: [mailServerWords],
  },
  domains: {
    name: 'Domains',
    description: 'Sending domains and their DNS records.',
    id: EXAMPLE_IDS.domain,
    one: 'domain',
    words: [domainWords],
  },
  projects: {
    name: 'Projects',
    description: 'Projects, their members, and their keys.',
    id: EXAMPLE_IDS.project,
    one: 'project',
    words: [projectWords],
  },
  users: {
    name: 'Users',
    description: 'The account of the person who is logged in.',
    words: [accountWords, installationWords, mailServerWords, routingWords],
  },
  auth: {
    name: 'Accounts',
    description: 'Logging in and out, and links in mails about accounts.',
    words: [accountWords],
  },
  uploads: {
    name: 'Uploads',
    description: 'Images for mails.',
    id: EXAMPLE_IDS.upload,
    one: 'image',
    words: [installationWords],
  },
  keys: { name: 'API key', description: 'The key used for the request.', words: [projectWords] },
  presence: { name: 'Presence', description: 'Who has what open just now.', words: [presenceWords] },
  audit: { name: 'Audit log', description: 'Who changed what.', words: [projectWords] },
}

const PUBLIC: Group = {
  name: 'Without a key',
  description: 'Pages and links in mails, sign-up forms, hooks of providers, and the state of the service.',
  words: [installationWords, formWords, routingWords],
}

/** All groups, in order. */
export const ALL_GROUPS: readonly Group[] = [...Object.values(GROUPS), PUBLIC]

/** The group of a path: by its first part. */
export function groupOf(path: string): Group {
  return GROUPS[path.split('/', 2)[1] ?? ''] ?? PUBLIC
}
