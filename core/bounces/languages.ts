/**
 * The words of other languages than English for the few things that a refusal says of its recipient. Each language has
 * its words for a recipient, and for the states that one may be in; a sentence that has both says so, in either order.
 */

/** The states: there is none of that name, it was shut, it takes no more for now. */
interface Language {
  readonly whom: string
  readonly gone: string
  readonly shut: string
  readonly full: string
}

const LANGUAGES: readonly Language[] = [
  {
    // German
    whom: 'empf(?:ä|ae)nger(?!(?:mail)?server)\\p{L}{0,8}|benutzer\\p{L}{0,8}|nutzer\\p{L}{0,4}|(?:e-?)?mail-?adresse\\p{L}?|adress(?:e|at)\\p{L}{0,2}|postfach|mailbox|(?:e-?mail-?)?konto',
    gone: 'unbekannt|unzustellbar|existier\\p{L}{1,3} (?:hier |dort )?nicht|nicht (?:mehr |hier )?(?:gefunden|bekannt|vorhanden|existent|existier\\p{L}{1,3}|ermittelt|gültig)|(?:ungültig|unbekannt)\\p{L}{0,3}|gibt es (?:hier )?nicht|kein solche[rsn]?|keine solche|nicht registriert|nicht (?:vergeben|eingerichtet)',
    shut: 'deaktiviert|geschlossen|gelöscht|abgelaufen|inaktiv|stillgelegt|nicht mehr aktiv|gesperrt',
    full: 'voll|überfüllt|(?:speicher\\p{L}{0,10}|quota|limit|größe) [^.!?]{0,20}(?:überschritten|erschöpft|erreicht)|überschritten|kein (?:freier )?speicherplatz',
  },
  {
    // French
    whom: 'destinataires?|utilisat(?:eur|rice)s?|adresses?|bo[iî]tes?|comptes?|abonnée?s?|messagerie',
    gone: "inconnue?s?|invalides?|inexistante?s?|n[’']existe(?:nt)? (?:pas|plus)|introuvables?|n[’']a (?:pas|pu) (?:pu )?(?:être|été) trouvée?|incorrecte?s?|erronée?s?|n[’']est (?:pas|plus) (?:valide|connue?|reconnue?|enregistrée?)",
    shut: "désactivée?s?|inactive?s?|inactifs?|fermée?s?|archivée?s?|close?s?|supprimée?s?|expirée?s?|résiliée?s?|n[’']est plus active?",
    full: 'pleine?s?|saturée?s?|remplie?s?|quota [^.!?]{0,20}(?:dépassé|atteint)|(?:dépass|attein)\\p{L}{1,5} [^.!?]{0,20}quota|espace [^.!?]{0,20}(?:insuffisant|dépassé)',
  },
  {
    // Spanish
    whom: 'usuari[oa]s?|destinatari[oa]s?|direcci(?:ó|o)n(?:es)?|cuentas?|buz(?:ó|o)n(?:es)?|casilla|receptor',
    gone: 'desconocid[oa]s?|no existen?|ya no existe|no (?:es|son|está|fue) (?:válid|valid|registrad|encontrad|reconocid)\\p{L}{1,3}|no (?:se )?(?:ha |han |pudo |puede |pudieron )?(?:podido |sido |ser )?encontr\\p{L}{1,5}|inexistentes?|inv[aá]lid[oa]s?|incorrect[oa]s?|err[oó]ne[oa]s?',
    shut: '(?:desactivad|deshabilitad|inhabilitad|cancelad|cerrad|caducad|expirad|vencid|eliminad|dad)[oa]s?(?: de baja)?|inactiv[oa]s?|no está activ[oa]|suspendid[oa] (?:definitiva|permanente)mente',
    full: 'llen[oa]s?|sin espacio|saturad[oa]|(?:cuota|espacio|límite|capacidad) [^.!?]{0,30}(?:excedid|superad|agotad|sobrepasad)[oa]|(?:exced|super|agot|sobrepas)\\p{L}{1,4} [^.!?]{0,30}(?:cuota|espacio|límite|capacidad)|espacio insuficiente',
  },
  {
    // Portuguese
    whom: 'usu[aá]ri[oa]s?|utilizador(?:es)?|destinat[aá]ri[oa]s?|endere[cç]os?|contas?|caixas?',
    gone: 'desconhecid[oa]s?|n[aã]o existem?|n[aã]o (?:é|está|foi) (?:poss[ií]vel )?(?:válid|valid|encontr|localiz|cadastr|reconhecid)\\p{L}{1,4}|n[aã]o (?:encontrad|localizad|cadastrad)[oa]|inexistentes?|inv[aá]lid[oa]s?|incorret[oa]s?',
    shut: '(?:desativad|desactivad|desabilitad|cancelad|encerrad|expirad|exclu[ií]d|removid|apagad)[oa]s?|inativ[oa]s?|inactiv[oa]s?',
    full: 'chei[oa]s?|lotad[oa]s?|sem espa[cç]o|(?:cota|quota|espa[cç]o|limite|capacidade) [^.!?]{0,30}(?:excedid|esgotad|ultrapassad|atingid)[oa]|(?:exced|ultrapass|ating|esgot)\\p{L}{1,4} [^.!?]{0,30}(?:cota|quota|limite|espa[cç]o)|espa[cç]o insuficiente',
  },
  {
    // Italian
    whom: 'utent[ei]|destinatari[oi]?|casell[ae]|indirizz[oi]|account|mailbox',
    gone: 'sconosciut[oaie]|inesistent[ei]|non (?:esiste|esistono|trovat[oa]|valid[oa]|riconosciut[oa]|registrat[oa])|non (?:è|sono) (?:più )?(?:stat[oaie] )?(?:trovat|valid|riconosciut|present)[oaie]|errat[oa]|non corrett[oa]',
    shut: '(?:disabilitat|disattivat|chius|scadut|cancellat|eliminat|rimoss)[oaie]|inattiv[oa]|non (?:è )?(?:più )?attiv[oa]',
    full: 'pien[oaie]|satur[oa]|(?:quota|spazio|limite) [^.!?]{0,30}(?:superat|raggiunt|esaurit|terminat)[oa]|(?:superat|raggiunt|esaurit)[oa] [^.!?]{0,30}(?:quota|spazio|limite)|spazio insufficiente',
  },
  {
    // Dutch
    whom: 'gebruikers?(?:naam)?|ontvangers?|geadresseerden?|(?:e-?)?mail-?adres(?:sen)?|adres(?:sen)?|postvak|mailbox|postbus|account',
    gone: 'onbekende?|bestaat (?:hier )?niet|niet (?:gevonden|bekend|geldig|geregistreerd|worden gevonden)|ongeldige?|onjuiste?',
    shut: 'uitgeschakeld|gedeactiveerd|opgeheven|inactief|gesloten|verlopen|verwijderd|niet (?:meer )?actief',
    full: 'vol|overvol|(?:limiet|quotum|quota|ruimte) [^.!?]{0,20}(?:overschreden|bereikt)|geen ruimte',
  },
  {
    // Polish
    whom: 'użytkowni\\p{L}{1,5}|adresa\\p{L}{1,4}|odbior\\p{L}{1,4}|skrzyn\\p{L}{1,4}|adres\\p{L}{0,3}|kont\\p{L}{1,2}',
    gone: 'nie istniej\\p{L}{1,2}|nieznan\\p{L}{1,3}|nieistniejąc\\p{L}{1,3}|nie (?:został\\p{L}? )?(?:znalezion\\p{L}|odnalezion\\p{L})|nie ma tak\\p{L}{2,4}|brak tak\\p{L}{2,4}|nie (?:jest )?zarejestrowan\\p{L}{1,2}|nieprawidłow\\p{L}{1,3}|niepoprawn\\p{L}{1,3}|błędn\\p{L}{1,3}',
    shut: '(?:wyłączon|usunięt|zamknięt|nieaktywn)\\p{L}{1,3}|wygas\\p{L}{1,4}|zlikwidowan\\p{L}{1,3}',
    full: '(?:pełn|przepełnion|zapełnion)\\p{L}{1,3}|przekrocz\\p{L}{2,5}|brak (?:wolnego )?miejsca',
  },
  {
    // Russian
    whom: 'пользовател\\p{L}{1,3}|адрес\\p{L}{0,3}|ящик\\p{L}{0,3}|получател\\p{L}{1,3}|аккаунт\\p{L}{0,3}',
    gone: 'не (?:был\\p{L}? )?(?:найден\\p{L}{0,2}|существу\\p{L}{1,3}|известен)|неизвестн\\p{L}{1,3}|несуществующ\\p{L}{1,3}|неверн\\p{L}{1,3}|недействител\\p{L}{1,5}|не удалось найти|нет так\\p{L}{2,3}|(?<!(?:мест|доступ|прав|ответ|связ|возможност)\\p{L}{0,3}(?: \\S{1,40}){0,4} )нет(?=\\s*(?:$|[.!;(]))|не зарегистрирован\\p{L}{0,2}',
    shut: 'отключ[её]н\\p{L}{0,2}|удал[её]н\\p{L}{0,2}|неактив\\p{L}{1,3}|деактивир\\p{L}{1,6}|закрыт\\p{L}{0,2}',
    full: 'переполнен\\p{L}{0,2}|заполнен\\p{L}{0,2}|нет места|места нет|(?:квот\\p{L}{1,2}|лимит\\p{L}{0,2}) [^.!?]{0,20}превышен\\p{L}{0,2}|превышен\\p{L}{0,2} [^.!?]{0,20}(?:квот|лимит)\\p{L}{0,2}',
  },
  {
    // Swedish, Danish, Norwegian
    whom: 'mottagar\\p{L}{1,3}|modtager\\p{L}{0,3}|mottaker\\p{L}{0,3}|bruker\\p{L}{0,3}|bruger\\p{L}{0,3}|användar\\p{L}{1,3}|(?:e-?postadress|(?:e-?)?mailadresse|adress|adresse|postlåd|brevlåd|postkass|postboks)\\p{L}{0,4}|inkorg\\p{L}{0,2}|konto\\p{L}{0,2}',
    gone: 'okän[dt]a?|ukendte?|ukjente?|(?:finns|existerar) inte|(?:findes|finnes|eksisterer) ikke|(?:inte|ikke) (?:kunde |kunne )?(?:hitta\\p{L}{0,2}|finnas|funnet|fundet|findes)|hittades inte|fan(?:n|t)s ikke|ogiltig\\p{L}{0,1}|ugyldig\\p{L}{0,1}',
    shut: 'inaktivera[dt]|deaktiveret|deaktivert|stäng[dt]|lukket|avslutad?|slettet|borttage[nt]|utgått',
    full: 'full[at]?|fuld|fyldt|överfull|överskriden|overskredet',
  },
  {
    // Czech, Slovak
    whom: 'uživatel\\p{L}{0,3}|adresát\\p{L}{0,2}|příjemc\\p{L}{1,2}|schránk\\p{L}{1,3}|adres[ay]|účet',
    gone: 'neexistuje|neznám\\p{L}{1,2}|nebyl\\p{L}? nalezen\\p{L}?|neplatn\\p{L}{1,2}',
    shut: 'zrušen\\p{L}{0,1}|zakázán\\p{L}{0,1}|deaktivován\\p{L}{0,1}',
    full: 'pln[áéý]|přeplněn\\p{L}{0,1}|překročen\\p{L}{0,1}',
  },
  {
    // Turkish
    whom: 'kullanıcı\\p{L}{0,3}|alıcı\\p{L}{0,3}|adres\\p{L}{0,4}|posta kutusu|hesap\\p{L}{0,2}',
    gone: 'bulunamadı|mevcut değil|geçersiz|bilinm[ei]yor|yok(?=[.!\\s]|$)',
    shut: 'devre dışı|kapatıl\\p{L}{2,6}|silin\\p{L}{2,6}',
    full: 'dolu|dolmuş|kota\\p{L}{0,4} [^.!?]{0,20}aşıl\\p{L}{1,5}',
  },
  {
    // Finnish
    whom: 'vastaanottaj\\p{L}{1,5}|käyttäj\\p{L}{1,5}|(?:sähköposti)?osoi\\p{L}{2,8}|postilaati\\p{L}{1,5}|sähköpostitil\\p{L}{1,4}',
    gone: 'ei (?:ole olemassa|löydy|löytynyt|tunneta)|tuntemat\\p{L}{2,4}|virheelli\\p{L}{2,4}|ei ole kelvollinen',
    shut: 'poistettu(?: käytöstä)?|suljettu|lakkautettu',
    full: 'täynnä|tila ei riitä|kiintiö [^.!?]{0,20}ylit\\p{L}{2,6}',
  },
  {
    // Hungarian
    whom: 'címzett\\p{L}{0,4}|felhasználó\\p{L}{0,4}|(?:e-?mail-?)?cím(?:e|et)?|postafiók\\p{L}{0,3}|postaláda',
    gone: 'nem (?:létezik|található|ismert|érvényes)|ismeretlen|érvénytelen|nem létező',
    shut: 'megszűnt|megszüntet\\p{L}{2,4}|letiltott|letiltva|inaktív|törölt\\p{L}{0,2}',
    full: 'megtelt|betelt|tele van|kvóta [^.!?]{0,20}túllép\\p{L}{1,4}',
  },
  {
    // Greek
    whom: 'χρήστη\\p{L}{0,1}|παραλήπτη\\p{L}{0,1}|διεύθυνση|γραμματοκιβώτι\\p{L}{1,2}|θυρίδα|λογαριασμ\\p{L}{1,2}',
    gone: 'δεν (?:υπάρχει|βρέθηκε|είναι έγκυρ\\p{L}{1,2})|άγνωστ\\p{L}{1,2}|μη έγκυρ\\p{L}{1,2}',
    shut: 'απενεργοποι\\p{L}{3,7}|ανενεργ\\p{L}{1,2}|διαγράφ\\p{L}{3,5}',
    full: 'γεμάτ\\p{L}{1,2}|πλήρ\\p{L}{1,2}',
  },
  {
    // Romanian
    whom: 'utilizator\\p{L}{0,4}|destinatar\\p{L}{0,4}|adres[aă]|cont(?:ul)?|căsuț\\p{L}{1,3}|cutia (?:poștală|de e-?mail)',
    gone: 'necunoscut\\p{L}{0,1}|nu (?:mai )?exist[aă]|inexistent\\p{L}{0,1}|nu a (?:fost|putut fi) găsit\\p{L}{0,1}|nu este valid\\p{L}{0,1}',
    shut: 'dezactivat\\p{L}{0,1}|inactiv\\p{L}{0,1}|șters\\p{L}{0,1}|închis\\p{L}{0,1}',
    full: 'plin\\p{L}{0,1}|(?:cota|spațiul|limita) [^.!?]{0,20}depășit\\p{L}{0,1}',
  },
  {
    // Ukrainian
    whom: 'користувач\\p{L}{0,2}|одержувач\\p{L}{0,2}|отримувач\\p{L}{0,2}|адрес\\p{L}{0,2}|скриньк\\p{L}{1,2}',
    gone: 'не (?:знайден\\p{L}{1,2}|існує|вдалося знайти)|невідом\\p{L}{1,2}|недійсн\\p{L}{1,2}|немає так\\p{L}{2,3}',
    shut: 'вимкнен\\p{L}{1,2}|видален\\p{L}{1,2}|неактивн\\p{L}{1,2}',
    full: 'переповнен\\p{L}{1,2}|заповнен\\p{L}{1,2}|немає місця',
  },
]

