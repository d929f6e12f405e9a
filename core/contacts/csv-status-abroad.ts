import { plainName } from './csv-names.ts'

/** The words that programs write for a subscription, in another language than English; all as plain names. */
interface Language {
  /** Names of a column of statuses. */
  readonly status: string
  /** Words that may stand before or behind that. */
  readonly of: string
  /** Beginnings of words for leaving: in the name of a column, too, such as `Data wypisania`. */
  readonly leaving: string
  /** Beginnings of further words, of a person who left or whose address is refused. */
  readonly left: string
  /** Beginnings of words, of a person who has not agreed yet. */
  readonly waiting: string
  /** Whole words, of a person who gets mail. */
  readonly in: string
}

const LANGUAGES: readonly Language[] = [
  {
    // German
    status: 'zustand',
    of: 'des der marketingkontakts marketingkontakt kontakts kontakt kunden empfängers empfänger abonnenten abos abo abonnements abonnement anmeldung newsletters newsletter versand',
    leaving: 'abgemeldet abmeld abbestell ausgetragen',
    left: 'nichterteilt keinoptin inaktiv nichtaktiv gesperrt sperr unzustellbar gelöscht gekündigt beschwer verweiger widerspr widerspricht',
    waiting: 'nichtmarketing nichtbestätigt nichtangemeldet',
    in: 'marketingkontakt abonnent abonniert angemeldet bestätigt freigegeben erteilt',
  },
  {
    // French
    status: 'statut état',
    of: 'de du des la l d contact contacts abonné abonnés abonnement inscription client destinataire marketing email',
    leaving: 'désabonn désinscri',
    left: 'erreurpermanente retiré plainte plaint bloqu supprim résili rejet inactif nonactif erroné',
    waiting: 'nonmarketing contactnon nonconfirm noninscri nonabonn àconfirmer',
    in: 'contactmarketing abonnée inscrite active confirmée accordé accepté',
  },
  {
    // Spanish
    status: 'estado estatus situación',
    of: 'de del la el contacto suscripción suscriptor cliente marketing correo email',
    leaving: 'desuscri dadodebaja dadadebaja fechadebaja',
    left: 'noacept debaja noactiv rebot queja bloquead rechazad eliminad borrad denunci',
    waiting: 'noconfirm sinconfirm nosuscri contactoqueno',
    in: 'contactodemarketing suscrita suscriptor suscriptora activa confirmada dadodealta dealta alta acepta acepto aceptado',
  },
  {
    // Portuguese
    status: 'estado situação',
    of: 'de do da o a contato contacto inscrição inscrito assinatura assinante cliente marketing email',
    leaving: 'descadastr desinscri desassin',
    left: 'nãoaceit nãoativ devolvid bloquead rejeitad denúncia denunci reclam excluíd inativ removid',
    waiting: 'naoconfirm naoinscri contatoquenão contactoquenão',
    in: 'contatodemarketing contactodemarketing inscrita assinante ativa confirmado confirmada subscrito subscrita aceito aceita',
  },
  {
    // Italian
    status: 'stato',
    of: 'di del della dell l d contatto contatti iscrizione iscritto cliente marketing email newsletter abbonamento',
    leaving: 'disiscri',
    left: 'negat nonaccett nonattiv respint rimbalz bloccat eliminat inattiv segnalat reclam rifiutat revocat',
    waiting: 'nonconferm inattesa noniscri nonabbon daconferm',
    in: 'contattomarketing iscritta abbonato abbonata attiva confermata accetto',
  },
  {
    // Dutch
    status: 'toestand',
    of: 'van de het contact abonnement abonnee inschrijving aanmelding klant nieuwsbrief marketing',
    leaving: 'uitgeschreven uitschrij afgemeld afmeld',
    left: 'geblokkeerd klacht verwijderd onbestelbaar opgezegd nietactief geweigerd',
    waiting: 'nietmarketing nietbevestigd nognietbevestigd nietingeschreven nietgeabonneerd',
    in: 'marketingcontact geabonneerd abonnee ingeschreven aangemeld actieve',
  },
  {
    // Polish; ł stays what it is
    status: 'stan',
    of: 'kontaktu kontakt subskrypcji subskrybenta odbiorcy zapisu klienta zgody marketingowy',
    leaving: 'wypisan rezygnac zrezygn',
    left: 'nieaktywn zablokow odrzucon usunięt odbit skarg odwołan wycofan',
    waiting: 'niepotwierdz oczekuj niezapisan',
    in: 'aktywny aktywna aktywne potwierdzony potwierdzona subskrybent subskrybuje zapisany zapisana',
  },
  {
    // Swedish, Danish, Norwegian
    status: 'tilstand',
    of: 'prenumeration prenumerations prenumerant abonnement abonnements abonnent tilmelding påmelding kontakt nyhetsbrev nyhedsbrev',
    leaving: 'avregistr avprenum avanmäl avmeld afmeld utmeld',
    left: 'inteaktiv ikkeaktiv avslutad studsa avvisad avvist afvist spärra inaktiv borttag slettet opsagt avsluttet',
    waiting: 'ejbekräft obekräft intebekräft ikkebekræft ikkebekreft ubekræft ubekreft',
    in: 'prenumererar prenumerant tilmeldt påmeldt abonnent aktiv bekräftad bekræftet bekreftet',
  },
  {
    // Czech, Slovak
    status: 'stav',
    of: 'kontaktu odběru odberu odběratele přihlášení registrace zákazníka newsletteru',
    leaving: 'odhláš',
    left: 'neaktiv zablokov zrušen smazan odmítn stížnost',
    waiting: 'nepotvrz neověřen čeká čaká',
    in: 'přihlášen přihlášený přihlášená prihlásený aktivní aktívny potvrzen potvrzený odběratel',
  },
  {
    // Turkish; ı stays what it is
    status: 'durum durumu',
    of: 'izin abonelik abone üyelik kişi iletişim e posta eposta',
    leaving: 'aboneliktençık abonelikiptal',
    left: 'izinsiz pasif iptal engellen geridön silin ayrıl reddedil şikayet',
    waiting: 'onaylanma onaybek beklemede abonedeğil',
    in: 'aktif abone onaylı onaylandı kayıtlı',
  },
  {
    // Hungarian, Romanian, Finnish, Greek
    status: 'állapot stare tila κατάσταση',
    of: 'feliratkozás feliratkozási abonament abonare abonatului tilauksen tilaus εγγραφής συνδρομής',
    leaving: 'leirat dezabon',
    left: 'inaktív törölt visszapatt peruut peruttu poistettu estetty διαγραφ διεγραφ ανενεργ αποκλεισμ',
    waiting: 'megerősítésre nemerősít neconfirm vahvistamat odottaa εκκρεμ',
    in: 'feliratkozott aktív abonat activ confirmat tilaaja tilannut aktiivinen ενεργός ενεργή εγγεγραμμένος',
  },
  {
    // Russian, Ukrainian
    status: 'статус состояние стан',
    of: 'подписки подписчика контакта клиента рассылки адреса email підписки контакту',
    leaving: 'отпис отказ чёрномсписке чёрныйсписок відпис',
    left: 'неактив заблок отклон недостав жалоб удал видален скарг черныйспис',
    waiting: 'неподтв ожида неактивир неподпис непідтв очіку',
    in: 'активен активна активный активная подписан подписана подписчик подтвержден подтверждён активний підписаний підписана',
  },
  {
    // Japanese
    status: '状態 ステータス ステイタス',
    of: '配信 購読 登録 会員 メール メルマガ コンタクト',
    leaving: '配信停止 受信拒否 退会 購読解除 配信解除',
    left: '停止 不可 希望しない 不要 しない エラー 解除 退会 拒否 無効 ブロック 削除 不達',
    waiting: '未確認 仮登録 未承認 未登録 未購読',
    in: '配信中 購読中 有効 登録済 登録済み 可 購読 希望 希望する 許可',
  },
  {
    // Chinese
    status: '状态 狀態',
    of: '订阅 訂閱 邮件 郵件 联系人 聯絡人 用户 发送',
    leaving: '退订 取消订阅 退訂 取消訂閱 退信 黑名单 黑名單 拉黑',
    left: '已取消 禁用 停用 投诉 投訴 无效 無效 已删除 失效 拒收 拒绝',
    waiting: '未确认 待确认 未確認 待確認 未订阅 未訂閱',
    in: '正常 已订阅 已訂閱 订阅 訂閱 有效 启用 啟用 已确认',
  },
  {
    // Korean
    status: '상태',
    of: '구독 수신 회원 이메일 메일',
    leaving: '수신거부 구독취소 수신안함',
    left: '거부 거절 해지 탈퇴 차단 정지 반송 중지 휴면 미동의 비동의 취소',
    waiting: '미확인 대기 미인증',
    in: '활성 구독중 구독 수신 동의 수신동의 정상 허용',
  },
]

