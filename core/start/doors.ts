import type { Project } from '../ports/store/projects.ts'
import type { Rooms } from './make-rooms.ts'

/**
 * The face of a class for an embedder: its public methods and fields with their comments, without `Hidden`, which other
 * rooms call. As it has no private members, any object with these methods can stand in for it in a test.
 */
type Face<Class, Hidden extends keyof Class = never> = Pick<Class, Exclude<keyof Class, Hidden>>

/** The projects of this engine and their API keys. */
export interface Projects
  extends Face<Rooms['projects'], 'keys' | 'tasks' | 'made' | 'forget' | 'isConfigured' | 'isKnown' | 'requireKnown'> {
  /** The API keys of projects. */
  readonly keys: ApiKeys
}

/** The API keys of projects: several of each kind, each with what it may do. */
export interface ApiKeys extends Face<Rooms['projects']['keys']> {}

/** The contacts of a project. */
export interface Contacts extends Face<Rooms['contacts'], 'fields' | 'jobs'> {
  /** The fields in the data of contacts. */
  readonly fields: DataFields
  /** Imports of contacts and changes of many, in the background. */
  readonly jobs: ContactJobs
}

/**
 * The fields in the data of a project's contacts. A field is `data.<key>` or the bare key; keys may have any characters.
 */
export interface DataFields extends Face<Rooms['contacts']['fields']> {}

/** Imports and bulk changes of contacts: accepted at once, done in the background. */
export interface ContactJobs
  extends Face<
    Rooms['contacts']['jobs'],
    'topic' | 'lane' | 'atOnce' | 'leaseMs' | 'suppress' | 'runSuppressions' | 'claim' | 'tasks' | 'forget'
  > {}

/** The events of a project's contacts. */
export interface Events extends Face<Rooms['events']> {}

/** The automations of a project: graphs of steps, edited here and run by the engine. */
export interface Workflows extends Face<Rooms['workflows'], 'executions'> {
  /** The ways of contacts through workflows. */
  readonly executions: Executions
}

/** The executions of workflows: one for each time that a contact enters one. */
export interface Executions extends Face<Rooms['workflows']['executions']> {}

/** Takes whole messages, as programs that speak SMTP send them. */
export interface Submissions extends Face<Rooms['submissions'], 'login' | 'close'> {}

/** The templates of a project. */
export interface Templates extends Face<Rooms['templates'], 'snippets' | 'layouts'> {
  /** Pieces of HTML that bodies render by their names. */
  readonly snippets: Snippets
  /** Frames around the bodies of many mails. */
  readonly layouts: Layouts
}

/** The snippets of a project: pieces of HTML that bodies render by their names. */
export interface Snippets extends Face<Rooms['templates']['snippets']> {}

/** The layouts of a project: frames around the bodies of many mails. */
export interface Layouts extends Face<Rooms['templates']['layouts']> {}

/** The segments of a project: filters with a name, and lists of contacts. */
export interface Segments extends Face<Rooms['segments'], 'endComputing' | 'logChangedMeanings'> {}

/** Campaigns: one mail to many contacts, sent now or later, that can be watched and stopped. */
export interface Campaigns
  extends Face<Rooms['campaigns'], 'archive' | 'filing' | 'series' | 'variants' | 'tasks' | 'sendTest'> {
  /** The page of campaigns that were published. */
  readonly archive: CampaignArchive
  /** Folders and notes, and what was put away. */
  readonly filing: CampaignFiling
  /** Campaigns that are made again and again from a pattern. */
  readonly series: AllSeries
  /** How the variants of a campaign compare. */
  readonly variants: CampaignVariants
}

/**
 * The public page of a project's campaigns. Nothing there names a person, and nothing is counted. A project that has no
 * archive, or is disabled, answers undefined.
 */
export interface CampaignArchive extends Face<Rooms['campaigns']['archive']> {}

/** Order among the campaigns: folders, notes, and what was put away. */
export interface CampaignFiling extends Face<Rooms['campaigns']['filing']> {}

/** Series of campaigns: issues that are made again and again from a pattern, with what is new in a feed if there is one. */
export interface AllSeries extends Face<Rooms['campaigns']['series']> {}

/** The variants of campaigns: how they compare, and which of them wins. */
export interface CampaignVariants extends Face<Rooms['campaigns']['variants'], 'look'> {}

