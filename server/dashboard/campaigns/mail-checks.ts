import { samplesIn } from '../parts/starters.ts'
import type { Texts } from '../texts/types.ts'

/** Beyond this many bytes of HTML, Gmail shows "Message clipped". */
const CLIPPED = 102 * 1024
/** Fewer letters than this beside a picture look like a mail of pictures alone. */
const FEW_LETTERS = 100

/** The names `{{ }}` prints or asks for in a source, but for those the engine gives and those the mail makes itself. */
export function variablesIn(source: string): readonly string[] {
  const given = new Set([
    'id',
    'email',
    'subscribed',
    'unsubscribeUrl',
    'subscribeUrl',
    'manageUrl',
    'forloop',
    'event',
  ])
  const made = new Set([...source.matchAll(/\{%-?\s*(?:assign|capture|for)\s+(\w+)/g)].map(([, name]) => name))
  const names = new Set<string>()
  for (const [, inside = ''] of source.matchAll(/\{\{-?\s*([^}]*?)-?\}\}/g)) {
    if (/\|\s*default\b|\?\?/.test(inside)) continue
    const [, quoted, plain] = /^(?:data\[["']([^"']+)["']\]|(?:data\.)?([A-Za-z_][\w-]*))/.exec(inside) ?? []
    const name = quoted ?? plain
    if (name !== undefined && !given.has(name) && !made.has(name)) names.add(name)
  }
  return [...names]
}

/** What is worth mending in a finished mail, in words. */
export function findingsIn(
  { subject, html }: { readonly subject: string; readonly html: string },
  t: Texts,
  number: (value: number) => string,
): readonly string[] {
  // styles say nothing here, and the page's policy would report each of them
  const plain = html.replace(/<style[\s\S]*?<\/style>|\sstyle\s*=\s*("[^"]*"|'[^']*')/gi, '')
  const page = new DOMParser().parseFromString(plain, 'text/html')
  const found: string[] = []
  const { checks } = t.campaigns
  if (subject.trim() === '') found.push(checks.subjectEmpty)
  const bytes = new TextEncoder().encode(html).length
  if (bytes > CLIPPED) found.push(checks.tooBig(number(Math.ceil(bytes / 1024))))
  const pictures = [...page.querySelectorAll('img')].filter((img) => img.getAttribute('width') !== '1')
  const mute = pictures.filter((img) => !img.hasAttribute('alt')).length
  if (mute > 0) found.push(checks.noAlt(mute))
  const links = [...page.querySelectorAll('a[href]')].map((a) => a.getAttribute('href') ?? '')
  for (const sample of samplesIn(page.body.textContent ?? '', links)) found.push(checks.sampleLeft(sample))
  const nowhere = links.filter((url) => /^(#?|https?:\/*|[^:/?#]+)$/.test(url))
  if (nowhere.length > 0) found.push(checks.emptyLinks(nowhere.length))
  if (pictures.length > 0 && (page.body.textContent ?? '').replace(/\s+/g, '').length < FEW_LETTERS)
    found.push(checks.noText)
  return found
}
