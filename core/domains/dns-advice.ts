import { UNREADABLE } from '../mail/dkim/domain-keys.ts'
import { type SentencesOf, sentencesOf } from '../values/advice.ts'

/** The sentences about the records of a domain. A text may change, what its code means may not: others translate it. */
export const DNS_ADVICE = {
  not_looked_for: 'This record has not been looked up yet: publish it, then ask for a check.',
  no_answer: 'The DNS did not answer ({reason}), which says nothing about the record.',
  key_before: 'The key before: its record may be removed after {day}.',
  key_in_use: 'The key in use.',
  key_new: 'The new key: it signs as soon as its record is seen.',
  key_unreadable: `The private key cannot be read, so no mail is signed with it. ${UNREADABLE}`,

  spf_missing: 'There is no SPF record: publish "{value}".',
  spf_missing_relay:
    'There is no SPF record: publish "{value}". If mail leaves through the relay of a provider, publish what that provider says instead.',
  spf_is_none: 'The TXT record "{text}" is no SPF record: it must begin with "v=spf1 ".',
  spf_several: 'There are {count} SPF records, which counts as an error: merge them into one, "{value}".',
  spf_lookups:
    'The SPF record takes {count} look-ups, and more than {limit} count as an error: take out what no longer sends.',
  spf_all: 'The SPF record ends with +all, which lets anyone send: use ~all instead.',
  spf_lacks: 'The SPF record lacks {terms}: change it to "{value}".',
  spf_allows_us: 'The SPF record allows our servers ({count} of {limit} look-ups).',
  spf_right:
    'The SPF record is valid; make sure that it names the server your mail leaves through ({count} of {limit} look-ups).',
  spf_term: 'The SPF record has "{term}", which is not valid and counts as an error: correct it.',
  spf_included_term:
    'The SPF record of {name}, which it includes, has "{term}", which is not valid and counts as an error: correct it.',
  spf_included_all: 'The SPF record includes {name}, which has +all and lets anyone send: remove it.',
  spf_circle: 'The SPF record includes {name}, which includes it again: remove it.',
  spf_included_none: 'The SPF record includes {name}, which has none: that counts as an error. Remove it.',
  spf_included_none_of_ours:
    'The SPF record includes {name}, which has none: that counts as an error. Ask the operator of this server to fix it.',
  spf_included_several:
    'The SPF record includes {name}, which has {count} of them: that counts as an error. Remove it.',
  spf_included_several_of_ours:
    'The SPF record includes {name}, which has {count} of them: that counts as an error. Ask the operator of this server to fix it.',

  dmarc_missing:
    'There is no DMARC policy: publish "{value}". Gmail, Yahoo and Microsoft require one from bulk senders.',
  dmarc_several: 'There are {count} DMARC records at {name}, so none of them counts: leave only one.',
  dmarc_is_none: 'The record "{text}" does not count: it must begin with "v=DMARC1;".',
  dmarc_policy_unknown: 'The DMARC record at {name} has {tag}: it must be none, quarantine or reject.',
  dmarc_policy_missing: 'The DMARC record at {name} has neither p= nor rua=, so it does not count: add p=none.',
  dmarc_found: 'The DMARC record is in place, with the policy {policy}.',
  dmarc_found_above: 'The record of {domain} applies, with the policy {policy}.',
  dmarc_removed_tags: 'It has {tags}, which no longer means anything (RFC 9989): remove it.',
  dmarc_testing: 'It has t=y: receivers apply the next weaker policy.',

  dmarc_reports_elsewhere: 'Its reports do not come here: add rua={rua} to it, after a comma if it has a rua=.',
  dmarc_agreement_found: 'The record by which {host} agrees to get the reports on {domain} is in place.',
  dmarc_agreement_missing:
    'There is no TXT record at {name}, and without it receivers send no reports on {domain} to {host}. It is published where {host} is managed; one at *._report._dmarc.{host} serves every domain.',
  tls_reports_found: 'The record that asks for TLS reports is in place.',
  tls_reports_elsewhere:
    'The record is in place, but its reports do not come here: add {rua} to its rua=, after a comma.',
  tls_reports_missing:
    'There is no record that asks for TLS reports: publish "{value}" to see whether mail to the domain is encrypted.',
  tls_reports_several: 'There are {count} records for TLS reports at {name}, so none of them counts: leave only one.',

  sts_host_missing:
    'There is no CNAME at {name}: publish it, and have the proxy answer for the name with a certificate. Until then no sender can read the policy.',
  sts_host_same_addresses: '{name} has the addresses of {host}; when those change, change them here too.',
  sts_host_elsewhere: '{name} leads to {found}, not to {host}: publish the CNAME instead of its addresses.',
  sts_found: 'The record of the MTA-STS policy is in place, with the mode {mode}.',
  sts_missing: 'There is no record of the MTA-STS policy: publish "{value}" once the policy can be read.',
  sts_several: 'There are {count} records of an MTA-STS policy at {name}, so none of them counts: leave only one.',
  sts_other_id: 'The record is of an earlier policy, which senders go on using: change it to "{value}".',
  sts_mx_left_out:
    'The MTA-STS policy does not name {hosts}: senders who enforce it do not hand mail to it. Save the policy again with these mail exchangers.',

  cname_found: 'The CNAME is in place.',
  cname_wrong: 'The CNAME at {name} leads to {found}: change it to {host}.',
  cname_beside_others:
    'There are other records at {name}: remove them, because a CNAME stands alone, and publish the CNAME to {host}.',
  return_path_missing: 'There is no CNAME at {name}: publish it, so that bounces come back to this server.',
  return_path_without_spf:
    'The CNAME is in place, but {host} has no SPF record. Until the operator of this server publishes one, mail does not have its return path there.',
  mx_found: 'The MX record is in place.',
  mx_not_first: 'The MX record is in place, but mail goes to {first} first.',
  mx_missing: 'There is no MX record: publish it to receive mail for {domain} here.',
  mx_elsewhere:
    'Mail for {domain} goes to {hosts}. Publish our MX record only if there are no mailboxes there; otherwise receive mail on a subdomain.',
  link_host_same_addresses: '{name} has the addresses of {host}; when those change, change them here too.',
  link_host_elsewhere:
    '{name} leads to {found}, not to {host}: publish the CNAME instead of its addresses or, if it has other records (MX, TXT), the addresses of {host} ({addresses}). Until then links use the public URL.',
  link_host_elsewhere_without_address:
    '{name} leads to {found}, not to {host}: publish the CNAME instead of its addresses or, if it has other records (MX, TXT), the addresses of {host} (none now). Until then links use the public URL.',
  link_host_missing:
    'There is no CNAME at {name}: publish it, and have the proxy answer for the name. Until then links use the public URL.',
} as const

export const dnsAdvice: SentencesOf<typeof DNS_ADVICE> = sentencesOf(DNS_ADVICE)
