import { beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../core/mail/languages/translations-in.ts'
import { MAIL, type TestApp, testApp } from '../support/app.ts'
import { contactToken, LINK_SETTINGS, mailToken } from '../support/contact-links.ts'
import { QUICK } from '../support/matrix.ts'

const PICTURE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

describe(`a mail in the browser, on ${QUICK.name}`, () => {
  let test: TestApp
  let projectId: string
  let count = 0

  beforeAll(async () => {
    test = await testApp(QUICK, {}, LINK_SETTINGS)
    projectId = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!.id
  })

  /** A mail that waits, and the path that its `viewUrl` leads to. */
  async function waiting(change: object = {}) {
    const to = `v${++count}@example.org`
    const body = '<p>Dear {{ name }}, <a href="https://shop.example/a">read on</a></p>[{{ viewUrl }}]'
    const scheduledFor = new Date(Date.now() + 3_600_000).toISOString()
    const json = { ...MAIL, to, body, data: { name: '<Ada>' }, scheduledFor, tracking: true, ...change }
    const sent = await test.ask('POST', '/v1/send', { json })
    expect(sent.text).toContain('"email"')
    const { email: id, contact } = sent.body.data.emails[0]
    const shown = (await test.ask('GET', `/emails/${id}`)).body
    const url = /\[(https:[^\]]+)\]/.exec(shown.body)?.[1] ?? ''
    return { id, contactId: contact.id as string, url, path: url.slice(LINK_SETTINGS.publicUrl.length) }
  }
  const open = (path: string, headers: Record<string, string> = {}) => test.ask('GET', path, { key: null, headers })

  it('is what its recipient got: filled in, with the links of its author and without a pixel', async () => {
    const { id, path } = await waiting()
    expect(path).toMatch(/^\/view\/[\w-]{20,}$/)
    const { status, text, headers } = await open(path)
    expect(status).toBe(200)
    expect(text).toContain('<p>Dear &lt;Ada&gt;, <a href="https://shop.example/a">read on</a></p>')
    expect(text).toMatch(/^<!doctype html><meta charset="utf-8">.*<title>/)
    expect(text).not.toContain('/t/')
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect((await test.ask('GET', `/emails/${id}`)).body).toMatchObject({ status: 'QUEUED', opens: 0, clicks: 0 })
  })

  it('runs nothing of what its author wrote', async () => {
    const { path } = await waiting({ body: '<html><head></head><script>alert(1)</script>[{{ viewUrl }}]</html>' })
    const { text, headers } = await open(path)
    expect(text).toContain('<html><head><title>')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).not.toContain('script-src')
    expect(/sandbox([^;]*)/.exec(policy)?.[1]).not.toMatch(/allow-(?:scripts|same-origin|forms)/)
  })

  it('has the pictures that came with it', async () => {
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
    const attachments = [
      { filename: 'a.gif', contentType: 'image/gif', contentId: 'logo', content: PICTURE },
      // as programs send it that know nothing of its type
      { filename: 'b', contentType: 'application/octet-stream', contentId: 'logo2', content: PICTURE },
      { filename: 'b.png', contentType: 'image/png', contentId: 'page', content: drawing },
    ].map(({ content, ...each }) => ({ ...each, disposition: 'inline', content: content.toString('base64') }))
    const body = '<img src="cid:logo" alt=""><img src="cid:logo2" alt=""><img src="cid:page" alt="">[{{ viewUrl }}]'
    const { text } = await open((await waiting({ body, attachments })).path)
    const drawn = `<img src="data:image/gif;base64,${PICTURE.toString('base64')}" alt="">`
    expect(text).toContain(`${drawn}${drawn}<img src="cid:page" alt="">`)
  })

  it('leads from a tracked mail without a click, and wins over a key of the data', async () => {
    const { id, url } = await waiting({
      body: '<a href="{{ viewUrl }}">view</a>[{{ viewUrl }}] {{ data.viewUrl }}',
      data: { viewUrl: 'https://mine.example/' },
    })
    const raw = (await test.ask('GET', `/emails/${id}/raw`)).text
      .replaceAll('=\r\n', '')
      .replaceAll(/=(3D|20)/g, (_, code) => (code === '20' ? ' ' : '='))
    expect(raw).toContain(`<a href="${url}">view</a>[${url}] https://mine.example/`)
  })

  it('is shown to the holder of its own link alone', async () => {
    const { id, contactId } = await waiting()
    for (const token of [mailToken(projectId, id), contactToken(projectId, contactId), 'x'.repeat(60), 'nothing']) {
      expect((await open(`/view/${token}`)).status).toBe(404)
    }
  })

  it('is gone with its contact, and says so in the reader’s language', async () => {
    const { path, contactId } = await waiting()
    await test.ask('DELETE', `/contacts/${contactId}`)
    for (const [language, words] of LANGUAGES) {
      const { status, text } = await open(path, { 'accept-language': language })
      expect(status).toBe(410)
      expect(text).toContain(`<h1>${words.mailGone.title.replaceAll("'", '&#39;')}</h1>`)
      expect(text).toContain(words.mailGone.sentence('Test').replaceAll("'", '&#39;'))
      expect(text).not.toContain('Ada')
    }
  })
})
