import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { expectEnvelope, OTHER_SECRET, ownProject, PROJECT, type TestApp, testApp } from '../support/app.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { QUICK } from '../support/matrix.ts'

const WORDS = 'There is much to tell about what we made in May, and all of it is worth reading to the end. '.repeat(2)
const WAY_OUT = '<p>Main Street 1<br>12345 Town<br><a href="{{ unsubscribeUrl }}">Unsubscribe</a></p>'
const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000'

for (const store of [QUICK]) {
  describe(`POST /templates/check on ${store.name}`, () => {
    let test: TestApp
    /** A server of links whose address the guard lets through. */
    let base: string
    /** The paths it was asked for. */
    const asked: string[] = []

    const check = (json: object, key?: string) =>
      test.ask('POST', '/templates/check', { json, ...(key ? { key } : {}) })
    const codes = async (json: object) => {
      const answer = await check({ type: 'MARKETING', links: false, ...json })
      expect(answer).toMatchObject({ status: 200 })
      // every value stands in its sentence
      expect(JSON.stringify(answer.body.findings.map(({ message }: { message: string }) => message))).not.toMatch(
        /\{\w+\}/,
      )
      return answer.body.findings.map(({ code }: { code: string }) => code)
    }

    beforeAll(async () => {
      const server = createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`)
        if (request.url === '/inside') return void response.writeHead(302, { location: 'http://10.0.0.1/' }).end()
        if (request.url === '/large.png') response.setHeader('content-length', 2_000_000)
        response.writeHead(request.url === '/gone' ? 404 : 200).end()
      })
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      atEndOfFile(() => {
        server.closeAllConnections()
        server.close()
      })
      // a name in place of the address, which every check of a mail would report as one that no other machine can open
      base = `http://links.test:${(server.address() as AddressInfo).port}`
      const names = await startDnsServer()
      atEndOfFile(() => names.close())
      names.set('links.test', 'A', ['127.0.0.1'])
      const dns = nodeDns({ servers: [names.address], timeoutMs: 300, tries: 1, cacheEntries: 0 })
      const settings = { publicUrl: 'https://m.example.net', egress: { allow: ['127.0.0.1'] }, dns }
      // nothing is sent, but a folder would be found fault with
      test = await testApp(store, {}, { ...settings, transports: [smtp({ host: '127.0.0.1', port: 1 })] })
      const look = { postalAddress: 'Main Street 1, 12345 Town' }
      await test.engine.projects.applySettings([{ id: PROJECT, name: 'Test', look }])
      for (const [email, data] of [
        ['ada@example.org', { firstName: 'Ada', plan: 'pro' }],
        ['bob@example.org', { firstName: 'Bob' }],
        ['eve@example.org', { firstName: 'Eve', plan: null }],
      ] as const)
        await test.ask('POST', '/contacts', { json: { email, data } })
    })

    it('finds nothing in a good mail', async () => {
      const body = `<p>Hello {{ firstName }}, {{ plan ?? "wherever you are" }}! ${WORDS}</p>
        <img src="${base.replace('http:', 'https:').replace(/:\d+$/, '')}/a.png" alt="What we made" width="600">
        <p><a href="${base}/news">Read on</a></p>${WAY_OUT}`
      const json = { type: 'MARKETING', subject: 'News in May', preheader: 'What we made', body, links: false }
      const { body: quiet } = await check(json)
      expect(quiet.findings).toEqual([])
      expect(quiet.figures).toMatchObject({ links: 2, images: 1, imageBytes: 0, asked: 0 })
      // its links are tracked, and it has a footer of its own
      expect(quiet.figures.htmlBytes).toBeGreaterThan(body.length + 100)
      asked.length = 0
      const { body: loud } = await check({ ...json, body: body.replace(/<img[^>]*>/, ''), links: true })
      expect(loud).toMatchObject({ findings: [], figures: { asked: 1 } })
      expect(asked).toEqual(['HEAD /news'])
    })

    it('asks links and pictures, and weighs them', async () => {
      const links = ['/gone', '/fine', '/inside'].map((path) => `<a href="${base}${path}">Go</a>`).join('')
      const body = `<p>${WORDS}</p>${links}<img alt="" src="${base}/large.png">`
      const { body: found } = await check({ type: 'TRANSACTIONAL', subject: 'Hi', preheader: 'More', body })
      expect(found.findings).toMatchObject([
        {
          code: 'link_broken',
          severity: 'error',
          field: 'body',
          params: { number: 1, address: `${base}/gone`, status: 404 },
        },
        { code: 'address_forbidden', severity: 'warning', params: { address: `${base}/inside` } },
        { code: 'image_by_http', severity: 'warning' },
        { code: 'image_large', params: { number: 1, address: 'large.png', mb: 1.9, limit: 1 } },
      ])
      expect(found.figures).toMatchObject({ links: 3, images: 1, imageBytes: 2_000_000, asked: 4 })
    })

    it('does not ask links that are wrong as they stand there', async () => {
      const body = `<p>${WORDS}</p><a href="http://localhost/x">Go</a><a href="www.example.com">Go</a>`
      const { body: found } = await check({ type: 'TRANSACTIONAL', subject: 'Hi', preheader: 'More', body })
      expect(found.findings.map(({ code }: { code: string }) => code)).toEqual(['link_local', 'link_relative'])
      expect(found.figures.asked).toBe(0)
    })

    it('asks ten times a minute for one project, and says so', async () => {
      const own = await ownProject(test)
      const json = { type: 'TRANSACTIONAL', subject: 'Hi', preheader: 'More', body: `<a href="${base}/news">Go</a>` }
      const ask = async () => (await own.ask('POST', '/templates/check', { json })).body
      for (let i = 0; i < 10; i++) expect(await ask()).toMatchObject({ findings: [], figures: { asked: 1 } })
      expect(await ask()).toMatchObject({
        findings: [{ code: 'links_over_limit', severity: 'hint', params: { limit: 10 } }],
        figures: { asked: 0 },
      })
      // nothing to ask is no asking
      const quiet = await own.ask('POST', '/templates/check', { json: { ...json, links: false } })
      expect(quiet.body.findings).toEqual([])
      expect((await check(json)).body.figures.asked).toBe(1)
    })

    it('knows what contacts have', async () => {
      const mail = {
        subject: 'For {{ firstName }}',
        preheader: 'x',
        body: `<p>${WORDS}{{ plan }}{{ frist }}</p>${WAY_OUT}`,
      }
      const { body } = await check({ ...mail, type: 'MARKETING', links: false })
      expect(body.findings).toMatchObject([
        { code: 'variable_lacking', severity: 'warning', params: { name: 'plan', count: 2, total: 3 } },
        { code: 'variable_unknown', severity: 'warning', params: { name: 'frist' } },
      ])
      expect(await codes({ ...mail, data: { plan: 'pro', frist: 'x' } })).toEqual([])
      expect(await codes({ ...mail, type: 'TRANSACTIONAL' })).toEqual(['variable_of_request'])
    })

    it('offers fields that may be meant by one that hardly any contact has', async () => {
      const own = await ownProject(test)
      const mail = { type: 'MARKETING', subject: 'Hi', preheader: 'x', links: false }
      const findings = async (text: string) => {
        const json = { ...mail, body: `<p>${WORDS}${text}</p>${WAY_OUT}` }
        const { body } = await own.ask('POST', '/templates/check', { json })
        return body.findings.filter(({ code }: { code: string }) => code.startsWith('variable_'))
      }
      const hello = 'Hello {{ firstName | default: "there" }}'
      expect(await findings(hello)).toEqual([])
      for (let at = 1; at <= 12; at++) {
        const data = at === 1 ? { Vorname: 'Ann', firstName: 'Ann', plan: 'pro' } : { Vorname: 'Bo', Ort: 'Ulm' }
        await own.ask('POST', '/contacts', { json: { email: `p${at}@example.org`, data } })
      }
      const similar = { count: 11, total: 12, similar: '"Vorname"' }
      for (const text of [hello, 'Hi {{ firstName }}', '{% if firstName %}Hi {{ firstName }}{% endif %}'])
        expect(await findings(text)).toMatchObject([
          { code: 'variable_similar', severity: 'warning', params: { name: 'firstName', ...similar } },
        ])
      expect(await findings('{{ city }}{{ data.Vornamen ?? "you" }}{{ plan }}{{ fax }}')).toMatchObject([
        { code: 'variable_similar', params: { name: 'city', count: 12, similar: '"Ort"' } },
        { code: 'variable_similar', params: { name: 'Vornamen', count: 12, similar: '"Vorname"' } },
        { code: 'variable_lacking', params: { name: 'plan' } },
        { code: 'variable_unknown', params: { name: 'fax' } },
      ])
      // with a default, as long as few have it
      expect(await findings('{{ plan | default: "free" }}{{ Ort | default: "home" }}{{ Vorname }}')).toMatchObject([
        { code: 'variable_default', severity: 'hint', params: { name: 'plan', count: 11, total: 12 } },
      ])
    })

    it('makes the mail as sending would: with layout, snippets and the footer', async () => {
      const snippet = await test.ask('POST', '/snippets', {
        json: { name: 'logo', body: '<img src="http://a.test/l.png">' },
      })
      const layout = await test.ask('POST', '/layouts', {
        json: { name: 'L', body: "{% render 'logo' %}{{ content }}<a href=''>Nowhere</a>" },
      })
      expect([snippet.status, layout.status]).toEqual([201, 201])
      const body = `<p>${WORDS}</p>`
      const mail = { subject: 'News', preheader: 'x', body, layoutId: layout.body.id }
      expect(await codes(mail)).toEqual(['link_empty', 'image_without_alt', 'image_by_http', 'unsubscribe_added'])
      const source = { format: 'MARKDOWN', text: `${WORDS} [Go](http://localhost/)` }
      expect(await codes({ subject: 'News', preheader: 'x', source, type: 'TRANSACTIONAL' })).toContain('link_local')
    })

    it('shows what nobody could read', async () => {
      const plain = `<p>${WORDS}</p>${WAY_OUT}`
      expect(await codes({ subject: '', body: plain })).toEqual(['subject_empty', 'preheader_missing'])
      const large = `<p>${'word '.repeat(21_000)}</p>${WAY_OUT}`
      expect(await codes({ subject: 'News', preheader: 'x', body: large })).toEqual(['size_clipped'])
      const other = await check(
        { type: 'MARKETING', subject: 'News', preheader: 'x', body: plain, links: false },
        OTHER_SECRET,
      )
      expect(other.body.findings).toMatchObject([{ code: 'postal_unset', severity: 'warning', field: 'project' }])
    })

    it('looks up the images of the project', async () => {
      const at = (hash: string) => `https://m.example.net/uploads/${PROJECT}/${hash.padEnd(64, '0')}.png`
      const mail = { subject: 'News', preheader: 'x', body: `<p>${WORDS}</p><img alt="" src="${at('a')}">${WAY_OUT}` }
      expect(await codes(mail)).toEqual(['image_gone'])
    })

    it.each<[string, object, Record<string, string>]>([
      ['no type', { type: undefined }, { type: 'required' }],
      ['an unknown type', { type: 'NEWS' }, { type: 'invalid_enum_value' }],
      ['no body', { body: undefined }, { body: 'required' }],
      ['links as a text', { links: 'no' }, { links: 'invalid_type' }],
      ['a long subject', { subject: 'x'.repeat(999) }, { subject: 'too_big' }],
      ['a broken placeholder', { body: '<p>{% if %}</p>' }, { body: 'custom' }],
      ['a broken preheader', { preheader: '{% if %}' }, { preheader: 'custom' }],
      ['a missing snippet', { body: "{% render 'none' %}" }, { body: 'custom' }],
    ])('refuses %s', async (_what, json, fields) => {
      const answer = await check({ type: 'MARKETING', subject: 'Hi', body: '<p>Hi</p>', ...json })
      expectEnvelope(answer, 422, 'VALIDATION_ERROR', fields)
    })

    it('refuses contacts and layouts that are not there', async () => {
      const json = { type: 'MARKETING', subject: 'Hi', body: '<p>Hi</p>' }
      expectEnvelope(await check({ ...json, contactId: UNKNOWN_ID }), 404, 'CONTACT_NOT_FOUND')
      expectEnvelope(await check({ ...json, layoutId: UNKNOWN_ID }), 404, 'LAYOUT_NOT_FOUND')
    })
  })
}
