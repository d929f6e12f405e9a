import type { RefusalClass, RefusalKind } from '../ports/feedback-report.ts'
import {
  DOMAIN_ELSEWHERE,
  FULL_ELSEWHERE,
  GONE_ELSEWHERE,
  LOGIN_ELSEWHERE,
  SENDER_ELSEWHERE,
  SHUT_ELSEWHERE,
  TROUBLE_ELSEWHERE,
  type Words,
} from './languages.ts'

/** A kind of refusal: what it says of the address, and the words and codes by which it is known. */
export interface Kind {
  readonly name: RefusalKind
  readonly class: RefusalClass
  /** Any of these words says so. */
  readonly words?: readonly Words[]
  /** Any of these enhanced codes says so (RFC 3463, IANA's registry). */
  readonly codes?: RegExp
  /** Any of these reply codes says so (RFC 5321, RFC 4954). */
  readonly replies?: ReadonlySet<number | undefined>
  /** The words are clear beside one of these enhanced codes only. */
  readonly beside?: RegExp
  /** Words beside which it is no such refusal. */
  readonly unless?: RegExp
  /** It is only said after the content, or only before it. */
  readonly when?: 'after the content' | 'before the content'
  /** The words are clear in one server's reply only, not anywhere in the text of a report. */
  readonly isForReplies?: true
}

/** Words for the recipient of a mail. An address of a sender or of a machine is another matter. */
const WHOM =
  '(?:user|recipient|mail ?box|(?<!(?:ip|sender|source|client|from|host|network|sending|return|your|remote|server|internet) )(?:e?-?mail ?)?address(?:ee)?|(?<!your )account|customer|subscriber|alias|person|employee|user ?(?:name|id)|local[ -]part|inbox|mail ?drop)(?:e?s)?'
/** "Does not exist", as people spell it; of a program or a file it says nothing of the recipient. */
const MISSING =
  '(?<!\\b(?:server|gateway|command|file|directory|folder|program|script|executable|library|path|page|socket|transport|table|service|process|driver|module|key|certificate|record|relay|route)s?(?: (?:is|was|were|are|could|can|does|did|do|be)){0,2} ?)(?:does ?(?:not|n.?t) (?:seem to |appear to )?exist|do(?:es)?n.?t exist|did not exist|(?<!may )(?<!might )not? exists?\\b|non-?existe?a?nt|(?:was|were|is|are|can|could)? ?(?:not|n.?t) (?:be )?found|(?:wasn|couldn|isn|can).?t (?:be )?found)'
/** "Not known", but not "unknown error". */
const NOT_KNOWN =
  '(?:unknown(?! (?:error|reason|failure|problem|status|command|mailer|state|host))|not known|not (?:a )?(?:valid|recogni[sz]ed|registered)|isn.t (?:valid|known|registered)|(?<!temporarily )invalid(?! (?:sender|helo|ehlo|command|dns|spf)))'

const anyOf = (...parts: readonly string[]): readonly Words[] => parts.map((part) => new RegExp(part, 'i'))

/** Replies to AUTH: required, too weak, wrong, only over TLS (RFC 4954, section 6). */
export const LOGIN_REFUSED: ReadonlySet<number | undefined> = new Set([530, 534, 535, 538])

/** An address of the network. */
const IP = '\\[?(?:\\d{1,3}(?:\\.\\d{1,3}){3}|(?:IPv6:)?[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){3,7})'

/** Words for the sender of a mail, as replies name an address, an account or a mailbox of theirs. */
const OURS =
  '(?:(?:sender.?s?|originat(?:or.?s?|ing)|source|sending|submitting|envelope.?from|return(?:.?path)?|reply(?:.?to)?|from)(?: (?:e-?mail|mail|local))?[ -](?:address|user(?: ?name)?|account|mail ?box|domain)|(?:relay|login|submission) (?:user(?: ?name)?|account))'

/**
 * The kinds that words tell, the first that fits decides. What speaks of the sender stands before what speaks of the
 * recipient: when our account is suspended, a whole list must not be suppressed for it. Whatever no kind fits is unclear.
 */
