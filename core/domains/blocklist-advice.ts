import { type SentencesOf, sentencesOf } from '../values/advice.ts'

/** The sentences about block lists. A text may change, what its code means may not: others translate it. */
export const BLOCKLIST_ADVICE = {
  dnsbl_clear: '{zone} does not list it.',
  dnsbl_listed: '{zone} lists it ({codes}): read its reason, end the cause, then ask there to be taken off.',
  dnsbl_sbl:
    '{zone} lists it as a source of spam (SBL): end the cause, then have the owner of the network ask Spamhaus.',
  dnsbl_css:
    '{zone} lists it for mail that looks like spam (CSS): mend lists and sign-ups; the entry ends by itself or on request.',
  dnsbl_xbl:
    '{zone} lists it as a machine that was taken over (XBL): look for the program that sends, then ask to be taken off.',
  dnsbl_pbl:
    '{zone} lists it as an address that should send no mail directly (PBL): send by a relay, or have it taken off as a mail server.',
  dnsbl_drop: '{zone} lists its whole network as one of criminals (DROP): send from another network.',
  dnsbl_refused_resolver:
    '{zone} does not answer this resolver, which says nothing about the address: large public resolvers are refused. Use one of your own.',
  dnsbl_refused_often:
    '{zone} does not answer this resolver, which says nothing about the address: it asked too often. Use one of your own, or its paid service.',
  dnsbl_refused_name: '{zone} is not the name of a list there: correct domains.blocklists.',
  dnsbl_silent:
    '{zone} does not answer for its test entry, so its silence says nothing: it may be gone, or refuse this resolver.',
  dnsbl_no_ipv6: '{zone} does not answer for its test entry of IPv6, so its silence says nothing.',
  dnsbl_odd: '{zone} answered {answer}, which is no listing: the resolver may answer every name, or the list be gone.',
  dnsbl_no_answer: '{zone} could not be asked ({reason}), which says nothing about the address.',
} as const

export const blocklistAdvice: SentencesOf<typeof BLOCKLIST_ADVICE> = sentencesOf(BLOCKLIST_ADVICE)
