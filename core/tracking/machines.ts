import { isbot } from 'isbot'

/** The client that requested an image or a link, as far as it is known. */
export interface MailVisitor {
  /** The `User-Agent` field. */
  readonly userAgent?: string | undefined
  /** Where the request came from, in a form to count by. */
  readonly address?: string | undefined
  /** A browser requested it in advance; it may never be seen. */
  readonly isPrefetch: boolean
}

/**
 * True when probably no person made the request: it was made in advance, names no client, or comes from a crawler, a
 * link scanner, or a proxy that fetches images. isbot's list covers crawlers and programs; this file adds what is
 * special to mail. Scanners that pass for a browser are not detected.
 */
export function isMachine({ userAgent, isPrefetch }: MailVisitor): boolean {
  const agent = userAgent?.slice(0, MAX_LENGTH).trim() ?? ''
  if (isPrefetch || agent === '') return true
  if (PROXIES_AND_SCANNERS.some((pattern) => pattern.test(agent))) return true
  return !MAIL_PROGRAMS.some((pattern) => pattern.test(agent)) && isbot(agent)
}

/** How many characters are searched: later ones change nothing but take time. */
const MAX_LENGTH = 1024

const PROXIES_AND_SCANNERS: readonly RegExp[] = [
  // Apple Mail's privacy protection fetches every picture when a mail arrives, and says no more than this
  // https://www.suped.com/knowledge/email-deliverability/technical/what-methods-do-esps-and-smtp-providers-use-to-identify-apple-mpp-and-googleproxyimages
  /^Mozilla\/5\.0$/,
  // Gmail's picture proxy names itself: "(via ggpht.com GoogleImageProxy)"
  /GoogleImageProxy/i,
  // Gmail's look at a mail that arrives; https://github.com/jdavidbakr/mail-tracker/issues/255
  /Edge\/12\.246 Mozilla\/5\.0$/,
  // Yahoo Mail and AOL; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html
  /YahooMailProxy|Yahoo Link Preview/i,
  // https://www.hey.com/image-proxy
  /^hey\.com\/imageproxy/i,
  // Outlook, Teams and Skype look at links; https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0
  /BingPreview|MicrosoftPreview|SkypeUriPreview|SafeLinks/i,
  // Gateways that name themselves; https://check.live-direct-marketing.online/blog/bot-clicks-security-scanners-detect
  /Barracuda|Proofpoint|Mimecast|CiscoSecureEmail|IronPort|\bTMES\b|Fortinet|FortiGuard|Sophos/i,
  // https://en.wikipedia.org/wiki/ZmEu_(vulnerability_scanner)
  /\bZmEu\b/i,
]

/** Mail programs whose short names isbot mistakes for a crawler's. */
const MAIL_PROGRAMS: readonly RegExp[] = [
  /^Outlook-(?:Android|iOS)\//,
  /^(?:Mac|Microsoft )Outlook[ /]/,
  /^Microsoft Office\/.*Outlook/,
  /^Airmail[ /]/,
  /^eM ?Client\//,
  /^Evolution[ /]/,
  /^YahooMobile(?:Mail)?\//,
  /^Mail\/[\d.]+ CFNetwork\//,
  /^NaverMailApp/,
  /^(?:Lotus-Notes|HCL-Notes|Postbox|Spark|Mailspring|KMail|Claws Mail|Geary|Canary|BlueMail)[ /]/i,
]
