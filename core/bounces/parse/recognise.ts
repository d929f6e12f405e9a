import { decodeWords, unmangled } from '../../values/decoded-words.ts'
import { isClear, judge } from '../judge.ts'
import { hasAutomaticMark } from './automatic-marks.ts'
import { isAutomaticSubject } from './automatic-subject.ts'
import { ownWords, reportsDelay } from './failure-words.ts'
import type { HeaderFields } from './mime.ts'
import { addressesIn } from './named-recipients.ts'
import type { ReportEnvelope } from './parsed-report.ts'

/** Authors that are mail systems, by their names or their addresses. */
const DAEMON =
  /mailer[-_]?daemon|\bmdaemon\b|post[-_]?master|mail ?delivery|mail ?administrator|system ?administrat|systemadministrator|mail ?system|\bbounces?(?![a-z])|mailmaster|<>|<@>|microsoft ?(?:exchange|outlook)|\b(?:e-?mail|mail|smtp)[ -]?(?:daemon|server|gateway|robot|notification)|\b(?:mail )?delivery (?:daemon|robot|notification|service|agent)|\bmail transfer agent|\bsystem attendant|maildienst|message transfer|internet mail|courier mail|\bNDR\b/i
/** Addresses that machines use for anything: what they send may be a report. */
const MACHINE =
  /^(?:no-?_?reply|sysadmin|mailadmin|webmaster|hostmaster|do-?_?not-?_?reply|donotreply|system|admin|administrator|root|mail|smtp|daemon|mta|server|notifications?|notify|robot|automat\w*|return\w*|failure\w*|error\w*|undeliver\w*)$/i
const SUBJECT =
  /undeliver|returned (?:mail|to sender)|delivery (?:status|failure|failed|error|has failed|problem|unsuccessful|to the following|incomplete|delay\w*)|mail (?:delivery|failure|error|system error)|failure notice|failed (?:mail|delivery)|could not (?:be delivered|send)|non.?deliver|not (?:be )?delivered|message (?:delivery|undeliverable|rejected|refused|status)|rejected mail|user unknown|unknown user|delivery notification|mail.{0,20}(?:bounced|returned)|unbekannt|unzustellbar|(?:nicht|konnte nicht) zugestellt|zustellung|nicht zustellbar|non remis|non distribu|échec|impossible de remettre|no (?:se (?:pudo|puede) )?entrega|no entregad|mensaje devuelto|devuelto|onbestelbaar|niet (?:bezorgd|afgeleverd)|recapit|non consegnat|mancata consegna|não (?:entregue|foi)|devolvid|falha (?:na|de) entrega|niedostarcz|nie dostarcz|zwrot|nie doręcz|退信|退回|发送失败|投递失败|送信失敗|配信不能|配信エラー|送信でき|送信エラー|配信できません|配信(?:の)?遅延|недоставлен|не доставлен|ошибка доставки|반송|전송 ?실패|발송 ?실패|kunde inte levereras|kunne ikke leveres|nedoručen|iletilemedi|teslim edilemedi|toimittamaton|ei voitu toimittaa|kézbesíthetetlen|nedoručitelné|ikke leveret|ikke levert|olevererbar|nelivrabil|недоставлене|μη παραδοτέο/i
const BODY =
  /(?:could|can|was|were|did|has|have) ?(?:not|n.t) (?:be |been |reach |able to )?(?:be )?(?:deliver|reach|send|sent)|undeliverable|delivery (?:to the following|has failed|failed|error)|permanent (?:fatal )?error|error (?:has )?occurred while (?:attempting|trying) to (?:deliver|send)|unable to (?:be )?deliver|failed to deliver|was rejected|returned to sender|\b5\d\d\b.{0,80}\b(?:no such user|user unknown|unknown user)|(?:was|were|could|cannot|can|is)? ?(?:not|n.t) (?:be )?(?:delivered|accepted|zugestellt|reach(?:ed)?)|failed permanently|permanent(?:ly)? fail|delivery (?:failure|fail|problem|unsuccessful|attempt)|(?:following|these) (?:address|recipient).{0,40}(?:fail|reject|could not|error|problem)|(?:fatal|delivery|transient|permanent) errors?\b|returned (?:mail|message|to)|(?:mail|message|e-?mail) (?:was |is |has been |could |can )?(?:return|reject|bounc|refus)\w*|nicht (?:zugestellt|zustellbar|ausgeliefert)|unzustellbar|nachrichtenzustellung|n.a pas pu|non remis|impossible de (?:remettre|distribuer|délivrer)|no (?:se )?(?:pudo|ha podido|puede|ha sido posible)|não (?:pôde|foi|pode)|falha (?:na|de|no) (?:entrega|envio)|échec de (?:la )?(?:remise|distribution|livraison)|error (?:de|en la) entrega|mancat[ao] (?:consegna|recapito)|fehler bei der zustellung|błąd (?:doręcz|dostarcz)|ошибка доставки|impossibile|non (?:è stato|consegnat)|(?:kon|kan|kunnen) niet (?:worden )?(?:bezorgd|afgeleverd)|nie (?:można|mogła|został|udało)|送信でき|配信でき|配信されてい|配信不能|届け(?:られ|でき)|届いてい|無法|无法|发送失败|投递失败|送信失敗|退回|被退|未能(?:投递|送达|发送|傳遞)|未送达|(?:не (?:доставлено|удалось|может|была? доставлен))|전송되지|전달되지|보내지 못|kunde inte|kunne ikke|gick inte att leverera|misslyckades|mislykkedes|lykkedes ikke|nelze doručit|doručení [^.!?\n]{0,60}selhalo|iletilemedi|teslim edileme|epäonnistui|ei voitu toimittaa|nem sikerült|nem kézbesíthető|kézbesíthetetlen|δεν (?:ήταν δυνατή|παραδόθηκε)|nu a putut fi livrat|не вдалося|לא נמסר|אין אפשרות ל|לא ניתן ל|تعذ(?:ر|ّر) (?:تسليم|إرسال)|لم يتم (?:تسليم|التسليم)/i