/** The actions of the links of mails and the pages of contacts: subscribing, unsubscribing and choosing topics. */
export interface Subscriptions
  extends Face<Rooms['subscriptions'], 'topics' | 'forms' | 'leaving' | 'unconfirmed' | 'confirmations' | 'leave'> {
  /** The contacts who were asked to confirm, and have not answered. */
  readonly unconfirmed: Unconfirmed
  /** Kinds of marketing mail that contacts choose one by one. */
  readonly topics: Topics
  /** The forms by which people sign up. */
  readonly forms: Forms
  /** Leaving without a mail at hand. */
  readonly leaving: Leaving
}

/** The contacts who were asked to confirm that they signed up, and have not answered. */
export interface Unconfirmed extends Face<Rooms['subscriptions']['unconfirmed']> {}

/** The topics of a project: kinds of marketing mail that contacts choose one by one. */
export interface Topics extends Face<Rooms['subscriptions']['topics']> {}

/** The page by which people leave who have no mail at hand: the way out is mailed to the address that is typed. */
export interface Leaving extends Face<Rooms['subscriptions']['leaving']> {}

/** The forms of a project, by which people sign up. */
export interface Forms extends Face<Rooms['subscriptions']['forms']> {}

/** The addresses of a project that get no mail. */
export interface Suppressions extends Face<Rooms['suppressions']> {}

/** Addresses whose mail people and programs read and answer as conversations. */
export interface Inboxes
  extends Face<Rooms['inboxes'], 'agents' | 'threads' | 'drafts' | 'events' | 'search' | 'forwarding'> {
  /** Their conversations. */
  readonly threads: Threads
  /** Mails that are being written in them. */
  readonly drafts: InboxDrafts
  /** Stops keys for agents, and lets them work again. */
  readonly agents: InboxAgents
  /** The events in them, in their order. */
  readonly events: InboxEvents
  /** The mailboxes that their mail goes on to. */
  readonly forwarding: InboxForwarding
  /** Finds mail in them by its words. */
  readonly search: InboxSearch
}

/** The conversations of inboxes. */
export interface Threads extends Face<Rooms['inboxes']['threads']> {}

/** Mails that are being written in inboxes. */
export interface InboxDrafts extends Face<Rooms['inboxes']['drafts']> {}

/** The switch of the keys for agents: those with the scope `inbox`. */
export interface InboxAgents extends Face<Rooms['inboxes']['agents']> {}

/** The mailboxes that the mail of inboxes goes on to. */
export interface InboxForwarding extends Face<Rooms['inboxes']['forwarding']> {}

/** Writes answers and texts by a language model, where the operator has configured one. */
export interface Assistant extends Face<Rooms['assistant']> {}

/** Finds mail in inboxes by its words. */
export interface InboxSearch extends Face<Rooms['inboxes']['search'], 'tasks' | 'index' | 'mend'> {}

/** The events of inboxes, in the order in which they were committed. */
export interface InboxEvents extends Face<Rooms['inboxes']['events'], 'look'> {}

/** Accepts mail. Once it has answered, the mail is stored and will be sent, whatever happens to the process. */
export interface Sending extends Face<Rooms['sending'], 'submit' | 'works' | 'tasks' | 'acceptWithin' | 'answering'> {}

/** The mails of a project: finding and reading them, and what can be done with one of them. */
export interface Mails extends Face<Rooms['mails'], 'find' | 'messages'> {}

/** The seed list of a project: addresses at receivers whose mailboxes are read, to see where the mail of campaigns lands. */
export interface Seeds extends Face<Rooms['seeds'], 'tasks' | 'lookAll'> {}

/** The mails of projects that were caught instead of sent, for tests of applications: each as it would have been sent. */
export interface Sandbox extends Face<Rooms['sandbox'], 'noteCaught'> {}

/** Openings and clicks of mails: reads their signed links, finds the targets, and records the activity. */
export interface MailTracking extends Face<Rooms['tracking'], 'activity' | 'counted' | 'settled'> {}

/** Reports about sent mail: bounces, complaints, deliveries, openings and clicks. */
export interface Feedback extends Face<Rooms['feedback'], 'hooks' | 'tasks' | 'forget'> {
  /** The reports that providers send by HTTP. */
  readonly hooks: Hooks
}

/** Receives providers' reports about sent mail over HTTP. */
export interface Hooks extends Face<Rooms['feedback']['hooks']> {}

