import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../core/mail/languages/translations-in.ts'
import { DISABLED_SECRET, expectEnvelope, OTHER_SECRET, type TestApp, testApp } from '../support/app.ts'
import { LINK_SETTINGS } from '../support/contact-links.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

const BASE = LINK_SETTINGS.publicUrl
/** The elements that the script for other sites makes. */
interface Made {
  readonly tag: string
  readonly inside: (Made | string)[]
  readonly lang?: string
  append(...more: (Made | string)[]): void
}

function madeOf(tag: string): Made {
  const inside: (Made | string)[] = []
  return { tag, inside, append: (...more) => inside.push(...more) }
}

const UNKNOWN = '01900000-0000-7000-8000-000000000000'

describe(`public archives, on ${QUICK.name}`, () => {
  let test: TestApp
  let project: string
  let count = 0

  beforeAll(async () => {
    test = await testApp(QUICK, {}, LINK_SETTINGS)
    await test.engine.start()
    project = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!.id
  })

  const read = (path: string, headers: Record<string, string> = {}) =>
    test.ask('GET', path, { key: null, headers: { 'accept-language': 'en', ...headers } })
  const change = (json: object, key?: string) =>
    test.ask('PATCH', `/projects/${project}`, { json, ...(key ? { key } : {}) })

  /** A campaign that one contact got, published unless it is said not to be. */
  async function sent(mail: object = {}, isPublic = true, topic?: string): Promise<string> {
    const email = `a${++count}@example.org`
    await test.ask('POST', '/contacts', { json: { email, subscribed: true, data: { name: 'Ada' } } })
    const choice = { json: { topics: [{ topic, subscribed: true }] } }
    if (topic !== undefined) await test.ask('PUT', `/contacts/${email}/topics`, choice)
    const audienceFilter = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'email', operator: 'equals', value: email }] }],
    }
    const about = { name: `N${count}`, subject: `News ${count}`, body: '<p>Hi</p>', from: 'news@example.com' }
    const json = { ...about, audienceType: 'FILTERED', audienceFilter, ...mail }
    const { id } = (await test.ask('POST', '/campaigns', { json })).body.data
    if (isPublic) await test.ask('POST', `/campaigns/${id}/publish`)
    await test.ask('POST', `/campaigns/${id}/send`, { json: {} })
    await until('it is sent', async () => (await test.ask('GET', `/campaigns/${id}`)).body.status === 'SENT')
    return id
  }

  it('are there only once a project opens one, under a name that no other has', async () => {
    expect((await read('/archive/acme')).status).toBe(404)
    expect((await change({ archiveSlug: 'acme', signUpUrl: 'https://acme.example/join' })).body).toMatchObject({
      archiveSlug: 'acme',
      signUpUrl: 'https://acme.example/join',
    })
    expect((await read('/archive/acme')).status).toBe(200)
    const [, other] = await test.engine.projects.list()
    const taken = await test.ask('PATCH', `/projects/${other!.id}`, {
      key: OTHER_SECRET,
      json: { archiveSlug: 'acme' },
    })
    expectEnvelope(taken, 409, 'CONFLICT', { archiveSlug: expect.any(String) })
    for (const archiveSlug of ['a', 'x'.repeat(64), 'Acme', 'a--b', '-a', 'a_b', 'ä', 'a/b', '']) {
      expectEnvelope(await change({ archiveSlug }), 422, 'VALIDATION_ERROR', { archiveSlug: expect.any(String) })
    }
    for (const archiveSlug of ['ab', 'x'.repeat(63), 'acme']) expect((await change({ archiveSlug })).status).toBe(200)
    for (const signUpUrl of [
      'http://a.example',
      'https://u:p@a.example/',
      'javascript:alert(1)',
      `https://a.example/${'x'.repeat(2000)}`,
    ]) {
      expectEnvelope(await change({ signUpUrl }), 422, 'VALIDATION_ERROR', { signUpUrl: expect.any(String) })
    }
    // the next start keeps it
    await test.engine.projects.applySettings([{ name: 'Test' }])
    expect((await read('/archive/acme')).status).toBe(200)
  })

  it('list what is published and sent, the last first', async () => {
    const hidden = await sent({ subject: 'Hidden' }, false)
    const first = await sent({ subject: 'First <b>{{ name ?? friends }}</b>', preheader: 'About {{ name }}&' })
    const second = await sent({ subject: 'Second' })
    const draft = (await test.ask('POST', `/campaigns/${second}/duplicate`)).body
    expect(draft.publishedAt).toBeUndefined()
    const { text, headers } = await read('/archive/acme')
    expect(
      [...text.matchAll(/<li>.*?<a href="([^"]+)"[^>]*>(.*?)<\/a>/g)].map(([, url, words]) => [url, words]),
    ).toEqual([
      [`${BASE}/archive/acme/${second}`, 'Second'],
      [`${BASE}/archive/acme/${first}`, 'First &#60;b&#62;friends&#60;/b&#62;'],
    ])
    expect(text).toContain('<p dir="auto">About &#38;</p>')
    expect(text).not.toContain(hidden)
    expect(text).toContain('<a href="https://acme.example/join">Subscribe</a>')
    expect(text).toContain(`<link rel="canonical" href="${BASE}/archive/acme">`)
    expect(text).toContain('<meta property="og:title" content="Emails from Test">')
    expect(text).not.toContain('noindex')
    expect(headers.has('x-robots-tag')).toBe(false)
    expect(headers.has('set-cookie')).toBe(false)
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    const etag = headers.get('etag')!
    expect(await read('/archive/acme', { 'if-none-match': `"x", W/${etag}` })).toMatchObject({ status: 304, text: '' })
    expect((await read('/archive/acme', { 'if-none-match': '"x"' })).status).toBe(200)
    await test.ask('POST', `/campaigns/${hidden}/publish`)
    expect((await read('/archive/acme')).text).toContain(hidden)
    const taken = await test.ask('POST', `/campaigns/${hidden}/unpublish`)
    expect(taken).toMatchObject({ status: 200, body: { id: hidden } })
    expect(taken.body.publishedAt).toBeUndefined()
    expect((await read('/archive/acme')).text).not.toContain(hidden)
  })

  it('show a mail to a reader who is no recipient: without data, links of a recipient, tracking and scripts', async () => {
    const body =
      '<html lang="en"><head><meta name="x"></head><body class="b"><p>Hi {{ name ?? friends }}{{ email }}{{ id }}</p><script>alert(1)</script>' +
      '<a href="https://shop.example/a">Shop</a> <a href="{{ unsubscribeUrl }}">Leave</a> <a href="{{ manageUrl }}">Choose</a> <a href="{{ viewUrl }}">View</a></body></html>'
    const id = await sent({ subject: 'For {{ name ?? all }}', preheader: 'Soon', body })
    const before = (await test.ask('GET', `/campaigns/${id}/stats`)).body
    const { status, text, headers } = await read(`/archive/acme/${id}`)
    expect(status).toBe(200)
    expect(text).toContain('<p>Hi friends</p>')
    expect(text).toContain('<a href="https://shop.example/a">Shop</a>')
    expect(text).toContain(`<a href="${BASE}/archive/acme/${id}">View</a>`)
    for (const gone of [
      'Leave',
      'Choose',
      '/t/c/',
      '/t/o/',
      '/unsubscribe/',
      '/manage/',
      'nowhere',
      'Ada',
      'example.org',
    ])
      expect({ gone, is: text.includes(gone) }).toEqual({ gone, is: false })
    expect(text).toContain(`<head><title>For all</title><link rel="canonical" href="${BASE}/archive/acme/${id}">`)
    expect(text).toContain('<meta name="description" content="Soon">')
    expect(text).toMatch(
      /<body class="b"><div lang="en"[^>]*><span dir="auto">Test<\/span> &middot; <time datetime="20/,
    )
    expect(text).toContain(`<a href="${BASE}/archive/acme" style="`)
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*; sandbox allow-popups/)
    expect(headers.get('content-security-policy')).not.toContain('script-src')
    expect(headers.has('x-robots-tag')).toBe(false)
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect((await test.ask('GET', `/campaigns/${id}/stats`)).body).toEqual(before)
  })

  it('list the campaigns of one topic, as far as contacts see it', async () => {
    const topics = [{ name: 'Öffers & more' }, { name: 'Hidden', public: false }, { name: 'Old' }]
    const made = []
    for (const json of topics) made.push((await test.ask('POST', '/topics', { json })).body)
    const [offers, hidden, old] = made
    await test.ask('PATCH', `/topics/${old.id}`, { json: { archived: true } })
    const id = await sent({ subject: 'Offer', topicId: offers.id }, true, offers.id)
    const other = await sent({ subject: 'Other' })
    const topic = encodeURIComponent(offers.slug)
    const { status, text } = await read(`/archive/acme?topic=${topic}`)
    expect(status).toBe(200)
    expect(text).toContain('<h1 dir="auto">Emails from Test: Öffers &#38; more</h1>')
    expect([text.includes(id), text.includes(other)]).toEqual([true, false])
    expect(text).toContain(`<link rel="canonical" href="${BASE}/archive/acme?topic=${topic}">`)
    expect(text).toContain('dir="auto" aria-current="page">Öffers &#38; more</a>')
    const all = await read('/archive/acme')
    expect([all.text.includes(id), all.text.includes(other)]).toEqual([true, true])
    for (const gone of ['Hidden</a>', 'Old</a>']) expect(all.text).not.toContain(gone)
    const feed = (await read(`/archive/acme/feed.xml?topic=${topic}`)).text
    expect(feed).toContain(`<id>urn:uuid:${offers.id}</id>`)
    expect(feed.match(/<entry>/g)).toHaveLength(1)
    expect((await read(`/archive/acme/list.js?topic=${topic}`)).text).not.toContain(other)
    for (const slug of [hidden.slug, old.slug, 'none', '']) {
      expect({ slug, status: (await read(`/archive/acme?topic=${slug}`)).status }).toEqual({ slug, status: 404 })
    }
  })

  it('show the winner of a test, and the first variant where there is none', async () => {
    for (let i = 0; i < 24; i++)
      await test.ask('POST', '/contacts', { json: { email: `ab${i}@example.org`, data: { ab: true } } })
    const about = { name: 'AB', subject: 'First words', preheader: 'First lines', body: '<p>First</p>' }
    const filter = { operator: 'AND', conditions: [{ field: 'data.ab', operator: 'equals', value: true }] }
    const variants = [{ subject: 'Better {{ name ?? words }}', preheader: 'Better lines', body: '<p>Better</p>' }]
    const campaign = { ...about, variants, from: 'news@example.com', audienceType: 'FILTERED', audienceFilter: filter }
    const shown = async (share: number) => {
      const json = { ...campaign, test: { share, winner: 'manual' } }
      const { id } = (await test.ask('POST', '/campaigns', { json })).body.data
      const get = async () => (await test.ask('GET', `/campaigns/${id}`)).body
      await test.ask('POST', `/campaigns/${id}/publish`)
      await test.ask('POST', `/campaigns/${id}/send`, { json: {} })
      if (share < 100) {
        await until('it waits', async () => (await get()).testing?.phase === 'waiting')
        expect((await read(`/archive/acme/${id}`)).status).toBe(404)
        await test.ask('POST', `/campaigns/${id}/winner`, { json: { variant: 'B' } })
      }
      await until('it is sent', async () => (await get()).status === 'SENT')
      const paths = [`/archive/acme/${id}`, '/archive/acme', '/archive/acme/feed.xml', '/archive/acme/list.js']
      const texts = await Promise.all(paths.map(async (path) => (await read(path)).text))
      await test.ask('POST', `/campaigns/${id}/unpublish`)
      return texts
    }
    for (const text of await shown(50)) {
      expect(text).toContain('Better words')
      expect(text).not.toMatch(/First (?:words|lines)|<p>First/)
    }
    for (const text of await shown(100)) {
      expect(text).toContain('First words')
      expect(text).not.toContain('Better')
    }
  })

  it('have no dead or made-up link, whatever a mail makes of the pages of its recipient', async () => {
    const body =
      '<p>Go <a href="https://s.example/?u={{ manageUrl | url_encode }}">a</a> {{ manageUrl | url_encode }}</p>' +
      '<form action="{{ unsubscribeUrl }}"><button>Leave</button></form><p>{{ "x" | append: manageUrl | base64_encode }}</p>'
    const id = await sent({ subject: 'News {{ unsubscribeUrl }}', preheader: 'At {{ manageUrl | upcase }}', body })
    const { text } = await read(`/archive/acme/${id}`)
    expect(text).toContain('<p>Go  </p><p></p>')
    for (const path of ['', '/feed.xml', '/list.js', `/${id}`])
      expect((await read(`/archive/acme${path}`)).text).not.toMatch(/nowhere|s\.example|Leave|<form[^>]*><button/i)
    await test.ask('POST', `/campaigns/${id}/unpublish`)
  })

  it('have a feed and a list for other sites, in which a subject is a text', async () => {
    const subject = `"</script>'<b>& \u0001`
    const id = await sent({ subject, preheader: 'P & Q' })
    const feed = await read('/archive/acme/feed.xml')
    expect(feed.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
    expect(feed.text).toContain(
      `<entry>\n<id>urn:uuid:${id}</id>\n<title>&#34;&#60;/script&#62;&#39;&#60;b&#62;&#38; </title>`,
    )
    expect(feed.text).toContain(`<link href="${BASE}/archive/acme/${id}"/>\n<summary>P &#38; Q</summary>`)
    const script = await read('/archive/acme/list.js?limit=1')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.has('set-cookie')).toBe(false)
    const items = JSON.parse(/, items = (\[.*\])$/m.exec(script.text)![1]!)
    expect(items).toEqual([
      { url: `${BASE}/archive/acme/${id}`, text: subject, date: expect.any(String), day: expect.any(String) },
    ])
    const shown: Made[] = []
    const createElement = (tag: string) => madeOf(tag)
    runInNewContext(script.text, {
      document: { createElement, currentScript: { after: (one: Made) => shown.push(one) } },
    })
    const [list] = shown
    expect([list?.tag, list?.lang, list?.inside.map((row) => (row as Made).tag)]).toEqual(['ul', 'en', ['li']])
    const [link] = (list?.inside[0] as Made).inside as Made[]
    expect(link).toMatchObject({ tag: 'a', href: `${BASE}/archive/acme/${id}`, textContent: subject })
    const all = await read('/archive/acme/list.js')
    expect(JSON.parse(/, items = (\[.*\])$/m.exec(all.text)![1]!).length).toBeGreaterThan(1)
  })

  it('know no other campaigns, projects and pages', async () => {
    const hidden = await sent({}, false)
    const json = { name: 'D', subject: 'D', body: '<p>D</p>', from: 'news@example.com', audienceType: 'ALL' }
    const draft = (await test.ask('POST', '/campaigns', { json })).body.data.id
    expect((await test.ask('POST', `/campaigns/${draft}/publish`)).body.publishedAt).toEqual(expect.any(String))
    for (const path of [hidden, draft, UNKNOWN, 'nothing', '%00', '..%2f'].map((id) => `/archive/acme/${id}`)) {
      expect({ path, status: (await read(path)).status }).toEqual({ path, status: 404 })
    }
    for (const page of ['0', '501', '-1', 'x', '1.5', '99999']) {
      expect({ page, status: (await read(`/archive/acme?page=${page}`)).status }).toEqual({ page, status: 404 })
    }
    const beyond = await read('/archive/acme?page=500')
    expect(beyond.status).toBe(200)
    expect(beyond.text).toContain('Nothing has been published yet.')
    for (const path of ['', '/feed.xml', '/list.js', `/${hidden}`])
      expect((await read(`/archive/none${path}`)).status).toBe(404)
    for (const what of ['publish', 'unpublish']) {
      expectEnvelope(await test.ask('POST', `/campaigns/${UNKNOWN}/${what}`), 404, 'CAMPAIGN_NOT_FOUND')
      expectEnvelope(await test.ask('POST', `/campaigns/x/${what}`), 404, 'CAMPAIGN_NOT_FOUND')
      expectEnvelope(
        await test.ask('POST', `/campaigns/${hidden}/${what}`, { key: OTHER_SECRET }),
        404,
        'CAMPAIGN_NOT_FOUND',
      )
      expectEnvelope(
        await test.ask('POST', `/campaigns/${hidden}/${what}`, { key: DISABLED_SECRET }),
        403,
        'PROJECT_DISABLED',
      )
    }
  })

  it('speak the project’s language, else the reader’s, and close with their name', async () => {
    for (const [language, words] of LANGUAGES) {
      const { text, headers } = await read('/archive/acme', { 'accept-language': language })
      expect(text).toContain(`<html lang="${language}"`)
      expect(text).toContain(words.archive.title('Test').replaceAll("'", '&#39;'))
      expect(headers.get('vary')).toBe('Accept-Language')
    }
    await change({ locale: 'de' })
    expect((await read('/archive/acme')).text).toContain('<h1 dir="auto">E-Mails von Test</h1>')
    await change({ locale: null, archiveSlug: null })
    expect((await read('/archive/acme')).status).toBe(404)
  })
})