/** A message that came back, as far as it is looked at to see whether it is a report. */
interface Signs {
  readonly fields: HeaderFields
  readonly words: string
  /** The author is a mail system, a machine that may be one, or a person as far as can be seen. */
  readonly author: 'system' | 'machine' | 'person'
  readonly isAuto: boolean
  readonly hasNoSender: boolean
  /** Its subject says that something was not delivered. */
  readonly says: boolean
}

/**
 * Whether a message without a machine-readable delivery status is a bounce. It must say that something was not delivered,
 * or name a refusal. A mail system may say so in its own words; anyone else must name the address that failed, and a
 * refusal: people are away, tickets are opened, and their answers quote anything.
 */
export function isBounce(fields: HeaderFields, text: string, envelope: ReportEnvelope | undefined): boolean {
  if (fields.get('x-failed-recipients') !== undefined) return true
  const signs = signsOf(fields, text, envelope)
  const { words, author, isAuto, hasNoSender, says } = signs
  if (author === 'person') return isReportOfStranger(signs)
  // an administrator answers with an address of his own; a machine that has one names the address that failed
  if (!hasNoSender && ANSWER.test(subjectOf(fields))) return false
  if (!hasNoSender && author === 'machine' && !namesAnother(fields, words)) return false
  const body = BODY.test(words) || reportsDelay(words)
  const isDaemon = author === 'system'
  if ([hasNoSender, isDaemon, says, body].filter(Boolean).length < 2) return false
  if (CHALLENGE.test(words)) return namesRefusal(words, false)
  if (isAuto) {
    const isReport = body || (isDaemon && says && hasNoSender)
    return namesRefusal(words, false) || (isReport && addressesIn(words).length > 0 && namesFailure(words))
  }
  return body || namesRefusal(words, true) || (isDaemon && isClear(judge({ words, isReport: true })))
}

/** A report whose author is no mail system that is known: it names an address that is not its own, and a refusal. */
function isReportOfStranger({ fields, words, isAuto, hasNoSender, says }: Signs): boolean {
  if (ANSWER.test(subjectOf(fields)) || CHALLENGE.test(words) || isAway(words)) return false
  if (isAuto) return startsWithRefusal(words, authorOf(fields))
  if (!hasNoSender) return false
  return says && (namesRefusal(words, true) || namesFailure(words))
}

function signsOf(fields: HeaderFields, text: string, envelope: ReportEnvelope | undefined): Signs {
  const path = fields.get('return-path')?.slice(0, 500)
  const isUnknown = envelope === undefined && path === undefined
  const hasNoSender =
    envelope?.from === '' || isUnknown || (path !== undefined && (/<\s*>/.test(path) || DAEMON.test(path)))
  return {
    fields,
    words: ownWords(text.slice(0, 4000)),
    author: kindOfAuthor(fields),
    isAuto: isAutoReply(fields),
    hasNoSender,
    says: SUBJECT.test(subjectOf(fields)) || fields.get('content-type')?.includes('multipart/report') === true,
  }
}

function kindOfAuthor(fields: HeaderFields): Signs['author'] {
  const from = headerText(fields.get('from') ?? '')
  if (from.trim() === '' || DAEMON.test(from)) return 'system'
  const local = authorOf(fields)?.split('@', 1)[0] ?? ''
  return MACHINE.test(local) || local === '' ? 'machine' : 'person'
}

/** The author's address. */
export function authorOf(fields: HeaderFields): string | undefined {
  return addressesIn(headerText(fields.get('from') ?? ''))[0]
}

