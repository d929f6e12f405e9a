import { plainWords } from './line.ts'

const MAX_LENGTH = 160

/** How such a line begins; what it names follows. */
const SENT_WITH = [
  /^(?:sent|written|typed|composed) (?:from|via|with|by|using|on) /i,
  /^(?:diese (?:nachricht|e-?mail|mail) wurde )?(?:von|vom) (?:mein|unterwegs|iphone|ipad|samsung|android)/i,
  /^(?:diese (?:nachricht|e-?mail|mail) wurde |mobil )?(?:gesendet|versendet|verschickt|geschrieben) (?:von|mit|vom|über|aus|per) /i,
  /^(?:diese (?:nachricht|e-?mail|mail) wurde) (?:von|mit|vom|über|aus) .{1,60} (?:gesendet|verschickt|versendet|geschrieben)/i,
  /^(?:envoyé|envoyée|écrit|expédié) (?:de|depuis|à partir de|avec|via|par|du|d')/i,
  /^(?:enviado|enviada|escrito|mandado) (?:desde|do|da|de|con|com|por|pelo|pela|via|a partir d|através d)/i,
  /^(?:inviato|inviata|scritto|spedito|ottenuto) (?:da|dal|dall'|con|tramite|via)/i,
  /^(?:verstuurd|verzonden|gestuurd|geschreven) (?:vanaf|van|met|via|vanuit|door) /i,
  /^(?:wysłane|wysłano|wysłana|napisane) (?:z|ze|za pomocą|przez|przy użyciu|poprzez) /i,
  /^(?:skickat|skickades|sänt|sendt|skrevet) (?:från|fra|med|via) |^lähetetty .|^(?:odesláno|odoslané|posláno) (?:z|ze|zo|pomocí|přes) /i,
  /^(?:отправлено|написано|надіслано|відправлено) (?:с|со|из|через|з|із|зі) |^(?:elküldve|küldve) |^(?:trimis|expediat) (?:de pe|de la|din|cu|prin) |^(?:στάλθηκε|εστάλη) (?:από|με) /i,
  /^(?:发自|發自|来自|來自|傳送自|发送自|从|從)(?:我的)? ?(?:华为|小米|荣耀|三星|苹果)?[\w -]{0,24}(?:手机|手機|邮箱|郵箱|客户端)?(?:发送|發送|傳送)?。?$/,
]
/** In Japanese, Korean and Turkish the verb comes last. */
const SENT_LAST =
  /(?:에서 보냄|에서 보냈습니다|에서 보낸|dan gönderildi|den gönderildi|から送信|より送信|で送信|から送信されました|から送られました)/
/** Without one of these a line is a sentence: "Sent from the warehouse". */
const PRODUCTS =
  /iphon|ipad|ipod|apple|\bmac\b|macbook|android|blackberry|galaxy|samsung|huawei|xiaomi|redmi|\bhonor\b|oppo|oneplus|pixel|motorola|\bmoto\b|nokia|\bsony\b|xperia|\blg\b|\bhtc\b|\bvivo\b|realme|windows|outlook|hotmail|yahoo|gmail|\bgmx|web\.de|mail\.com|\baol\b|proton|tutanota|\btuta\b|spark|thunderbird|k-9|fairemail|blue ?mail|mailbird|mymail|airmail|superhuman|zoho|fastmail|freenet|t-online|telekom|orange|libero|tiscali|virgilio|\bonet\b|wirtualn|interia|\bo2\b|poczt|\buol\b|\bbol\b|\bterra\b|\bsapo\b|docomo|ymobile|softbank|qq|网易|新浪|foxmail|smartphone|mobile|\bphone\b|tablet|handy|mobiltelefon|mobilger|téléphone|portable|tel[ée]fono|móvil|celular|telefoon|mobiel|telefon|telemóvel|яндекс|mail\.ru|华为|小米|荣耀|スマートフォン|スマホ|携帯|手机|手機/gi
/** "Get Outlook for iOS", in whichever language. */
const MOBILE_PROGRAM =
  /\b(?:outlook|bluemail|yahoo mail|aqua mail)\b.{0,40}\b(?:ios|android|mac)\b|\b(?:ios|android)\b.{0,20}\boutlook\b/i
/** Of few words that begin so, so that "I use Outlook for Android" stays. */
const GET =
  /^(?:get|download|hol|lad|outlook|télécharg|obten|obtén|obter|obtém|baix|descarg|descarr|scaric|otten|ottien|pobierz|uzyskaj|haal|ios|android|获取|下载|取得|適用)/i
const OTHERS = [
  /^yahoo mail: .{0,60}$/i,
  /(?:virus|viren|wirus|vírus|ウイルス|病毒).{0,80}\b(?:avast|avg)\b/i,
  /^(?:virus-free|virenfrei|sans virus|libre de virus|privo di virus|virusvrij|wolny od wirusów|livre de vírus)[ .]{0,3}(?:www\.\w{1,20}\.\w{1,5})?$/i,
]
/** A request to save paper. */
const PAPER =
  /^(?:p )?(?:please |bitte |por favor,? )?(?:consider|think|save|do not print|don't print|denken|prüfen|pensez|avant d'|n'imprimez|antes de|piense|pense|considere|prima di|pensa|rispetta|denk|print|pomyśl|zanim|印刷|打印|请考虑|環境)/i
const PRINT = /print|druck|imprim|impress|stamp|afdruk|druk|印刷|打印|列印/i
const NATURE = /environment|umwelt|environnement|ambiente|milieu|środowisk|planet|papier|paper|環境|环境|环保/i
/** Addresses that stand alone under such a line. */
const OWN_LINK =
  /^[<[(]?https?:\/\/(?:aka\.ms|go\.onelink\.me|overview\.mail\.yahoo\.com|(?:www\.)?avast\.com|www\.avg\.com|proton\.me|mail\.onelink\.me)\b/i

/** True for a line that a phone or a mail program writes under a mail: "Sent from my iPhone". */
export function isShortSignature(text: string): boolean {
  const trimmed = text.trim()
  if (trimmed.length > 2 * MAX_LENGTH) return false
  if (OWN_LINK.test(trimmed)) return true
  const words = plainWords(trimmed)
    .replace(/^[-–—*_>\s]{1,10}/, '')
    .replace(/[-–—*_\s]{1,10}$/, '')
  // a question is one of the author's sentences
  if (words === '' || words.length > MAX_LENGTH || /[?？]/.test(words)) return false
  if (namesProduct(words) && (SENT_LAST.test(words) || SENT_WITH.some((sent) => sent.test(words)))) return true
  if (PAPER.test(words) && PRINT.test(words) && NATURE.test(words)) return true
  if (words.length <= 60 && !/[.!。！]/.test(words.slice(0, -1)) && GET.test(words) && MOBILE_PROGRAM.test(words))
    return true
  return OTHERS.some((other) => other.test(words))
}

/** With few words after it, or an excuse: "Sent from my iPhone when the train left at noon" is a sentence. */
function namesProduct(words: string): boolean {
  // "Samsung Galaxy Smartphone" names three
  const product = [...words.matchAll(PRODUCTS)].at(-1)
  if (product === undefined) return false
  const after = words.slice(product.index + product[0].length)
  return after.length <= MAX_AFTER || /^[,;.(–-]/.test(after)
}
const MAX_AFTER = 25