/** Languages that write no blanks between their words. */
const UNSPACED: readonly Language[] = [
  {
    // Japanese
    whom: 'ユーザー?|宛先|あて先|宛て先|アドレス|メールボックス|アカウント|受信者|受取人|受信箱',
    gone: '不明|存在し(?:ま|な|て(?:い|お))|見つか(?:り|ら)|見つけられ|間違|無効|(?<!いっぱいでは)ありませんでした|正しくあり|誤り|登録されてい?(?:ま|な)|確認できま',
    shut: '停止され|解約|休止|削除され|閉鎖|利用停止',
    full: '一杯|いっぱい|満杯|超え|超過|オーバー|容量|空きがあり',
  },
  {
    // Chinese
    whom: '用户|用戶|收件人|收件者|邮箱|郵箱|信箱|邮件地址|地址|帐号|账号|账户|帳號|使用者',
    gone: '不存在|不正确|不正確|无效|無效|未找到|找不到|查无|錯誤|错误|未注册|有误',
    shut: '停用|禁用|注销|关闭|冻结|过期|過期|停止服务',
    full: '已满|满了|爆满|已滿|空间不足|空間不足|容量不足|超(?:出|过|過).{0,6}(?:容量|限制|空间)',
  },
  {
    // Korean
    whom: '메일 ?주소|수신자|사용자|계정|메일함|편지함|받는 ?사람|주소|메일박스',
    gone: '존재하지 ?않|없는 ?(?:메일|사용자|주소|계정)|찾을 ?수 ?없|잘못된|유효하지 ?않|확인할 ?수 ?없',
    shut: '휴면|정지|해지|탈퇴|삭제|비활성|사용 ?중지',
    full: '가득|초과|부족|꽉',
  },
]

