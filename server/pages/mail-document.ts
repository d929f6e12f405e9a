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
  /** HTML for its head, and for the top of its body. */
  readonly head?: string
  readonly top?: string
  readonly headers: Readonly<Record<string, string>>
}

/** The mail as a reply, with a title where its HTML has none. */
export function mailReply(mail: RenderedMail, { language, head = '', top = '', headers }: Around): Reply {
  return {
    status: 200,
    raw: documentOf(mail, head, top),
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

function documentOf({ subject, html, text }: RenderedMail, head: string, top: string): string {
  const body = html.trim() === '' ? `<pre style="white-space:pre-wrap">${escaped(text)}</pre>` : html
  const added = `${/<title\b/i.test(body) ? '' : `<title>${escaped(subject)}</title>`}${head}`
  const [start, rest] = cutAfter(body, HEAD) ?? cutAfter(body, ROOT) ?? ['<!doctype html>', body]
  const isFragment = start === '<!doctype html>'
  const lines = isFragment ? `${FRAGMENT}${added}` : added
  const [before, after] = cutAfter(rest, BODY) ?? (isFragment ? ['', rest] : [undefined, rest])
  // without a body of its own, what is added to its top would end the head too early
  return before === undefined ? `${start}${lines}${after}` : `${start}${lines}${before}${top}${after}`
}

const HEAD = /<head(?:\s[^<>]*)?>/i
const ROOT = /^\s*(?:<!doctype[^>]*>\s*)?<html(?:\s[^>]*)?>/i
const BODY = /<body(?:\s[^<>]*)?>/i
const FRAGMENT = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'

/** The text up to the end of what this finds, and the rest. */
function cutAfter(text: string, pattern: RegExp): readonly [string, string] | undefined {
  const found = pattern.exec(text)
  if (found === null) return undefined
  const at = found.index + found[0].length
  return [text.slice(0, at), text.slice(at)]
}
