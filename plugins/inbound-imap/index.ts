import { definePlugin } from '../../core/plugin/plugin.ts'
import { MailboxReader } from './mailbox-reader.ts'
import { InboundImapOptions } from './options.ts'

export { findMessage } from './find-message.ts'
export { InboundImapOptions } from './options.ts'

/**
 * Receives mail from an IMAP mailbox (RFC 3501, RFC 9051) that is your return path or reply address. It reads unread
 * messages, and marks one only once it is stored. `imap({ host: 'imap.example.com', auth: { user, pass } })`.
 */
export const imap = definePlugin({
  name: 'inbound-imap',
  provides: ['inbound'],
  options: InboundImapOptions,
  describe: ({ host, mailbox }) => `${mailbox} at ${host}`,
  open: (options, { log, clock }) => ({ inbound: new MailboxReader(options, log, clock) }),
})