/** Between a recipient and its state: a dot may stand in a name. */
const GAP = '(?:[^.!?\\n]|\\.(?! )){0,60}?'
const UNSPACED_GAP = '(?:(?!サーバ|ホスト|服务器|伺服器|主机|서버)[^。！？.!?\\n]){0,30}?'

const SENDER =
  'absender|absenders|expéditeur|remitente|remetente|mittente|afzender|nadawc|отправител|avsändar|afsender|avsender|odesílatel|gönderen|lähettäj|feladó|αποστολέ|expeditor|відправник'
const REFUSED =
  'abgelehnt|gesperrt|blockiert|refus|bloqu|rechaz|rejeit|rifiut|blocc|geweiger|geblokkeer|odrzuc|zablok|заблокир|отклон|avvis|afvis|odmítn|reddedil'
const UNSPACED_SENDER = '差出人|送信者|发件人|發件人|寄件者|보낸 ?사람|발신자'
const UNSPACED_REFUSED = '拒否|拒绝|拒絕|차단|거부|受け付け'

/** A letter of these languages; the class of all letters takes a second to compile. */
const LETTER = '[a-z\\u00df-\\u024f\\u0370-\\u052f]'
const patternOf = (source: string) => new RegExp(source.replaceAll('\\p{L}', LETTER), 'i')
/** The pattern for a text without accents. */
const plainOf = (source: string) => patternOf(withoutAccents(source))

