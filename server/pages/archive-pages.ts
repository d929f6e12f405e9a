import type { ArchivedCampaign, ArchivePage } from '../../core/campaigns/archive.ts'
import type { Translations } from '../../core/mail/languages/translations.ts'
import { translationsIn } from '../../core/mail/languages/translations-in.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import { escaped, policyOf, profiles } from './page.ts'
import { styleOf } from './style.ts'

/** Styles of the list besides those of other pages: it is read, not answered, so it is wider. */
const LIST_STYLE = `main.archive{max-width:42rem;align-self:flex-start}
.archive ol{margin:1.5rem 0 0;padding:0;list-style:none}
.archive li{padding:.875rem 0;border-top:1px solid var(--edge)}
.archive li a{color:var(--text);font-weight:600}
.archive time{display:block;color:var(--quiet);font-size:.8125rem}
.archive nav{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;margin-top:1.5rem}
.archive [aria-current]{font-weight:600}
`

/** The language of an archive: the project's, else the first supported one of the reader's. */
export function wordsOf({ locale }: Project, languages: readonly string[]): Translations {
  return translationsIn(locale, ...languages)
}

/** A page as text, and the Content-Security-Policy it needs. */
interface Written {
  readonly html: string
  readonly policy: string
}

/** Where an archive is, and where the readers of its project leave by their address. */
interface ArchiveAddresses {
  readonly address: string
  readonly leaveUrl: string | undefined
}

/** The list of an archive. */
export function archiveList(
  { project, campaigns, page, hasMore, topic, topics }: ArchivePage,
  { address, leaveUrl }: ArchiveAddresses,
  words: Translations,
): Written {
  const { look = {}, name, signUpUrl } = project
  const { css, source } = styleOf(look, LIST_STYLE)
  const title = titleOf(project, topic, words)
  const at = (number: number, of = topic) => {
    const query = new URLSearchParams(of === undefined ? {} : { topic: of.slug })
    if (number > 1) query.set('page', String(number))
    return query.size === 0 ? address : `${address}?${query}`
  }
  const choices =
    topics.length === 0
      ? []
      : [
          link(address, words.archive.all, topic === undefined),
          ...topics.map((each) => link(at(1, each), each.name, each.id === topic?.id)),
        ]
  const rows = campaigns.map((each) => row(each, address, words.language))
  const ways = [
    ...(page > 1 ? [`<a rel="prev" href="${escaped(at(page - 1))}">${escaped(words.archive.newer)}</a>`] : []),
    ...(hasMore ? [`<a rel="next" href="${escaped(at(page + 1))}">${escaped(words.archive.older)}</a>`] : []),
  ]
  const { logoUrl, links = [], postalAddress } = look
  const html = `<!doctype html>
<html lang="${escaped(words.language)}" dir="ltr">
<head>
<meta charset="utf-8">
<title>${escaped(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${headOf({ title, address: at(page), site: name, image: logoUrl, type: 'website' })}
<link rel="alternate" type="application/atom+xml" title="${escaped(title)}" href="${escaped(feedOf(address, topic))}">
<style>${css}</style>
</head>
<body>
<main class="archive">
${logoUrl === undefined ? '' : `<img class="logo" src="${escaped(logoUrl)}" alt="">\n`}<h1 dir="auto">${escaped(title)}</h1>
${signUpUrl === undefined ? '' : `<p class="link"><a href="${escaped(signUpUrl)}">${escaped(words.subscribe.button)}</a></p>\n`}${choices.length === 0 ? '' : `<nav class="link">${choices.join('')}</nav>\n`}${rows.length === 0 ? `<p>${escaped(words.archive.empty)}</p>\n` : `<ol>\n${rows.join('')}</ol>\n`}${ways.length === 0 ? '' : `<nav class="link">${ways.join('')}</nav>\n`}${leaveUrl === undefined ? '' : `<p class="link"><a href="${escaped(leaveUrl)}">${escaped(words.leave.title)}</a></p>\n`}${profiles(links)}${postalAddress === undefined ? '' : `<p class="post" dir="auto">${escaped(postalAddress)}</p>\n`}</main>
</body>
</html>
`
  return { html, policy: policyOf(source, look) }
}