/** Whether the author is a person, as far as its name tells. */
export function isPerson(fields: HeaderFields): boolean {
  return kindOfAuthor(fields) === 'person'
}

/** Words of a mailbox that takes mail from strangers only after they have answered. */
const CHALLENGE =
  /\b(?:confirm|verify|validate|authenticate) (?:that you|your(?:self| (?:message|e-?mail|address|identity)))|\bto (?:release|deliver) (?:it|your (?:message|e-?mail)).{0,80}\b(?:click|reply|visit)|\bclick (?:on )?(?:the|this) (?:link|button)|\bjust (?:reply|click)|\bone.?time (?:confirmation|verification)/i

/** Whether the words are of a person who is away, or of a desk that has opened a ticket. */
function isAway(words: string): boolean {
  return /\b(?:i am|i.m|i will|i.ll|my (?:office|return|colleague|holiday|vacation|new|old|address)|out of (?:the )?office|on (?:holiday|vacation|leave)|ich bin|bin ich|meine[rn]? (?:vertretung|neue|rückkehr)|je suis|je serai|mon absence|estoy|estaré|estou|estarei|sono (?:fuori|assente)|ik ben|jestem|ticket|(?:your|su) (?:request|enquiry|inquiry|case|solicitud|consulta)|vorgangsnummer)\b|不在|休暇|отпуск/i.test(
    words,
  )
}

/** A subject of an answer, or of a mail that is passed on. */
const ANSWER =
  /^\s*(?:re|fwd?|aw|wg|tr|rv|r|sv|vs|vb|ref|antw|odp|enc|doorst|ynt|回复|回覆|答复|答覆|转发|轉寄|返信|転送|회신|전달)\s*[:：]/i

/** Whether a person has passed a mail on, as far as the subject and the envelope tell. */
export function isPassedOn(fields: HeaderFields, envelope: ReportEnvelope | undefined): boolean {
  return isPerson(fields) && Boolean(envelope?.from) && ANSWER.test(subjectOf(fields))
}

/** Whether a text names an address that is neither its author's nor the one that it was sent to. */
function namesAnother(fields: HeaderFields, words: string): boolean {
  const own = new Set(['to', 'from'].flatMap((name) => fields.all(name).flatMap(addressesIn)))
  return addressesIn(words).some((address) => !own.has(address))
}

/** Whether a text has a status code or a reply: a number alone may be of a street. */
function namesRefusal(words: string, isMailSystem: boolean): boolean {
  if (STATUS_CODE.test(words)) return true
  const reply = LINE_WITH_REPLY.exec(words)?.[1]
  return reply !== undefined && (isMailSystem || judge({ words: reply }).class !== 'unknown')
}

/** A reason that is clear in a sentence, not one that may be read into it. */
function namesFailure(words: string): boolean {
  const judged = judge({ words, isReport: true })
  return isClear(judged) && judged.class !== 'policy'
}

/** Whether a line of an automatic answer is a refusal of another address, as mail systems list them. */
function startsWithRefusal(words: string, own: string | undefined): boolean {
  const [, address, reply] =
    /^[ \t<>|*-]{0,80}<?([^\s<>@]{1,64}@[^\s<>@:]{1,255})>?:?\s+(?:[^\n]{0,200}\s)?((?:[45]\d\d[ -]|#?[45]\.\d{1,3}\.\d{1,3}).{3,})$/m.exec(
      words,
    ) ?? []
  return address !== undefined && reply !== undefined && address.toLowerCase() !== own
}

const LINE_WITH_REPLY =
  /(?:^[ \t<>|*-]{0,80}(?:<?[^\s<>@]{1,64}@[^\s<>@]{1,255}>?:?\s+)?|\b(?:returned|answered|said|replied|error code|response):? ?)[[(]?[45]\d\d[\])]?[ -](.{3,})$/m

const STATUS_CODE =
  /(?:^[ \t>]{0,80}|[(<[]|#|Status: ?|\b[45]\d\d[ -])#?[45]\.\d{1,3}\.\d{1,3}\b(?!\.)|\b(?:said|response|replied|answered):? ["'(<]?[45]\d\d[ -]/im

/** Whether a machine answers for a person (RFC 3834, and the older headers for it). */
export function isAutoReply(fields: HeaderFields): boolean {
  const submitted = fields.get('auto-submitted')?.trim().toLowerCase()
  if (submitted !== undefined && submitted !== '' && !submitted.startsWith('no')) return true
  if (hasAutomaticMark((name) => fields.get(name))) return true
  return isAutomaticSubject(subjectOf(fields))
}

/** The subject, as much of it as is looked at. */
export function subjectOf(fields: HeaderFields): string {
  return headerText(fields.get('subject') ?? '')
}

function headerText(value: string): string {
  return decodeWords(unmangled(value.slice(0, 1000))).slice(0, 500)
}
