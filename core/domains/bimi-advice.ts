import { type SentencesOf, sentencesOf } from '../values/advice.ts'

/** The advice about the logo of a domain. A text may change, what its code means may not: others translate it. */
export const BIMI_ADVICE = {
  bimi_missing:
    'There is no BIMI record: publish "v=BIMI1; l=https://{domain}/logo.svg; a=;" as TXT at {name}, with the address of your logo.',
  bimi_several: 'There are {count} BIMI records at {name}, so none of them counts: leave only one.',
  bimi_no_answer: 'The DNS did not answer ({reason}), which says nothing about the logo.',
  bimi_declined: 'The BIMI record says that this domain shows no logo: name one in l= to change that.',
  bimi_not_https: 'The logo must be at an address that begins with https://, and the BIMI record has {url}.',
  bimi_dmarc_missing: 'A logo is shown only with a DMARC policy of quarantine or reject, and there is none.',
  bimi_dmarc_weak:
    'A logo is shown only with a DMARC policy of quarantine or reject, and that of {domain} is {policy}: see by the reports when it may be stricter.',
  bimi_dmarc_part:
    'A logo is shown only if the DMARC policy of {domain} counts for all mail: remove {tag} from the record.',
  bimi_forbidden: 'The logo at {url} is not looked at: its address leads into a private network.',
  bimi_unreachable: 'The logo at {url} could not be had: {reason}.',
  bimi_status: 'The logo at {url} could not be had: the server answers with status {status}.',
  bimi_moved: 'The address of the logo, {url}, leads to {to}: name that one in the record.',
  bimi_large: 'The logo at {url} is larger than 32 KB: simplify it.',
  bimi_svg_none: 'The logo is no SVG: it must be a picture in the format SVG Tiny PS.',
  bimi_svg_profile: 'The logo is no SVG Tiny PS: its <svg> must have version="1.2" and baseProfile="tiny-ps".',
  bimi_svg_place: 'The logo is no SVG Tiny PS: its <svg> must not have x or y.',
  bimi_svg_title: 'The logo is no SVG Tiny PS: its <svg> lacks a <title> with the name of the company.',
  bimi_svg_left_out: 'The logo is no SVG Tiny PS: it has {name}, which is not allowed there.',
  bimi_svg_link: 'The logo is no SVG Tiny PS: it leads to {url}, and may load nothing.',
  bimi_svg_square: 'The logo must be square: give its <svg> a viewBox with a width that is its height.',
  bimi_not_https_certificate:
    'The certificate (a=) must be at an address that begins with https://, and the record has {url}.',
  bimi_without_certificate:
    'Record and logo are right. Gmail and Apple Mail show the logo only with a certificate (VMC or CMC), whose address belongs in a=.',
  bimi_certificate_forbidden: 'The certificate at {url} is not looked at: its address leads into a private network.',
  bimi_certificate_unreachable: 'The certificate at {url} could not be had: {reason}.',
  bimi_certificate_status: 'The certificate at {url} could not be had: the server answers with status {status}.',
  bimi_certificate_moved: 'The address of the certificate, {url}, leads to {to}: name that one in the record.',
  bimi_certificate_large: 'The file at {url} is larger than 128 KB, and no certificate is.',
  bimi_certificate_none:
    'The file at a= has no certificate: it must have one between "-----BEGIN CERTIFICATE-----" and its end (PEM).',
  bimi_certificate_many:
    'The file at a= has {count} certificates: it must have yours, and those of the authorities above it.',
  bimi_certificate_broken:
    'Certificate number {number} of the file at a= is damaged: publish the file as the authority gave it.',
  bimi_certificate_expired: 'The certificate expired on {day}: publish the renewed one.',
  bimi_certificate_early: 'The certificate is valid only from {day} on.',
  bimi_certificate_names:
    'The certificate is for {names}, and not for {domain}: the authority must make one for that domain.',
  bimi_certificate_nameless: 'The certificate names no domain: the authority must make one for {domain}.',
  bimi_certificate_use: 'The certificate was made for another use than a logo: it must be a VMC or a CMC.',
  bimi_certificate_logo: 'The certificate has no logo in it: it must be a VMC or a CMC.',
  bimi_certificate_alone: 'The file at a= has your certificate alone: append that of the authority that signed it.',
  bimi_certificate_chain:
    'The certificates of the file at a= do not follow one another: yours comes first, then the one that signed it, and so on.',
  bimi_certificate_issuer_expired:
    'The certificate of the authority above yours expired on {day}: publish the file that the authority gives now.',
  bimi_right:
    'Record, logo, DMARC policy and certificate are right. Receivers judge whether they trust the authority that made the certificate.',
} as const

export const bimiAdvice: SentencesOf<typeof BIMI_ADVICE> = sentencesOf(BIMI_ADVICE)
