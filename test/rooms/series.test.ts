import { describe, expect, it } from 'vitest'
import { cleanHtml, plainText } from '../../core/campaigns/series/clean-html.ts'
import { harmless, splitTemplate } from '../../core/campaigns/series/fill-items.ts'
import { NoFeed, readFeed } from '../../core/campaigns/series/read-feed.ts'
import { nextTime, timesFrom } from '../../core/campaigns/series/rhythm.ts'
import type { Rhythm } from '../../core/ports/store/series.ts'

const BASE = 'https://blog.example/feed.xml'

describe('the rhythm of a series', () => {
  const times = (rhythm: Partial<Rhythm>, from: string, count: number) => {
    const whole: Rhythm = { every: 'day', at: '09:00', timezone: 'Europe/Berlin', ...rhythm }
    return timesFrom(whole, nextTime(whole, new Date(from)), count).map((at) => at.toISOString().slice(0, 16))
  }

  it('keeps to the time of day when clocks go forward and back', () => {
    expect(times({}, '2026-03-28T07:59:00Z', 3)).toEqual(['2026-03-28T08:00', '2026-03-29T07:00', '2026-03-30T07:00'])
    expect(times({}, '2026-10-24T07:00:00Z', 2)).toEqual(['2026-10-25T08:00', '2026-10-26T08:00'])
  })

  it('comes once on a day with a time twice, and a little later where it is left out', () => {
    expect(times({ at: '02:30' }, '2026-10-24T12:00:00Z', 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30'])
    expect(times({ at: '02:30' }, '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-29T01:30', '2026-03-30T00:30'])
  })

  it('is on days of the week, on a day of the month or its last, or every hour', () => {
    const weekly = times({ every: 'week', days: ['mon', 'sun'] }, '2026-06-05T12:00:00Z', 3)
    expect(weekly).toEqual(['2026-06-07T07:00', '2026-06-08T07:00', '2026-06-14T07:00'])
    const last = ['2026-01-31T08:00', '2026-02-28T08:00', '2026-03-31T07:00']
    expect(times({ every: 'month', day: 'last' }, '2026-01-01T00:00:00Z', 3)).toEqual(last)
    expect(times({ every: 'month', day: 31 }, '2026-01-01T00:00:00Z', 3)).toEqual(last)
    expect(times({ every: 'month', day: 30 }, '2028-02-01T00:00:00Z', 2)).toEqual([
      '2028-02-29T08:00',
      '2028-03-30T07:00',
    ])
    expect(times({ every: 'hour' }, '2026-01-01T00:00:00Z', 2)).toEqual(['2026-01-01T01:00', '2026-01-01T02:00'])
  })
})

describe('a feed', async () => {
  const rss = (items: string) =>
    `<?xml version="1.0"?><rss version="2.0"><channel><title>A &amp; B</title>${items}</channel></rss>`

  it('is read as RSS, with whole addresses, plain texts and clean HTML', async () => {
    const { title, items } = await readFeed(
      rss(`<item><title>One &lt;b&gt;bold&lt;/b&gt;</title><link>/one</link><guid isPermaLink="false">g1</guid>
        <description><![CDATA[<p>Short &amp; sweet</p>]]></description>
        <content:encoded><![CDATA[<p onclick="x()">Whole <a href="/x">x</a><script>bad()</script></p>]]></content:encoded>
        <dc:creator>Ada</dc:creator><pubDate>Mon, 01 Jun 2026 09:00:00 +0200</pubDate>
        <enclosure url="/p.jpg" type="image/jpeg"/></item>`),
      BASE,
    )
    expect(title).toBe('A & B')
    expect(items).toEqual([
      {
        ...{ key: expect.any(String), title: 'One bold', link: 'https://blog.example/one', summary: 'Short & sweet' },
        ...{ html: '<p>Whole <a href="https://blog.example/x">x</a></p>', author: 'Ada' },
        ...{ image: 'https://blog.example/p.jpg', publishedAt: '2026-06-01T07:00:00.000Z' },
      },
    ])
  })

  it('is read as Atom, with its texts, HTML and XHTML', async () => {
    const { items } = await readFeed(
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title>
        <entry><id>urn:1</id><title type="html">&lt;i&gt;One&lt;/i&gt;</title><link rel="self" href="/s"/><link href="/1"/>
          <author><name>Bob</name></author><published>2026-06-01T00:00:00Z</published>
          <content type="xhtml"><div xmlns="x"><p>A <b>b</b><br/>&lt;c&gt;</p></div></content></entry>
        <entry><id>urn:2</id><title>1 &lt; 2</title><summary>a &lt;b&gt;</summary></entry></feed>`,
      BASE,
    )
    expect(items.map(({ title, link, author, html, summary }) => [title, link, author, html, summary])).toEqual([
      ['One', 'https://blog.example/1', 'Bob', '<div><p>A <b>b</b><br>&lt;c&gt;</p></div>', 'A b <c>'],
      ['1 < 2', '', '', 'a &lt;b&gt;', 'a <b>'],
    ])
  })

  it('completes relative addresses by xml:base, of whatever element it stands on', async () => {
    const feed = (attributes: string, inside: string) =>
      readFeed(`<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}><title>F</title>${inside}</feed>`, BASE)
    const html = '&lt;a href="x"&gt;x&lt;/a&gt;&lt;img src="/p.png"&gt;'
    const { items } = await feed(
      'xml:base="https://a.example/one/"',
      `<entry><id>1</id><link href="1"/><content type="html">${html}</content></entry>
       <entry xml:base="two/"><id>2</id><link href="2"/><content type="html" xml:base="deep/">${html}</content></entry>
       <entry xml:base="https://b.example/"><id>3</id><link xml:base="/c/" href="3"/><link rel="enclosure" type="image/png" href="i.png"/>
         <content type="xhtml"><div xml:base="d/"><a href="x">x</a><p xml:base="/e/"><img src="y.png"/></p><a href="z">z</a></div></content></entry>
       <entry xml:base="javascript:alert(1)"><id>4</id><link href="4"/><summary type="html">${html}</summary></entry>
       <entry><id>5</id><link href="https://c.example/5"/></entry>`,
    )
    expect(items.map(({ link, image, html: whole }) => [link, image, whole])).toEqual([
      ['https://a.example/one/1', '', '<a href="https://a.example/one/x">x</a><img src="https://a.example/p.png">'],
      [
        'https://a.example/one/two/2',
        '',
        '<a href="https://a.example/one/two/deep/x">x</a><img src="https://a.example/p.png">',
      ],
      [
        'https://b.example/c/3',
        'https://b.example/i.png',
        '<div><a href="https://b.example/d/x">x</a><p><img src="https://b.example/e/y.png"></p><a href="https://b.example/d/z">z</a></div>',
      ],
      ['https://a.example/one/4', '', '<a href="https://a.example/one/x">x</a><img src="https://a.example/p.png">'],
      ['https://c.example/5', '', ''],
    ])
    const [bare] = (await feed('', '<entry><id>1</id><link href="1"/></entry>')).items
    expect(bare?.link).toBe(new URL('1', BASE).href)
    const rss2 = `<rss version="2.0" xml:base="https://r.example/"><channel><title>R</title><item><guid>g</guid><link>post</link></item></channel></rss>`
    expect((await readFeed(rss2, BASE)).items[0]?.link).toBe('https://r.example/post')
  })

  it('has each item once, at most 100 of them, under a key that stays', async () => {
    const item = (guid: string, title = '') => `<item><guid>${guid}</guid><title>${title}</title></item>`
    const twice = (await readFeed(rss(item('x', 'first') + item('x', 'second')), BASE)).items
    expect(twice.map(({ title }) => title)).toEqual(['first'])
    expect((await readFeed(rss(item('x', 'changed')), BASE)).items[0]?.key).toBe(twice[0]?.key)
    const many = Array.from({ length: 101 }, (_, i) => item(`g${i}`)).join('')
    expect((await readFeed(rss(many), BASE)).items).toHaveLength(100)
  })

  it('is refused when it is something else or not whole', async () => {
    await expect(readFeed('<html><body>Not found</body></html>', BASE)).rejects.toThrow(NoFeed)
    await expect(readFeed('', BASE)).rejects.toThrow('is no RSS and no Atom feed')
    await expect(readFeed('<rss><channel><item><title>x</title>', BASE)).rejects.toThrow('is not complete')
  })

  it('survives entity bombs, deep nesting and long fields', async () => {
    const bomb = `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;">]>`
    const [item] = (await readFeed(bomb + rss('<item><guid>1</guid><title>&lol2; &amp; x</title></item>'), BASE)).items
    expect(item?.title).toBe('&lol2; & x')
    const deep = '<a>'.repeat(200_000) + '</a>'.repeat(200_000)
    // a parser looks through all that is open at each of them: these took minutes
    await expect(readFeed(rss(`<item><description>${deep}</description></item>`), BASE)).rejects.toThrow('too deeply')
    const kept = `<item><guid>1</guid><description><![CDATA[first ${deep}]]></description></item>`
    expect((await readFeed(rss(kept), BASE)).items[0]).toMatchObject({ summary: 'first' })
    const long = (await readFeed(rss(`<item><guid>1</guid><title>${'x'.repeat(300_000)}</title></item>`), BASE))
      .items[0]
    expect(long?.title).toBe(`${'x'.repeat(499)}…`)
  })

  it('keeps of its HTML only what a mail can show', async () => {
    const clean = (html: string) => cleanHtml(html, BASE)
    expect(clean('<a href="javascript:x">a</a><a href="mailto:a@b.example">m</a>')).toBe(
      '<a>a</a><a href="mailto:a@b.example">m</a>',
    )
    expect(clean('<style>a{}</style><svg><a>x</a></svg><form>f<input></form><p style="x">y')).toBe('<p>y</p>')
    expect(clean('<b><i>x</b>y</i>')).toBe('<b><i>x</i></b>y')
    expect(clean('<img src="data:x" alt="&quot;><script>">')).toBe('<img alt="&quot;&gt;&lt;script&gt;">')
    expect(clean('<div>'.repeat(60))).toBe('<div>'.repeat(40) + '</div>'.repeat(40))
    expect(clean('<a href="/{{ email }}">{{ name }}</a>')).toBe(
      '<a href="https://blog.example/%7B%7B%20email%20%7D%7D">{{ name }}</a>',
    )
    expect(plainText('<p>a</p><p>b<b>c</b></p><script>x</script>')).toBe('a bc')
  })
})

describe('a pattern', () => {
  const split = (source: string) => splitTemplate(source, 'html')

  it('keeps what is for recipients, also within a loop over items', () => {
    const { source, join, usesItems, problems } = split(
      '{{ name ?? you }}{% for item in items %}{{ item.title | upcase }}{{ email }}{% render "x" %}{% endfor %}{% if plan %}p{% endif %}',
    )
    expect(source.replace(/[\ue0f0-\ue0f1]/g, '|')).toBe(
      '|0|{% for item in items %}{{ item.title | upcase }}|1||2|{% endfor %}|3|p|4|',
    )
    expect({ usesItems, problems }).toEqual({ usesItems: true, problems: [] })
    expect(join('\ue0f00\ue0f1 \ue0f01\ue0f1\ue0f01\ue0f1')).toBe('{{ name ?? you }} {{ email }}{{ email }}')
    expect(split('{{ item.title }}{% if plan %}{% endif %}').usesItems).toBe(false)
  })

  it.each([
    ['{% for item in items %}{% if plan %}x{% endif %}{% endfor %}', ['{% if plan %}']],
    ['{% for item in items %}{{ item.title | append: name }}{% endfor %}', ['{{ item.title | append: name }}']],
    ['{% if plan %}x{% elsif items.size > 1 %}y{% endif %}', ['{% elsif items.size > 1 %}']],
    ['{% for item in items %}{% render "card", item: item %}{% endfor %}', ['{% render "card", item: item %}']],
    ['{% if items.size > limit_of_mine %}x{% endif %}', ['{% if items.size > limit_of_mine %}']],
    ['{% assign first = items[0] %}{{ first.title }}{% unless first.image == blank %}{{ forloop }}{% endunless %}', []],
    [
      '{% for i in items limit: 3 offset: 1 reversed %}{% if forloop.first and i.title contains "x" %}a{% else %}b{% endif %}{% endfor %}',
      [],
    ],
  ])('says where items and others are mixed: %s', (source, problems) => {
    expect(split(source).problems).toEqual(problems)
  })

  it('lets no value begin a placeholder', () => {
    const value = String(harmless('a{{ email }}{% raw %}\ue0f00\ue0f1'))
    expect(value).not.toMatch(/\{|[\ue0f0\ue0f1]/)
    expect(split('').join(value)).toBe('a&#123;&#123; email }}&#123;% raw %}0')
    expect(splitTemplate('', 'text').join(value)).toBe('a{ { email }}{ % raw %}0')
    expect(splitTemplate('{{ name }}', 'text').join(`${String(harmless('{'))}\ue0f00\ue0f1`)).toBe('{ {{ name }}')
  })
})
