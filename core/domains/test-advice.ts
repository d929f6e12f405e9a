import { type SentencesOf, sentencesOf } from '../values/advice.ts'

/** The sentences about a test mail, line by line: what was seen, and what to do. */
export const TEST_ADVICE = {
  test_taken: 'The transport {transport} accepted it.',
  test_not_sent_yet: 'It was not sent yet.',
  test_waits: 'It is waiting for its turn.',
  test_tried_again: 'It is tried again automatically.',
  test_suppressed: 'The address is on the suppression list: take it off, or name another one.',
  test_see_server: 'Act on what the server said.',
  test_arrived: 'At {time}, from {address}.',
  test_nothing_arrived: 'Nothing has arrived.',
  test_never_handed_over: 'It was never handed over: see the line above.',
  test_lost:
    "Nothing came to {host} within five minutes. Look whether its MX record leads to this server, whether port 25 is open, and what the transport's relay did with the mail.",
  test_elsewhere:
    'It came over your own network, so this cannot be checked here: send a test to an address elsewhere, and look at the header of what arrives.',
  test_spf_seen: '{result} for {domain} from {address}',
  test_spf_fails:
    'Let the SPF record of {domain} name the address mail leaves from ({address}), or the relay it belongs to.',
  test_spf_unaligned:
    'SPF passes, but for {path}, which is another organisation than {domain}: DMARC then rests on DKIM alone, and Microsoft wants both. Use a return path below {domain} (feedback.returnPathHost).',
  test_dkim_seen: 'pass for {domains}',
  test_dkim_none: 'The mail is not signed: publish the key of {domain}, and check the domain.',
  test_dkim_fails:
    'The signature is not valid: the published key is another one, or something along the way changes the mail (a footer, a new encoding).',
  test_dkim_unaligned: 'None of the signatures is of {domain}: sign with its own key.',
  test_dmarc_none: 'There is no DMARC policy: publish at least v=DMARC1; p=none.',
  test_dmarc_fails: 'Neither SPF nor DKIM passes for the domain of From: see the two lines above.',
  test_encrypted: 'It came encrypted.',
  test_clear_text: 'It arrived unencrypted.',
  test_use_tls:
    'The mail came unencrypted: let the last server before us use STARTTLS, and give this server a certificate (option tls of the inbound server).',
  test_reverse_unknown: '{address}: the DNS did not respond.',
  test_reverse_again: 'Test again later.',
  test_reverse_none: '{address}: no name',
  test_reverse_publish: 'Set a PTR record for {address}: your provider of the address can do that.',
  test_reverse_leads_elsewhere: 'The name does not resolve back: give {name} an A or AAAA record with {address}.',
  test_unsubscribe_none: 'no List-Unsubscribe',
  test_unsubscribe_missing: 'Marketing mail has no way to unsubscribe: set server.publicUrl to an https address.',
  test_unsubscribe_one_click: 'One click needs an https address: set server.publicUrl to one.',
  test_size: '{octets} octets',
  test_too_large: 'Gmail cuts off what is larger than 102 KB: something on the way made the mail much larger.',
  test_record_verified: '{type} {name}: VERIFIED',
  test_record_pending: '{type} {name}: PENDING',
  test_record_failed: '{type} {name}: FAILED',
} as const

export const testAdvice: SentencesOf<typeof TEST_ADVICE> = sentencesOf(TEST_ADVICE)
