import { type ParsedMail, simpleParser } from 'mailparser'
import * as v from 'valibot'
import { beforeAll, describe, expect, it } from 'vitest'
import { definePlugin, type Engine, type GivenSettings, type OutgoingMail } from '../../config/library.ts'
import { Links } from '../../core/mail/links/links.ts'
import { MailBodies } from '../../core/mail/mail-bodies.ts'
import { MailValues } from '../../core/mail/mail-values.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import { contentOf } from '../../core/mails/accept.ts'
import { readSendRequest } from '../../core/mails/send-request.ts'
import type { MailContent } from '../../core/ports/store/contents.ts'
import type { Email } from '../../core/ports/store/emails.ts'
import { asProjectId } from '../../core/values/project-id.ts'
import { engineWithSink, type SinkWorld, sharedWithSink } from '../support/engine.ts'
import type { SmtpSink, SmtpSinkOptions } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

type Project = Awaited<ReturnType<Engine['projects']['get']>>
const SECRET = 'a secret of sixteen characters and more'
const PUBLIC_URL = 'https://mail.example.net'
const links = new Links({ publicUrl: PUBLIC_URL, secret: Buffer.from(SECRET) })
const PROJECT = { name: 'Test', trustedDomains: ['example.com'] }
const MAIL = { to: 'ada@example.org', from: 'Acme <hello@example.com>', subject: 'Hi' }
const FROM = { from: { email: 'hello@example.com', name: 'Acme' } }

let shared: () => SinkWorld
beforeAll(async () => {
  shared = await sharedWithSink({ publicUrl: PUBLIC_URL, secret: SECRET })
})

/** Where the settings are others, an engine of its own. */
async function running(settings?: GivenSettings, sink: SmtpSinkOptions = {}) {
  if (settings === undefined) return shared()
  const given = { publicUrl: PUBLIC_URL, secret: SECRET, projects: [PROJECT], ...settings }
  const made = await engineWithSink(given, sink)
  await made.engine.start()
  return made
}

interface Sent {
  readonly id: string
  readonly raw: string
  readonly parsed: ParsedMail
  readonly html: string
  readonly text: string
}

async function sendOne(
  { engine, project, sink }: { engine: Engine; project: Project; sink: SmtpSink },
  change: object,
): Promise<Sent> {
  const before = sink.messages.length
  const { answer } = await engine.sending.send(project, { ...MAIL, ...FROM, ...change })
  const mail = (await sink.waitFor(before + 1)).at(-1)
  const parsed = await simpleParser(mail!.raw)
  const html = parsed.html === false ? '' : parsed.html
  return { id: answer.emails[0]!.email, raw: mail!.raw.toString(), parsed, html, text: parsed.text ?? '' }
}

async function marketing(engine: Engine, project: Project, body: string, more: object = {}): Promise<string> {
  const fields = { name: 'Letter', subject: 'Hi {{ name }}', body, type: 'MARKETING', ...more } as const
  return (await engine.templates.create(project, fields)).id
}

const PROJECT_ID = asProjectId('01900000-0000-7000-8000-000000000000')!
const EMAIL: Email = {
  ...{ id: '01900000-0000-7000-8000-000000000001', contactId: '01900000-0000-7000-8000-000000000002' },
  ...{ projectId: PROJECT_ID, contentId: 'x', to: 'ada@example.org', status: 'QUEUED', sourceType: 'CAMPAIGN' },
  ...{
    lane: 'campaign',
    variables: { name: 'Ada' },
    tags: {},
    createdAt: new Date(0),
    dueAt: new Date(0),
    attempts: 0,
  },
  ...{ accepted: [], opens: 0, clicks: 0, updatedAt: new Date(0) },
}

function contentWith(html: string): MailContent {
  const rest = { cc: [], bcc: [], headers: [], attachments: [], marketing: true, tracking: true }
  return { id: 'x', projectId: PROJECT_ID, subject: 'Hi', html, ...FROM, ...rest, createdAt: new Date(0) }
}