export const BY_WORDS: readonly Kind[] = [
  {
    // a server that refuses our login says so of a user, too; SASL's words, and RFC 4954's X.7.8, X.7.9, X.7.11, X.7.12
    name: 'login',
    class: 'policy',
    codes: /^[45]\.7\.(?:8|11|12)$/,
    replies: LOGIN_REFUSED,
    words: anyOf(
      '\\b(?:smtp )?auth(?:entication|orization)? (?:\\S{1,20} ){0,2}?(?:fail\\w*|error|unsuccessful|rejected|denied|required|needed|not (?:successful|accepted|enabled)|mechanism|data|credentials?)\\b|\\b(?:failed|unable|could ?n.?o?t|cannot|can.t) (?:to )?authenticate\\b|\\bSASL\\b|\\bcredentials?\\b',
      '\\b(?:user ?name|user|login|account|e-?mail|id)(?: ?name)? (?:and|or|\\/|&) ?pass(?:word|phrase)\\b|\\bpass(?:word|phrase)\\b.{0,20}\\b(?:incorrect|invalid|wrong|bad|not accepted|expired|transition|mismatch)|\\b(?:incorrect|invalid|wrong|bad|expired) (?:\\S{1,20} )?pass(?:word|phrase)\\b|\\blog-?in (?:failed|denied|incorrect|invalid|required|rejected)',
    ).concat(LOGIN_ELSEWHERE),
    // of the mail, not of us
    unless: /\b(?:spf|dkim|dmarc|arc|domain ?keys|sender.?id)\b|\bunauthenticated\b|\bmessage authentication\b/i,
  },
  {
    // Gmail 4.2.1 and 5.2.1 (ReceivingRate); Exchange's receiving limits (5.2.121, 5.2.122)
    name: 'recipient_rate',
    class: 'transient',
    codes: /^[45]\.2\.12[12]$/,
    words: anyOf(
      '\\breceiv\\w+ (?:mail|e-?mail|messages?) (?:too (?:quickly|fast|often)|at a rate)',
      '\\b(?:too many|too much) (?:mails?|messages?|e-?mails?) (?:to|for) (?:this|that|the) (?:user|recipient|mailbox)',
      '\\b(?:recipient|mailbox|user)\\b.{0,40}\\b(?:receives?|receiving|received) too (?:many|much)',
    ),
  },
  {
    // our own limits; words of receivers and relays for a sender's daily quota
    name: 'our_quota',
    class: 'policy',
    words: anyOf(
      '\\b(?:sending|daily|hourly|outgoing|outbound|sender.?s|message rate|monthly)\\b.{0,30}\\b(?:quota|limits?|allowance)\\b',
      '\\b(?:quota|limits?|allowance)\\b.{0,30}\\b(?:sending|per (?:day|hour|minute)|daily|hourly|for today)\\b',
    ),
  },
  {
    // RFC 5321 (552 "exceeded storage allocation", 452 "insufficient system storage"), RFC 3463 X.2.2 and X.3.1, qmail,
    // Gmail, Yahoo, Exchange (STOREDRV … QuotaExceeded), Courier, Dovecot ("Quota exceeded"), Postfix virtual, Domino
    name: 'full',
    class: 'transient',
    codes: /^[45]\.(?:2\.2|3\.1)$/,
    words: anyOf(
      '\\b(?:mail ?box|in-?box|mail ?folder|mail ?drop|mail ?store|mail ?file|maildir|mail ?spool)(?:es)?\\b.{0,80}\\b(?:full|exceed\\w*|over(?:flow\\w*)?|too (?:big|full|large)|used up|reached)\\b',
      '\\b(?:account|user|recipient|customer|box)\\b(?: \\S{1,40}){0,2} (?:is |has |was )?(?:already |currently |almost )?(?:full|over ?(?:quota|limit)|out of (?:space|storage))\\b',
      '\\b(?:full|overfull|overflowing) (?:mail ?box|in-?box|mail ?folder)',
      '\\bover ?-?(?: ?(?:its|his|her|their|the|your)? ?(?:disk|storage|mail|mailbox|hard|soft)?) ?(?:quota|storage limit)\\b',
      '\\bquota\\b.{0,60}\\b(?:exceed\\w*|full|over|violation|reached|exhausted|used up)\\b',
      '\\btoo (?:many|much) (?:mails?|messages?|mail data|data) (?:in|on|@) |\\b(?:storage|quota|space) (?:is |was |has been )?exceeded\\b|quota_exceed|\\bover (?:the )?max\\w* (?:\\S{1,20} ){0,2}(?:mailbox|storage|number of messages)',
      '\\b(?:exceed\\w*|out of|over|insufficient|not sufficient|not enough|no more|no|low|lack of|without) (?:\\S{1,20} ){0,4}(?:quota|storage|(?:disk|mailbox|drive|free|user) ?space|space left|disk)\\b|\\b(?:not enough|insufficient|not sufficient|no) (?:free )?space\\b|too much mail data',
      '\\b(?:mailbox|storage|disk|account|user|space)(?: \\S{1,20}){0,2} (?:limit|allocation|allowance|capacity)(?: \\S{1,20}){0,3} (?:exceed\\w*|reached|over)\\b',
      '\\b(?:exceed\\w*|exhausted|reached)(?: \\S{1,30}){0,4} (?:storage|mailbox|disk|space)\\b',
      '\\b(?:storage|disk|space)\\b.{0,30}\\b(?:exhausted|used up|is full)\\b|\\bdisk full\\b',
      '\\bmail system full\\b|QuotaExceeded|p=OverQuota|\\bquota-issues\\b',
      '\\btheir (?:in-?box|mail ?box|account) is (?:over)?full\\b|\\b(?:in-?box|mail ?box) full\\b',
    ).concat(FULL_ELSEWHERE),
    // the mail is too large, not the mailbox too full
    unless:
      /\b(?:message|mail|file|attachment|content) (?:size|length)\b.{0,40}\bexceed|\bmax(?:imum)? (?:message|file) size/i,
  },
  {
    // greylisting by name, whatever policy it is said to be
    name: 'greylisted',
    class: 'transient',
    words: anyOf('\\bgr[ae]y-?list', '\\bdeferred by\\b.{0,30}\\bfirst (?:time|contact)'),
  },
  {
    // an address that its server has not been able to check yet (Postfix: unverified_recipient)
    name: 'not_verified',
    class: 'unknown',
    words: anyOf('\\brecipient (?:address )?(?:rejected: )?(?:is )?(?:unverified|undeliverable) address\\b'),
    unless: new RegExp(`\\b(?:unknown|no such|not found|${MISSING})`, 'i'),
  },
  {
    // the sender is what is wrong (RFC 3463 X.1.7, X.1.8; Exim's sender verification; Sendmail; Amazon's sandbox; groups)
    name: 'sender',
    class: 'policy',
    codes: /^[45]\.(?:1\.[78]|7\.14)$/,
    words: anyOf(
      '\\bsender(?:.?s)?(?: (?:e-?mail|address|domain|host|ip|name))*(?: \\S{1,60})?[: ]{1,2}(?:is |was |has been |been )?(?:rejected|denied|verif\\w+|invalid|unknown|blocked|not|refused|unresolvable|restricted|forbidden|must|does|could|needs?|listed|is on)',
      '\\b(?:invalid|unknown|bad|illegal|unverified|unauthori[sz]ed|forged|fake|banned|blocked|rejected|unresolvable|malformed|spoofed|missing) (?:\\S{1,20} )?(?:sender|return.?path|from address|mail from|from header)',
      '\\b(?:domain|name|host) (?:\\S{1,60} )?of (?:the )?sender\\b|\\bsender domain\\b|\\bsending domain\\b|\\benvelope.?(?:sender|from)\\b|\\bfrom:? (?:address|header|domain|field)\\b.{0,60}\\b(?:not|invalid|must|reject\\w*|denied|mismatch)|\\bMAIL FROM\\b.{0,60}\\b(?:not|invalid|must|reject\\w*|denied|does|unresolvable)',
      '\\bcall(?:out|back)\\b|\\bverification failed for\\b|\\bsender.?verif',
      '\\b(?:return.?path|reply.?to)\\b.{0,40}\\b(?:not|invalid|reject\\w*|denied)\\b',
      '\\byour (?:account|domain|ip|server|host|network|mail server|isp|access|organi[sz]ation|sender|address(?! (?:book|list))|email address is (?:not|block)|e-?mail (?:has been|was) (?:blocked|rejected)|message (?:was|has been|is) (?:rejected|blocked|refused|considered|identified|classified))\\b',
      // Amazon SES in its sandbox, and of identities; "Mail-From domain not verified"
      '\\b(?:address|identit\\w+|domain|sender)\\b.{0,40}\\bnot (?:been )?verified\\b|\\bfailed the check in region\\b|\\bunverified (?:address|identity|domain|sender)',
      // lists and groups that take posts of members
      '\\bnot (?:an? )?(?:(?:\\S{1,20} )?member|subscriber|subscribed)\\b|\\bmembers?[- ]only\\b|\\bpermission to (?:post|send)|\\bno permission\\b|\\b(?:do|does|did) ?(?:not|n.?t) have (?:the )?permission|\\bgroups\\.google\\.com|\\bsend mail as\\b|\\bvalid From\\b|\\bposting (?:is )?(?:restricted|not)|\\bonly (?:members|subscribers|moderators|the (?:owner|members))',
      '\\bnot (?:permitted|authori[sz]ed|allowed)\\b.{0,40}\\b(?:send|post|submit|relay|use|deliver|mail)|\\brestricted (?:to|from) (?:\\S{1,20} ){0,3}(?:send|receiv|accept)|\\bNotAuthorized\\b|\\bonly accepts? (?:mail|messages|e-?mail)|\\b(?:authenticated|trusted|internal|certain|approved|verified) senders? only|\\bonly (?:from|for) (?:\\S{1,20} )?(?:authenticated|trusted|internal|approved|known) senders?|\\bsenders? (?:in|on|from) (?:\\S{1,20} )?(?:list|allow)',
      `\\b${OURS}\\b.{0,60}?\\b(?:${MISSING}|${NOT_KNOWN}|disabled|inactive|unavailable|not (?:available|allowed)|suspended|no longer|rejected|refused)|\\b(?:unknown|no such|invalid|bad|illegal|undefined|non-?existe?a?nt|missing) (?:\\S{1,20} )?${OURS}\\b`,
      '\\b(?:no such|unknown) (?:local )?(?:sender|originator)\\b|\\bMAIL FROM:? ?(?:<…> ?)?:? ?(?:is |was |an? )?(?:unknown|unavailable|no such|illegal|mail ?box|user|account|address)\\b',
      '\\bmismatch\\w* client\\b|\\bsubmitter failed\\b|\\bspoof\\w*',
      '\\binvalid-sender\\b',
    ).concat(SENDER_ELSEWHERE),
  },
  {
    // our host or its mail, in words that name lost recipients or a host that is unknown, too
    name: 'block',
    class: 'policy',
    words: anyOf(
      '\\b(?:is|are|was|been|being) (?:\\w+ly )?(?:blocked|banned|(?:black|block|deny).?listed)\\b',
      '\\b(?:too many|excessive|number of|rate of|percentage of|multiple|many|repeated\\w*|several) (?:\\S{1,20} ){0,2}?(?:unknown|invalid|non-?existe?a?nt|bad|wrong|undeliverable) (?:users?|recipients?|addresse?s?|mail ?box(?:es)?|accounts?)\\b|\\b(?:directory|address|recipient|dictionary).?harvest|\\bdictionary attack',
      `\\b(?:host ?name|host|name|ptr|dns|address|look ?up|resol\\w+)(?: look ?up)? (?:of|for) (?:\\S{1,20} ){0,2}?${IP}|\\b(?:unknown|unresolvable|no such) (?:\\S{1,20} )?host(?: ?name)?[ :]{1,2}${IP}`,
    ),
  },
  {
    // whether there is such a recipient could not be asked
    name: 'trouble',
    class: 'transient',
    words: anyOf(
      '\\b(?:ldap|sql|mysql|postgres\\w*|database|directory|back-?end|look-?up|user store)(?: \\S{1,20})? (?:is |was |are )?(?:unreachable|unavailable|not (?:available|reachable)|offline|down|timed? ?out|could not be reached)\\b|\\b(?:ldap|sql|database|directory|back-?end) (?:server )?(?:connection )?(?:error|failure|failed|timeout)\\b',
    ),
  },
  {
    // the mail's authentication (RFC 7208, 6376, 7489)
    name: 'authentication',
    class: 'policy',
    codes: /^[45]\.7\.(?:[7-9]|2\d|3[0-2]|40|509|515)$/,
    words: anyOf(
      '\\b(?:spf|dkim|dmarc|arc)\\b|\\bsender ?id\\b|\\bunauthenticated\\b|\\bauthentication (?:checks?|results?|information|level|requirements?)|\\bdomain ?keys\\b',
    ),
  },
  {
    // RFC 1870, RFC 3463 X.2.3 and X.3.4; Exchange RecipSizeLimit
    name: 'too_large',
    class: 'policy',
    unless: /\b(?:exceed\w*|max\w*)\b.{0,40}\b(?:time|hops?|retries|attempts|rate|lifetime)\b/i,
    codes: /^[45]\.(?:2\.3|3\.4)$/,
    words: anyOf(
      '\\b(?:message|mail|e-?mail|attachment|content|header|body|file|data)s?\\b.{0,40}\\b(?:(?<!queue )too (?:large|big|long)|larger than|exceed\\w*|oversized?)\\b',
      '\\bsize (?:of \\S{1,30} )?(?:limit|exceed\\w*|restriction)\\b|\\bmaximum (?:\\S{1,20} )?size\\b|\\btoo (?:large|big)\\b|\\bexceed\\w*.{0,40}\\b(?:size|length)\\b|\\bSizeLimit\\b|\\boversized\\b',
    ),
  },
  {
    // Gmail's rate limits on senders, Tencent ("Ip frequency limited"), Orange (OFR_506), NetEase, Exim, Postfix anvil
    name: 'our_rate',
    class: 'policy',
    words: anyOf(
      '\\b(?:unusual|excessive|high) (?:rate|volume|number|amount)\\b|\\bfrequency (?:is )?limit\\w*|\\bthrottl\\w*|\\brate.?limit\\w*|\\b(?:too fast|too many mails?|too much mail|too many messages|sent too many|too many (?:failed|invalid|unknown|bad) (?:recipients?|commands?|users?))\\b|\\bvolume too high\\b|\\bmessage rate\\b',
    ),
    unless: /\btoo many (?:connections|hops)/i,
  },
  {
    // what servers say of a next hop that has gone away for a while; it is more than one word of theirs
    name: 'put_off',
    class: 'transient',
    words: anyOf(
      '\\b(?:temporar(?:y|ily)|try (?:it )?again (?:later|in)|try later|please (?:retry|try again)(?! with)|not found, try again)\\b',
    ),
    // a block "for a time" is a block; a lost address is none
    unless:
      /\b(?:spam\w*|OFR\w*|block(?:ed|list\w*|ing)|black ?list\w*|listed|reputation|policy|dmarc|spf|dkim|unsolicited|complaints?|abus\w+|(?:unknown|no such) (?:user|recipient))\b/i,
  },
  {
    // NTT docomo and others accept the recipient, and call it unknown when they do not like the mail
    name: 'unclear',
    class: 'unknown',
    when: 'after the content',
    words: anyOf('^(?:5\\.0\\.\\d+ )?(?:550[ -])?unknown user <…>'),
  },
  {
    // the answer to DATA once every recipient was refused, for whatever reason (Postfix 5.5.1, RFC 5321 503)
    name: 'unclear',
    class: 'unknown',
    words: anyOf('(?:\\b503|\\b5\\.5\\.1)\\b.{0,40}\\bno valid recipients?\\b'),
  },
  {
    // the recipient's own address: RFC 3463 X.1.1, X.1.3, X.1.6, X.1.10 in words. Postfix, Sendmail, Exim, qmail,
    // Courier, Domino ("not listed in"), Exchange (RESOLVER.ADR.RecipNotFound), Gmail (NoSuchUser), Yahoo ("doesn't
    // have a … account"), Orange (OFR_416), Mimecast ("Invalid Recipient"), Mail.ru, Yandex, QQ, NetEase,
    // CommuniGate ("addressee unknown"), Sun ("unknown or illegal alias"), PowerMTA's categories
    name: 'no_such_address',
    class: 'permanent',
    words: anyOf(
      `\\b(?:unknown|no such|not an? (?:\\S{1,20} )?(?:valid|known|registered|local|existing|active)|invalid|illegal|incorrect|bad|wrong|non-?existe?a?nt|undefined|unrecogni[sz]ed|undeliverable|(?:is|was)n.t an? (?:valid|known|registered)) (?:(?:e-?mail|local|virtual|final|delivery|mail|destination|domain|intended|or \\w+) ){0,3}${WHOM}\\b(?! (?:error|unknown error))`,
      `\\b${WHOM}\\b.{0,80}?${MISSING}`,
      `\\b${WHOM}\\b.{0,60}?\\b${NOT_KNOWN}(?:\\W|$)`,
      `\\b${WHOM}\\b.{0,60}?\\bno longer (?:exists?|valid|available|active|here|in (?:use|service)|used|at this|on (?:this |our )?server|with (?:us|the)|accepts?|works?|employed|an? |monitored|receiv\\w+)`,
      `\\b${WHOM}\\b.{0,40}?\\b(?:has|have) (?:left|moved|changed|been (?:moved|changed|replaced))\\b|\\b(?:new|changed|different) address is\\b`,
      'does ?(?:not|n.?t) have an? .{1,80}?\\baccount|\\bno (?:such )?(?:mail ?box|user|account|recipient|person|addressee|alias)\\b (?:here|by|with|at|named|of|like|in|exist\\w*|found|for|matching|called)|\\bno ?(?:one|body) (?:here )?(?:by|with|of|named|at) (?:that|this)|\\bthere is no (?:such )?(?:user|one|mailbox|account|person|recipient)\\b',
      '\\bno (?:valid|matching|known|local) (?:recipient|user|mailbox|address)(?:es|s)?\\b|\\ball recipients (?:are |were )?(?:invalid|unknown)',
      '\\b(?:user|recipient|mailbox) (?:is )?not local\\b(?!.{0,60}\\brelay)|\\bno such (?:mailing )?list\\b|\\b(?:invalid|bad|unknown) (?:\\S{1,20} ){0,2}user ?(?:id|name)?\\b|\\bbad destination mailbox\\b|\\bunknown local.?part\\b|\\bno such local\\b|\\bunknown or illegal\\b|\\bunknown address\\b|\\baddressee unknown\\b',
      '\\bnot (?:listed|present|defined|registered|found) (?:in|on|with) (?:\\S{1,20} ){0,4}(?:director\\w*|address book|name|names|alias\\w*|database|user list|domino|public|server|system)\\b|\\bnot in (?:the |our |its )?(?:\\S{1,20} )?(?:directory|address book|alias|user (?:list|database)|recipient (?:list|map|table)|list of (?:valid )?(?:users|recipients))',
      '\\bnot (?:an? |our )(?:\\S{1,20} )?(?:user|mailbox|recipient|customer)\\b(?! of this list)|\\bnot (?:an? )?(?:known|valid|existing|registered|local) (?:user|mailbox|recipient|address)',
      '\\b(?:Ex)?Recip(?:ient)?NotFound\\b|\\bNoSuchUser\\b|\\bp=NoSuchUser\\b|\\bbad-mailbox\\b|\\bUNKNOWN_USER\\b|\\bOFR\\w*_4(?:16|18)\\b|ADR\\.InvalidInSmtp',
      `\\b(?:cannot|can.?t|could ?n.?o?t|unable to|failed to|did ?n.?o?t) (?:find|locate|match|identify|recogni[sz]e|know) (?:\\S{1,40} ){0,3}?${WHOM}\\b|\\b(?:has|have) no mail ?box|\\bmail ?box name (?:is )?(?:not allowed|invalid)`,
      // a command that the server repeats, keywords, final addresses that lead nowhere
      `\\bRCPT\\b.{0,20}?${MISSING}|(?<!from |from:|sender |sender: |by )<…>["')]?:? (?:is |was )?(?:${MISSING}|${NOT_KNOWN}(?:\\W|$))`,
      '\\bno (?:final |valid )?(?:delivery (?:point|location|destination)|forwarding address)\\b|\\b(?:bad|invalid|unknown) (?:recipient|rcpt|mailbox|destination)\\b',
      '\\bno match(?:es)? (?:to|for|in|found)\\b.{0,30}\\b(?:name ?server|director\\w*|query|user|recipient)|\\bnot in (?:my|our|the|this) (?:\\S{1,20} )?(?:valid\\w*|rcpt\\w*|recipients?|users?|mail system)\\b|\\brecipient not found\\b|\\brecipient unknown\\b|\\brecipient (?:is )?not recogni[sz]ed|\\bnot (?:a )?deliverable address\\b',
      // "we do not have this user", "this user doesn't have an account here"; "you do not have an account" is about us
      '\\bwe (?:do not|don.t) have (?:this|that|such an?|any such|an?) (?:\\S{1,40} )?(?:user|recipient|customer|mail ?box)\\b|\\b(?:user|recipient|customer|addressee) (?:does not|doesn.t) have an? (?:\\S{1,40} )?(?:account|mail ?box)\\b',
    ).concat(GONE_ELSEWHERE),
  },
  {
    // RFC 3463 X.2.1 "Mailbox disabled, not accepting messages"; Gmail (DisabledUser), Yahoo (554.30), Mail.ru
    name: 'disabled',
    class: 'permanent',
    codes: /^5\.7\.13$/,
    words: anyOf(
      `\\b${WHOM}\\b[^.:;]{0,60}?(?<!connection )(?<!session )(?<!temporarily )\\b(?:disabled|deactivated|inactive|not active|inactivated|discontinued|terminated|cancell?ed|deleted|removed|closed)\\b`,
      '\\b(?:disabled|inactive|deactivated|closed|expired|dead|abandoned|deleted) (?:e-?mail |user )?(?:mail ?box|account|user|recipient|address)\\b|\\binactive-mailbox\\b|p=DisabledUser',
      '\\b(?:mail ?box|account|user|recipient|address)(?: \\S{1,64})? (?:has |is |was )?(?:been )?(?:expired|retired|abandoned|deprovisioned|decommissioned)\\b',
    ).concat(SHUT_ELSEWHERE),
  },
  {
    // "Recipient address rejected: Access denied" is Exchange Online's for an address it does not have (its NDR list,
    // 550 5.4.1; directory based edge blocking)
    name: 'no_such_address',
    class: 'permanent',
    words: anyOf(
      '\\b5\\.4\\.1\\b.{0,60}\\brecipient address rejected: access denied',
      '\\brecipient address rejected: access denied\\b.{0,30}\\bprotection\\.outlook',
    ),
  },
  {
    // who we are: no login, no right to relay (RFC 4954; Postfix, Sendmail, Exim, Exchange, qmail's rcpthosts)
    name: 'relaying',
    class: 'policy',
    words: anyOf(
      '\\brelay(?:ing|ed)?\\b.{0,40}\\b(?:denied|not|prohibited|disallowed|refused|disabled|forbidden|access)|\\b(?:no|cannot|unable to|will not|won.t|do(?:es)? not|doesn.t|can.t|refus\\w+ to|not (?:permitted|allowed|authori[sz]ed) to|attempt to|open) (?:\\S{1,20} )?relay|\\brcpthosts\\b|\\bnot (?:\\S{1,20} )?(?:gateway|relay|local host)\\b|\\bdomain (?:\\S{1,60} )?(?:is )?not (?:hosted|handled|served|local|accepted|allowed|relayable)\\b|\\brelaying-issues\\b',
      '\\bauthenticat\\w*\\b.{0,20}\\b(?:required|needed|first)\\b|\\b(?:must|need to|please|have to) (?:be )?(?:authenticat\\w*|log ?in)|\\blogin (?:required|first)\\b|\\bnot (?:logged in|authenticated)\\b|\\bauth(?:entication)? (?:required|failed|failure)\\b|\\bSMTP AUTH\\b|\\bpop before smtp\\b',
    ),
  },
  {
    // the name servers did not say whether there is such a domain (Postfix, Exim, Gmail's "responded with code SERVFAIL")
    name: 'trouble',
    class: 'transient',
    words: anyOf(
      // an MTA's own words for a conversation that broke off, whatever it was about
      '\\blost connection with\\b|\\bconversation with .{1,80} timed out|\\btimed out while (?:sending|receiving|performing)\\b',
      '\\bSERVFAIL\\b|\\b(?:unexpected|malformed|invalid|bad) (?:name ?server|dns) (?:reply|response|answer)|\\bname ?servers? (?:\\S{1,60} )?(?:(?:did|do|does) not (?:answer|respond|reply)|failure|failed|timed? ?out|time-?out|is down|unreachable)|\\bno (?:response|reply) (?:from|by) (?:the )?(?:\\S{1,20} )?(?:name ?servers?|dns)|\\b(?:dns|mx|name|host ?name|domain) (?:\\S{1,20} )?(?:lookup|resolution|query|resolver) (?:\\S{1,60} ){0,3}(?:timed? ?out|temporar\\w+|deferred|try again)|\\btemporary (?:dns|name|lookup|resol)',
    ),
    unless: /\bNXDOMAIN\b|\bnot found(?!, try again)|\bnon-?exist|\bno such\b|\bdoes not exist/i,
  },
  {
    // our address or domain on a list, its reverse DNS, its name (receivers' and lists' own words)
    name: 'block',
    class: 'policy',
    words: anyOf(
      '\\b(?:block ?list(?:ed)?|black ?list(?:ed|ing)?|blocklisted|denylist\\w*|deny.?list\\w*|dnsbl|rbl|spamhaus|spamcop|sorbs|barracuda\\w*|sender ?score|senderbase|cloudmark|proofpoint|trend ?micro|invaluement|uceprotect|abuseat|cbl|surbl|uribl|TSS?\\d\\d|S31[45]0|BL2[1-3]|PH01|OFR\\w*|LPN\\w*\\d|IB\\d{3}\\w?|CS01|(?:RP|HL|MI|DT|IP|ST|AU|RS|IB):[A-Z]{2,3}|CON:\\w+|RTR:\\w+|DYN:\\w+|HVU:\\w+|AUP#\\w+|RLY:\\w+|CT IP)\\b',
      '\\b(?:ip|host|hosts|address|addresses|client|connection|connections|message|mail|mails|e-?mail|e-?mails|content|domain|network|country|sender|server|envelope|url|attachment)s?\\b.{0,40}\\b(?:blocked|blocking|banned|denied access|prohibited)\\b|\\b(?:message|mail|e-?mail|ip|content|sender)s?\\b.{0,40}(?<!connection )\\brefused\\b|\\b(?:reject\\w*|refus\\w*|den(?:y|ies|ied)) (?:all )?(?:mail|e-?mail|messages?|connections?|access) from\\b|\\baccess from\\b.{0,40}\\bdenied|\\bintrusion\\b|\\bIP=\\d|\\bcontact your postmaster|\\bblocked\\b|\\bban(?:ned)?\\b',
      '黑名单|黑名單|ブラックリスト|블랙리스트|ч[её]рн\\S{1,3} спис',
      '\\bmessages? from\\b.{0,80}\\b(?:weren.t|were not) sent\\b|\\blisted (?:by|at|on|in)\\b(?! (?:\\S{1,20} ){0,3}(?:domino|director|address book|public))|\\b(?:is|are|was|been) listed\\b|\\breputation\\b|\\bblock (?:due|for|because|by)\\b',
      '\\b(?:helo|ehlo) command rejected\\b|\\b(?:connecting|client|sending|peer|originating|source|your) (?:ip|hosts?|host ?name|mta|server)(?: (?:address|name|ip))?\\b.{0,60}\\b(?:not|unknown|invalid|no such|reject\\w*|unresolvable)\\b|\\binvalid dns\\b|\\breverse (?:dns|lookup|name|host)|\\brdns\\b|\\bptr\\b|\\bfcrdns\\b|\\b(?:cannot|can.t|unable to|could not) (?:find|resolve) your\\b|\\bclient host rejected\\b|\\b(?:helo|ehlo)\\b(?! (?:command|response|reply))|\\bdynamic (?:ip|address|host|pool)|\\bdial-?up\\b|\\bresidential\\b|\\bgeneric (?:hostname|rdns|ptr)|\\bno (?:\\S{1,20} )?(?:hostname|dns a) for\\b|\\bfix reverse\\b|\\bnot allowed to connect\\b|\\bhost network not allowed\\b|\\bconnection(?:s)? (?:rejected|denied|not (?:allowed|accepted|authori[sz]ed))\\b|\\b(?:too many|excessive) complaints\\b|\\bcomplaints?\\b.{0,40}\\b(?:rate|high|received|user)|\\buser complaints?\\b',
    ),
  },
  {
    // the mail itself: filters for spam, viruses and content
    name: 'content',
    class: 'policy',
    codes: /^[45]\.6\.\d+$/,
    words: anyOf(
      '垃圾(?:邮件|郵件|信)|病毒|迷惑メール|ウイルス|스팸|바이러스|спам|вирус',
      '\\b(?:spam\\w*|junk|ubes?|uce|unsolicited|bulk (?:mail|e-?mail|sender)|phish\\w*|scam|virus\\w*|malware|malicious|infected|trojan|suspicious|abus\\w+|spamassassin|unwanted|bayes\\w*|advertis\\w+|content (?:was |is )?(?:reject\\w*|filter\\w*|denied|restriction|examination|policy|not)|(?:message|mail|e-?mail|content)s? (?:\\S{1,20} )?(?:content )?(?:is |was |has been |are )?(?:rejected|denied|refused|prohibited|filtered|not (?:accepted|allowed|wanted|acceptable)|unacceptable|discarded|quarantined)|banned (?:content|file|word|extension)|attachments? (?:is |are |type )?(?:not|banned|blocked|denied|rejected)|(?:forbidden|prohibited|dangerous|executable) (?:attachment|content|file)|non-?compliant|RFC ?-?(?:822|2822|5322|2047)|malformed|bare (?:lf|cr|linefeed|newline)|(?:missing|invalid|duplicate|multiple|bad|illegal) (?:\\S{1,20} )?(?:headers?|message-?id|subject|date|mime|character|charset|content)|message (?:failed|headers?|content)|no (?:\\S{1,20} ){0,3}(?:field|header|subject)s?(?: \\S{1,20})? (?:given|present|found|specified|provided)|(?:fields?|headers?) (?:is |are |was )?(?:missing|required|empty|not (?:given|present))|content-related|mime (?:error|type)|line (?:length|(?:is )?too long)|lines too long)\\b',
    ),
  },
  {
    // "Recipient rejected" is anything; beside the code of a lost address it is that
    name: 'no_such_address',
    class: 'permanent',
    beside: /^5\.1\.(?:1|6|10)$/,
    words: anyOf(
      '\\b(?:recipient|address|mail ?box|user)(?: address)?(?: \\S{1,80})?:? (?:was |is |has been )?(?:rejected|refused|denied|not accepted|unavailable)\\b|\\b(?:rejected|refused) (?:recipient|address)',
    ),
    unless:
      /\bpolic(?:y|ies)\b|\bprohibit|\bspam\b|\bfilter|\bsecurity\b|\btoo many\b|\btemporar|\bagain\b|\brate\b|\blimit|\bbusy\b|\btime(?:d )?-?out\b/i,
  },
  {
    // "administrative prohibition", "local policy", a recipient who does not want this mail
    name: 'policy',
    class: 'policy',
    words: anyOf(
      '(?:annahme|zustellung|nachricht|e-?mail)\\b.{0,40}\\b(?:verweigert|abgelehnt|blockiert)|\\b(?:message|courriel|e-?mail)\\b.{0,40}\\b(?:refusé|rejeté|bloqué)|\\b(?:mensaje|mensagem|correo|messaggio|bericht)\\b.{0,40}\\b(?:rechazad|bloquead|rejeitad|recusad|rifiutat|bloccat|geweigerd|geblokkeerd)',
      '\\bpolic(?:y|ies)\\b|\\badministrat\\w+ (?:prohib\\w+|reject\\w*|den\\w+|refus\\w+|restrict\\w*)|\\bprohibit\\w*|\\baccess (?:denied|refused|restricted|to this)|\\b(?:denied|rejected|refused) by (?!(?:the|a) (?:(?:remote|recipient.?s?|destination|other|receiving|target|e-?mail|mail) ){0,3}(?:server|host|system)\\b)(?:\\S{1,20} ){0,4}(?:filter|rule|administrator|policy|security|recipient|user|sieve|access|owner|gateway|system|anti\\S*)|\\bsecurity (?:polic\\w+|reasons?|settings?|risk|violation|check)|\\bnot (?:permitted|authori[sz]ed|allowed|welcome|wanted)\\b|\\bunauthori[sz]ed\\b|\\bforbidden\\b|\\brestrict(?:ed|ion|ions)\\b|\\bsieve\\b|\\bwhite ?list|\\bchallenge\\b|\\bencrypt\\w*\\b.{0,30}\\b(?:required|needed|must)|\\bTLS\\b.{0,30}\\b(?:required|needed|must)|\\bmust (?:issue|use) (?:a )?STARTTLS\\b|\\brejected by (?:the )?recipients?\\b|\\brecipient (?:has )?(?:rejected|refuse[sd]?|declined?|blocked|(?:does ?n.?t|does not|do not) (?:want|accept|like|allow))|\\bmessage rejected\\b|\\bmail rejected\\b|\\bdelivery not authori[sz]ed\\b|\\bspam-related|\\bpolicy-related|\\b(?:not accept(?:ing|ed)?|(?:does|do|did|will|can) ?(?:not|n.t) (?:accept|take|receive)|cannot accept|refus\\w+|no longer accept\\w*)\\b(?: (?:any|e-?mails?|mails?|messages?|connections?|traffic)){0,3} (?:from|with|containing|that contain|larger|over|in html)\\b|\\bprotocol-errors|\\bbad-configuration|\\bvirus-related',
    ),
  },
  // the name servers' own word for it
  {
    name: 'no_such_domain',
    class: 'permanent',
    words: anyOf('\\bNXDOMAIN\\b|\\bNonExistentDomain\\b|\\bquery(?:Mx|A|Aaaa)? ENOTFOUND\\b'),
  },
  {
    // the recipient's domain: RFC 3463 X.1.2, RFC 7504 (556), RFC 7505 (null MX); Postfix, Sendmail ("Host unknown"),
    // qmail, Exim ("Unrouteable address"), Exchange (NonExistentDomain), Gmail ("Domain name not found"), IronPort
    name: 'no_such_domain',
    class: 'permanent',
    words: anyOf(
      `\\b(?:domain|host|hostname|mail ?server name|destination)s?(?: or domain)?(?: ?names?)?(?: [^ ]{1,80}){0,2}? (?:is |was )?${MISSING}`,
      '\\b(?:domain|host|hostname)s?(?: ?names?)?\\b(?: [^ ]{1,80})? ?(?:is |are |\\()?(?:unknown(?! (?:error|reason))|not known|invalid|not valid|no longer (?:exists?|valid|active|in use|registered|hosted))\\b',
      '\\b(?:unknown|no such|invalid|bad|illegal|incorrect|non-?existe?a?nt|unresolvable|unrout\\w+) (?:(?:destination|mail|recipient|remote|domain|internet|host|or|\\/|e-?mail) ){0,2}(?:host|domain|system|hostname|domain ?name|host ?name|host\\/domain|destination)\\b',
      '\\b(?:name or service|nodename nor servname|node name) not (?:known|provided)|\\bcould ?(?:not|n.t) find any host\\b|\\bno (?:address|dns (?:information|records?|entry|data)|ip address|such (?:host|domain|name)) (?:was )?(?:found )?(?:for|associated|known|exists?)|\\b(?:cannot|can.?t|could ?n.?o?t|unable to|failed to) (?:resolve|find|look ?up|locate) (?:the )?(?:\\S{1,20} )?(?:domain|hostname|host name|host named|destination (?:host|domain))',
      '(?:^|[ :"])(?:[\\w-]{1,63}\\.){1,6}[a-z]{2,20} (?:does not|doesn.t) exist\\b',
      '\\bunrout(?:e)?able (?:mail )?(?:address|domain)|\\bpoint to non-?existent hosts?\\b|\\bbad-domain\\b|\\bp=BadRcptDomain',
      '\\bnull ?mx\\b|\\bno mail hosts? for domain\\b|\\bno mail ?(?:servers?|exchangers?|hosts?)\\b.{0,30}\\b(?:exists?|found|for|defined)\\b|\\bname ?servers? (?:\\S{1,60} )?(?:ha(?:s|d|ve)|gave|gives?|returns?|returned|know\\w*) no (?:answer|records?|data|entry|information)\\b|\\bno (?:answer|records?|data) (?:from|of|at|by) (?:the |any )?(?:name ?servers?|dns) (?:for|about) (?:the |this |that )?(?:domain|host)|\\bdomain has no MX\\b|\\bno SMTP service\\b|\\bdomain (?:\\S{1,80} )?(?:does not|doesn.t|will not|never) (?:accept|receive|take) (?:any )?(?:e-?)?mail(?!s? (?:from|with))|\\bno (?:valid |usable )?(?:mx|mail exchanger)(?: records?| hosts?)? (?:(?:or|nor|and) a\\b|for|found|exists?|in dns)|\\bdomain (?:(?:\\S{1,80} )?(?:has|is) (?:been )?|(?:\\S{1,80}\\.\\S{2,20} )?)(?:expired|not registered|unregistered|deleted)\\b',
    ).concat(DOMAIN_ELSEWHERE),
    // the name servers did not answer, or the name has no record of that type yet
    unless:
      /\btry again\b|\btimed? ?out\b|\bserv ?fail|\btemporar|\blookup fail(?!.{0,60}\bnot found)|\bno data record\b|\bdns (?:timeout|error)\b(?!.{0,120}(?:NXDOMAIN|not found|non-?exist))|\bcommand\b.{0,10}\bunknown/i,
  },
  {
    // the network or a server was in trouble for longer than the mail was tried (RFC 3463 X.3.2, X.4.X)
    name: 'trouble',
    class: 'transient',
    words: anyOf(
      '\\b(?:timed? ?out|time-?out|connection (?:was )?(?:refused|reset|dropped|lost|closed|failed|failure|failures|aborted|timed)|lost connection|network (?:is )?(?:unreachable|error|failure|problem)|no route to host|(?:host|system|server) (?:is |was |could not be )?(?:unreachable|reached|not reachable|down|busy|not (?:available|responding|accepting))|retry (?:time|timeout|limit|count)|too many (?:connections|concurrent|hops|sessions|received|recursive)|hop ?count|maximum (?:number of )?(?:hops|retries|attempts)|insufficient (?:disk|system|storage|resources|memory)|out of (?:memory|disk)|no space left|queue (?:too long|lifetime|expired|time)|(?:unable|failed|(?:was|were|is) ?(?:not|n.t) able) to (?:connect|contact|reach|establish)|did not accept .{0,20}connect|hosts? have been failing|can(?:no|.)?t (?:connect|contact|reach)|could ?(?:not|n.t) (?:connect|contact|reach|be contacted)|not respond(?:ing)?|no (?:answer|response) from|system (?:error|not accepting|failure|problem)|service (?:temporarily |currently |is |not )?(?:unavailable|available)|server (?:error|busy|unavailable)|internal (?:server )?error|i\\/o error|resources (?:are )?(?:temporarily )?unavailable|local (?:configuration )?error|(?:configuration|database|software|processing) (?:error|problem)|misconfigur\\w+|error (?:in )?processing|mail(?:er)? (?:forwarding )?loops?|loops? back|loop(?:s|ed|ing)?(?: (?:back|detected|on|through|between|condition|error))?|congest\\w+|name ?server (?:failure|timeout)|(?:dns|lookup|host name lookup) (?:failure|failed|timeout|error)|no-answer-from-host|bad-connection|routing-errors|message-expired)\\b',
      '\\bconnection (?:with|to) \\S{1,80} (?:is |was |has been )?(?:broken|lost|closed|reset|refused|timed out)\\b',
      '\\bqueue file (?:write|read) error\\b|\\b(?:maildir|mailbox|mbox) delivery failed: |\\balready (?:has|contains?|have) (?:my|our|a|the|this) delivered-to\\b|\\b(?:command|(?:child )?process|program|pipe|mailer|transport|script|agent|filter)\\b(?: [^.;]{1,80})?? (?:died|crashed|dumped core|terminated|killed|was killed|timed out|exited|returned (?:exit|status|code|\\d+)|failed)\\b|\\bunknown mailer error\\b|\\blocal delivery failed\\b|\\bexit(?:ed)?(?: with)? (?:status|code)\\b|\\b(?:can.?t|could ?n.?o?t|cannot) (?:create|open|write|lock|append)\\b',
      '\\bMX (?:record|list|host)s?\\b.{0,80}\\bpoint(?:s|ing)? (?:back )?to (?:the |a )?(?:local ?host|itself|myself|me\\b|us\\b|this (?:host|server))|\\b(?:E?SERVFAIL|ETIMEDOUT|ETIMEOUT|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)\\b|\\bconnection to (?:the )?(?:\\S{1,40} ){0,3}(?:server|host) failed\\b|\\bnetwork error\\b',
      '\\bunreachable for too long\\b|\\btoo many (?:hops|loops|received)|\\bdomain (?:is )?(?:not|un) ?reachable\\b',
    ).concat(TROUBLE_ELSEWHERE),
  },
  {
    // given up after tries that failed: qmail, Exim, Sendmail, IronPort, Exchange (QUEUE.Expired), OpenSMTPD
    // ("Envelope expired"), Courier, MDaemon
    name: 'expired',
    class: 'transient',
    words: anyOf(
      '\\b(?:connection|session) expired\\b|\\bexceeded (?:\\S{1,20} ){0,3}(?:time|lifetime)\\b|\\bfor too long\\b|\\bstopped trying\\b|\\bwithout success\\b|\\b(?:undeliver\\w+|failing|queued|tried) (?:\\S{1,20} )?for (?:a long|several|many)\\b',
      '\\b(?:message|delivery(?: time)?|mail|envelope|queue|e-?mail|retention|retry|lifetime|time ?limit)\\b.{0,20}\\b(?:expired|exceeded|elapsed)\\b|\\bexpired (?:after|in queue|from queue)|\\bQUEUE\\.Expired\\b|\\bdelivery tim\\w+ ?out\\b',
      '\\b(?:undeliverable|undelivered|(?:not|n.t) (?:be |been )?(?:able to be |able to )?deliver\\w*|not deliver\\w* (?:it|your \\w+|message)|tried to deliver (?:\\S{1,20} )?|queued|queue|failing|tried|trying|retried|retrying|attempt\\w*) (?:\\S{1,20} ){0,3}(?:for|after|within|over) (?:\\S{1,20} ){0,4}?\\d+ ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hours?|hrs?|d|days?)\\b',
      '\\b(?:after|for|within|more than|over|in) (?:the last |the past |about |a )?\\d+(?:[.,:]\\d+)* ?(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?)\\b(?!.{0,20}\\bquarantine)',
      '\\b(?:after|of|made|with) (?:\\w+ ){0,2}?(?:\\d+|several|many|multiple|repeated|numerous) (?:\\S{1,20} ){0,2}(?:attempts?|tries|retries)\\b|\\b(?:[2-9]|\\d\\d+) (?:delivery |unsuccessful |failed )?(?:attempts|tries|retries)\\b|\\b(?:attempts|retries|tries) (?:have been |were )?(?:exhausted|exceeded|used up|failed)\\b|\\b(?:max(?:imum)?|too many) (?:number of )?(?:delivery )?(?:attempts|retries|tries)\\b|\\baborted after\\b|\\bin (?:the )?queue (?:too|for)\\b|\\btoo old\\b|\\bgave up\\b|\\bhad been queued\\b',
    ),
  },
]

