import type { RenderedMail } from '../../core/mail/thread/mail-question.ts'
import type { Reply } from '../http/route.ts'
import { escaped } from './page.ts'

/**
 * A mail as a page under our host name. It is HTML of the sender's, so it must not become a page of this server: the
 * sandbox of the policy (CSP Level 3, section 6.2.3) gives it an origin of no one, in which it runs no script, sends no form and
 * reads no cookie. A frame of our page around it would do the same, but it would have a height of its own, and search
 * engines and screen readers would see an empty page.
 */
const POLICY = [
  "default-src 'none'",
  'img-src https: http: data:',
  'media-src https: http:',
  'font-src https: data:',
  "style-src 'unsafe-inline' https:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  'sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation',
].join('; ')

interface Around {
  readonly language: string
  readonly headers: Readonly<Record<string, string>>
}

/** The mail as a reply, with a title where its HTML has none. */
export function mailReply(mail: RenderedMail, { language, headers }: Around): Reply {
  return {
    status: 200,
    raw: documentOf(mail),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      ...headers,
    },
  }
}

function documentOf({ subject, html, text }: RenderedMail): string {
  const body = html.trim() === '' ? `<pre style="white-space:pre-wrap">${escaped(text)}</pre>` : html
  const title = /<title\b/i.test(body) ? '' : `<title>${escaped(subject)}</title>`
  const head = /<head(?:\s[^>]*)?>/i.exec(body)
  if (head !== null) {
    const at = head.index + head[0].length
    return `${body.slice(0, at)}${title}${body.slice(at)}`
  }
  const start = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${title}`
  return /^\s*<(?:!doctype|html)\b/i.test(body) ? body : `<!doctype html>${start}${body}`
}
