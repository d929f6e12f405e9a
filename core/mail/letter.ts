import { ACCENT, type Look } from '../values/look.ts'
import { fontOf, logoOf, onColor } from './formats/mail-page.ts'
import { profileLinks } from './html/footer.ts'
import { literalHtml } from './render/printed.ts'

const QUIET = 'color:#4b5563'

/** A short mail of the engine itself: what it asks for, a button, and what to do if it was not meant. */
export interface Letter {
  readonly language: string
  readonly subject: string
  readonly request: string
  readonly button: string
  /** Where the button leads: a placeholder. */
  readonly url: string
  readonly ignore: string
  /** A link below, for readers who want something else. */
  readonly out?: { readonly text: string; readonly url: string }
  /** How the sender looks. The mail's content has to hold it, too: its postal address is filled in from there. */
  readonly look?: Look | undefined
}

/** The letter as plain text. */
export function letterText({
  request,
  button,
  url,
  ignore,
  out,
  look = {},
}: Omit<Letter, 'language' | 'subject'>): string {
  const other = out === undefined ? '' : `\n${out.text}: ${out.url}\n`
  const profiles = (look.links ?? []).map((link) => `${link.name}: ${link.url}\n`).join('')
  const post = look.postalAddress === undefined ? '' : '\n{{ mailwright_postal }}\n'
  return `${request}\n\n${button}:\n${url}\n\n${ignore}\n${other}${profiles === '' ? '' : `\n${profiles}`}${post}`
}

/** The letter as HTML. Its texts contain no markup; placeholders escape what they print. */
export function letterHtml({ language, subject, request, button, url, ignore, out, look = {} }: Letter): string {
  const { logoUrl, color = ACCENT, links = [], postalAddress } = look
  const font = fontOf({ font: look.font ?? 'arial' })
  const logo = logoOf(logoUrl && literalHtml(logoUrl))
  const ends = [
    ...(out === undefined ? [] : [`<a href="${out.url}" style="${QUIET}">${out.text}</a>`]),
    ...(links.length === 0 ? [] : [profileLinks(links, QUIET)]),
    ...(postalAddress === undefined ? [] : ['{{ mailwright_postal }}']),
  ]
  const end =
    ends.length === 0
      ? ''
      : `<p style="margin:24px 0 0;${QUIET};font-size:12px;line-height:18px">${ends.join('<br>')}</p>\n`
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject}</title></head>
<body style="margin:0;padding:24px;background:#f3f4f6">
<div style="max-width:480px;margin:0 auto;padding:28px;background:#ffffff;border-radius:12px;color:#1f2937;font-family:${font};font-size:16px;line-height:24px">
${logo}<p style="margin:0 0 24px">${request}</p>
<p style="margin:0 0 24px"><a href="${url}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:${color};color:${onColor(color)};font-weight:bold;text-decoration:none">${button}</a></p>
<p style="margin:0;color:#4b5563;font-size:14px;line-height:21px">${ignore}</p>
${end}</div>
</body>
</html>
`
}
