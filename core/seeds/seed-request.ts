import * as v from 'valibot'
import { VARIANTS } from '../ports/store/campaigns.ts'
import { MAILBOX_SECURITIES } from '../ports/store/seeds.ts'
import { EmailAddress } from '../values/email-address.ts'
import { headerText } from '../values/header-text.ts'
import type { InputOf } from '../values/input.ts'
import { isIPv6 } from '../values/ip-address.ts'
import { say } from '../values/parse.ts'

/** A host name or an IP address, without a scheme and a port. */
const Host = v.pipe(
  headerText(1, 253),
  v.trim(),
  v.check(
    (host) => /^[a-z0-9._-]+$/i.test(host) || isIPv6(host),
    say('invalid_string', 'must be a host name or an IP address, without a port'),
  ),
)

/** The body of `POST /seeds/mailboxes`. */
export const AddSeedMailbox = v.object({
  /** The address at the receiver. */
  address: EmailAddress,
  /** Its IMAP server: a host name or an IP address. */
  host: Host,
  /** The port; by default 993, or 143 without `tls`. */
  port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))),
  /** How the connection is encrypted: `tls` (the default), `starttls`, or `none` if need be. */
  security: v.optional(v.picklist(MAILBOX_SECURITIES), 'tls'),
  /** The user name there; by default the address. */
  user: v.optional(v.pipe(headerText(1, 320), v.trim(), v.minLength(1))),
  /** The password, or the one for apps that the receiver makes. It is stored encrypted, and no answer has it. */
  password: headerText(1, 1000),
})

/** A mailbox to add. */
export interface AddSeedMailboxInput extends InputOf<typeof AddSeedMailbox> {}

/** The body of `POST /campaigns/{id}/seed-tests`. */
export const StartSeedTest = v.object({
  /** The variant to send; by default the first. */
  variant: v.optional(v.picklist(VARIANTS)),
  /** For how many minutes the mail is waited for: 1 to 120, by default 15. */
  minutes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(120)), 15),
})

/** The variant to send, and how long its mails are waited for. */
export interface StartSeedTestInput extends InputOf<typeof StartSeedTest> {}
