import { describe, expect, it } from 'vitest'
import { withLinkQuery } from '../../core/mail/html/link-query.ts'
import { TrackedHtml } from '../../core/mail/html/tracked-html.ts'
import { MAX_OUTPUT } from '../../core/mail/render/printed.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import { decodeReferences } from '../../core/values/decode-references.ts'
import { utmQuery } from '../../core/values/utm.ts'

const rendering = new Rendering()
const QUERY = utmQuery({ source: 'news & "more"', medium: 'email' }, 'Spring sale')
const ADDED = 'utm_source=news+%26+%22more%22&utm_medium=email&utm_campaign=Spring+sale'
const VALUES = { number: '7', page: 'https://shop.example/a?x=1#top', mail: 'mailto:a@example.org', slug: 'a?b=1' }
const PAGES = { unsubscribeUrl: 'https://m.example/unsubscribe/t' }

/** The address of the only link of a body, as a reader's browser gets it. */
async function addressIn(body: string): Promise<string> {
  const html = rendering.compile(await withLinkQuery(body, QUERY), 'html').render(VALUES, PAGES)
  const [, double, single, bare] = /href=(?:"([^"]*)"|'([^']*)'|([^\s>]*))/.exec(html) ?? []
  return decodeReferences(double ?? single ?? bare ?? '')
}

describe('parameters added to links', () => {
  it.each([
    ['a bare host', '<a href="https://x.example">', `https://x.example?${ADDED}`],
    ['a query', '<a href="https://x.example/?a=1&amp;b=2">', `https://x.example/?a=1&b=2&${ADDED}`],
    ['a query that is empty', "<a href='https://x.example/?'>", `https://x.example/?${ADDED}`],
    ['a fragment', '<a href="https://x.example/p#part">', `https://x.example/p?${ADDED}#part`],
    ['no quotes', '<a href=https://x.example/p>', `https://x.example/p?${ADDED}`],
    [
      'one that is there already',
      '<a href="https://x.example/?utm_source=mine&amp;utm_medium=email">',
      'https://x.example/?utm_source=mine&utm_medium=email&utm_campaign=Spring+sale',
    ],
    ['a value in the path', '<a href="https://x.example/p/{{ number }}">', `https://x.example/p/7?${ADDED}`],
    ['a value that begins a query', '<a href="https://x.example/{{ slug }}">', `https://x.example/a?b=1&${ADDED}`],
    ['a value in the query', '<a href="https://x.example/?id={{ number }}#f">', `https://x.example/?id=7&${ADDED}#f`],
    ['a whole address', '<a href="{{ page }}">', `https://shop.example/a?x=1&${ADDED}#top`],
    ['a whole address without quotes', '<a href={{ page }}>', `https://shop.example/a?x=1&${ADDED}#top`],
    ['tags', '<a href="https://x.example/{% if number %}y{% else %}n{% endif %}">', `https://x.example/y?${ADDED}`],
    ['a mail address', '<a href="mailto:a@example.org">', 'mailto:a@example.org'],
    ['a value that is a mail address', '<a href="{{ mail }}">', 'mailto:a@example.org'],
    ['the way out', '<a href="{{ unsubscribeUrl }}">', PAGES.unsubscribeUrl],
    ['a link that is left alone', '<a data-no-track href="https://x.example/">', 'https://x.example/'],
    ['a place in the mail', '<a href="#part">', '#part'],
  ])('know %s', async (_what, body, expected) => {
    expect(await addressIn(`${body}x</a>`)).toBe(expected)
    // tracked, the click leads to the same address
    const tracked = TrackedHtml.compile(rendering, await withLinkQuery(`${body}x</a>`, QUERY), MAX_OUTPUT)
    const target = tracked.links === 0 ? undefined : tracked.target(0, VALUES, PAGES)
    if (target !== undefined) expect(target).toBe(expected)
    expect(target === undefined).toBe(!expected.includes('utm_'))
  })

  it('are in the plain text too, and change nothing else', async () => {
    const body =
      '<p title="a=b">Hi <a href="https://x.example/{{ slug }}">there</a><!-- <a href="https://y.example"> --></p>'
    const added = await withLinkQuery(body, QUERY)
    expect(rendering.compileText(added).render(VALUES, PAGES)).toContain(`https://x.example/a?b=1&${ADDED}`)
    expect(rendering.compile(added, 'html').render(VALUES, PAGES)).toContain('<!-- <a href="https://y.example"> -->')
    expect(await withLinkQuery(body, utmQuery(undefined, 'Spring'))).toBe(body)
  })

  // 55,000 links took half a second in one go
  it.each([
    '<a href=http://a>',
    '<a href="http://a/?x=1&amp;y=2">',
    '<a href="http://a/{{b}}">',
  ])('are added to many of %s while other work runs', async (link) => {
    let turns = 0
    let isDone = false
    const count = () => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    await withLinkQuery(link.repeat(Math.floor(500_000 / link.length)), QUERY)
    isDone = true
    expect(turns).toBeGreaterThan(3)
  })
})
