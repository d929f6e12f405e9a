import { type SentencesOf, sentencesOf } from '../../core/values/advice.ts'

/** The sentences about a published key. */
export const DKIM_ADVICE = {
  dkim_no_answer: 'The DNS did not answer for {name} ({reason}), which says nothing about the record.',
  dkim_missing: 'There is no TXT record at {name}: publish it. It may take an hour until it is seen.',
  dkim_alias:
    'There is a CNAME to {alias} at {name}, which leads to no TXT record: remove it and publish the TXT record.',
  dkim_name_doubled:
    'The record is at {found}: your DNS provider adds the domain automatically, so enter only {name} as its name.',
  dkim_split: 'The key is split over {count} TXT records at {name}: make it one record of two strings, "…" "…".',
  dkim_several: 'There are {count} TXT records at {name}: leave only the one with this key.',
  dkim_is_none: 'The TXT record says "{text}", which is no DKIM key: replace it.',
  dkim_quotes: 'The record has quotation marks or backslashes in its text: enter the value without them.',
  dkim_revoked: 'The record has an empty p=, which revokes the key: enter the whole value.',
  dkim_cut:
    'The key ends after {found} of {length} characters: a string of a TXT record has at most 255, so enter the value as two strings of one record: {value}.',
  dkim_other_key:
    'The record holds another key (from character {place} on it has {found}, ours {wanted}): replace it by this value.',
  dkim_version: 'The record has v={found}: it must be v=DKIM1.',
  dkim_key_type: 'The record has k={found}: it must be k=rsa.',
  dkim_hashes: 'The record allows other hashes only: take h= out of it.',
  dkim_service: 'The record is not for e-mail: take s= out of it.',
  dkim_found: 'The key is in place.',
  dkim_testing: 'It has t=y (test): take that out, or some receivers ignore the signature.',
} as const

export const dkimAdvice: SentencesOf<typeof DKIM_ADVICE> = sentencesOf(DKIM_ADVICE)
