import type { MailVariables } from '../mail/render/scope.ts'

/** Stands for the pages that only a recipient has, until what leads there is taken out. */
const NOWHERE = 'https://nowhere.invalid/mailwright'
/** How far before its address a link may begin. */
const LONGEST_TAG = 2_000

/** What a mail is filled in with for a reader who is no recipient: `{{ viewUrl }}` is where it is read. */
export function anonymousVariables(viewUrl: string | undefined): MailVariables {
  return { unsubscribeUrl: NOWHERE, subscribeUrl: NOWHERE, manageUrl: NOWHERE, ...(viewUrl ? { viewUrl } : {}) }
}

/** The HTML without links to the pages that only a recipient has; their words go, too, since they would promise something. */
export function withoutOwnPages(html: string): string {
  let left = ''
  let from = 0
  for (let at = html.indexOf(NOWHERE); at >= 0; at = html.indexOf(NOWHERE, from)) {
    const link = linkAround(html, at, from)
    left += html.slice(from, link.from)
    from = link.to
  }
  return left + html.slice(from)
}

/** The whole link whose address is here; only the address where it is in no link. */
function linkAround(html: string, at: number, since: number): { readonly from: number; readonly to: number } {
  const start = Math.max(since, at - LONGEST_TAG)
  const before = html.slice(start, at)
  const open = before.lastIndexOf('<')
  const end = /^[^<>]*>/.exec(html.slice(at, at + LONGEST_TAG))?.[0].length
  if (open < 0 || end === undefined || !/^<a\s/i.test(before.slice(open)) || before.includes('>', open)) {
    return { from: at, to: at + NOWHERE.length }
  }
  const inside = at + end
  const close = /<\/?a[\s>]/gi
  close.lastIndex = inside
  const found = close.exec(html)
  // a link that is never closed ends where the next one begins
  const to = found === null ? inside : found[0].startsWith('</') ? html.indexOf('>', found.index) + 1 : found.index
  return { from: start + open, to: Math.max(inside, to) }
}
