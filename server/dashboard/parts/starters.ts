/** The mails to begin with. Each is a table of one column, which every mail program shows, light or dark. */
export interface Starter {
  readonly key: 'letter' | 'newsletter' | 'announcement' | 'receipt' | 'reset' | 'welcome'
  readonly type: 'TRANSACTIONAL' | 'MARKETING'
  readonly subject: string
  readonly body: string
}

/** The frame all of them share: 600 px on a desk, the whole width on a phone, colors for readers with a dark screen. */
function mail(title: string, inside: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>
  body { margin: 0; padding: 0; background: #f3f4f6; }
  .card { background: #ffffff; color: #1f2937; }
  .quiet { color: #5b6472; }
  a { color: #0b7285; }
  .button { background: #0b7285; color: #ffffff !important; }
  @media (max-width: 620px) { .card { padding: 24px 20px !important; } }
  @media (prefers-color-scheme: dark) {
    body, .around { background: #17191c !important; }
    .card { background: #22262b !important; color: #e6e8eb !important; }
    .quiet { color: #a6adb7 !important; }
    a { color: #5ccfe0; }
  }
</style>
</head>
<body>
<table role="presentation" class="around" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f3f4f6">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;background:#ffffff;color:#1f2937;border-radius:8px;padding:36px 40px;font-family:Helvetica,Arial,sans-serif;font-size:16px;line-height:1.55">
<tr><td>
${inside}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}

const button = (text: string, url: string) =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0"><tr><td style="border-radius:6px;background:#0b7285"><a class="button" href="${url}" style="display:inline-block;padding:12px 22px;color:#ffffff;text-decoration:none;font-weight:bold">${text}</a></td></tr></table>`

const heading = (text: string) => `<h1 style="margin:0 0 16px;font-size:24px;line-height:1.25">${text}</h1>`

const GREETING = '<p style="margin:0 0 16px">Hello{% if firstName %} {{ firstName }}{% endif %},</p>'
const WAY_OUT =
  '<p class="quiet" style="margin:32px 0 0;font-size:13px;color:#5b6472">You get this because you signed up for it. <a href="{{ unsubscribeUrl }}">Unsubscribe</a></p>'

/** What stands where to write: a mail that still says it is not finished. */
const SAMPLE = {
  blank: 'Write here.',
  letter: 'A letter needs no pictures. Say what you have to say, as you would to one person.',
  news: 'One or two sentences on what is in this issue, and why it matters.',
  story: 'Two or three sentences that make one want to read on.',
  announcement: 'Say in one sentence what is new, and in another what it is good for.',
  first: 'The first step, in one sentence.',
  second: 'The second step, in one sentence.',
  third: 'The third step, in one sentence.',
  name: '[Your name]',
  link: 'https://example.com/',
}

/** What of the mails to begin with is still in this text of a mail or in the addresses of its links, as it stands there. */
export function samplesIn(text: string, links: readonly string[]): readonly string[] {
  return Object.values(SAMPLE).filter((sample) =>
    sample === SAMPLE.link ? links.some((url) => url.startsWith(sample)) : text.includes(sample),
  )
}

/** A mail with nothing in it but where to write. */
export const BLANK = mail('', `${GREETING}\n<p style="margin:0 0 16px">${SAMPLE.blank}</p>\n${WAY_OUT}`)

export const STARTERS: readonly Starter[] = [
  {
    key: 'letter',
    type: 'MARKETING',
    subject: 'A few words',
    body: mail(
      'A letter',
      `${GREETING}
<p style="margin:0 0 16px">${SAMPLE.letter}</p>
<p style="margin:0 0 16px">Kind regards<br>${SAMPLE.name}</p>
${WAY_OUT}`,
    ),
  },
  {
    key: 'newsletter',
    type: 'MARKETING',
    subject: 'News of this month',
    body: mail(
      'Newsletter',
      `${heading('News of this month')}
${GREETING}
<p style="margin:0 0 24px">${SAMPLE.news}</p>
<h2 style="margin:0 0 8px;font-size:19px">The first story</h2>
<p style="margin:0 0 8px">${SAMPLE.story}</p>
<p style="margin:0 0 28px"><a href="${SAMPLE.link}first">Read the first story</a></p>
<h2 style="margin:0 0 8px;font-size:19px">The second story</h2>
<p style="margin:0 0 8px">${SAMPLE.story}</p>
<p style="margin:0 0 28px"><a href="${SAMPLE.link}second">Read the second story</a></p>
<p style="margin:0">Until next month<br>${SAMPLE.name}</p>
${WAY_OUT}`,
    ),
  },
  {
    key: 'announcement',
    type: 'MARKETING',
    subject: 'Something new',
    body: mail(
      'Announcement',
      `${heading('Something new')}
${GREETING}
<p style="margin:0 0 16px">${SAMPLE.announcement}</p>
${button('See what is new', `${SAMPLE.link}new`)}
<p style="margin:0">If you have questions, just answer this mail.</p>
${WAY_OUT}`,
    ),
  },
  {
    key: 'receipt',
    type: 'TRANSACTIONAL',
    subject: 'Your receipt {{ number }}',
    body: mail(
      'Receipt',
      `${heading('Thank you for your order')}
${GREETING}
<p style="margin:0 0 16px">We have received your payment. Receipt {{ number }}{% if date %} of {{ date }}{% endif %}.</p>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px">
{% for item in items %}<tr><td style="padding:8px 0;border-bottom:1px solid #d5d9df">{{ item.name }}</td><td align="right" style="padding:8px 0;border-bottom:1px solid #d5d9df">{{ item.price }}</td></tr>
{% endfor %}<tr><td style="padding:12px 0;font-weight:bold">Total</td><td align="right" style="padding:12px 0;font-weight:bold">{{ total }}</td></tr>
</table>
<p class="quiet" style="margin:0;font-size:13px;color:#5b6472">Keep this mail as your receipt.</p>`,
    ),
  },
  {
    key: 'reset',
    type: 'TRANSACTIONAL',
    subject: 'Set a new password',
    body: mail(
      'Password',
      `${heading('Set a new password')}
${GREETING}
<p style="margin:0">Somebody, probably you, asked for a new password. This link works for one hour:</p>
${button('Set a new password', '{{ link }}')}
<p class="quiet" style="margin:0;font-size:13px;color:#5b6472">If it was not you, leave this mail alone: your password stays as it is.</p>`,
    ),
  },
  {
    key: 'welcome',
    type: 'MARKETING',
    subject: 'Welcome{% if firstName %}, {{ firstName }}{% endif %}',
    body: mail(
      'Welcome',
      `${heading('Welcome')}
${GREETING}
<p style="margin:0 0 16px">Good to have you. This is what to do first:</p>
<ol style="margin:0 0 8px;padding-left:22px">
<li style="margin-bottom:8px">${SAMPLE.first}</li>
<li style="margin-bottom:8px">${SAMPLE.second}</li>
<li>${SAMPLE.third}</li>
</ol>
${button('Begin', `${SAMPLE.link}begin`)}
${WAY_OUT}`,
    ),
  },
]