/** A text with the letters that a reply of seven bits has: each Latin letter without its accent, at the same place. */
function withoutAccents(text: string): string {
  if (text !== last.text) last = { text, plain: text.replace(ACCENTED, (letter) => letter.normalize('NFD').charAt(0)) }
  return last.plain
}
const ACCENTED = /[\u00c0-\u024f]/g
/** One text is tried with many patterns. */
let last = { text: '', plain: '' }

/** Words that are looked for in a text. */
export type Words = Pick<RegExp, 'exec'>

/**
 * Words that are looked for where others stand only. A pattern is compiled when it is first used, which takes longer
 * than all else; a text in one language needs those of that language alone.
 */
function where(first: RegExp, pattern: RegExp): Words {
  return {
    exec: (given) => {
      const text = withoutAccents(given)
      return first.test(text) ? pattern.exec(text) : null
    },
  }
}

/** The server of a recipient is another matter. */
const NOT_THE_SERVER = "(?<!(?:serv\\p{L}{1,6}|serwer\\p{L}{0,2}|сервер\\p{L}{0,2}|host) (?:\\p{L}{1,4}[ ’']){0,2})"

/** So is "the recipient's server", in languages that put the recipient first. */
const NOT_ITS_SERVER = '(?![ -](?:\\p{L}{1,14}[ -])?\\p{L}{0,12}(?:server|szerver|palveli|kiszolgáló|sunucu))'

