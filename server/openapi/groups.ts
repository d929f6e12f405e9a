import { EXAMPLE_IDS } from './example-ids.ts'

/** A group of routes in the documentation. */
export interface Group {
  readonly name: string
  readonly description: string
  /** The example of `:id` in its paths. */
  readonly id?: string
}

/** The groups by the first part of their paths, in the order they are shown. */
const GROUPS: Readonly<Record<string, Group>> = {
  v1: { name: 'Public API', description: 'Send mail, record events and check addresses.' },
  contacts: { name: 'Contacts', description: 'People, their fields and their consent.', id: EXAMPLE_IDS.contact },
  templates: { name: 'Templates', description: 'Reusable mails with placeholders.', id: EXAMPLE_IDS.template },
  segments: { name: 'Segments', description: 'Groups of contacts, by a filter or by hand.', id: EXAMPLE_IDS.segment },
  campaigns: { name: 'Campaigns', description: 'One mail to many contacts.', id: EXAMPLE_IDS.campaign },
  workflows: { name: 'Workflows', description: 'Steps that contacts go through.', id: EXAMPLE_IDS.workflow },
  events: { name: 'Events', description: 'What happened to contacts.' },
  emails: { name: 'E-mails', description: 'The ledger: every mail and what became of it.', id: EXAMPLE_IDS.email },
  suppressions: { name: 'Suppressions', description: 'Addresses that get no mail.', id: EXAMPLE_IDS.suppression },
  webhooks: { name: 'Webhooks', description: 'Events sent to servers of your own.', id: EXAMPLE_IDS.webhook },
  activity: { name: 'Activity', description: 'What happened, and what is to happen by itself.' },
  analytics: { name: 'Analytics', description: 'Figures by day, campaign and event.' },
  deliverability: { name: 'Deliverability', description: 'What became of the mail to each provider.' },
  domains: { name: 'Domains', description: 'Sending domains and their DNS records.', id: EXAMPLE_IDS.domain },
  projects: {
    name: 'Projects',
    description: 'Projects, who belongs to them, and their keys.',
    id: EXAMPLE_IDS.project,
  },
  users: { name: 'Users', description: 'The account of who is logged in.' },
  auth: { name: 'Accounts', description: 'Logging in and out, and links in mails about accounts.' },
  uploads: { name: 'Uploads', description: 'Images for mails.' },
  keys: { name: 'API key', description: 'The key that asks.' },
  audit: { name: 'Audit log', description: 'Who changed what.' },
}

const PUBLIC: Group = {
  name: 'Without a key',
  description: 'Pages and links in mails, hooks of providers, and the state of the service.',
}

/** All groups, in order. */
export const ALL_GROUPS: readonly Group[] = [...Object.values(GROUPS), PUBLIC]

/** The group of a path: by its first part. */
export function groupOf(path: string): Group {
  return GROUPS[path.split('/', 2)[1] ?? ''] ?? PUBLIC
}
