import { plainName } from './csv-names.ts'

/** Agreeing, allowing and accepting, in the languages of the pages and a few more. */
const PERMIT = `consent consents consented permission permissions optin accept accepts accepted allow allows allowed agree
  agrees agreed einwilligung einverständnis einverstanden zustimmung erlaubt erlaubnis consentement accepte accepté
  autorisation consentimiento consentimento acepta acepto aceita aceito autoriza consenso accetta accetto autorizza
  toestemming akkoord zgoda zgody samtycke samtykke suostumus lupa souhlas súhlas onay onayı izin izni rızası
  hozzájárulás consimțământ acord согласие згода συγκατάθεση 同意 許可 許諾 동의`
/** Getting something. */
const GET = `receive receives want wants erhalten erhält bekommen bekommt empfangen recevoir reçoit
  recibir recibe ricevere riceve receber recebe ontvangen ontvangt otrzymywać odbiór odběr odber получать получает almak
  接收 受信 配信 購読 订阅 訂閱 수신 구독`
/** Mail and advertising, and the laws by which people agree to them. */
const MAIL = `gdpr dsgvo rgpd lgpd rodo kvkk mail mails email emails newsletter newsletters mailing mailings marketing marketings news werbung reklame reklam
  publicité publicidad pubblicità publicidade comercial comerciales commercial commerciale commerciales commerciali
  communication communications comunicaciones comunicações comunicazioni correo correos ticari ileti iletisi elektronik
  eposta marketingowa marketingowe handlowe informacje novinek novinky nyhetsbrev nyhedsbrev nieuwsbrief рассылку рассылки
  рассылка реклама рекламу メール メルマガ 邮件 營銷 营销 郵件 광고 광고성 이메일 메일 마케팅`
/** Words between them. */
const SMALL = `a al an at au aux by da das de der des die di do du e et el en for für i i la las le les los na of on our para per
  por the to und via von vom we y zu zum zur given status date datum fecha data day is has
  user customer на за про о`

const wordsOf = (list: string) => list.split(/\s+/).map(plainName)
/** The kinds of words, a bit for each. */
const [PERMITS, GETS, MAILS] = [1, 2, 4]
const WORDS: ReadonlyMap<string, number> = new Map([
  ...wordsOf(SMALL).map((word) => [word, 0] as const),
  ...wordsOf(GET).map((word) => [word, GETS] as const),
  ...wordsOf(MAIL).map((word) => [word, MAILS] as const),
  ...wordsOf(PERMIT).map((word) => [word, PERMITS] as const),
])
const LONGEST = Math.max(...[...WORDS.keys()].map(({ length }) => length))

/**
 * Whether a column with this plain name tells whether a person agreed to mail: nothing but words of mail and of agreeing
 * or getting it, in any order, as in `Согласие на рассылку` or `Acepta comunicaciones comerciales`. Takes time that grows with the name alone.
 */
export function isOfPermission(plain: string): boolean {
  // which kinds of words lead to each place
  const kinds: (Set<number> | undefined)[] = [new Set([0])]
  for (let at = 0; at < plain.length; at++) {
    for (let end = at + 1; kinds[at] !== undefined && end <= Math.min(plain.length, at + LONGEST); end++) {
      const kind = WORDS.get(plain.slice(at, end))
      if (kind === undefined) continue
      const there = kinds[end] ?? new Set()
      for (const before of kinds[at] ?? []) there.add(before | kind)
      kinds[end] = there
    }
  }
  return [...(kinds[plain.length] ?? [])].some((kind) => (kind & MAILS) !== 0 && kind !== MAILS)
}
