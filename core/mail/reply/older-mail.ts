import { isBlank, isRule, type Line, plainWords } from './line.ts'

/** The words between dashes above an older mail, in lower case. */
const DIVIDERS = new Set([
  ...['original message', 'original mail', 'original e-mail', 'original email', 'reply message', 'replied message'],
  ...['forwarded message', 'forwarded mail', 'forwarded email', 'forwarded e-mail', 'begin forwarded message'],
  ...['original-nachricht', 'ursprüngliche nachricht', 'originalnachricht', 'ursprüngliche mail', 'original-e-mail'],
  ...['weitergeleitete nachricht', 'weitergeleitete mail', 'weitergeleitete e-mail'],
  ...['anfang der weitergeleiteten nachricht', 'anfang der weitergeleiteten e-mail'],
  ...["message d'origine", 'message original', 'message initial', "courriel d'origine", "mail d'origine"],
  ...['message transféré', 'courriel transféré', 'début du message réexpédié', 'début du message transféré'],
  ...['mensaje original', 'correo original', 'mensaje reenviado', 'inicio del mensaje reenviado'],
  ...['messaggio originale', 'messaggio inoltrato', 'inizio messaggio inoltrato', 'messaggio inviato'],
  ...['oorspronkelijk bericht', 'oorspronkelijke bericht', 'origineel bericht', 'oorspronkelijke e-mail'],
  ...['doorgestuurd bericht', 'begin doorgestuurd bericht', 'begin van doorgestuurd bericht'],
  ...['wiadomość oryginalna', 'oryginalna wiadomość', 'pierwotna wiadomość', 'wiadomość pierwotna'],
  ...['treść przekazanej wiadomości', 'przekazana wiadomość', 'wiadomość przekazana', 'przesłana dalej wiadomość'],
  ...['początek przekazywanej wiadomości', 'początek przekazanej wiadomości', 'przekazywana wiadomość'],
  ...['mensagem original', 'mensagem encaminhada', 'mensagem reencaminhada', 'e-mail original'],
  ...['início da mensagem encaminhada', 'início da mensagem reencaminhada'],
  ...['originalmeddelande', 'ursprungligt meddelande', 'vidarebefordrat meddelande', 'oprindelig meddelelse'],
  ...['original meddelelse', 'videresendt meddelelse', 'opprinnelig melding', 'videresendt melding'],
  ...['alkuperäinen viesti', 'välitetty viesti', 'původní zpráva', 'přeposlaná zpráva', 'pôvodná správa'],
  ...['preposlaná správa', 'eredeti üzenet', 'továbbított üzenet', 'mesaj original', 'mesajul original'],
  ...['mesaj redirecționat', 'orijinal mesaj', 'özgün ileti', 'iletilen mesaj', 'yönlendirilen ileti'],
  ...['исходное сообщение', 'пересылаемое сообщение', 'пересланное сообщение', 'перенаправленное сообщение'],
  ...['оригінальне повідомлення', 'переслане повідомлення', 'αρχικό μήνυμα', 'προωθημένο μήνυμα'],
  ...['원본 메시지', '원본 메일', '전달된 메시지', 'הודעה מקורית', 'הודעה שהועברה', 'الرسالة الأصلية'],
  ...['元のメッセージ', '元のメール', 'オリジナルメッセージ', '転送メッセージ', '転送されたメッセージ', '転送メール'],
  ...['原始邮件', '原始郵件', '邮件原件', '原邮件', '回复的原邮件', '原始信件', '原始訊息', '原文'],
  ...['转发的邮件', '转发邮件', '转发的原邮件', '轉寄郵件', '已转发邮件', '开始转发的邮件', '轉寄的郵件'],
])
/** These stand alone, with a colon in place of dashes. */
const WITHOUT_DASHES =
  /^(?:begin|anfang|début|inicio|inizio|początek|início|開始|开始|転送されたメッセージ|转发的邮件|轉寄的郵件)/

/** True for "-----Original Message-----", "Begin forwarded message:" and the like. */
export function isDivider({ text }: Line): boolean {
  if (text.length > 200) return false
  const words = plainWords(text).toLowerCase()
  const bare = words.replace(/^[-_=*— ]{1,60}/, '').replace(/[-_=*—: ]{1,60}$/, '')
  if (!DIVIDERS.has(bare)) return false
  return /^(?:-{2}|[_=*—]{2}|- -)/.test(words) || (words.endsWith(':') && WITHOUT_DASHES.test(bare))
}

type Field = 'from' | 'sent' | 'to' | 'subject' | 'other'

