import { type Sentence, sentencesOf } from '../values/advice.ts'
import { judge } from './judge.ts'

/**
 * The meanings of refusals, and what to do about them. A text may change, what its code means may not: others translate
 * it.
 */
export const REFUSAL_MEANINGS = {
  refusal_login_refused:
    'The user name, password or keys of the transport are wrong or no longer valid; its operator must correct them, and the log has the words of the mail server.',
  refusal_tls_failed:
    'The transport and its mail server did not agree on TLS, or its certificate is not trusted; the log says which, and its operator must correct it.',
  refusal_dmarc_gmail:
    'Gmail and others: the From domain’s DMARC policy asks to refuse this mail, which passes neither SPF nor DKIM in alignment with it. Sign with a key of the From domain.',
  refusal_unauthenticated:
    'Gmail and others: the mail is authenticated neither by SPF nor by DKIM for its From domain (DMARC). Publish the SPF and DKIM records of the sender domain and send from it.',
  refusal_null_mx_sender:
    'The domain of the return path says in the DNS that it accepts no mail (null MX). Give it an MX record, or send from another.',
  refusal_spf_gmail:
    'Gmail: SPF fails. The SPF record of the return path’s domain does not name the server that sends: add it.',
  refusal_reverse_dns:
    'Gmail and others: the sending address has no reverse DNS, or it does not resolve back. Set a PTR record, and an A or AAAA record of that name.',
  refusal_rate_of_unwanted:
    'Gmail: an unusual rate of unwanted mail comes from this address or domain. Send less, only to people who open, and look at the spam rate in Postmaster Tools.',
  refusal_reverse_dns_gmail:
    'Gmail: the sending address has no reverse DNS, or it does not resolve back. Set a PTR record, and an A or AAAA record of that name.',
  refusal_spf_microsoft:
    'Microsoft and others: SPF fails. The SPF record of the return path’s domain does not name the server that sends: add it.',
  refusal_spf_too_wide:
    'Gmail: the SPF record of the sender domain allows too many senders. Remove unused entries, and any that end in +all.',
  refusal_dmarc_record_missing:
    'Gmail: the From domain has no DMARC record, or one without a policy. Publish at least v=DMARC1; p=none.',
  refusal_unencrypted: 'Gmail: the connection was not encrypted. Make the transport use TLS.',
  refusal_dkim_bulk: 'Gmail: DKIM is missing or fails for a bulk sender. Sign with a key of the sender domain.',
  refusal_unaligned_gmail:
    'Gmail: the From domain is aligned with neither SPF nor DKIM. Sign with a key of the From domain itself.',
  refusal_microsoft_own_organisation:
    'Microsoft: the recipient’s own organisation refuses this sender or its address. Only its administrators can allow it.',
  refusal_microsoft_ipv6:
    'Microsoft: mail over IPv6 is limited or not accepted by this recipient. Send over IPv4, with SPF and DKIM that pass.',
  refusal_microsoft_tenant_stopped:
    'Microsoft: the account or tenant the mail leaves through sends too much or from unregistered domains, and is stopped. Resolve this in the Microsoft 365 admin centre.',
  refusal_microsoft_slowed_down:
    'Microsoft: mail from the sending address is slowed down because of its reputation. Send less at a time.',
  refusal_microsoft_rules:
    'Microsoft: the domain does not meet its rules for senders: SPF, DKIM and DMARC must be there, pass and be aligned with From.',
  refusal_microsoft_banned:
    'Microsoft: the sending address is on its list of banned ones. Ask at sender.office.com to be removed from it.',
  refusal_outlook_network_blocked:
    'Microsoft (Outlook.com): mail of the sending network is blocked because of its reputation. Ask for mitigation at olcsupport.office.com, and join SNDS.',
  refusal_outlook_blocked:
    'Microsoft (Outlook.com): the sending address is blocked because of its reputation. Ask for mitigation at olcsupport.office.com.',
  refusal_yahoo_put_off:
    'Yahoo: mail is deferred because of complaints or unusual volume. Slow down, remove contacts who do not open, and enrol the DKIM domain in its complaint feedback loop.',
  refusal_yahoo_blocked:
    'Yahoo: the sending address is blocked because of complaints. Stop mail to Yahoo for some hours and clean the list.',
  refusal_yahoo_blocklist: 'Yahoo: the sending address is on a blocklist it uses (Spamhaus). Have it removed there.',
  refusal_yahoo_unauthenticated:
    'Yahoo: the mail is authenticated neither by SPF nor by DKIM. Publish the SPF and DKIM records of the sender domain and send from it.',
  refusal_yahoo_content:
    'Yahoo: the mail, or a link in it, looks like spam or phishing. Look at the content and at the domains it links to.',
  refusal_sender_domain_unknown:
    'The domain of the return path or of From cannot be found in the DNS: it must exist and have an MX or A record.',
  refusal_gmail_reputation:
    'Gmail: the sending address or domain has a very low reputation. Send less, only to people who open, and look at Postmaster Tools.',
  refusal_gmail_malformed:
    'Gmail: the message breaks RFC 5322, with a field that is missing, doubled or malformed. Look at the header fields the sender adds.',
  refusal_spamhaus:
    'The sending address is on a Spamhaus list. Look it up at check.spamhaus.org and follow what it says there.',
  refusal_barracuda: 'The sending address is on Barracuda’s list. Ask at barracudacentral.org to be removed.',
  refusal_spamcop:
    'The sending address is on SpamCop’s list; it is removed automatically once no more spam is reported.',
  refusal_orange:
    'Orange: the sending address is limited or blocked because of its reputation. Send more slowly, over fewer connections.',
  refusal_spam:
    'The receiving server considers the mail spam. Look at the content, at the links in it and at the reputation of domain and address.',
  refusal_dmarc:
    'The From domain’s DMARC policy asks to refuse this mail: it passes neither SPF nor DKIM in alignment. Sign with a key of the From domain.',
  refusal_greylisted:
    'The receiving server does not know this sender yet and wants the mail again later (greylisting).',
  refusal_relay_denied:
    'The server does not accept mail for this domain from here: the transport must log in, or the domain’s MX records name a wrong server.',
  refusal_ses_sandbox:
    'Amazon SES: the sender is not verified there, or the account is in the sandbox, where every recipient must be verified as well. Verify the sender’s domain, and ask Amazon for production access.',
  refusal_microsoft_365_unknown:
    'Microsoft 365: there is no such address in the recipient’s organisation. The address is not mailed any more.',
  refusal_qq_rate:
    'QQ and others: more mail comes from the sending address or domain than they let in. Send more slowly.',
  refusal_mailbox_full:
    'The recipient’s mailbox is full. It may have room again later: the address is suppressed only if this keeps happening.',
  refusal_mailbox_unknown: 'There is no such mailbox. The address is not mailed any more.',
  refusal_domain_unknown:
    'The recipient’s domain does not exist or accepts no mail: there may be a typing error in it.',
  refusal_null_mx: 'The recipient’s domain says that it accepts no mail at all.',
  refusal_recipient_rate: 'The recipient gets more mail than their provider lets in at the moment.',
  refusal_mailbox_disabled: 'The mailbox is disabled.',
  refusal_too_large: 'The mail is larger than the receiving server allows. Link to files instead of attaching them.',
  refusal_unreachable: 'The receiving server could not be reached.',
  refusal_dns: 'The DNS does not tell at the moment which servers take mail for the recipient’s domain.',
  refusal_insecure:
    'No server that takes mail for the recipient’s domain offers a connection as secure as is demanded. Only the operator of that domain can put this right.',
  refusal_address_unknown: 'There is no such address. It is not mailed any more.',
  refusal_unproven:
    'The report names the mail by its Message-ID alone, which stands in every answer to it. A true one comes to the mail’s own return path, or from a sender that passes DMARC. It is kept as a note, and changed nothing.',
  refusal_tried_again: 'The mail is tried again automatically.',
} as const

