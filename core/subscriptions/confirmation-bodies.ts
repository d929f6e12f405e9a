import type { Translations } from '../mail/languages/translations.ts'

/** Placeholders for what differs between mails, so that all mails of one language share a content. */
const WHO = { email: '{{ email }}', sender: '{{ sender }}' }

const FONT = 'font-family:Arial,Helvetica,sans-serif'

/** The confirmation mail, as templates; `{{ sender }}` is a variable of its own, the others every mail has. */
export function confirmationBodies({ language, confirmation }: Translations): {
  readonly subject: string
  readonly html: string
  readonly text: string
} {
  const subject = confirmation.subject(WHO.sender)
  const request = confirmation.request(WHO)
  const { button, ignore } = confirmation
  return {
    subject,
    html: html({ language, subject, request, button, ignore }),
    text: text({ request, button, ignore }),
  }
}

interface Sentences {
  readonly request: string
  readonly button: string
  readonly ignore: string
}

function text({ request, button, ignore }: Sentences): string {
  return `${request}\n\n${button}:\n{{ subscribeUrl }}\n\n${ignore}\n`
}

/** Our texts contain no markup; placeholders escape what they print. */
function html({
  language,
  subject,
  request,
  button,
  ignore,
}: Sentences & { readonly language: string; readonly subject: string }): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject}</title></head>
<body style="margin:0;padding:24px;background:#f3f4f6">
<div style="max-width:480px;margin:0 auto;padding:28px;background:#ffffff;border-radius:12px;color:#1f2937;${FONT};font-size:16px;line-height:24px">
<p style="margin:0 0 24px">${request}</p>
<p style="margin:0 0 24px"><a href="{{ subscribeUrl }}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:#1d4ed8;color:#ffffff;font-weight:bold;text-decoration:none">${button}</a></p>
<p style="margin:0;color:#4b5563;font-size:14px;line-height:21px">${ignore}</p>
</div>
</body>
</html>
`
}
