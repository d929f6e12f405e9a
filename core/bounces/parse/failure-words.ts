import { QUOTED_FIELD } from './named-recipients.ts'

/** Where the text of a report ends and the returned mail begins. */
const RETURNED: readonly RegExp[] = [
  /^[->\t *=_#|]{0,80}(?:(?:this is|below this line is|here is|below is|following is)? ?a? ?copy of (?:the|your)|(?:unsent|original|returned|unaltered|undelivered|rejected) (?:message|mail)(?: (?:headers?|text|body|follows|below|attached|is (?:attached|below|included|quoted|as follows))|\s*[-=:*|]|\s*$)|your (?:message|mail)(?: (?:headers?|text|body|follows|below|attached|is (?:attached|below|included|quoted|as follows))|\s*[-=*]{2})|message (?:headers?|text) follows?|header of (?:the )?(?:original|undelivered)|the (?:header|headers|text|content) of (?:the|your) (?:original )?(?:message|mail)|(?:ursprüngliche|originale?) ?nachricht|original-?nachricht|message (?:original|d.origine)|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|oryginalna wiadomość|-{2,} ?元のメッセージ|-{2,} ?原始邮件)/im,
  /^(?:Received: (?:from|by|\(qmail)|Return-Path: ?<)/im,
]
/** How many characters of a report's text are read. */
const MAX_LENGTH = 16 * 1024

/** The text of a report without the mail it returns. */
export function ownWords(text: string): string {
  const words = text.slice(0, MAX_LENGTH)
  let end = words.length
  for (const pattern of RETURNED) {
    const at = pattern.exec(words)?.index
    // a report that begins with it has no other text
    if (at !== undefined && at > 40 && at < end) end = at
  }
  return words.slice(0, end)
}

/** Whether the report says that mail is late and that nothing needs to be done yet. */
export function reportsDelay(words: string): boolean {
  return GOES_ON.test(words) || (LATE.test(words) && !GIVEN_UP.test(words))
}

/** Delivery is tried further. */
const GOES_ON =
  /\b(?:do(?:es)? not need to (?:resend|do anything)|THIS IS A WARNING (?:MESSAGE )?ONLY|(?:will|shall) (?:continue|keep)(?: (?:to |on )?(?:be |being )?(?:try|retr|attempt|made|deliver)\w*)?|attempts? (?:to deliver )?(?:\S{1,20} ){0,3}will (?:continue|be continued|go on)|will retry|will (?:automatically )?(?:be )?(?:re-?tried|attempted|tried) (?:again|for|until|every)|(?:still|keep) (?:being )?(?:retried|trying)|wird (?:weiter|erneut|weiterhin) (?:versucht|zugestellt)|weitere zustellversuche|nouvelles? tentatives? (?:ser|de)|se (?:seguirá|volverá a|continuará) intent\w+|continuar\w* (?:a tentar|tentando|tentativas)|ulteriori tentativi|nuovi tentativi|opnieuw geprobeerd|ponowne próby|kolejne próby|va continuer d.essayer|(?<!\bn(?:[eo]|on) )(?:seguir(?:emos|á|án) intent\w+|(?:continuer|ritenter|riprover)[a-zà-ÿ]{1,3}(?: a tentare)?)|(?:wordt|zal|blijft)(?: (?!niet\b|geen\b)\S{1,12}){0,4} (?:geprobeerd|proberen)|(?<!\bnie )będzie (?:nadal|dalej) próbow\S{1,4}|försöker (?:igen|fortfarande)|fortsätter (?:att )?försöka|forsøger (?:igen|fortsat)|fortsetter å forsøke|bude (?:dále|nadále) pokoušet)|(?<!не )(?:продолжит|будет продолжать|продолжаются|будут продолжены) попытк|(?:再送|再試行)(?:信)?を?(?:試み|続け|行い)|引き続き(?:配信|送信)|将继续尝试|继续重试|다시 시도/i
const LATE =
  /\b(?:will (?:be )?(?:retr|tr(?:y|ied)|attempt)|has been delayed|delivery (?:is|was) delayed|not yet been delivered|not been delivered yet|delayed mail|no action is required|noch nicht zugestellt|verzögert|retardée?|retrasad[oa]|atrasad[oa]|in ritardo|vertraagd|opóźni\w+|försenad\S?|forsinket|pas encore (?:été |pu (?:être )?)?(?:remis|distribué|livré|délivré)\S{0,2}|(?:todavía|aún) no (?:se )?(?:ha|pud)\S{0,3} \S{0,20} ?(?:entrega\S{1,2})|ainda n[aã]o (?:foi|p[oô]de ser) entregue|non è ancora stat[oa] (?:consegnat|recapitat)[oa]|nog niet (?:bezorgd|afgeleverd)|nie została jeszcze dostarczona|ännu inte levererats|inte levererats ännu|endnu ikke leveret|ennå ikke levert)|(?:пока|ещё|еще) не доставлен|dosud (?:nebyla|nemohla být) doručena|henüz teslim edil|まだ(?:配信|配達|お届け)|尚未(?:送达|投递|傳遞|传递)|아직 (?:배달|전달)되지|遅延|延迟|지연/i
const GIVEN_UP =
  /\b(?:permanent|given up|giving up|gave up|could not be delivered|failed permanently|final|no further attempts?|will not be (?:re-?tried|tried)|deleted from (?:the )?queue|endgültig|aufgegeben|définitive?(?:ment)?|abandonnée?|definitiv[oa]?(?:mente)?|opgegeven|zaniechan\S|ostateczn\S{1,3})\b|окончательно|прекращены/i

/** A reply (RFC 5321) or a status code (RFC 3463) at the beginning of a line, after an address or after a colon. */
const REPLY_LINE =
  /(?:^[ \t<>|*-]{0,80}(?:<?[^\s<>@]{1,64}@[^\s<>@]{1,255}>?:?\s+)?|[:;]\s*["'(<]*|<(?:--|<<)\s*|\bsaid\s+["'(<]*|\b(?:returned|answered|replied|error(?: code)?|reply|response)[ :]+["'([<]*|\((?:reason: )?)((?:[45]\d\d[\])]?[ -]|#?[45]\.\d{1,3}\.\d{1,3}[ :-]).{2,})$/i
/** A local mailer speaks for itself, as a server does: Sendmail, qmail and Postfix quote it. */
const MAILER_LINE =
  /^[ \t]{0,20}(?:mail\.local|procmail|maildrop|vdelivermail|vpopmail|vmailmgr|deliver|dovecot(?:-lda)?|cyrus|lmtp)(?:\[\d{1,8}\])?: (.{3,})$/
const MAX_REASON_LINES = 12
const MAX_REPLIES = 8

/** The replies of servers that a text quotes, in order. */
export function repliesIn(text: string): readonly string[] {
  const found: string[] = []
  const lines = text.split(/\r?\n/)
  for (const [at, line] of lines.entries()) {
    const reply = (REPLY_LINE.exec(line.slice(0, 1000)) ?? MAILER_LINE.exec(line.slice(0, 1000)))?.[1]
    if (reply === undefined || !/[a-z\u00c0-\uffff]{3}/i.test(reply)) continue
    found.push(paragraph([reply, ...lines.slice(at + 1)]))
    if (found.length >= MAX_REPLIES) break
  }
  return found
}

/** The reason in a text that quotes no reply: behind the address, or behind "Reason:". */
export function reasonIn(text: string, address: string | undefined): string | undefined {
  const lines = text.split(/\r?\n/)
  for (const [at, line] of lines.entries()) {
    const behind = address === undefined || QUOTED_FIELD.test(line) ? undefined : behindName(line, address)
    if (behind === undefined) continue
    const told = firstParagraph(behind.length > 3 ? [behind, ...lines.slice(at + 1)] : lines.slice(at + 1))
    if (told !== undefined) return told
  }
  for (const [at, line] of lines.entries()) {
    const short = line.slice(0, 1000)
    const behind = LABEL.exec(short)?.[1] ?? (LEADS.test(short) ? '' : undefined)
    if (behind === undefined) continue
    const told = firstParagraph([behind, ...lines.slice(at + 1)])
    if (told !== undefined) return told
  }
  return undefined
}

/** How a reason is announced. */
const LABEL =
  /^[\s>|*-]{0,40}(?:the |die |le |la |el |il |de )?(?:(?:\S{1,20} ){0,2}(?:reason|cause|details?|diagnos\w{2,12}|error(?: description| message)?)(?: (?:was|is|for (?:the )?(?:problem|failure)))?|because|grund|ursache|fehler(?:meldung)?|motif|cause|erreur|motivo|raz[oó]n|causa|errore?|oorzaak|reden|pow[oó]d|przyczyna|причина|ошибка|原因|理由|エラー内容|사유)\s{0,3}[:：](.*)$/i

/** A line that leads to what a server said; its own words are no reason. */
const LEADS =
  /^[^:]{0,120}\b(?:error|response|reply|reason|said|returned|replied|answered|details)\b[^:]{0,60}:\s{0,3}$/i

/** The first paragraph that is a reason: not a line that only leads to the next. */
function firstParagraph(lines: readonly string[]): string | undefined {
  let rest = lines
  for (let tries = 0; tries < 4 && rest.length > 0; tries++) {
    const from = rest.findIndex((line) => line.trim() !== '')
    if (from < 0) return undefined
    const told = paragraph(rest.slice(from))
    if (/[a-z\u0080-\uffff]{2}/i.test(told) && !/^.{0,60}[:：]$/.test(told)) return told
    rest = rest.slice(from + 1)
  }
  return undefined
}

/** The words after an address that a line begins with; undefined when it does not. */
function behindName(line: string, address: string): string | undefined {
  const start = line.toLowerCase().indexOf(address)
  if (start < 0 || line.slice(0, start).trim().length > 8) return undefined
  // a sentence that names the address in brackets is the reason as a whole
  if (/[\u00c0-\uffef][（「『【]$/.test(line.slice(0, start))) return line.trim()
  return line
    .slice(start + address.length)
    .replace(BETWEEN, '')
    .trim()
}

/** Between an address and its reason; Exchange writes the time of the failure. */
const BETWEEN =
  /^[>"'\s)]*(?::|\.{3}|-|,)?\s*(?:on (?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4} [\d:]{4,8}(?: ?[AP]M)?|\w{3,9}, \d{1,2} \w{3,9} \d{4} [\d:]{4,8}(?: [+-]\d{4})?(?: \([^()]{1,40}\))?)\s*)?/

/** The lines up to an empty one. */
function paragraph(lines: readonly string[]): string {
  const end = lines.findIndex(
    (line, at) => at > 0 && (line.trim() === '' || /^\s*(?:>>>|--|__|==)|^.{0,40}-->/.test(line)),
  )
  const most = Math.min(end < 0 ? lines.length : end, MAX_REASON_LINES)
  return lines
    .slice(0, most)
    .map((line) => line.replace(/^\s*<<<\s*/, '').trim())
    .join('\n')
    .replace(/[^\S\n]+/g, ' ')
    .trim()
}

/** Advice, and what may be: it says nothing of this mail. */
const ADVICE =
  /\b(?:may|maybe|might|presumably|supposedly|could (?:be|have)|usually|often|probably|possibly|perhaps|likely|most (?:errors|of)|in most cases|typically|please|make sure|verify|double-?check|try(?! again)|check (?:that|the|if|whether|for)|if (?:you|the|this|it)|contact|visit|for (?:more|further)|learn more|(?:gives|causes|produces|leads to|results in) this|this (?:error |message )?(?:happens|occurs))\b|^\s*(?:bitte|falls|wenn|veuillez|si |por favor|verifique|compruebe|controlla|controleer|sprawdź|proszę)|möglicherweise|vielleicht|eventuell|vermutlich|peut[- ]être|quizás?\b|tal vez|posiblemente|probablemente|puede (?:que|ser|haber)|talvez|possivelmente|provavelmente|pode (?:ser|ter)|\bforse\b|probabilmente|potrebbe|misschien|mogelijk|wellicht|prawdopodobnie|\bmoże (?:być|nie)|возможно|вероятно|可能|かもしれ|おそれ|場合が(?:あり|ござい)|수 ?있습니다/i

/** The first line of a list of usual reasons, which goes on to an empty line. */
const REASONS =
  /^.{0,80}(?:\b(?:common|possible|usual|typical|likely|frequent|potential) (?:\S{1,20} )?(?:reasons?|causes?|errors?)|\b(?:reasons?|causes?) (?:may|might|could|can|include)|(?:häufig|möglich)\S{1,2} (?:ursachen|gründe)|(?:causes?|raisons?|causas?|motivos?|cause|motivi) (?:plus )?(?:possib|probab|posib|possív|fréquent|frecuent|frequent|comun)\S{1,5}|(?:posibles?|possíveis|possibili|mogelijke|możliwe|возможные) (?:\S{1,20} )?(?:causas?|motivos?|cause|motivi|oorzaken|redenen|przyczyny|причин\S{1,2})|可能的?原因|考えられる(?:原因|理由)|가능한 ?원인).{0,80}$/i

/** The text without lists of usual reasons. */
function withoutReasons(text: string): string {
  const kept: string[] = []
  let isList = false
  let hasEntry = false
  for (const line of text.split(/\r?\n/)) {
    if (REASONS.test(line.slice(0, 300))) [isList, hasEntry] = [true, false]
    else if (line.trim() === '') isList &&= !hasEntry
    else hasEntry = true
    if (!isList) kept.push(line)
  }
  return kept.join('\n')
}

/**
 * The sentences of a report that say what happened, without advice. A report that is nothing but advice says nothing.
 */
export function withoutAdvice(text: string): string {
  return withoutReasons(text.slice(0, MAX_LENGTH))
    .split(/(?<=[.!?])\s+|(?<=[。！？])|\r?\n(?=[ \t]*(?:\r?\n|[A-Z\u00c0-\u00de]))/)
    .filter((sentence) => !ADVICE.test(sentence))
    .join(' \n')
}

/** How mail systems begin their reports, before they come to the reason. A dot inside a name ends no sentence. */
const GREETINGS: readonly RegExp[] = [
  /^(?:Hi[!.,]?|Hello[!.,]?|Dear [^.!\n]{1,60}[,.!])\s*/i,
  /This is the (?:MAILER-DAEMON|qmail-send program|mail (?:delivery )?system|Postfix program|[\w.-]{1,40} (?:mail )?(?:agent|program|server))(?:[^.!]|\.(?=\S)){0,120}[.!](?=\s|$)\s*/i,
  /(?:please )?DO NOT REPLY to this e-?mail\.?\s*/i,
  /This (?:message|e-?mail|notification|is an automat\w+)[^.]{0,40}(?:was |is )?(?:created|generated|sent) automatically(?:[^.]|\.(?=\S)){0,80}\.(?=\s|$)\s*/i,
  /This is an automatically generated (?:[^.]|\.(?=\S)){0,80}\.(?=\s|$)\s*/i,
  /(?:A message (?:that you sent|\(from[^)]*\)|sent by(?:[^.]|\.(?=\S)){0,100}?)|Your message) could not be delivered to (?:one or more|all|any) of (?:its|the)? ?recipients\.?\s*/i,
  /This is a permanent error[^.]{0,30}\.?\s*/i,
  /The following address\(?(?:es)?\)? failed:\s*/i,
  /I'?m (?:sorry|afraid)[^.]{0,20}(?: I wasn't able to deliver your message to| to have to inform you that your message could not)(?:[^.]|\.(?=\S)){0,200}\.(?=\s|$)\s*/i,
  /An error (?:has )?occurred while (?:attempting|trying) to deliver (?:a |the )?(?:message|mail) (?:for|to) the following(?: list of)? recipients:?\s*/i,
]

/** The text of a report without its greeting, so that it begins with what happened. */
export function withoutGreeting(text: string): string {
  const words = text.slice(0, 4000).replace(/\s+/g, ' ').trim()
  const told = GREETINGS.reduce((rest, greeting) => rest.replace(greeting, ' ').trim(), words)
  return told === '' ? text : told
}

/** The text from the sentence on that has the words by which it was judged; undefined when they are not found. */
export function fromReason(text: string, words: string | undefined): string | undefined {
  if (words === undefined || words.length < 4) return undefined
  const flat = text.slice(0, MAX_LENGTH).replace(/\s+/g, ' ').trim()
  const known =
    words
      .split(/<?…>?/)
      .toSorted((a, b) => b.length - a.length)[0]
      ?.trim() ?? ''
  const at = known.length < 4 ? -1 : flat.indexOf(known)
  if (at < 0) return undefined
  const before = flat.slice(0, at)
  const start = Math.max(...[...before.matchAll(/[.!?:](?=\s)|[。！？：]/g)].map(({ index }) => index + 1), 0)
  return flat.slice(start).trim()
}
