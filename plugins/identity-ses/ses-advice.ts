import { type SentencesOf, sentencesOf } from '../../core/values/advice.ts'

/** The sentences about the records that Amazon SES wants, and about its verdict on them. */
export const SES_ADVICE = {
  ses_no_answer: 'The DNS did not answer for {name} ({reason}), which says nothing about the record.',
  ses_cname_found: 'The CNAME is in place.',
  ses_cname_wrong: 'The CNAME at {name} leads to {found}: change it to {value}.',
  ses_cname_missing: 'There is no CNAME at {name}: publish it. It may take an hour until it is seen.',
  ses_proxy:
    'There are addresses at {name} instead of a CNAME: if your DNS provider has a proxy for it, switch that off ("DNS only").',
  ses_name_doubled:
    'The record is at {found}: your DNS provider adds the domain by itself, so enter only {name} as its name.',
  ses_owner_found: 'The record that shows whose domain it is is in place.',
  ses_owner_other: 'There is a TXT record at {name}, but none with this value: add one with it.',
  ses_owner_missing: 'There is no TXT record at {name}: publish it, to show that the domain is yours.',
  ses_unasked: 'The CNAME is in place, but Amazon SES could not be asked about it ({reason}).',
  ses_of_another: 'This domain was added when another plugin proved domains: remove it and add it again.',
  ses_gone: 'The CNAME is in place, but the domain was removed at Amazon SES: remove it here and add it again.',
  ses_other_records: 'Amazon SES wants other records now: remove the domain here and add it again.',
  ses_switched_off: 'The CNAME is in place, but DKIM is switched off for the domain at Amazon SES.',
  ses_asked_again: 'The CNAME is in place. Amazon SES had stopped looking for it; it was asked again.',
  ses_not_seen: 'The CNAME is in place. Amazon SES has not seen it yet: mostly it takes minutes, at most three days.',
} as const

export const sesAdvice: SentencesOf<typeof SES_ADVICE> = sentencesOf(SES_ADVICE)
