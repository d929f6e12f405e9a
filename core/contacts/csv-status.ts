import { inPlainLetters, isAboutNews } from './csv-consent.ts'
import { plainName } from './csv-names.ts'
import { isOfPermission } from './csv-permission.ts'
import { IN_ABROAD, isLeftAbroad, isOfLeavingAbroad, isWaitingAbroad, statusAbroad } from './csv-status-abroad.ts'

/**
 * The subscription by a cell of another program: the person is in, has left (also: bounced, complained, blocked), or
 * has not confirmed; `unknown` for any other word, undefined for nothing.
 */
export type Standing = 'in' | 'left' | 'waiting' | 'unknown'

/**
 * The kind of column that tells it: a word, a word where another one may name a state of a country, a sign or date that
 * a person left, whether a person agreed, or whether the address is in use and confirmed.
 */
export type StatusKind = 'word' | 'state' | 'left' | 'consent' | 'sign'

/** The kind of a column with this name; undefined when it says nothing about a subscription. */
export function statusKind(name: string): StatusKind | undefined {
  const plain = plainName(name)
  if (plain === 'state') return 'state'
  if (WORD.test(plain)) return 'word'
  const abroad = statusAbroad(plain)
  if (abroad !== undefined) return abroad
  // "Opted out of email: Offers", "No bulk emails (User opt out)"
  if (isOfLeaving(plain) || isOfLeaving(plainName(name.split(/[:(]/, 1)[0] ?? ''))) return 'left'
  if (SIGN.test(plain)) return 'sign'
  if (isOfLeavingAbroad(plain) && !isOfOtherChannel(name)) return 'left'
  return CONSENT.test(plain) || CONSENT_NOUN.test(plain) || isAboutNews(plain) || isOfPermission(plain)
    ? 'consent'
    : undefined
}

function isOfLeaving(plain: string): boolean {
  return LEFT_COLUMN.test(plain) || LEFT_ABROAD.test(plain)
}

/** Whether a column of this name is about messages other than mail. */
export function isOfOtherChannel(name: string): boolean {
  return /sms|phone|telefon|mobile|handy|push|whatsapp|viber|telegram|messenger|postal|fax/.test(plainName(name))
}

/** Whether a cell is a word that means leaving whatever column it stands in. */
export function isLeaving(cell: string): boolean {
  return LEAVING.test(cell)
}

const LEAVING =
  /^\s{0,9}(?:(?:globally|e-?mail|user|manual(?:ly)?)[ _-]?)?(?:un-?subscribed?|opted[ _-]?out|suppressed|(?:hard[ _-]?)?bounced|(?:hard|permanent)[ _-]?bounce|complained|spam[ _-]?(?:complaint|report(?:ed)?)|do[ _-]?not[ _-]?(?:contact|e?-?mail)|block-?listed|abgemeldet|désabonnée?|désinscrite?|dad[oa] de baja|disiscritt[oa]|uitgeschreven|afgemeld|wypisan[yao]|отписан[ао]?|отписал(?:ся|ась)|配信停止|退订|已退订|取消订阅|수신 ?거부)\s{0,9}$/i

const SUBJECT =
  '(?:e?mail|emails|address|person|reason|last|sub|marketing|contact|member|membership|subscriber|subscription|suscripcion|abonnement|list|newsletter|profile|recipient|user|customer|optin|permission|consent|mailing|global|current|deliverability|delivery|suppression|buyer|marked|date|is|has|as|all)*'
const WORD = new RegExp(
  `^(?:${SUBJECT}stat(?:us|ut|o)|estado(?:de)?(?:la)?(?:suscripcion|subscricao)|(?:subscription|subscriber)state|email(?:marketing)?consent|emailpermission|anmeldestatus|abostatus)$`,
)
const LEFT_COLUMN = new RegExp(
  `^${SUBJECT}(?:unsub|unsubscribed?|unsubscription|unsubscribes|optedout|optout|blocklist(?:ed)?|blacklist(?:ed)?|blocked|suppressed|suppressions?|excluded?|removed|stop(?=time|date|status)|bounced?|hardbounced?|complained|complaint|cleaned|clean(?=time|campaign|date|at)|disabled|deleted|deactivated|donotmail|donote?mail|donotcontact|donot(?:send|solicit|market)|deceased|dnc|no(?:bulk)?(?:e?mails?|newsletters?|marketing|contact)|onhold|held(?=date)|donotallow(?:bulk)?|quarantined?|gdprdeleted?|(?:reportedas|markedas|reported)?spam|spam(?:reported|reports?|complaints?)|abuse)(?:of|from|to)?(?:all)?(?:e?mails?|campaigns|marketing|newsletters?|lists?|topics?){0,2}(?:at|on|date|time|datetime|timestamp|reason|type|category|status|campaigntitle|campaignid|flag)?$`,
)
/** A "no" here means that mail to the address is not wanted, or not known to be. */
const SIGN = new RegExp(
  `^${SUBJECT}(?:active|enabled|confirmed|verified|valid|validated|validity|deliverable|doubleoptin|doi|doubleoptinconfirmed|validation|verification|result|validationstatus|verificationstatus|validationresult|verificationresult|zbstatus|neverbounce|notifications|communicationpreferences?|mailingpreferences?|contactpreferences?|aktiv|actif|bestatigt|confirmee?|activ[oa]|confirmad[oa]|attiv[oa]|confermat[oa]|ativ[oa]|actief|bevestigd)$`,
)
const CONSENT = inPlainLetters(
  '^(?:subscribed|cancontact|permission|(?:buyer|customer|user|contact|client)?accepts?(?:e?mail)?marketing|acceptse?mails?|(?:is)?e?mailable|(?:allows?|allowed|permits?|wants?|gets?|receives?)(?:e?mails?|marketing|newsletters?)|(?:e?mails?|marketing|newsletters?|mailing)(?:allowed|ok|okay|permission|permitted|accepted|wanted)|can(?:be)?e?mail(?:ed)?|permissionto(?:e?mail|market|contact)|contact(?:ed)?(?:by|via|per)e?mail|subscribedto(?:e?mails?|newsletters?|marketing|list)?|e?mailsubscribed|issubscribed|isoptedin|(?:e?mail|marketing|newsletter)?(?:optin|optedin)|marketingconsent|marketingallowed|maye?mail|einwilligung|abonniert|abonne|suscrit[oa]|iscritt[oa]|inscrit[oa]?|ingeschreven|aangemeld|angemeldet|tilmeldt|pameldt|prenumererar|tilaaja|zapisan[yao]|subskrybuje|prihlasen[ay]?|odebira|feliratkozott|abonat|pretplacen|abone|подписанa?|подписка|підписаний|εγγεγραμμενος|購読|購読中|订阅|已订阅|訂閱|구독|(?:e?mail|메일|이메일|마케팅|광고|뉴스레터|광고성|정보){0,3}수신(?:동의)?(?:여부)?|(?:마케팅)?동의(?:여부)?|(?:メール)?(?:配信|受信)(?:可否|希望|許可))$',
)

/** The same columns in the languages of the pages, with the day on which it was. */
const LEFT_ABROAD =
  /^(?:newsletter|e?mail|vonallene?mails|detouslese?mails|detodosloscorreos|daognie?mail|voralle?e?mails)?(?:abgemeldet|abbestellt|abmeldung|ausgetragen|widerrufen|widerruf|gesperrt|desabonnee?|desabonnement|desinscrite?|desinscription|dadodebaja|fechadebaja|baja|desuscrito|desuscripcion|disiscritto|disiscrizione|descadastrado|descadastro|desinscrito|uitgeschreven|afgemeld|afmelding|wypisan[yao]|rezygnacja|配信停止|退会|退订|取消订阅|keine?(?:e?mails?|newsletter|werbung)|(?:werbe)?widerspruch|(?:werbe|mail|email|newsletter)?sperre|sperrvermerk|(?:kontakt|werbe)?sperrliste|kontaktsperre|(?:liste?|lista)?robinson(?:liste)?|bounce(?:kategorie|grund|art|typ|datum)|(?:massen)?e?mailsnichtzulassen|frameldt|mailingsperre|(?:werbe|kontakt)verbot|メール不達|(?:nicht|nepas|no|non|nao|niet|nie|ikke|inte)(?:kontaktieren|anschreiben|mailen|contacter|envoyer|emailer|contactar|contattare|contatar|contacteren|benaderen|wysyłac|kontaktowac|kontakte|kontakta)|(?:fecha)?(?:de)?baja|npai|(?:suora)?markkinointikielto|配信エラー|avslutad|avsluttet|listenoire|listarossa|listanegra|zwartelijst|czarnalista|pasde(?:newsletter|e?mails?|publicite)|opposee?|opposition(?:mailing|marketing|commerciale)?|no(?:desea)?(?:recibir|enviar)(?:e?mails?|correos?|publicidad|newsletter)?|non(?:inviare|ricevere)(?:e?mail|newsletter|pubblicita)?|nao(?:enviar|receber)(?:e?mails?|newsletter)?|geen(?:e?mails?|nieuwsbrief|reclame))(?:am|le|el|il|em|op|data|datum|date)?$/
/** Consent as a noun, before or behind what it is for: `Marketing-Einwilligung`, `Consenso al marketing`. */
const CONSENT_NOUN =
  /^(?:marketing|newsletter|e?mail|werbe?|gdpr|dsgvo|rgpd)?(?:consent|einwilligung|einverstandnis|einverstanden|zustimmung|consentement|consentimiento|consentimento|consenso|toestemming|zgoda|同意|markkinointilupa|suostumus|samtykke|samtycke|souhlas|suhlas|onay|izin|hozzajarulas|consimtamant|согласие|згода|συγκαταθεση)(?:(?:to|zur|zum|au|al|alla|para|de|do|voor|na)?(?:marketing|marketingowa|newsletter|e?mails?|werbung|publicite|publicidad)|given|date|datum|am|at)?$/

/** The standing by a cell in a column of this kind; undefined for nothing. */
export function standingOf(kind: StatusKind, cell: string): Standing | undefined {
  const word = plainName(cell)
  if (word === '') return undefined
  // the way out, not that it was taken
  if (kind === 'left' && /^https?:/i.test(cell)) return undefined
  if (kind === 'left') return FALSE.has(word) || /^0+$/.test(word) || STAYED.test(word) ? undefined : 'left'
  if (LEFT.test(word) || isLeftAbroad(word)) return 'left'
  if (kind === 'sign') return FALSE.has(word) || /^0+$/.test(word) || isWaiting(word) ? 'waiting' : undefined
  if (kind !== 'state' && FALSE.has(word)) return 'left'
  if (isWaiting(word)) return 'waiting'
  // a date in such a column is when the person agreed
  if (IN.has(word) || (kind === 'consent' && isDate(cell))) return 'in'
  return kind === 'state' ? undefined : 'unknown'
}

function isWaiting(word: string): boolean {
  return WAITING.test(word) || isWaitingAbroad(word)
}

/** Whether a cell holds a date, in whatever order. */
export function isDate(cell: string): boolean {
  return /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[T\s,].*)?$/.test(cell)
}