const wordsOf = (list: string) => list.split(' ').map(plainName)
const all = (part: keyof Language) => LANGUAGES.flatMap((each) => wordsOf(each[part]))

/** Names of columns that are of a state of a country, of a family or of goods as well. */
const OF_ANYTHING = new Set(
  wordsOf('zustand état estado situación stato toestand stan tilstand stav stare tila állapot'),
)
const COLUMNS = LANGUAGES.map(({ status, of }) => ({ names: ['status', ...wordsOf(status)], beside: wordsOf(of) }))
/** So many words may stand on one side of the name. */
const MOST_BESIDE = 4

/**
 * Whether a column with this plain name tells a standing, such as `Situação`, `Stato iscrizione` or `配信状態`; `state`
 * where it may as well be a state of anything else.
 */
export function statusAbroad(plain: string): 'word' | 'state' | undefined {
  if (OF_ANYTHING.has(plain)) return 'state'
  const isStatus = COLUMNS.some(({ names, beside }) =>
    names.some((name) => {
      const at = plain.indexOf(name)
      return at >= 0 && isMadeOf(plain.slice(0, at), beside) && isMadeOf(plain.slice(at + name.length), beside)
    }),
  )
  return isStatus ? 'word' : undefined
}

function isMadeOf(text: string, words: readonly string[], most = MOST_BESIDE): boolean {
  if (text === '') return true
  return most > 0 && words.some((word) => text.startsWith(word) && isMadeOf(text.slice(word.length), words, most - 1))
}

const LEAVING = all('leaving')
const LEFT = [...LEAVING, ...all('left')]
const WAITING = all('waiting')

/** Whether a column with this plain name is of those who left: a date, a reason, a sign. */
export const isOfLeavingAbroad = (plain: string) => LEAVING.some((word) => plain.includes(word))
/** Whether a cell, as a plain name, is of a person who left. */
export const isLeftAbroad = (plain: string) => LEFT.some((word) => plain.includes(word))
/** Whether it is of one who has not agreed yet. */
export const isWaitingAbroad = (plain: string) => WAITING.some((word) => plain.includes(word))
/** Words for a person who gets mail, as plain names. */
export const IN_ABROAD: readonly string[] = all('in')
