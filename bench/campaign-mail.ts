import { sampleData } from './sample-mail.ts'

/** The service's public address, for the links of tracked mails. */
export const PUBLIC_URL = 'https://mail.example.com'

const LINKS = 20
/** The length of a link's token. */
const TOKEN = 59
const SECOND_TOKEN = 80
const PERSONAL = [
  'firstName',
  'lastName',
  'city',
  'plan',
  'company',
  'role',
  'country',
  'language',
  'points',
  'manager',
]

/** A newsletter of about 13 KB HTML with ten placeholders and twenty links to different articles. */
export function campaignHtml(): string {
  return newsletter(
    (key) => `{{ ${key} }}`,
    (number) => `https://www.example.com/articles/the-quick-brown-fox-${number}?utm_source=mail&amp;utm_medium=news`,
    '',
  )
}

/** The content of the campaign's mail to one recipient, as the engine sends it, for sending it by other means. */
export function filledCampaign(i: number) {
  const data = sampleData(i)
  const token = 'x'.repeat(TOKEN)
  const unsubscribe = `${PUBLIC_URL}/unsubscribe/${'x'.repeat(SECOND_TOKEN)}`
  const footer =
    '<div style="margin:32px 0 0;font-size:12px;line-height:18px;text-align:center">You get this mail because you are ' +
    `subscribed to News.<br><a href="${unsubscribe}">Unsubscribe</a></div>` +
    `<img src="${PUBLIC_URL}/t/o/${token}" width="1" height="1" alt="">`
  const html = newsletter(
    (key) => String(data[key]).replaceAll('&', '&amp;'),
    (number) => `${PUBLIC_URL}/t/c/${token}/${number}`,
    footer,
  )
  return {
    ...{ subject: `News for ${data.firstName}`, html, text: html.replace(/<[^>]+>/g, '') },
    headers: {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'List-ID': '<news.example.com>',
      'Feedback-ID': 'campaign:project:campaign:mailwright',
    },
  }
}

function newsletter(value: (key: string) => string, address: (number: number) => string, footer: string): string {
  const greeting = PERSONAL.map((key) => `<p>Your ${key}: <b>${value(key)}</b></p>\n`).join('')
  const paragraphs = Array.from(
    { length: LINKS },
    (_, number) =>
      '<tr><td style="padding:16px 24px;font-family:Arial,sans-serif;font-size:15px;line-height:22px;color:#333333">' +
      'The quick brown fox jumps over the lazy dog, and the five boxing wizards jump quickly past it. How vexingly quick ' +
      'daft zebras jump, while sphinxes of black quartz judge their vows and pack a box with five dozen jugs of liquor; ' +
      'whoever wants to know how that ends finds it, with pictures and in more words than anybody needs, in ' +
      `<a href="${address(number)}">the article</a>.</td></tr>\n`,
  )
  return (
    '<!doctype html><html><head><meta charset="utf-8"><title>News</title></head><body><table width="600">\n' +
    `<tr><td>${greeting}</td></tr>\n${paragraphs.join('')}</table>${footer}</body></html>\n`
  )
}
