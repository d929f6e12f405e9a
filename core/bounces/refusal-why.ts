import * as v from 'valibot'
import { REFUSAL_KINDS, REFUSAL_SOURCES, type RefusalKind, type RefusalSource } from '../ports/feedback-report.ts'

/** Where the reason was found, in words. */
const SOURCES: Readonly<Record<RefusalSource, string>> = {
  'quoted reply': 'a reply that the server’s reply quotes',
  reply: 'the server’s reply',
  code: 'the code of the server’s reply',
  text: 'the text of the report',
  provider: 'the provider’s own verdict',
}

/** The kinds of refusals, in words. */
const KINDS: Readonly<Record<RefusalKind, string>> = {
  no_such_address: 'there is no such address',
  disabled: 'the mailbox was shut',
  no_such_domain: 'there is no such domain, or it takes no mail',
  full: 'the mailbox is full',
  recipient_rate: 'the recipient gets too much mail at the moment',
  greylisted: 'greylisting',
  put_off: 'it is to be tried again later',
  trouble: 'trouble of a server, the network or a name server',
  expired: 'it was tried for too long',
  our_quota: 'our own limit for sending',
  our_rate: 'we send too fast',
  sender: 'the sender is refused',
  relaying: 'the server does not take mail for this domain from us',
  login: 'our login at the server',
  authentication: 'the authentication of the mail (SPF, DKIM, DMARC)',
  block: 'our address or domain is blocked',
  content: 'the content of the mail',
  too_large: 'the mail is too large',
  policy: 'a policy of the receiver',
  not_verified: 'the address could not be checked',
  before_recipient: 'it was refused before the recipient was named',
  protocol: 'an error of the protocol',
  temporary: 'it may pass',
  either: 'one of two reasons, and only one of them is a lost address',
  unclear: 'the reason is not clear',
}

/** Why a refusal was judged as it was, as events keep it. */
export const RefusalWhyRecord = v.object({
  by: v.picklist(REFUSAL_SOURCES),
  kind: v.picklist(REFUSAL_KINDS),
  words: v.exactOptional(v.string()),
})

/** Reads what an event has kept; undefined for those of earlier versions, which have none. */
export function readWhy(kept: unknown) {
  const read = v.safeParse(RefusalWhyRecord, kept)
  if (!read.success) return undefined
  const { by, kind, words } = read.output
  const quote = words === undefined ? '' : ` (“${words}”)`
  return { ...read.output, text: `By ${SOURCES[by]}: ${KINDS[kind]}${quote}.` }
}