describe('the links of a sent mail', () => {
  it('lead to where the writer had them lead, one by one', async () => {
    const test = await running()
    const { engine, project } = test
    const bodies = [
      [
        '<html><body><p>{{ name }}</p><a href="https://x.example/?a=1&amp;b=2">a</a><a href=\'{{ url }}\'>b</a>',
        '<a href="https://x.example/{{ name }}?u={{ id }}">c</a><a href="mailto:x@x.example">d</a></body></html>',
      ].join(''),
      '{% for p in products %}<a href="https://x.example/{{ p }}">{{ p }}</a>{% endfor %}<a href="https://y.example">y</a>',
    ]
    for (const body of bodies) {
      const data = { name: 'Zoë & Co', url: 'https://z.example/?q="1"', products: ['a', 'b'] }
      const change = { body, data, tracking: true }
      const { id, html, text } = await sendOne(test, change)
      const { email } = await engine.mails.get(project, id)
      const request = readSendRequest({ ...MAIL, ...FROM, ...change }, new Date(), {})
      const content = contentOf(project, request, { template: undefined, body }, new Date())
      expect(email.contentId).toBe(content.id)

      const clicks = [...html.matchAll(/href=["']https:\/\/mail\.example\.net\/t\/c\/([\w-]+)\/(\d+)["']/g)]
      const pixel = /<img src="https:\/\/mail\.example\.net\/t\/o\/([\w-]+)" width="1" height="1" alt=""/.exec(html)
      expect(links.readMail(pixel?.[1] ?? '')).toEqual({ projectId: project.id, emailId: id })
      const { tracked } = new MailBodies(content, new Rendering(10_000), links)
      const targets = clicks.map(([, token, number]) => {
        expect(links.readMail(token ?? '')).toEqual({ projectId: project.id, emailId: id })
        return tracked.target(Number(number), email.variables, new MailValues(email, content, links, { tracked }))
      })
      expect(targets).toEqual(
        body === bodies[0]
          ? [
              'https://x.example/?a=1&b=2',
              'https://z.example/?q="1"',
              `https://x.example/Zoë & Co?u=${email.contactId}`,
            ]
          : ['https://x.example/a', 'https://x.example/b', 'https://y.example'],
      )
      // the text part and what the sender looks at have the writer's own links
      expect(text).not.toContain('/t/c/')
      const shown = await engine.mails.get(project, id)
      expect(`${shown.html}${shown.text}`).not.toContain(PUBLIC_URL)
      expect(html).toContain(body.includes('mailto') ? 'mailto:x@x.example' : '')
    }
  })

  it('are the same in the structured mail and in the raw one', async () => {
    const seen: { html: string | undefined; text: string; headers: unknown; raw: Buffer }[] = []
    const recorder = definePlugin({
      name: 'recorder',
      provides: ['transport'],
      options: v.object({}),
      open: () => ({
        transport: {
          concurrency: 1,
          async send(mail: OutgoingMail) {
            const { html, text, headers } = mail
            seen.push({ html, text, headers, raw: Buffer.from(await mail.raw()) })
            return { outcome: 'accepted' as const }
          },
        },
      }),
    })
    const { engine, project } = await running({ transports: [recorder({})] })
    const template = await marketing(engine, project, '<p>Hi {{ name }}</p><a href="https://x.example">x</a>')
    await engine.sending.send(project, {
      ...FROM,
      to: 'a@example.org',
      template,
      subscribed: true,
      data: { name: 'A' },
    })
    const mail = await until('the mail is sent', () => seen[0])
    const parsed = await simpleParser(mail.raw)
    expect(parsed.html).toBe(mail.html?.replace(/\r?\n/g, '\n'))
    expect(parsed.text?.trimEnd()).toBe(mail.text.trimEnd())
    for (const [name, value] of mail.headers as [string, string][]) {
      expect(parsed.headerLines.find(({ key }) => key === name.toLowerCase())?.line.replace(/\r\n /g, ' ')).toBe(
        `${name}: ${value}`,
      )
    }
  })

  it('are left alone as the project and the mail say', async () => {
    const body = '<a href="https://x.example">x</a><img src="https://x.example/x.png" alt="">'
    const isTracked = ({ html }: Sent) => html.includes('/t/c/') && html.includes('/t/o/')
    for (const [tracking, transactional, letter] of [
      ['ENABLED', true, true],
      ['MARKETING_ONLY', false, true],
      ['DISABLED', false, false],
    ] as const) {
      const test = await running({ projects: [{ ...PROJECT, tracking }] })
      const template = await marketing(test.engine, test.project, body)
      expect(isTracked(await sendOne(test, { body }))).toBe(transactional)
      expect(isTracked(await sendOne(test, { template, subject: null, subscribed: true }))).toBe(letter)
      expect(isTracked(await sendOne(test, { body, tracking: true }))).toBe(true)
      expect(isTracked(await sendOne(test, { body, tracking: false }))).toBe(false)
    }
  })

  it('are counted without a pixel where that would be the only image of a short mail', async () => {
    const test = await running({ projects: [{ ...PROJECT, tracking: 'ENABLED' }] })
    const link = '<p><a href="https://x.example">x</a></p>'
    const image = '<img src="https://x.example/x.png" alt="">'
    const long = `<p>${'word '.repeat(700)}</p>`
    const isIn = async (body: string, change: object = {}) => {
      const { html } = await sendOne(test, { body: link + body, ...change })
      expect(html).toContain('/t/c/')
      return html.includes('/t/o/')
    }
    expect(await isIn('')).toBe(false)
    expect(await isIn('<style>a{color:red}</style>{{ name }}<!-- <img src="x"> -->')).toBe(false)
    expect(await isIn('', { tracking: true })).toBe(true)
    expect(
      await isIn('', {
        template: await marketing(test.engine, test.project, link),
        subject: null,
        body: null,
        subscribed: true,
      }),
    ).toBe(true)
    expect(await isIn(image)).toBe(true)
    expect(await isIn('<table background="https://x.example/x.png"></table>')).toBe(true)
    expect(await isIn(long)).toBe(true)
    // it depends on the recipient
    for (const [body, data] of [
      [`{% if a %}${image}{% endif %}`, { a: true }],
      ['{{ a | raw }}', { a: image }],
      ['{% for i in (1..700) %}{{ a }}{% endfor %}', { a: 'words' }],
    ] as const) {
      expect(await isIn(body, { data })).toBe(true)
      expect(await isIn(body, { data: { a: null } })).toBe(false)
    }
  })

  it('are the writer’s own while this service has no public address', async () => {
    const { publicUrl: _, ...settings } = { publicUrl: undefined, secret: SECRET, projects: [PROJECT] }
    const made = await engineWithSink(settings)
    await made.engine.start()
    const body = '<a href="https://x.example">x</a>{{ unsubscribeUrl }}'
    const template = await marketing(made.engine, made.project, body)
    const { html, parsed } = await sendOne(made, { template, subscribed: true })
    expect(html.trim()).toBe('<a href="https://x.example">x</a>')
    expect(parsed.headers.has('list-unsubscribe')).toBe(false)
  })
})

describe('the pages of the recipient', () => {
  it('are in subject, HTML and text, signed for this contact and mail', async () => {
    const test = await running()
    const { id, parsed, html, text } = await sendOne(test, {
      subject: 'Bye: {{ unsubscribeUrl }}',
      body: '<a href="{{ subscribeUrl }}">s</a> <a href="{{ data.x }}{{ manageUrl }}">m</a> {% if true %}{{ unsubscribeUrl }}{% endif %}',
      text: '{{ manageUrl }}',
    })
    const { email } = await test.engine.mails.get(test.project, id)
    const link = { projectId: test.project.id, contactId: email.contactId!, emailId: id }
    const { unsubscribeUrl, subscribeUrl, manageUrl } = links.ofContact(link)!
    expect(parsed.subject).toBe(`Bye: ${unsubscribeUrl}`)
    expect(html).toContain(`<a href="${subscribeUrl}">s</a> <a href="${manageUrl}">m</a> ${unsubscribeUrl}`)
    expect(text.trim()).toBe(manageUrl)
    expect(links.readContact(manageUrl.split('/').at(-1)!)).toEqual(link)
    expect(parsed.headers.has('list-unsubscribe')).toBe(false)
  })
})

describe('marketing mail', () => {
  it('has the header fields of a list, and a footer', async () => {
    const test = await running()
    const template = await marketing(test.engine, test.project, '<html><body><p>Hi {{ name }}</p></body></html>')
    const { id, raw, parsed, html, text } = await sendOne(test, { template, subscribed: true, data: { name: 'Ada' } })
    const { email } = await test.engine.mails.get(test.project, id)
    const link = { projectId: test.project.id, contactId: email.contactId!, emailId: id }
    const url = links.ofContact(link)!.unsubscribeUrl
    const lines = raw.replace(/\r\n[ \t]/g, ' ')
    expect(lines).toContain(`\r\nList-Unsubscribe: <${url}>\r\n`)
    expect(lines).toContain('\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n')
    expect(lines).toContain(`\r\nList-Id: "Acme" <${test.project.id}.list.example.com>\r\n`)
    expect(lines).toContain('\r\nPrecedence: bulk\r\n')
    expect(parsed.headers.get('list')).toMatchObject({ unsubscribe: { url }, id: { name: 'Acme' } })
    const words = 'You are receiving this email because you are subscribed to emails from Acme.'
    expect(html).toMatch(
      new RegExp(
        `<p lang="en"[^>]*>${words}<br><a href="${url}"[^>]*>Unsubscribe</a> &middot; <a href="[^"]*/manage/[^"]*"[^>]*>Email preferences</a></p><img [^>]*></body></html>`,
      ),
    )
    const manage = url.replace('/unsubscribe/', '/manage/')
    expect(text.trim()).toBe(`Hi Ada\n\n${words}\nUnsubscribe [${url}] · Email preferences [${manage}]`)
  })

  it('has the postal address and the logo of the project, escaped', async () => {
    const look = { postalAddress: '<1> Main St', logoUrl: 'https://cdn.example/l.png?a=1&b=2' }
    const test = await running({ projects: [{ ...PROJECT, look }] })
    const template = await marketing(test.engine, test.project, '<p>Hi</p>')
    const { html, text } = await sendOne(test, { template, subscribed: true })
    expect(html).toMatch(/<p lang="en"[^>]*><img src="https:\/\/cdn\.example\/l\.png\?a=1&amp;b=2" alt=""/)
    expect(html).toMatch(/<br>&lt;1&gt; Main St<\/p><img [^>]*>$/)
    expect(text.trim().split('\n').at(-1)).toBe('<1> Main St')
    expect(text).not.toContain('l.png')
  })

  it('has the postal address as it is on the day it is sent, also in mail that is no marketing', async () => {
    const test = await running()
    const place = '<p class="quiet" style="margin:0">{{ mailwright_postal }}</p>'
    const template = await marketing(test.engine, test.project, `<p>Hi</p>${place}<a href="{{ manageUrl }}">Out</a>`)
    expect((await sendOne(test, { template, subscribed: true })).html).toContain('<p>Hi</p><a')
    const { engine, project } = test
    const now = await engine.projects.change(project, { look: { postalAddress: '1 {{ New }} St & Co' } })
    const sent = async (fields: object) => (await sendOne({ ...test, project: now }, fields)).html
    expect(await sent({ template, subscribed: true })).toContain('>1 &#123;&#123; New }} St &amp; Co</p>')
    expect(await sent({ subject: 'S', body: `<p>Bill</p>${place}` })).toContain('<p>Bill</p><p class="quiet"')
    const shown = await engine.templates.render(now, { subject: 'S', body: place })
    expect(shown.text.trim()).toBe('1 {{ New }} St & Co')
  })

  it('leads to the profiles of the project, in its font', async () => {
    const links = [
      { name: 'Tom & Jerry', url: 'https://social.example/@a?x=1&y=2' },
      { name: 'Blog', url: 'https://blog.example/' },
    ]
    const test = await running({ projects: [{ ...PROJECT, look: { links, font: 'georgia' } }] })
    const template = await marketing(test.engine, test.project, '<p>Hi</p>')
    const { html } = await sendOne(test, { template, subscribed: true, tracking: false })
    expect(html).toContain('<a href="https://social.example/@a?x=1&amp;y=2" style="')
    expect(html).toMatch(/>Tom &amp; Jerry<\/a> &middot; <a href="https:\/\/blog\.example\/"[^>]*>Blog<\/a><\/p>/)
    expect(html).toContain('font-family:Georgia,')
    const own = await sendOne(test, { template, subscribed: true, text: 'Hi\n' })
    expect(own.text.trim().split('\n').slice(-2)).toEqual([
      'Tom & Jerry: https://social.example/@a?x=1&y=2',
      'Blog: https://blog.example/',
    ])
  })

  it('keeps the header fields its sender gives', async () => {
    // without one click Gmail would not like it, but it is the sender's to say
    const test = await running({}, { checked: false })
    const template = await marketing(test.engine, test.project, '<p>Hi</p>')
    const headers = { 'list-unsubscribe': '<mailto:bye@example.com>', 'List-ID': '<a.example.com>', precedence: 'list' }
    const { raw } = await sendOne(test, { template, subscribed: true, headers })
    expect(raw.match(/^(?:list-unsubscribe|list-unsubscribe-post|list-id|precedence):.*$/gim)).toEqual([
      'list-unsubscribe: <mailto:bye@example.com>',
      'List-ID: <a.example.com>',
      'precedence: list',
    ])
  })

  it('speaks the recipient’s language, else the project’s', async () => {
    const test = await running({ projects: [{ ...PROJECT, locale: 'fr-CA' }] })
    const template = await marketing(test.engine, test.project, '<p>Hi</p>')
    for (const [locale, words] of [
      ['de', 'Abmelden'],
      ['pt-BR', 'Cancelar a inscrição'],
      ['ZH_tw', '退订'],
      ['xx', 'Se désabonner'],
      [7, 'Se désabonner'],
      [undefined, 'Se désabonner'],
    ] as const) {
      const data = locale === undefined ? {} : { locale: { value: locale, persistent: false } }
      const { html, text } = await sendOne(test, { template, subscribed: true, data })
      expect(html).toContain(`>${words}</a>`)
      expect(text).toContain(`${words} [https://mail.example.net/unsubscribe/`)
    }
  })

  it('has its footer in a text part of its own, too', async () => {
    const test = await running()
    const template = await marketing(test.engine, test.project, '<p>Hi {{ manageUrl }}</p>')
    const { html, text } = await sendOne(test, { template, subscribed: true, text: 'Hi\n' })
    expect(html).not.toContain('Unsubscribe')
    expect(text).toMatch(/^Hi\n\nYou are receiving .* Acme\.\nUnsubscribe: https:\/\/mail\.example\.net\/unsubscribe\//)
  })

  it.each([
    ['10,000 placeholders and tags', `${'{{ name }}'.repeat(9_990)}{% if true %}{% endif %}`],
    ['3 MB without a placeholder', 'long '.repeat(600_000)],
    ['nearly 2 MB when it is filled in', `{{ name }}${'x'.repeat(2 * 1024 * 1024 - 6_000)}`],
    ['many short links and a loop', `{% for i in (1..50) %}${'<a href="http://a.bc">'.repeat(100)}{% endfor %}`],
  ])('is not refused for what is added to a body with %s', (_what, body) => {
    const html = `<a href="https://x.example">x</a>${body}`
    new Rendering(10_000).compile(html, 'html').render({ name: 'Ada' }, {})
    const content = contentWith(html)
    const { templates, tracked } = new MailBodies(content, new Rendering(10_000), links)
    const mailVariables = new MailValues(EMAIL, content, links, { tracked })
    const text = tracked.template.render(EMAIL.variables, mailVariables)
    expect(text).toContain('/t/c/')
    expect(text).toMatch(/Email preferences<\/a><\/p><img [^>]*>$/)
    expect(templates.html.render(EMAIL.variables, mailVariables)).toMatch(/Email preferences<\/a><\/p>$/)
  })

  it('stays one that is filled in fast: 13 KB with tracked links and footer', () => {
    const row =
      '<tr><td style="padding:8px">{{ name }}: <a href="https://shop.example/{{ id }}?a=1&amp;b=2">Look</a> <a href="https://shop.example/all">All</a></td></tr>\n'
    const html = `<html><body><table>${row.repeat(85)}</table></body></html>`
    expect(html.length).toBeGreaterThan(13_000)
    const { templates, tracked } = new MailBodies(contentWith(html), new Rendering(10_000), links)
    expect(tracked.links).toBe(170)
    expect(tracked.template.slots).toBeDefined()
    expect(templates.html.slots).toBeDefined()
    expect(templates.text.slots).toBeDefined()
  })
})