/** The words for a recipient, by language. */
const RECIPIENTS = new Map<Language, RegExp>([
  ...LANGUAGES.map(
    (each) => [each, plainOf(`(?<!\\p{L})${NOT_THE_SERVER}(?:${each.whom})(?!\\p{L})${NOT_ITS_SERVER}`)] as const,
  ),
  ...UNSPACED.map((each) => [each, plainOf(each.whom)] as const),
])

/** Whichever language a text is in: words for a recipient, and for one of these states. */
function sayings(state: Exclude<keyof Language, 'whom'>): readonly Words[] {
  return [...RECIPIENTS].map(([each, recipient]) => {
    if (UNSPACED.includes(each)) {
      const [whom, says] = [`(?:${each.whom})`, `(?:${each[state]})`]
      return where(recipient, plainOf(`${whom}${UNSPACED_GAP}${says}|${says}[^。！？.!?\\n]{0,8}?${whom}`))
    }
    const says = `(?<!\\p{L})(?:${each[state]})(?!\\p{L})`
    return where(recipient, plainOf(`${recipient.source}${GAP}${says}|${says}[^.!?\\n]{0,20}?${recipient.source}`))
  })
}

const DOMAIN =
  'domain|domäne|domaine|dom[ií]nio|domein(?:naam)?|domen\\p{L}{1,3}|домен\\p{L}{0,2}|domän\\p{L}{0,5}|domæne\\p{L}{0,3}|domene\\p{L}{0,3}|doména|alan adı'