/** The place where mail from outside comes in: it says which addresses are ours, and stores what comes. */
export interface Inbound extends Face<Rooms['inbound'], 'lead'> {}

/** The endpoints of a project, which receive its events, and the secret that signs its requests. */
export interface Webhooks extends Face<Rooms['webhooks'], 'deliveries'> {
  /** The log of the requests made to customers. */
  readonly deliveries: DeliveryLog
}

/** The log of the requests made to customers, kept for 30 days after their end. */
export interface DeliveryLog extends Face<Rooms['webhooks']['deliveries']> {}

/** The domains a project sends from: the records to publish for them, and whether they are there. */
export interface Domains extends Face<Rooms['domains'], 'tests' | 'reports' | 'checkSecret'> {
  /** Real mails that show how mail from a domain arrives. */
  readonly tests: DomainTests
  /** The reports of receivers on the domains. */
  readonly reports: DomainReports
}

/** Sends real mails to show how mail from a domain arrives. They are in the ledger, but no figure counts them. */
export interface DomainTests extends Face<Rooms['domains']['tests'], 'tasks' | 'forget'> {}

/** The reports of receivers on the domains: who sends in their name, and whether mail to them is encrypted. */
export interface DomainReports
  extends Face<Rooms['domains']['reports'], 'tasks' | 'close' | 'forgetDomain' | 'failed'> {}

/** How well projects' mail arrives, and the consequences when it does not. */
export interface Reputation extends Face<Rooms['reputation'], 'stopped' | 'state' | 'tasks' | 'tick' | 'forget'> {}

/** Figures of a project, from counts that are kept with every write. */
export interface Analytics extends Face<Rooms['analytics'], 'activity' | 'operations' | 'tasks'> {
  /** Everything that happens in a project, in one list. */
  readonly activity: Activities
  /** The operator's view of an installation. */
  readonly operations: Operations
}

/** Everything that happens in a project: to its mails, contacts, campaigns and workflows, in one list. */
export interface Activities extends Face<Rooms['analytics']['activity']> {}

/** The operator's view of an installation. Nothing in it belongs to one project. */
export interface Operations extends Face<Rooms['analytics']['operations']> {}

/** Verifies addresses before mail is sent to them. */
export interface Verification extends Face<Rooms['verification']> {}

/** The accounts of people, who log in to a dashboard and act for the projects they are members of. */
export interface Accounts
  extends Face<
    Rooms['accounts'],
    | 'firstUser'
    | 'members'
    | 'links'
    | 'secondFactor'
    | 'sessions'
    | 'providers'
    | 'grants'
    | 'audit'
    | 'presence'
    | 'tasks'
  > {
  /** How a server gets its first user. */
  readonly firstUser: FirstUser
  /** Who belongs to which project. */
  readonly members: Members
  /** The actions of the links in mails about accounts. */
  readonly links: MailedLinks
  /** The second factor of logins. */
  readonly secondFactor: SecondFactor
  /** The sessions of a user, to look at and to end. */
  readonly sessions: OwnSessions
  /** Logins at other providers. */
  readonly providers: ProviderLogins
  /** Clients of MCP that members let into inboxes. */
  readonly grants: Grants
  /** Who changed what. */
  readonly audit: Audit
  /** Who has what open just now. */
  readonly presence: Presence
}

/** How a server gets its first user: by a link that only the person who runs it sees. */
export interface FirstUser extends Face<Rooms['accounts']['firstUser']> {}

/** Who belongs to which project. */
export interface Members extends Face<Rooms['accounts']['members']> {}

/** The actions of the links in mails about accounts. Each works once. */
export interface MailedLinks extends Face<Rooms['accounts']['links']> {}

/** The second factor of logins: codes by time (TOTP, RFC 6238), and recovery codes for a lost device. */
export interface SecondFactor extends Face<Rooms['accounts']['secondFactor']> {}

/** The sessions of a user, to look at and to end. */
export interface OwnSessions extends Face<Rooms['accounts']['sessions']> {}

/**
 * Clients of MCP that members let into inboxes, by OAuth 2.1: the rules of it, but for the requests. A grant is a key of the
 * project with the scope `inbox`, whose text each refresh replaces.
 */
export interface Grants extends Face<Rooms['accounts']['grants']> {}

/** Logins at other providers (OAuth 2, RFC 6749; OpenID Connect), except for the requests to them. */
export interface ProviderLogins extends Face<Rooms['accounts']['providers']> {}

