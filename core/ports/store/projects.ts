import type { Look } from '../../values/look.ts'
import type { NamedAddress } from '../../values/mailbox.ts'
import type { MemberRole } from '../../values/member-roles.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { TrackingConsent } from '../../values/tracking-consent.ts'
import type { Utm } from '../../values/utm.ts'

/** Whether opens and clicks are tracked: of all mail, of none, or of marketing mail only. */
export const TRACKING = ['ENABLED', 'DISABLED', 'MARKETING_ONLY'] as const
export type Tracking = (typeof TRACKING)[number]

/** Changes that public keys may make to the data of known contacts: all, only adding keys that are missing, or none. */
export const PUBLIC_DATA = ['all', 'new', 'none'] as const
export type PublicData = (typeof PUBLIC_DATA)[number]

/**
 * Where a project's mail goes: to its recipients, nowhere, or only to its members and to the addresses that it allows. Mail
 * that does not go is caught: it is kept as it would have been sent.
 */
export const PROJECT_MODES = ['live', 'test', 'members'] as const
export type ProjectMode = (typeof PROJECT_MODES)[number]

export interface Project {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: ProjectId
  /** 1 to 255 characters; need not be unique. */
  readonly name: string
  /** A disabled project refuses writes; reads still work. */
  readonly disabled: boolean
  /** Whether opens and clicks of its mail are counted. */
  readonly tracking: Tracking
  /** Which opens and clicks of new contacts may be recorded until they choose for themselves. */
  readonly trackingConsent: TrackingConsent
  /** Changes that public keys may make to the data of known contacts. */
  readonly publicData: PublicData
  /** Where its mail goes. */
  readonly mode: ProjectMode
  /** In the mode `members`: whom its mail reaches besides, as addresses and domains in lower case. */
  readonly allowedRecipients?: readonly string[]
  /** True for the caller of a test key: what it sends is caught. Never stored. */
  readonly isForTests?: true
  /**
   * The language (BCP 47) of hosted pages and footers for contacts whose `data.locale` names none; `en` when absent.
   */
  readonly locale?: string
  /** The time zone of campaigns' plans that name none, and of contacts that have none; UTC when absent. */
  readonly timeZone?: string
  /** Postal address, logo and colour, in the footer of marketing mail and on the pages that mails lead to. */
  readonly look?: Look
  /** How many marketing mails a contact gets in so many days at most; absent: as many as there are. */
  readonly frequencyCap?: FrequencyCap
  /** How many mails it may send; set by the operator. Absent: as many as it likes. */
  readonly quotas?: Quotas
  /** Added to the links of campaigns and of workflows' marketing mail. */
  readonly utm?: Utm
  /** When set, contacts that sign up with a public key are subscribed only after they confirm by mail. */
  readonly doubleOptIn?: DoubleOptIn
  /** The sender of mail that does not name one. */
  readonly from?: NamedAddress
  /** The name of its public archive in addresses; absent: there is none. No other project has it. */
  readonly archiveSlug?: string
  /** Where readers of the archive sign up. */
  readonly signUpUrl?: string
  /** Whether it tracked events named `contact.created` itself before the engine wrote any: the name stays its own. */
  readonly tracksCreated?: boolean
  /** Sender domains the operator vouches for; they count as verified. Lower-case. */
  readonly trustedDomains: readonly string[]
  /** Sender domains the project has added and proven, read from the store; not saved with the project. Absent: none. */
  readonly verifiedDomains?: readonly string[]
  /** The number of its current version, from 1: each change of what people write raises it. */
  readonly version: number
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

/** At most so many mails in so many days. */
export interface FrequencyCap {
  /** How many marketing mails. */
  readonly mails: number
  /** In how many days. */
  readonly days: number
}

/** How many mails a project may send on a day and in a month of its time zone. */
export interface Quotas {
  /** How many mails on a day of the project's time zone; absent: as many as it likes. */
  readonly daily?: number | undefined
  /** How many mails in a month of the project's time zone; absent: as many as it likes. */
  readonly monthly?: number | undefined
}

/** The sender of the confirmation mail. */
export interface DoubleOptIn {
  /** The address that asks people to confirm. */
  readonly from: string
  /** The name beside that address. */
  readonly fromName?: string | undefined
}

/** `secret` keys may do what their scopes say; `public` keys, which are used in web pages, may only track. */
export const KEY_KINDS = ['secret', 'public'] as const
export type KeyKind = (typeof KEY_KINDS)[number]

/**
 * The rights of a key: to send mail, to track events, to read everything, to do everything, or to work in some inboxes and
 * nowhere else.
 */
export const KEY_SCOPES = ['send', 'track', 'read', 'full', 'inbox'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** The rights of a key in an inbox: to read, to write drafts, to send them, and to move, label and note. */
export const INBOX_RIGHTS = ['read', 'draft', 'send', 'organise'] as const
export type InboxRight = (typeof INBOX_RIGHTS)[number]

/**
 * Which mails of keys wait for a person's approval, from the mildest to the strictest: none; those that begin a thread; those
 * with recipients that the thread does not have; all.
 */
export const APPROVALS = ['never', 'new-threads', 'outside', 'always'] as const
export type Approval = (typeof APPROVALS)[number]

/** The part of a key with the scope `inbox`: where it may work, and how far. */
export interface InboxGrant {
  /** The inboxes; nothing else of the project is visible to the key. */
  readonly inboxIds: readonly string[]
  /** Its rights there; each contains `read`. */
  readonly rights: readonly InboxRight[]
  /** Which of its mails wait for approval; the stricter of this and that of the inbox counts. */
  readonly approval: Approval
  /** How many mails it may send in an hour; absent: as many as the project. */
  readonly hourly?: number | undefined
}

/** A client of MCP to which a member gave a key by OAuth: its access token, which each refresh replaces. */
export interface GrantedClient {
  /** SHA-256 of the id that it registered with, hexadecimal. */
  readonly id: string
  /** The host, or the scheme of an app, that the person was sent back to. */
  readonly host: string
  /** The address of the member, as it was then. */
  readonly by: string
  /** The member's role, as it was then. */
  readonly role: MemberRole
  /** The number of the token that comes next: 0 is the code, all others are refresh tokens. */
  readonly turn: number
  /** Until when that token is valid (ISO 8601). */
  readonly until: string
  /** The rights of the present access token, where it was asked for with fewer than the grant has. */
  readonly rights?: readonly InboxRight[] | undefined
  /** Where the code was sent, until it is redeemed. */
  readonly redirectUri?: string | undefined
  /** The code's PKCE challenge (S256), until it is redeemed. */
  readonly challenge?: string | undefined
}

export interface ApiKey {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** A secret key may do what its scopes allow; a public one allows only tracking. */
  readonly kind: KeyKind
  /** The name for the team. */
  readonly name: string
  /** Its rights; `full` contains the others. */
  readonly scopes: readonly KeyScope[]
  /** Of a key with the scope `inbox`. */
  readonly inbox?: InboxGrant
  /** Of a key that a member gave to a client: the member. */
  readonly userId?: string
  /** Of such a key: the client. */
  readonly client?: GrantedClient
  /** SHA-256 of the key, hexadecimal. The key itself is not stored. */
  readonly hash: string
  /** The first 8 characters, or 13 of a test key, which begins with `sk_test_`. They tell keys apart. */
  readonly prefix: string
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** It stops working at this time. */
  readonly expiresAt?: Date
  /** When a request last used it, right to the minute; absent: never. */
  readonly lastUsedAt?: Date
  /** Of a key with the scope `inbox`: since when it only reads; absent while it works. */
  readonly stoppedAt?: Date
  /** Since when it is refused; absent while it counts. */
  readonly revokedAt?: Date
}

/** A change of a key: another name, or its end. */
export type KeyChange = Pick<ApiKey, 'name'> | { readonly revokedAt: Date }

export interface ProjectRepository {
  find(id: ProjectId): Promise<Project | undefined>
  /** All projects, oldest first. */
  list(): Promise<readonly Project[]>
  /** The project whose public archive has this name. */
  ofArchive(slug: string): Promise<Project | undefined>
  /** Inserts the project or updates the stored one with that id. */
  save(project: Project): Promise<void>
  /** Locks this project inside a transaction, until it ends. */
  lock(id: ProjectId): Promise<void>
  /** The unrevoked keys of the project, also expired ones, newest first. */
  keys(projectId: ProjectId): Promise<readonly ApiKey[]>
  /** The unrevoked key of this hash, also an expired one, with its project. */
  findKey(hash: string): Promise<{ readonly key: ApiKey; readonly project: Project } | undefined>
  /**
   * Adds a key. `exists`: this project has it already; a revoked one works again, otherwise unchanged. `taken`: another
   * project has it.
   */
  addKey(key: ApiKey): Promise<'added' | 'exists' | 'taken'>
  /** Revokes the project's keys of this name whose hash is not listed. Answers how many. */
  revokeKeys(projectId: ProjectId, name: string, keep: readonly string[], at: Date): Promise<number>
  /** Renames a key of the project, or revokes it; false when there is no such key in force. */
  changeKey(projectId: ProjectId, id: string, change: KeyChange): Promise<boolean>
  /**
   * Stops the keys of the project with the scope `inbox`, or lets them work again when `at` is undefined; all of them without
   * an `id`. Answers how many of these there are.
   */
  stopKeys(projectId: ProjectId, at: Date | undefined, id?: string): Promise<number>
  /** The unrevoked key with this id, inside a transaction, which locks it until it ends. */
  lockKey(id: string): Promise<ApiKey | undefined>
  /** Writes what changes when a client of a member takes its next token. */
  renewKey(key: ApiKey): Promise<void>
  /** Revokes the keys that this user gave to clients; without a project, those of all. Answers how many. */
  revokeKeysOf(userId: string, at: Date, projectId?: ProjectId): Promise<number>
  /** Records that a key was used. */
  touchKey(id: string, at: Date): Promise<void>
}
