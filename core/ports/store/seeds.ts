import * as v from 'valibot'
import { named } from '../../values/described.ts'
import { address, count, flag, id, json, list, oneOf, orNull, words } from '../../values/kind.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { INTERNAL, owned, type RecordOf, record, TIMES } from '../../values/record.ts'

/** How the connection to a mailbox is encrypted. */
export const MAILBOX_SECURITIES = ['tls', 'starttls', 'none'] as const

/** An address of one's own at a receiver, whose mailbox is read to see where mail lands. */
export const SeedMailbox = record('SeedMailbox', 'An address of your own at a receiver, whose mailbox is read.', {
  ...owned('mailbox'),
  address: [address, 'The address that the mail is sent to.'],
  host: [words, 'Its IMAP server.'],
  port: [count, 'The port of that server.'],
  security: [oneOf(MAILBOX_SECURITIES), 'How the connection is encrypted.'],
  user: [words, 'The user name there.'],
  sealed: [words, 'The encrypted password.', INTERNAL],
  ...TIMES,
})
export interface SeedMailbox extends RecordOf<typeof SeedMailbox> {}

/** The ends of a mail to a mailbox. `missing`: it was not there in time. `unsent`: it did not leave this server in time, or bounced. */
export const SEED_OUTCOMES = ['waiting', 'inbox', 'tab', 'spam', 'other', 'missing', 'unreadable', 'unsent'] as const

/** Where the mail to one mailbox landed. Times are ISO 8601. */
export const SeedResult = named(
  'SeedResult',
  v.object({
    mailboxId: v.string(),
    address: v.string(),
    emailId: v.string(),
    messageId: v.string(),
    outcome: v.picklist(SEED_OUTCOMES),
    folder: v.nullable(v.string()),
    tab: v.nullable(v.string()),
    arrivedAt: v.nullable(v.string()),
    lookedAt: v.nullable(v.string()),
    problem: v.nullable(v.string()),
  }),
)
export interface SeedResult extends v.InferOutput<typeof SeedResult> {}

/** A test of where the mail of a campaign lands. */
export const SeedTest = record('SeedTest', 'A test of where the mail of a campaign lands.', {
  ...owned('test'),
  campaignId: [id, 'The campaign whose mail was sent.'],
  variant: [orNull(words), 'The variant of the campaign that was sent; null where it has none.'],
  minutes: [count, 'For how many minutes the mail is waited for.'],
  waits: [flag, 'Whether a mailbox is still looked into.'],
  results: [list(json(SeedResult), 0, 20), 'Where the mail landed, one for each mailbox.'],
  ...TIMES,
})
export interface SeedTest extends RecordOf<typeof SeedTest> {}

export interface SeedRepository {
  /** All of a project, oldest first. */
  mailboxes(projectId: ProjectId): Promise<readonly SeedMailbox[]>
  addMailbox(mailbox: SeedMailbox): Promise<void>
  /** False when there is none, as with `removeTest`. */
  removeMailbox(projectId: ProjectId, id: string): Promise<boolean>
  addTest(test: SeedTest): Promise<void>
  removeTest(projectId: ProjectId, id: string): Promise<boolean>
  /** Up to `limit` tests of a campaign, newest first. */
  tests(projectId: ProjectId, campaignId: string, limit: number): Promise<readonly SeedTest[]>
  /** How many tests of the project began since then. */
  countSince(projectId: ProjectId, since: Date): Promise<number>
  /** Up to `limit` tests that wait, of all projects, those changed longest ago first. */
  waiting(limit: number): Promise<readonly SeedTest[]>
  /** Writes every field of a test that still waits; answers whether it did. */
  update(test: SeedTest): Promise<boolean>
  /** Removes up to `limit` tests that began before; answers how many. */
  forget(before: Date, limit: number): Promise<number>
}
