/** Words before the thing itself: getting it, wanting it, and small words between. */
const GETTING = `get gets receive receives wants? send yes to for the our accepts? subscribedto
  bekommt empfangt erhalt mochte will bezieht den die zum fur per abo anmeldung
  recoit recevoir souhaite veut accepte abonnement inscription inscritala a la le de des
  recibe recibir quiere desea acepta suscripcion suscritoa al el nuestro
  riceve ricevere vuole accetta iscrizione iscrittoalla alla il
  recebe receber quer aceita inscricao assinatura na o
  ontvangt ontvangen wil aanmelding voor het modtag onsker motta far vill tilaa
  zgodana chce zapis odber odebirat kivan`

/** Newsletters and advertising. */
const NEWS = `newsletter(?:s|a|u|ow|y)? mailings? emailmarketing marketinge?mails? emailnews promotionale?mails?
  rundbrief infobrief infomail e?mailwerbung werbung werbee?mails? infolettre lettred?information publicite
  publicidad boletin(?:es)? boletinesinformativos boletininformativo bollettino pubblicita
  boletim boletiminformativo publicidade nieuwsbrief reclame nyhedsbrev nyhetsbrev uutiskirje
  biuletyn zpravodaj hirlevel bulten ebulten buletin рассылка розсилка бюлетин ενημερωτικοδελτιο
  メールマガジン メルマガ ニュースレター 电子报 電子報 新闻通讯 뉴스레터`

/** Words behind it: that the recipient gets it, and the answers that may stand in the column. */
const ANSWERED = `optin optedin subscribed subscription signup consent permission allowed flag ok yesno yn
  abonniert abo abonnement anmeldung angemeldet erwunscht gewunscht erlaubt empfang empfanger
  janein jn ouinon on sino sn simnao janee taknie anone abonne inscrite? inscription
  suscrito suscripcion si iscritto iscrizione inscrito inscricao aceita aangemeld ontvangen
  tilmeldt tilmelding pamelding prenumerant zgoda tak 購読 希望 配信 受信 登録 许可 订阅 訂閱`

const oneOf = (words: string) => `(?:${words.split(/\s+/).join('|')})`
// a bound on the small words: a name of nothing else would be tried in too many ways
const ABOUT_NEWS = inPlainLetters(`^${oneOf(GETTING)}{0,4}(?:e?mail)?${oneOf(NEWS)}${oneOf(ANSWERED)}{0,3}$`)

/** Whether a column with this plain name is about getting mail, such as `Newsletter (ja/nein)` or `Acepta publicidad`. */
export function isAboutNews(plain: string): boolean {
  return ABOUT_NEWS.test(plain)
}

/** A pattern of words, in the letters of plain names. */
export function inPlainLetters(pattern: string): RegExp {
  return new RegExp(pattern.normalize('NFKD').replace(/\p{M}/gu, ''))
}