/** How mail programs name the fields of a header, in lower case. */
const FIELDS = new Map<string, Field>([
  ...named(
    'from',
    'from|von|de|da|van|od|差出人|送信者|发件人|寄件者|寄件人|från|fra|expéditeur|mittente|remitente|afzender|nadawca',
  ),
  ...named(
    'sent',
    "sent|date|gesendet|datum|envoyé|date d'envoi|enviado|enviado el|enviado em|enviada|enviada em|enviada a|fecha|data",
  ),
  ...named(
    'sent',
    'inviato|verzonden|wysłano|wysłane|data wysłania|送信日時|日時|日付|发送时间|发送日期|日期|时间|寄件日期|傳送時間|gesendet am',
  ),
  ...named(
    'to',
    'to|an|à|a|para|aan|do|宛先|收件人|收件者|destinataire|destinatario|destinatário|ontvanger|odbiorca|till|til',
  ),
  ...named(
    'from',
    'lähettäjä|feladó|kimden|gönderen|de la|от|от кого|від|από|보낸 사람|보낸사람|saatja|nuo|từ|מאת|من|sender',
  ),
  ...named(
    'sent',
    'lähetetty|päivämäärä|elküldve|dátum|gönderildi|gönderme tarihi|tarih|odesláno|odoslané|trimis|dată|отправлено|дата|надіслано|изпратено|στάλθηκε|ημερομηνία|보낸 날짜|날짜|보낸 시간|sendt|dato|skickat|poslano|išsiųsta|saadetud|đã gửi|enviat|נשלח|תאריך|تاريخ الإرسال|التاريخ',
  ),
  ...named(
    'to',
    'vastaanottaja|címzett|kime|alıcı|komu|către|кому|до|προς|받는 사람|받는사람|za|kam|kellele|đến|per a|אל|إلى',
  ),
  ...named(
    'subject',
    'aihe|tárgy|konu|předmět|predmet|subiect|тема|θέμα|제목|zadeva|tema|teema|chủ đề|assumpte|נושא|الموضوع',
  ),
  ...named('subject', 'subject|betreff|objet|asunto|oggetto|onderwerp|temat|assunto|件名|主题|主旨|sujet|ämne|emne'),
  ...named(
    'other',
    'cc|bcc|kopie|copie|copia|kopia|cópia|dw|抄送|副本|reply-to|antwort an|importance|wichtigkeit|priorität',
  ),
])
/** More fields and wrapped lines than such a header has. */
const MAX_HEADER_LINES = 12

function named(field: Field, names: string): readonly (readonly [string, Field])[] {
  return names.split('|').map((name) => [name, field])
}

/** True when a header begins in this line that Outlook and others put above an older mail: From, Sent, To, Subject. */
export function isHeaderBlock(lines: readonly Line[], at: number): boolean {
  const found = new Set<Field>()
  let hasAddress = false
  for (let i = at; i < lines.length && i < at + MAX_HEADER_LINES; i++) {
    const line = lines[i]
    if (line === undefined || line.mark === 'rest') break
    const field = fieldOf(line)
    // it begins with a field, which may be wrapped, and ends with a blank line
    if (i === at && (field === undefined || field === 'other')) return false
    if (isBlank(line)) {
      if (isBlank(lines[i + 1] ?? line) || fieldOf(lines[i + 1] ?? line) === undefined) break
      continue
    }
    if (field && field !== 'other' && found.has(field)) break
    if (field) found.add(field)
    if (field === 'from') hasAddress = line.text.includes('@')
  }
  if (!found.has('from')) return false
  // a journey has these, too: "From: Berlin", "To: Hamburg", "Date: 5 May"
  const others = ['sent', 'to', 'subject'].filter((field) => found.has(field as Field)).length
  return others >= 2 && (hasAddress || found.has('subject'))
}

function fieldOf({ text }: Line): Field | undefined {
  const colon = text.search(/[:：|\t]/)
  if (colon < 0 || colon > 40) return undefined
  const words = plainWords(text.slice(0, 60))
    .replaceAll('*', '')
    .replace(/^[|\s]{1,5}/, '')
  const [, name] = /^([^:|\t]{1,20}?) ?[:|\t]/.exec(words) ?? []
  return name === undefined ? undefined : FIELDS.get(name.toLowerCase())
}

/** The first line of what belongs to an older mail that begins here: blank lines and lines drawn above it. */
export function withRuleAbove(lines: readonly Line[], at: number): number {
  let from = at
  while (from > 0) {
    const above = lines[from - 1]
    if (above === undefined || above.mark === 'quote' || !(isBlank(above) || isRule(above))) break
    from--
  }
  return from
}