const UNSPACED_DOMAIN = 'ドメイン|域名|網域|도메인'

const SENDERS = plainOf(`(?<!\\p{L})(?:${SENDER})|${UNSPACED_SENDER}`)

/** "Your domain", "your server": in some of these languages "their" is the same word, and then it is in doubt. */
const OURS = patternOf(
  `(?<!\\p{L})(?:ihre?[rns]?|eure?|votre|vos|vuestr[oa]|su|tu|seus?|sua|vostr[oa]|tuo|uw|jouw|twoj\\p{L}|twój|państwa|ваш\\p{L}{0,2}|din|ditt|váš|vaše) (?:e-?mail-?|mail-?)?(?:${DOMAIN}|server|serveur|servidor|serwer|сервер|host|ip)(?!\\p{L})|(?:您的|你的|貴(?:社|方)の|お客様の|귀하의 ?)(?:${UNSPACED_DOMAIN}|服务器|サーバー?|서버|IP)`,
)

/** The sender is at fault: judged before what is said of recipients. */
export const SENDER_ELSEWHERE: readonly Words[] = [
  OURS,
  ...[
    ...LANGUAGES.map(({ gone, shut }) => {
      const sender = `(?<!\\p{L})(?:${SENDER})\\p{L}{0,8}(?!\\p{L})`
      return `${sender}${GAP}(?:${REFUSED}|${gone}|${shut})|(?<!\\p{L})(?:${gone})(?!\\p{L})[^.!?\\n]{0,8}?${sender}`
    }),
    ...UNSPACED.map(({ gone, shut }) => `(?:${UNSPACED_SENDER})${UNSPACED_GAP}(?:${UNSPACED_REFUSED}|${gone}|${shut})`),
  ].map((source) => where(SENDERS, plainOf(source))),
]

const DOMAINS = plainOf(`(?<!\\p{L})(?:${DOMAIN})(?!\\p{L})|${UNSPACED_DOMAIN}`)

/** The recipient's domain does not exist. */
export const DOMAIN_ELSEWHERE: readonly Words[] = [
  ...LANGUAGES.map(({ gone }) => {
    const [domain, says] = [`(?<!\\p{L})(?:${DOMAIN})(?!\\p{L})`, `(?<!\\p{L})(?:${gone})(?!\\p{L})`]
    return `${domain}${GAP}${says}|${says}[^.!?\\n]{0,8}?${domain}`
  }),
  ...UNSPACED.map(({ gone }) => `(?:${UNSPACED_DOMAIN})${UNSPACED_GAP}(?:${gone})`),
].map((source) => where(DOMAINS, plainOf(source)))

/** Our login is refused: these words for it stand in no refusal of a recipient. */
export const LOGIN_ELSEWHERE: readonly RegExp[] = [
  patternOf(
    '(?<!\\p{L})(?:authentifi[zc]\\p{L}{2,9}|authentisierung|anmeldung|autenti[cf]a\\p{L}{2,6}|authenticatie|uwierzytelni\\p{L}{2,6}|logowani\\p{L}{1,2}|аутентификаци\\p{L}{1,2}|авторизаци\\p{L}{1,2}|autentizac\\p{L}{1,2}|kimlik doğrulama|autentisering)(?!\\p{L})[^.!?\\n]{0,30}?(?:fehlgeschlagen|erforderlich|notwendig|échou|requise|nécessaire|incorrect|fall|requerid|necess|inválid|falh|exigid|richiest|mislukt|vereist|nie powiod|nieudan|wymagan|не удал|ошибк|требу|selhal|başarısız|misslyckad)',
  ),
  /認証(?:に失敗|が必要|エラー)|身[份分](?:验证|驗證|认证|認證)?.{0,4}(?:失败|失敗)|认证失败|認證失敗|需要(?:身份)?(?:验证|认证|驗證|認證)|인증.{0,4}(?:실패|필요)/,
]

