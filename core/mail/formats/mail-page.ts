import type { Font, Look } from '../../values/look.ts'

/** The color of links and buttons of projects that have none. */
export const COLOR = '#0b7285'

/** The fonts of the API as style values: each with the fonts to take where it is missing. */
const FONT_FAMILIES: Readonly<Record<Font, string>> = {
  sans: 'Helvetica,Arial,sans-serif',
  arial: 'Arial,Helvetica,sans-serif',
  verdana: 'Verdana,Geneva,sans-serif',
  trebuchet: "'Trebuchet MS',Tahoma,sans-serif",
  georgia: "Georgia,'Times New Roman',serif",
  times: "'Times New Roman',Times,serif",
  courier: "'Courier New',Courier,monospace",
}

/** How a page of mail looks: what a project set of its look. */
export type PageLook = { readonly [Key in keyof Look]?: Look[Key] | undefined }

/** The font of a project's mails, as a style names it. */
export const fontOf = ({ font = 'sans' }: PageLook) => FONT_FAMILIES[font] ?? FONT_FAMILIES.sans

/** The width of a mail on a desk, in pixels, and of what is within its margins. */
export function widthsOf({ width = 600 }: PageLook): { readonly whole: number; readonly inner: number } {
  return { whole: width, inner: width - 80 }
}

/** A project's logo as HTML: at most 40 pixels high, and no wider than a phone. `src` is escaped; "" without one. */
export function logoOf(src: string | undefined, margin = '0 0 24px'): string {
  if (src === undefined) return ''
  return `<img src="${src}" alt="" height="40" style="display:block;width:auto;max-width:100%;height:auto;max-height:40px;margin:${margin};border:0">`
}

/** Black or white, whichever is easier to read on it. */
export function onColor(color: string): string {
  return contrast(luminance(color), 1) >= 4.5 ? '#ffffff' : '#000000'
}

/** The color, or a darker one of its kind that can be read on white and on light gray. */
export function readable(color: string): string {
  let parts = partsOf(color)
  while (contrast(luminance(hex(parts)), luminance('#f3f4f6')) < 4.5) parts = parts.map((part) => part * 0.9)
  return hex(parts)
}

/** Red, green and blue, from 0 to 255. */
const partsOf = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) || 0)

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => Math.floor(part).toString(16).padStart(2, '0')).join('')}`
}

/** Both as WCAG 2.2 defines them. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(color).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: number, other: number) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)

/** The place of the project's postal address in a body, which is filled in when the mail goes out. */
export const POSTAL_PLACE = '{{ mailwright_postal }}'

/** Whether HTML is a page that `mailPage` made, now or earlier. */
export function isMailPage(html: string): boolean {
  return html.startsWith('<!doctype html>') && html.includes(CARD) && html.includes('<td class="inside" ')
}

/**
 * The content of such a page, without its logo: the page around it has that, where the mail stands within a layout of the
 * same making. Undefined for any other HTML.
 */
export function insideOf(html: string): string | undefined {
  if (!isMailPage(html)) return undefined
  const from = html.indexOf('>\n', html.indexOf('<td class="inside" ')) + 2
  const to = html.lastIndexOf(END)
  return to < from ? undefined : html.slice(from, to).replace(LOGO, '')
}

const LOGO = /^<img src="[^"]*" alt="" height="40" style="display:block;width:auto;[^"]*">/
const END = '\n</td></tr>\n</table>\n<!--[if mso]></td></tr></table><![endif]-->'

const CARD = '<table role="presentation" class="card" width="100%"'

/** The parts of a page. */
export interface PageParts {
  /** As an attribute's value. */
  readonly language: string
  readonly look: PageLook
  /** As HTML. */
  readonly title: string
  readonly inside: string
}

/**
 * The page around a mail that is drawn or written in Markdown: tables and inline styles, since Outlook reads nothing newer.
 * Outlook keeps the width of its own table, since it knows no max-width. The first rules undo what readers do by themselves:
 * Outlook scales pictures to the screen's resolution and pads tables, phones enlarge text and make links of dates. They
 * also keep a short letter above the length below which filters take a mail with the pixel for one made of pictures
 * (SpamAssassin's HTML_IMAGE_ONLY, 3,200 bytes).
 */
export function mailPage({ language, look, title, inside }: PageParts): string {
  const { color = COLOR } = look
  const { whole, inner } = widthsOf(look)
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${title}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings xmlns:o="urn:schemas-microsoft-com:office:office"><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->
<style>
  body { margin: 0; padding: 0; background: #f3f4f6; }
  body, table, td, a { -webkit-text-size-adjust: 100%; -ms-text-size-adjust: 100%; }
  table, td { mso-table-lspace: 0pt; mso-table-rspace: 0pt; }
  img { -ms-interpolation-mode: bicubic; }
  #outlook a { padding: 0; }
  a[x-apple-data-detectors] { color: inherit !important; text-decoration: none !important; font: inherit !important; }
  a { color: ${readable(color)}; }
  .button { color: ${onColor(color)} !important; }
  .inside img:not([style*="max-width"]) { max-width: 100% !important; }
  .inside table { max-width: ${inner}px !important; }
  @media (max-width: ${whole + 24}px) {
    .inside { padding: 24px 20px !important; }
    .inside table { max-width: 100% !important; }
    .inside table[width], .inside table[style*="width"] { width: 100% !important; min-width: 0 !important; }
  }
  @media (max-width: ${Math.min(whole + 24, 620)}px) {
    .column { display: block !important; width: 100% !important; padding: 0 0 8px !important; box-sizing: border-box; }
  }
  @media (prefers-color-scheme: dark) {
    body, .around { background: #17191c !important; }
    .card { background: #22262b !important; color: #e6e8eb !important; }
    .quiet { color: #a6adb7 !important; }
    .rule { border-color: #4a5058 !important; }
    .code { background: #17191c !important; }
    a:not(.button) { color: #8fd3e8; }
    .link { color: #8fd3e8 !important; }
    .edge { border-color: #8b949e !important; }
  }
</style>
</head>
<body style="margin:0;padding:0;background:#f3f4f6">
<table role="presentation" class="around" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f3f4f6">
<tr><td align="center" style="padding:24px 12px">
<!--[if mso]><table role="presentation" width="${whole}" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
${CARD} cellpadding="0" cellspacing="0" border="0" style="max-width:${whole}px;background:#ffffff;color:#1f2937;border-radius:8px;font-family:${fontOf(look)};font-size:16px;line-height:1.55">
<tr><td class="inside" style="padding:36px 40px;text-align:left;word-break:break-word">
${inside}
</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr>
</table>
</body>
</html>
`
}