/** The kinds that a code alone tells, where no words were clear (RFC 3463 and IANA's registry). */
export const BY_CODE: readonly Kind[] = [
  // bad mailbox, bad system, bad syntax, has moved, null MX
  { name: 'no_such_address', class: 'permanent', codes: /^5\.1\.(?:1|2|3|6|10)$/ },
  // delivery not authorized and all of security and policy
  { name: 'policy', class: 'policy', codes: /^5\.7\.\d+$/ },
  // no answer, bad connection, directory, routing, congestion, loop, expired; Exchange's X.4.14 and X.4.3XX
  { name: 'trouble', class: 'transient', codes: /^5\.(?:4\.\d+|3\.2|3\.5|2\.4)$/ },
]

/** The kinds that count where neither clear words nor a clear code say more. */
export const VAGUE: readonly Kind[] = [
  {
    // a mailbox that is disabled by its code, for whatever words there are for that
    name: 'disabled',
    class: 'permanent',
    codes: /^5\.2\.1$/,
    words: anyOf(
      '\\b(?:suspended|locked|frozen|blocked|expired|not accepting|unavailable|no longer|disabled|inactive|closed|cannot be accessed|not active|deactivated|terminated)\\b',
    ),
  },
  {
    // RFC 5321's text for 550 and 553, Outlook.com's and GMX's whole answer to an unknown user; policy is ruled out above
    name: 'no_such_address',
    class: 'permanent',
    words: anyOf(
      '\\b(?:mail ?box|user|account)(?: [^ ]{1,80}){0,2}? (?:name )?(?:is )?(?:currently )?(?:unavailable|not available|not allowed|name invalid|unreachable)\\b',
      '\\bno mail ?box\\b',
    ),
    when: 'before the content',
    unless: /\bbusy\b|\bcurrently\b/i,
  },
  { name: 'policy', class: 'policy', codes: /^5\.[35]\.\d+$/ },
  {
    name: 'policy',
    class: 'policy',
    isForReplies: true,
    words: anyOf(
      '\\b(?:sender|sending|your (?:message|mail|e-?mail)|message content|headers?|content|attachments?|spam|too many|denied|refused|authentication|protocol|syntax|violation|command|pipelining|ssl|tls|not accept(?:ed|ing)?|don.t accept|(?:is|was) rejected by)\\b',
    ),
  },
]