/** The parts for the head and the top of a campaign's mail on its page. */
export function archivedMailParts(
  project: Project,
  { id, subject, preheader, sentAt }: ArchivedCampaign,
  { address, leaveUrl }: ArchiveAddresses,
  words: Translations,
): { readonly head: string; readonly top: string } {
  const { name, signUpUrl, look = {} } = project
  const place = `${address}/${id}`
  const head = headOf({
    title: subject,
    address: place,
    site: name,
    image: look.logoUrl,
    type: 'article',
    about: preheader,
  })
  const style = 'color:#1f2937;text-decoration:underline'
  const linked = (url: string | undefined, text: string) =>
    url === undefined ? '' : ` &middot; <a href="${escaped(url)}" style="${style}">${escaped(text)}</a>`
  const top =
    `<div lang="${escaped(words.language)}" style="padding:12px 16px;background:#ffffff;color:#1f2937;border-bottom:1px solid #d1d5db;font:14px/20px system-ui,sans-serif;text-align:center">` +
    `<span dir="auto">${escaped(name)}</span> &middot; <time datetime="${sentAt.toISOString()}">${dayOf(sentAt, words.language)}</time> &middot; ` +
    `<a href="${escaped(address)}" style="${style}">${escaped(words.archive.all)}</a>${linked(signUpUrl, words.subscribe.button)}${linked(leaveUrl, words.leave.title)}</div>`
  return { head, top }
}

/** The newest campaigns as an Atom feed (RFC 4287). */
export function archiveFeed({ project, campaigns, topic }: ArchivePage, address: string, words: Translations): string {
  const { id, name, createdAt } = project
  const text = (given: string) => escaped(given.replace(NOT_IN_XML, ''))
  const entries = campaigns.map(
    ({ id: campaign, subject, preheader, sentAt }) => `<entry>
<id>urn:uuid:${campaign}</id>
<title>${text(subject)}</title>
<updated>${sentAt.toISOString()}</updated>
<link href="${escaped(`${address}/${campaign}`)}"/>
${preheader ? `<summary>${text(preheader)}</summary>\n` : ''}</entry>
`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${escaped(words.language)}">
<id>urn:uuid:${topic?.id ?? id}</id>
<title>${text(titleOf(project, topic, words))}</title>
<updated>${(campaigns[0]?.sentAt ?? createdAt).toISOString()}</updated>
<author><name>${text(name)}</name></author>
<link href="${escaped(address)}"/>
<link rel="self" href="${escaped(feedOf(address, topic))}"/>
${entries.join('')}</feed>
`
}

/** Characters that XML 1.0 cannot hold, not even as a reference (section 2.2). */
const NOT_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu

/**
 * A script that puts a list of links where it stands. It makes elements and texts, never HTML, so that a subject is
 * a text on any site.
 */
export function archiveScript({ campaigns }: ArchivePage, address: string, words: Translations): string {
  const items = campaigns.map(({ id, subject, sentAt }) => ({
    url: `${address}/${id}`,
    text: subject,
    date: sentAt.toISOString(),
    day: dayOf(sentAt, words.language),
  }))
  return `(function () {
  var script = document.currentScript, list = document.createElement('ul'), items = ${JSON.stringify(items)}
  list.className = 'mailwright-archive'
  list.lang = ${JSON.stringify(words.language)}
  items.forEach(function (item) {
    var row = document.createElement('li'), link = document.createElement('a'), time = document.createElement('time')
    link.href = item.url
    link.textContent = item.text
    time.dateTime = item.date
    time.textContent = item.day
    row.append(link, ' ', time)
    list.append(row)
  })
  script.after(list)
})()
`
}

function titleOf({ name }: Project, topic: ArchivePage['topic'], words: Translations): string {
  const title = words.archive.title(name)
  return topic === undefined ? title : `${title}: ${topic.name}`
}

function feedOf(address: string, topic: ArchivePage['topic']): string {
  return `${address}/feed.xml${topic === undefined ? '' : `?${new URLSearchParams({ topic: topic.slug })}`}`
}

function link(url: string, text: string, isHere: boolean): string {
  return `<a href="${escaped(url)}" dir="auto"${isHere ? ' aria-current="page"' : ''}>${escaped(text)}</a>`
}

interface Described {
  readonly title: string
  readonly address: string
  readonly site: string
  readonly image: string | undefined
  readonly type: 'website' | 'article'
  readonly about?: string | undefined
}

/** The fields that search engines and sites that show a link read: the Open Graph protocol (ogp.me). */
function headOf({ title, address, site, image, type, about }: Described): string {
  const fields = {
    title,
    url: address,
    site_name: site,
    type,
    ...(image ? { image } : {}),
    ...(about ? { description: about } : {}),
  }
  const graph = Object.entries(fields).map(
    ([name, value]) => `<meta property="og:${name}" content="${escaped(value)}">`,
  )
  const description = about ? `\n<meta name="description" content="${escaped(about)}">` : ''
  return `<link rel="canonical" href="${escaped(address)}">${description}\n${graph.join('\n')}`
}

function row({ id, subject, preheader, sentAt }: ArchivedCampaign, address: string, language: string): string {
  const about = preheader ? `<p dir="auto">${escaped(preheader)}</p>` : ''
  return `<li><time datetime="${sentAt.toISOString()}">${dayOf(sentAt, language)}</time><a href="${escaped(`${address}/${id}`)}" dir="auto">${escaped(subject)}</a>${about}</li>\n`
}

function dayOf(moment: Date, language: string): string {
  return escaped(new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(moment))
}
