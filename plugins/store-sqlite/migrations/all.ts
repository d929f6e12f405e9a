import type { KnownMigration } from '../../kit/sql/engine/known-names.ts'
import { Initial } from './0001-initial.ts'
import { Audience } from './0002-audience.ts'
import { Campaigns } from './0003-campaigns.ts'
import { Workflows } from './0004-workflows.ts'
import { PublicDataKeys } from './0005-public-data-keys.ts'
import { Lifetime } from './0006-lifetime.ts'
import { Retention } from './0007-retention.ts'
import { PlunkUsers } from './0008-plunk-users.ts'
import { Domains } from './0010-domains.ts'
import { Inbound } from './0011-inbound.ts'
import { Feedback } from './0012-feedback.ts'
import { Consent } from './0013-consent.ts'
import { Reputation } from './0014-reputation.ts'
import { Submission } from './0016-submission.ts'
import { LinkHosts } from './0017-link-hosts.ts'
import { LedgerEvents } from './0018-ledger-events.ts'
import { CountedMails } from './0019-counted-mails.ts'
import { MailsByStatus } from './0020-mails-by-status.ts'
import { DueByProject } from './0021-due-by-project.ts'
import { ActivityCounts } from './0022-activity-counts.ts'
import { Activity } from './0023-activity.ts'
import { MailsByAddress } from './0024-mails-by-address.ts'
import { Tries } from './0025-tries.ts'
import { KeyScopes } from './0026-key-scopes.ts'
import { Uploads } from './0027-uploads.ts'
import { Accounts } from './0028-accounts.ts'
import { Version02 } from './0031-version-0.2.ts'
import { DateTriggers } from './0032-date-triggers.ts'
import { DrawnPieces } from './0033-drawn-pieces.ts'
import { UserSessions } from './0034-user-sessions.ts'
import { AuditNames } from './0035-audit-names.ts'
import { UNRELEASED } from './unreleased.ts'

/** Every migration, oldest first. A released one is never changed. */
export const migrations: readonly KnownMigration[] = [
  { name: '0001-initial', class: Initial },
  { name: '0002-audience', class: Audience },
  { name: '0003-campaigns', class: Campaigns },
  { name: '0004-workflows', class: Workflows },
  { name: '0005-public-data-keys', class: PublicDataKeys },
  { name: '0006-lifetime', class: Lifetime },
  { name: '0007-retention', class: Retention },
  { name: '0008-plunk-users', class: PlunkUsers },
  { name: '0010-domains', class: Domains },
  { name: '0011-inbound', class: Inbound },
  { name: '0012-feedback', class: Feedback },
  { name: '0013-consent', class: Consent },
  { name: '0014-reputation', class: Reputation },
  { name: '0016-submission', class: Submission },
  { name: '0017-link-hosts', class: LinkHosts },
  { name: '0018-ledger-events', class: LedgerEvents },
  { name: '0019-counted-mails', class: CountedMails },
  { name: '0020-mails-by-status', class: MailsByStatus },
  { name: '0021-due-by-project', class: DueByProject },
  { name: '0022-activity-counts', class: ActivityCounts },
  { name: '0023-activity', class: Activity },
  { name: '0024-mails-by-address', class: MailsByAddress },
  { name: '0025-tries', class: Tries },
  { name: '0026-key-scopes', class: KeyScopes },
  { name: '0027-uploads', class: Uploads },
  { name: '0028-accounts', class: Accounts },
  { name: '0031-version-0.2', class: Version02, joins: UNRELEASED },
  { name: '0032-date-triggers', class: DateTriggers },
  { name: '0033-drawn-pieces', class: DrawnPieces },
  { name: '0034-user-sessions', class: UserSessions },
  { name: '0035-audit-names', class: AuditNames },
]
