const FONT = 'font-family:Arial,Helvetica,sans-serif'

/** A short mail of the engine itself: what it asks for, a button, and what to do if it was not meant. */
export interface Letter {
  readonly language: string
  readonly subject: string
  readonly request: string
  readonly button: string
  /** Where the button leads: a placeholder. */
  readonly url: string
  readonly ignore: string
}

/** The letter as plain text. */
export function letterText({ request, button, url, ignore }: Omit<Letter, 'language' | 'subject'>): string {
  return `${request}\n\n${button}:\n${url}\n\n${ignore}\n`
}

/** The letter as HTML. Its texts contain no markup; placeholders escape what they print. */
export function letterHtml({ language, subject, request, button, url, ignore }: Letter): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject}</title></head>
<body style="margin:0;padding:24px;background:#f3f4f6">
<div style="max-width:480px;margin:0 auto;padding:28px;background:#ffffff;border-radius:12px;color:#1f2937;${FONT};font-size:16px;line-height:24px">
<p style="margin:0 0 24px">${request}</p>
<p style="margin:0 0 24px"><a href="${url}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:#1d4ed8;color:#ffffff;font-weight:bold;text-decoration:none">${button}</a></p>
<p style="margin:0;color:#4b5563;font-size:14px;line-height:21px">${ignore}</p>
</div>
</body>
</html>
`
}