const FALSE: ReadonlySet<string> = new Set(
  [
    'false',
    'f',
    '0',
    'no',
    'n',
    'off',
    'none',
    'null',
    'never',
    'nein',
    'non',
    'falsch',
    'faux',
    'falso',
    'nee',
    'nao',
    'nie',
    ...[
      'nej',
      'nei',
      'ei',
      'ne',
      'nem',
      'nu',
      'hayir',
      'hayır',
      'нет',
      'ні',
      'не',
      'οχι',
      '아니요',
      '아니오',
      'לא',
      'لا',
    ],
    '否',
    '不',
    'いいえ',
  ].map(plainName),
)

const LEFT =
  /^no(?:thanks|thankyou|gracias|grazie|merci)|neindanke|dropped|^(?:left|gone|quit|baja|stop|stopped|opposed|dead|former|churned|role|optedout|lapsed)$|unsub|optout|optsout|optedout|blocklist|blacklist|denylist|cleaned|bounc|complain|spam|abuse|suppress|inacti|disabl|remov|delet|archiv|cancel|junk|invalid|undeliver|block|reject|refus|revok|withdr|donot|dontmail|dontemail|deactiv|expired|banned|abgemeldet|ausgetragen|widerrufen|gesperrt|desabonn|desinscri|desuscri|dadodebaja|disiscri|annullat|uitgeschreven|afgemeld|wypisan|odhlas|avregistr|avmeldt|отпис|退订|取消订阅|配信停止/