const meaning = sentencesOf(REFUSAL_MEANINGS)
type Meaning = keyof typeof REFUSAL_MEANINGS

/**
 * Patterns of refusals, each with the code of its meaning. The first match wins. What is `gone` is only said of a reply
 * that is judged so; what may pass `later` is tried again as long as the mail waits.
 */
const MEANINGS: readonly (readonly [pattern: RegExp, meaning: Meaning, when?: 'gone' | 'later'])[] = [
  // our own text for a next hop that refuses our login
  [/\brefuses the login of this server\b/, 'refusal_login_refused', 'later'],
  [/\bmail server could not be used: TLS failed\b/, 'refusal_tls_failed', 'later'],
  [/\b[45]\.7\.26\b.{0,400}\bdmarc\b/i, 'refusal_dmarc_gmail'],
  [/\b[45]\.7\.26\b/, 'refusal_unauthenticated'],

  // the registry's own meaning (RFC 7505); Gmail uses the code for another
  [/\b[45]\.7\.27\b.{0,200}\bnull MX\b/i, 'refusal_null_mx_sender'],
  [/\b[45]\.7\.27\b/, 'refusal_spf_gmail'],
  [/\b[45]\.7\.25\b/, 'refusal_reverse_dns'],
  [/\b[45]\.7\.28\b/, 'refusal_rate_of_unwanted'],
  [/\b4\.7\.23\b/, 'refusal_reverse_dns_gmail'],
  [/\b5\.7\.23\b/, 'refusal_spf_microsoft'],
  [/\b[45]\.7\.24\b/, 'refusal_spf_too_wide'],
  [/\b4\.7\.31\b|\b[45]\.7\.40\b/, 'refusal_dmarc_record_missing'],
  [/\b[45]\.7\.29\b(?!.{0,200}\bARC\b)/, 'refusal_unencrypted'],
  [/\b[45]\.7\.30\b(?!.{0,200}\bREQUIRETLS\b)/, 'refusal_dkim_bulk'],
  [/\b[45]\.7\.32\b/, 'refusal_unaligned_gmail'],
  [/\b[45]\.7\.(?:507|512|513)\b|customer block ?list/i, 'refusal_microsoft_own_organisation'],
  [/\b[45]\.7\.5(?:08|10)\b/, 'refusal_microsoft_ipv6'],
  [/\b5\.7\.(?:705|708|750)\b/, 'refusal_microsoft_tenant_stopped'],
  [/\b4\.7\.(?:5\d\d|6\d\d|8[5-9]\d)\b/, 'refusal_microsoft_slowed_down', 'later'],
  [/\b[45]\.7\.5(?:15|09)\b/, 'refusal_microsoft_rules'],
  [
    /\b5\.7\.606\b|\b5\.7\.(?:51[1-3]|6[0-4]\d)\b.{0,80}\bbanned\b|access denied, banned sending ip/i,
    'refusal_microsoft_banned',
  ],
  [/\bS3150\b/, 'refusal_outlook_network_blocked'],
  [/\bS3140\b/, 'refusal_outlook_blocked'],
  [/\bTSS0[4-6]\b/, 'refusal_yahoo_put_off'],
  [/\bTSS0[7-9]\b|\bTSS1[0-2]\b/, 'refusal_yahoo_blocked'],
  [/\b(?:\[?BL2[1-3]\]?)\b.*yahoo|yahoo.*\bBL2[1-3]\b/i, 'refusal_yahoo_blocklist'],
  [/\byahoo\b.{0,200}\bauthenticate\b|\b5\.7\.9\b.{0,200}\bunauthenticated\b/i, 'refusal_yahoo_unauthenticated'],
  [/\b5\.7\.9\b.{0,100}\bpolicy reasons\b|\[PH01\]/i, 'refusal_yahoo_content'],
  [/\bunresolvable\b.{0,40}\bdomain\b|\b5\.1\.8\b/i, 'refusal_sender_domain_unknown'],
  [/\bvery low reputation\b/i, 'refusal_gmail_reputation'],
  [
    /\bRFC 5322 compliant\b|missing a valid (?:address in the from|message-id)|duplicate headers/i,
    'refusal_gmail_malformed',
  ],
  [/\bspamhaus\b|\bzen\.|\bsbl\b|\bxbl\b|\bpbl\b/i, 'refusal_spamhaus'],
  [/\b(?:barracudacentral|b\.barracuda)/i, 'refusal_barracuda'],
  [/\bspamcop\b/i, 'refusal_spamcop'],
  [/\bOFR_?999\b|\bOFR[_ ]/i, 'refusal_orange'],
  [/\b5\.7\.1\b.{0,200}(?:unsolicited|spam|likely)|\b550\b.{0,80}\bspam\b/i, 'refusal_spam'],
  [/\bdmarc\b/i, 'refusal_dmarc'],
  [/\bgr[ae]y-?list/i, 'refusal_greylisted', 'later'],
  [/\brelay(?:ing)?\b.{0,30}\b(?:denied|not|prohibited)|\bno relaying\b/i, 'refusal_relay_denied'],
  [/\bfailed the check in region\b|\baddress is not verified\b/i, 'refusal_ses_sandbox'],
  [/\b5\.4\.1\b.{0,60}recipient address rejected: access denied/i, 'refusal_microsoft_365_unknown', 'gone'],
  [/\bfrequency limited\b/i, 'refusal_qq_rate'],
  [
    /\bexceeded storage allocation\b|\b[45]\.2\.2\b|\b(?:mailbox|quota|storage)\b.{0,60}\b(?:full|exceed|over|limit)|over ?quota/i,
    'refusal_mailbox_full',
  ],
  [/\bthe domain takes no mail: its MX\b/i, 'refusal_null_mx', 'gone'],
  [/\b5\.1\.2\b|\b5\.4\.4\b|\bdomain (?:name )?(?:does not exist|not found)/i, 'refusal_domain_unknown', 'gone'],
  [/\b[45]\.4\.3\b/, 'refusal_dns', 'later'],
  [/\b[45]\.7\.5\b|\bMTA-STS\b/, 'refusal_insecure', 'later'],
  [
    /\b5\.1\.1\b|\b(?:no such|unknown) (?:user|recipient|mailbox)|\buser unknown|\bdoes not exist/i,
    'refusal_mailbox_unknown',
    'gone',
  ],
  [/\bhost (?:or domain name )?not found/i, 'refusal_domain_unknown', 'gone'],
  [/\b5\.1\.10\b.*null mx|null mx/i, 'refusal_null_mx', 'gone'],
  [
    /\b[45]\.2\.1\b.{0,120}(?:too quickly|rate)|\breceiving mail (?:too quickly|at a rate)/i,
    'refusal_recipient_rate',
    'later',
  ],
  [/\b5\.2\.1\b/, 'refusal_mailbox_disabled', 'gone'],
  [/\b5\.3\.4\b|\b5\.2\.3\b|size (?:exceeds|limit)|too (?:large|big)/i, 'refusal_too_large'],
  [
    /\b[45]\.4\.(?:1|2|7)\b|timed? ?out|connection (?:refused|reset)|delivery time expired/i,
    'refusal_unreachable',
    'later',
  ],
]

/** How the error of a mail begins whose report proves too little to count. */
export const UNPROVEN = 'Reported without proof: '

/** How many characters of a text are searched. */
const MAX_LENGTH = 2000

/**
 * Explains a refusal in a sentence or two, with what to do about it; none for an unknown one. For a mail that waits it
 * says when no more is to be done.
 */
export function refusalMeaning(text: string, isWaiting = false): readonly Sentence[] {
  if (text.startsWith(UNPROVEN)) return [meaning('refusal_unproven')]
  const words = text.slice(0, MAX_LENGTH)
  const isGone = judge({ words }).class === 'permanent'
  const found = MEANINGS.find(([pattern, , when]) => (when !== 'gone' || isGone) && pattern.test(words))
  if (found === undefined) return isGone ? [meaning('refusal_address_unknown')] : []
  const [, code, when] = found
  return when === 'later' && isWaiting ? [meaning(code), meaning('refusal_tried_again')] : [meaning(code)]
}
