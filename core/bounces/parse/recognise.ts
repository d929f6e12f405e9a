import { judge } from '../judge.ts'
import { ownWords } from './failure-words.ts'
import type { HeaderFields } from './mime.ts'
import type { ReportEnvelope } from './parsed-report.ts'

const DAEMON =
  /mailer[-_]?daemon|post[-_]?master|mail ?delivery|mail ?administrator|system ?administrator|mail ?system|\bbounce|mailmaster|<>/i
const SUBJECT =
  /undeliver|returned (?:mail|to sender)|delivery (?:status|failure|failed|error|has failed|problem|unsuccessful|to the following|incomplete)|mail (?:delivery|failure|error|system error)|failure notice|failed (?:mail|delivery)|could not (?:be delivered|send)|non.?deliver|not delivered|message (?:delivery|undeliverable|rejected|refused)|rejected mail|user unknown|unbekannt|unzustellbar|nicht zugestellt|non remis|échec|no entregad|delivery notification|onbestelbaar|niet (?:bezorgd|afgeleverd)|recapit|non consegnat|não (?:entregue|foi)|devolvid|退信|配信不能|配信エラー|送信でき|送信エラー|недоставлен|не доставлен/i
const BODY =
  /(?:could|can|was|were|did|has|have) ?(?:not|n.t) (?:be |been |reach |able to )?(?:be )?(?:deliver|reach|send|sent)|undeliverable|delivery (?:to the following|has failed|failed|error)|permanent (?:fatal )?error|unable to deliver|failed to deliver|was rejected|returned to sender|\b5\d\d\b.{0,80}\b(?:no such user|user unknown|unknown user)|(?:was|were|could|cannot|can|is)? ?(?:not|n.t) (?:be )?(?:delivered|accepted|zugestellt|reach(?:ed)?)|failed permanently|permanent(?:ly)? fail|delivery (?:failure|fail|problem|unsuccessful|attempt)|(?:following|these) (?:address(?:es)?|recipients?).{0,40}(?:fail|reject|could not|error|problem)|(?:fatal|delivery|transient|permanent) errors?\b|returned (?:mail|message|to)|(?:mail|message|e-?mail) (?:was |is |has been |could |can )?(?:return|reject|bounc|refus)\w*|nicht zugestellt|unzustellbar|n.a pas pu|non remis|no (?:se )?(?:pudo|ha podido)|não (?:pôde|foi)|impossibile|送信でき|配信でき|配信不能|無法|无法|не (?:доставлено|удалось|может)/i

/**
 * A message is a bounce when it has at least two of its marks: no sender, a mail system as author, a subject or a text
 * that says so. One of them must say that something was not delivered, since machines write about much else. An
 * automatic answer must name a refusal as well: people are away, tickets are opened, and the subject quotes anything.
 */
export function isBounce(fields: HeaderFields, text: string, envelope: ReportEnvelope | undefined): boolean {
  if (fields.get('x-failed-recipients') !== undefined) return true
  const from = fields.get('from')?.slice(0, 500) ?? ''
  const path = fields.get('return-path')?.slice(0, 500)
  const hasNoSender = envelope?.from === '' || (path !== undefined && (/<\s*>/.test(path) || DAEMON.test(path)))
  const isDaemon = DAEMON.test(from)
  const says = SUBJECT.test(subjectOf(fields)) || fields.get('content-type')?.includes('multipart/report') === true
  const words = ownWords(text.slice(0, 4000))
  const body = BODY.test(words)
  if ([hasNoSender, isDaemon, says, body].filter(Boolean).length < 2) return false
  if (isAutoReply(fields) || CHALLENGE.test(words)) return namesRefusal(words, MAILER.test(from))
  return body || namesRefusal(words, true) || (isDaemon && judge({ words, isReport: true }).class !== 'unknown')
}

const MAILER = /mailer[-_]?daemon|mail delivery (?:sub)?system/i

/** Somebody who takes mail from strangers only after they have answered. */
const CHALLENGE =
  /\b(?:confirm|verify|validate|authenticate) (?:that you|your(?:self| (?:message|e-?mail|address|identity)))|\bto (?:release|deliver) (?:it|your (?:message|e-?mail)).{0,80}\b(?:click|reply|visit)|\bclick (?:on )?(?:the|this) (?:link|button)|\bjust (?:reply|click)|\bone.?time (?:confirmation|verification)/i

/** Whether a text has a status code or a reply: a number alone may be of a street. */
function namesRefusal(words: string, isMailSystem: boolean): boolean {
  if (STATUS_CODE.test(words)) return true
  const reply = /^[ \t<>|*-]{0,80}(?:<?[^\s<>@]{1,64}@[^\s<>@]{1,255}>?:?\s+)?[45]\d\d[ -](.{3,})$/m.exec(words)?.[1]
  return reply !== undefined && (isMailSystem || judge({ words: reply }).class !== 'unknown')
}

const STATUS_CODE =
  /(?:^[ \t>]{0,80}|[(<[]|#|Status: ?|\b[45]\d\d[ -])#?[45]\.\d{1,3}\.\d{1,3}\b(?!\.)|\b(?:said|response|replied|answered):? ["'(<]?[45]\d\d[ -]/im

/** Whether a machine answers for a person (RFC 3834, and the older headers for it). */
export function isAutoReply(fields: HeaderFields): boolean {
  const submitted = fields.get('auto-submitted')?.trim().toLowerCase()
  if (submitted !== undefined && submitted !== '' && !submitted.startsWith('no')) return true
  if (AUTO_FIELDS.some((name) => fields.get(name) !== undefined)) return true
  if (/auto.?reply/i.test(fields.get('precedence') ?? '')) return true
  return AUTO_SUBJECT.test(subjectOf(fields))
}

const AUTO_FIELDS = ['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-autoreply-from', 'x-auto-reply'] as const
const AUTO_SUBJECT =
  /^\s*(?:(?:auto|automatic|automated)[ :-]{0,2}(?:reply|response|antwort)|out of (?:the )?office|abwesen|réponse automatique|respuesta automática|risposta automatica|automatische antwort|autoreply|vacation)/i

/** The subject, as much of it as is looked at. */
export function subjectOf(fields: HeaderFields): string {
  return fields.get('subject')?.slice(0, 500) ?? ''
}