export const GONE_ELSEWHERE: readonly Words[] = [
  ...sayings('gone'),
  // Microsoft 365 names nothing but the person and the domain
  /\S(?:,)? [^\s,]{1,80} (?:konumunda|etki alanında) bulunamadı|gick inte att hitta \S{1,64} (?:på|i) \S|(?:kunne ikke finde|fant ikke|finner ikke) \S{1,64} (?:på|i|hos) \S|\bkein (?:postfach|benutzer|konto|empfänger|e-?mail-?konto) [^.!?\n]{0,40}(?:vorhanden|bekannt|eingerichtet|registriert)|\S est introuvable (?:à|sur|dans|chez)|no se (?:ha )?encontr(?:ó|ado) (?:a )?\S{1,64} en \S|\S n[aã]o foi (?:encontrad|localizad)[oa] (?:em|n[oa]) \S|\S wurde (?:in|bei|auf|unter) \S{1,80} nicht gefunden|\S (?:is )?niet gevonden (?:in|bij|op) \S|\S non (?:è stat[oa] )?trovat[oa] (?:in|su|presso) \S/i,
]
export const SHUT_ELSEWHERE: readonly Words[] = sayings('shut')
export const FULL_ELSEWHERE: readonly Words[] = sayings('full')

/** A server or the network was in trouble. */
export const TROUBLE_ELSEWHERE: readonly RegExp[] = [
  /zeitüberschreitung|(?:server|verbindung).{0,40}(?:nicht erreichbar|fehlgeschlagen|abgebrochen)|délai .{0,20}(?:dépassé|expiré)|(?:serveur|connexion).{0,40}(?:injoignable|échoué|refusée)|tiempo de espera|(?:servidor|conexi[oó]n).{0,40}(?:no responde|no disponible|rechazada|agotad)|tempo (?:limite|de espera) .{0,20}(?:esgotad|excedid)|(?:servidor|conexão).{0,40}(?:não responde|indispon[ií]vel|recusada)|(?:server|connessione).{0,40}(?:non raggiungibile|non risponde|scadut|rifiutat)|(?:server|verbinding).{0,40}(?:niet bereikbaar|reageert niet|verbroken)|(?:serwer|połączeni\S).{0,40}(?:nie odpowiada|niedostępn|przekroczon)|タイムアウト|接続(?:でき|に失敗)|応答が(?:な|あり)|连接(?:失败|超时|被拒)|超时|逾時|시간 ?초과|연결할 ?수 ?없|превышено время|не отвечает/i,
  // no connection could be made
  /(?:no se (?:pudo|puede|ha podido)|n[aã]o (?:foi poss[ií]vel|p[oô]de|consegui\S{1,4})|impossible d|n.a pas pu|impossibile|non (?:è stato possibile|riesc\S{1,3})|kon(?:nte|den)? (?:keine|geen)|kan geen|keine|nie (?:można|udało się)|не удалось)[^.!?\n]{0,40}(?:conexi[oó]n|conectar|conex[aã]o|connexion|connecter|connession|connetter|verbindung|verbinding|połącz|соедин|подключ)/i,
]

/** A state alone, for what stands behind an "or": `unknown or full`. */
export const FULL_ALONE: readonly RegExp[] = [
  /\b(?:full|over ?quota|no space)\b/i,
  ...LANGUAGES.map((each) => patternOf(`(?<!\\p{L})(?:${each.full})(?!\\p{L})`)),
  ...UNSPACED.map((each) => patternOf(each.full)),
]

/** "Or", wherever one may stand between two reasons. */
export const OR = patternOf(
  '(?<!\\p{L})(?:and/or|or|oder|bzw\\.|ou|o|u|of|lub|albo|bądź|eller|или|либо|nebo|veya|ya da)(?!\\p{L})|または|もしくは|あるいは|或者|或|또는|혹은|이거나|/(?= ?\\p{L})',
)