/**
 * Who changed what. A change is written down before it is made and marked as done after it, so that a process that ends
 * between the two leaves an entry whose outcome is `unknown`, and never a change without an entry.
 */
export interface Audit extends Face<Rooms['accounts']['audit']> {}

/** Who has what open just now, so that two people on one draft know of each other. Nothing of it is kept once it is closed. */
export interface Presence extends Face<Rooms['accounts']['presence'], 'forget'> {}

/** Images for mails, kept under the hash of their bytes: the same bytes have one address in a project. */
export interface Uploads extends Face<Rooms['uploads']> {}

/** Checks mails before they are sent. */
export interface Checks extends Face<Rooms['checks']> {}

/**
 * The settings that the operator changes while the engine runs: mail servers, rules of routing, and the address at which
 * the world reaches this server.
 */
export interface Installation
  extends Face<Rooms['installation'], 'mailServers' | 'mailServersOf' | 'routes' | 'start' | 'load' | 'close'> {
  /** The mail servers that the operator has added. */
  readonly mailServers: MailServers
  /** Why mail goes its way, and the rules by which it does. */
  readonly routes: Routes
  /**
   * The mail servers of a project, which take its mail before those of the installation. `isOperator`: the person who
   * runs the server asks, and may choose private addresses.
   */
  mailServersOf(project: Pick<Project, 'id'>, who?: { readonly isOperator?: boolean }): MailServers
}

/** The mail servers of the installation, or of one project, in the order of their use. */
export interface MailServers extends Face<Rooms['installation']['mailServers']> {}

/** Why mail goes its way, and the rules by which it does. */
export interface Routes extends Face<Rooms['installation']['routes'], 'rules'> {
  /** The rules that the operator sets while the engine runs. */
  readonly rules: RoutingRules
}

/** The rules that the operator sets while the engine runs, behind those of the settings. */
export interface RoutingRules extends Face<Rooms['installation']['routes']['rules'], 'naming'> {}

/** The doors at the top of `engine`. */
export interface Doors {
  /** The projects of this engine and their API keys. */
  readonly projects: Projects
  /** The contacts of a project, with the fields of their data and their imports. */
  readonly contacts: Contacts
  /** The events of a project's contacts: tracked, listed and counted. */
  readonly events: Events
  /** The automations of a project, and the ways of contacts through them. */
  readonly workflows: Workflows
  /** The templates of a project, with their snippets and layouts. */
  readonly templates: Templates
  /** The segments of a project: filters with a name, and lists of contacts. */
  readonly segments: Segments
  /** One mail to many contacts, sent now or later, that can be watched and stopped. */
  readonly campaigns: Campaigns
  /** Who wants which mail: topics, forms, and the pages of contacts. */
  readonly subscriptions: Subscriptions
  /** The addresses of a project that get no mail. */
  readonly suppressions: Suppressions
  /** Accepts transactional mail. */
  readonly sending: Sending
  /** Accepts whole messages. */
  readonly submissions: Submissions
  /** Finds and reads the mails of a project, and cancels, moves or repeats one. */
  readonly mails: Mails
  /** Lists the mails that were caught instead of sent, waits for them, and clears them. */
  readonly sandbox: Sandbox
  /** Addresses at receivers whose mailboxes are read, and where the mail of campaigns lands there. */
  readonly seeds: Seeds
  /** Records openings and clicks by the signed links of mails. */
  readonly tracking: MailTracking
  /** Takes reports about sent mail, such as bounces and complaints. */
  readonly feedback: Feedback
  /** Takes mail from outside. */
  readonly inbound: Inbound
  /** Reads and answers mail from outside as conversations. */
  readonly inboxes: Inboxes
  /** Drafts answers and changes texts by a language model. */
  readonly assistant: Assistant
  /** The endpoints that receive a project's events. */
  readonly webhooks: Webhooks
  /** The domains a project sends from. */
  readonly domains: Domains
  /** How well projects' mail arrives. */
  readonly reputation: Reputation
  /** Figures of a project over time, its activity, and what an operator sees. */
  readonly analytics: Analytics
  /** Verifies addresses before mail is sent to them. */
  readonly verification: Verification
  /** People who log in, and what they may do. */
  readonly accounts: Accounts
  /** Images for mails. */
  readonly uploads: Uploads
  /** Checks mails before they are sent. */
  readonly checks: Checks
  /** The settings that the operator changes while the engine runs. */
  readonly installation: Installation
}