/** A cell in a column of those who left, of a person who did not: "Opt-out status: subscribed", a date that is none. */
const STAYED =
  /^(?:subscribed|optedin|optin|allow|allowed|zulassen|na|nan|nat|nil|not(?:unsubscribed|optedout|bounced|suppressed|blocked|blocklisted|blacklisted|applicable|set))$/

const WAITING =
  /pending|unconfirm|notconfirm|notyet|never|^nons?ubs|nonsub|notsub|notopted|notset|notactive|transactional|nonmarketing|unverified|await|waiting|imported|unknown|noconsent|nopermission|neutral|paused|snooz|ausstehend|unbestatigt|enattente|pendiente|insospeso/

const IN: ReadonlySet<string> = new Set(
  [
    ...[
      'subscribed',
      'subscriber',
      'subscribe',
      'active',
      'confirmed',
      'enabled',
      'optin',
      'opted in',
      'double opt-in',
    ],
    ...[
      'single opt-in',
      'confirmed opt-in',
      'marketing contact',
      'double',
      'express',
      'explicit',
      'true',
      't',
      'yes',
      'y',
      '1',
      'on',
      'x',
    ],
    ...[
      'ok',
      'allowed',
      'granted',
      'agreed',
      'accepted',
      'abonniert',
      'angemeldet',
      'aktiv',
      'bestätigt',
      'ja',
      'wahr',
    ],
    ...['abonné', 'inscrit', 'actif', 'confirmé', 'oui', 'vrai', 'suscrito', 'activo', 'confirmado', 'sí', 'iscritto'],
    ...[
      'tak',
      'はい',
      '是',
      '同意',
      'j',
      'kyllä',
      'ano',
      'áno',
      'igen',
      'da',
      'evet',
      'jah',
      'taip',
      'jā',
      'ναι',
      'да',
      'так',
    ],
    ...['예', '네', 'כן', 'نعم', 'sì'],
    ...IN_ABROAD,
    ...['attivo', 'confermato', 'inscrito', 'ativo', 'sim', 'ingeschreven', 'actief', 'bevestigd', 'verdadero', 'vero'],
  ].map(plainName),
)
