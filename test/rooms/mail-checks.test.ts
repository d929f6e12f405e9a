import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { imageFindings, linkFinding } from '../../core/checks/address-checks.ts'
import { askAddresses, MOST_ASKED } from '../../core/checks/ask-addresses.ts'
import { type CheckFinding, finding, inOrder } from '../../core/checks/check-sentences.ts'
import { clientFindings } from '../../core/checks/client-checks.ts'
import { ownImages, sizesOf } from '../../core/checks/image-sizes.ts'
import { askedFindings, targetsOf } from '../../core/checks/link-findings.ts'
import { shapeOf } from '../../core/checks/mail-shape.ts'
import { serverFindings } from '../../core/checks/server-checks.ts'
import { printedIn } from '../../core/checks/variable-checks.ts'
import { wayOutFindings } from '../../core/checks/way-out-checks.ts'
import { inboxFindings, sizeFindings, spamFindings, textFindings } from '../../core/checks/word-checks.ts'
import type { Upload } from '../../core/ports/store/uploads.ts'
import { Egress } from '../../plugins/webhooks-http/egress.ts'

const codes = (found: readonly CheckFinding[]) => found.map(({ code }) => code)
const MB = 1024 * 1024

it.each<[bytes: number, codes: readonly string[]]>([
  [94_003, []],
  [94_004, ['size_near_clipping']],
  [104_448, ['size_near_clipping']],
  [104_449, ['size_clipped']],
])('the size of %i bytes', (bytes, expected) => {
  expect(codes(sizeFindings(bytes))).toEqual(expected)
})

it.each<[written: string, filledIn: string, isFilled: boolean, codes: readonly string[]]>([
  ['News in May', 'News in May', false, []],
  ['', ' ', false, ['subject_empty']],
  ['{{ title }}', '', false, []],
  ['{{ title }}', '', true, ['subject_empty']],
  ['x'.repeat(60), 'x'.repeat(60), false, []],
  ['x'.repeat(61), 'x'.repeat(61), false, ['subject_long']],
  ['BUY IT', 'BUY IT', false, []],
  ['BUY IT NOW', 'BUY IT NOW', false, ['subject_capitals']],
  ['{{ name }}, 50 % OFF', 'ADA, 50 % OFF', true, []],
  ['漢字漢字漢字漢字', '漢字漢字漢字漢字', false, []],
])('the subject %j', (subject, filledIn, isFilled, expected) => {
  expect(codes(inboxFindings({ subject, preheader: 'More' }, filledIn, isFilled))).toEqual(expected)
  expect(codes(inboxFindings({ subject, preheader: undefined }, filledIn, isFilled))).toEqual([
    ...expected,
    'preheader_missing',
  ])
})

describe('words', () => {
  const mail = (text: string) => ({ subject: '', html: '', text, wayOut: { html: true, text: true } })

  it.each([
    ['<p>Hello</p>', 'Hello', []],
    ['<img src="https://a.de/a.png" alt="All we say">', '', ['text_empty']],
    ['<p>{{ all }}</p>', 'x', []],
    ['<img src="https://a.de/a.png" alt=""><p>Hello</p>', 'Hello', ['text_only_pictures']],
    [`<img src="https://a.de/a.png" alt=""><p>${'word '.repeat(25)}</p>`, 'x', []],
  ])('to read in %j', async (html, text, expected) => {
    expect(codes(textFindings(mail(text), await shapeOf(html)))).toEqual(expected)
  })

  it.each([
    ['A dinner party', '<p>Free coffee for all winners of today, nur Heutiges</p>', undefined],
    ['Act now', '<p>and CLICK\n HERE</p>', 'act now, click here'],
    ['Nur heute', '<p>Jetzt zugreifen</p><style>casino</style>', 'nur heute, jetzt zugreifen'],
  ])('that filters weigh, in %j', async (subject, html, words) => {
    const found = spamFindings(subject, await shapeOf(html))
    expect(found.map(({ params }) => params.words)).toEqual(words === undefined ? [] : [words])
  })
})

describe('the way out', () => {
  const mail = (text: string, html = true, inText = true) => ({
    ...{ subject: '', html: '', text },
    wayOut: { html, text: inText },
  })

  it.each([
    ['is all there', mail('Main Street 1,\n12345 Town'), '{{ unsubscribeUrl }}', 'Main Street 1, 12345 Town', []],
    ['is added', mail('Main Street 1'), '', 'Main Street 1', ['unsubscribe_added']],
    ['is missing', mail('Main Street 1', false, false), '', 'Main Street 1', ['unsubscribe_missing']],
    ['is HTML alone', mail('A 1', true, false), '{{ manageUrl }}', 'A 1', ['unsubscribe_missing_in_text']],
    ['lacks the address', mail('Hello'), '{{ manageUrl }}', 'Main Street 1', ['postal_missing']],
    ['has no address to show', mail('Hello'), '{{ manageUrl }}', undefined, ['postal_unset']],
  ])('%s', (_what, finished, body, address, expected) => {
    expect(codes(wayOutFindings(finished, body, address))).toEqual(expected)
  })
})

describe('the server', () => {
  it.each([
    ['a folder', ['nobody'], 'http://127.0.0.1:3000', ['server_folder']],
    ['a mail catcher', ['machine'], 'http://127.0.0.1:3000', []],
    ['a next hop and links to this machine', ['nobody', undefined], 'http://localhost:3000', ['server_address']],
    ['a next hop and a public address', ['anybody'], 'https://mail.acme.example', []],
    ['a next hop and no address', [undefined], undefined, []],
    ['another process that sends', [], 'http://127.0.0.1:3000', []],
  ] as const)('with %s', (_what, reaches, publicUrl, expected) => {
    expect(codes(serverFindings('live', reaches, publicUrl))).toEqual(expected)
  })

  it('writes no mail of a project for tests to a folder: the sandbox has it', () => {
    expect(codes(serverFindings('test', ['nobody'], undefined))).toEqual(['project_test'])
    expect(codes(serverFindings('members', ['nobody'], undefined))).toEqual(['project_members', 'server_folder'])
    expect(codes(serverFindings('test', [undefined], 'http://localhost:3000'))).toEqual([
      'project_test',
      'server_address',
    ])
  })
})

describe('pictures', () => {
  it.each([
    ['<img src="https://a.de/a.png" alt="">', []],
    ['<img src="https://a.de/a.png">', ['image_without_alt']],
    ['<img src="https://a.de/a.gif" width="1" height="1">', []],
    ['<img alt="" src="http://a.de/a.png">', ['image_by_http']],
    ['<img alt="" src="data:image/png;base64,AAAA">', ['image_inline_data']],
    ['<img alt="" src="cid:logo">', []],
    ['<img alt="" src="/logo.png"><img alt="" src="{{ logo }}">', ['image_relative']],
    ['<img alt="" src="">', ['image_without_address']],
    ['{% if a %}<img alt="" src="{% if b %}http://x{% endif %}">{% endif %}', []],
    ['<!--[if mso]><img src="http://a.de/a.png"><![endif]-->', []],
  ])('of %j', async (html, expected) => {
    const { images } = await shapeOf(html)
    expect(codes(images.flatMap(imageFindings))).toEqual(expected)
  })

  it('of the project are weighed, each once', async () => {
    const at = (name: string) => `https://m.example.net/uploads/p1/${name}.png`
    const html = ['a', 'b', 'b', 'c', 'gone'].map((name) => `<img alt="" src="${at(name)}">`).join('')
    const { images } = await shapeOf(`${html}<img alt="" src="https://a.de/uploads/p2/a.png">`)
    const sizes: Record<string, number> = { 'a.png': MB, 'b.png': MB + 1, 'c.png': MB }
    const find = async (file: string) =>
      sizes[file] === undefined ? undefined : ({ size: sizes[file] } as Partial<Upload> as Upload)
    const { bytes, gone, own } = await ownImages(images, { projectId: 'p1', find })
    expect(gone).toMatchObject([{ code: 'image_gone', params: { number: 5, address: 'gone.png' } }])
    expect(own.size).toBe(4)
    const { total, findings } = sizesOf(images, bytes)
    expect(total).toBe(3 * MB + 1)
    expect(findings).toMatchObject([
      { code: 'image_large', params: { number: 2, address: 'b.png', mb: 1 } },
      { code: 'images_large', params: { mb: 3 } },
    ])
    expect(sizesOf(images, new Map([[at('a'), MB]])).findings).toEqual([])
  })
})

it.each([
  ['https://mailwright.test/a?b=c#d', undefined],
  ['mailto:ada@example.org', undefined],
  ['tel:+49123', undefined],
  ['#chapter', undefined],
  ['{{ link }}', undefined],
  ['https://a.de/{{ id }}', undefined],
  ['', 'link_empty'],
  ['#', 'link_empty'],
  ['http://', 'link_empty'],
  ['www.mailwright.test', 'link_relative'],
  ['/shop', 'link_relative'],
  ['shop.test:8080/a', 'link_relative'],
  ['https://a b', 'link_invalid'],
  ['https:shop.test', 'link_invalid'],
  ['http://localhost:3000/', 'link_local'],
  ['http://192.168.0.7/', 'link_local'],
  ['http://[::1]/', 'link_local'],
  ['javascript:alert(1)', 'link_odd_scheme'],
  ['file:///C:/a.pdf', 'link_odd_scheme'],
])('a link to %j', async (href, expected) => {
  const { links } = await shapeOf(`<a href=" ${href} ">A <b>shop</b></a>`)
  expect(links).toMatchObject([{ number: 1, text: 'A shop' }])
  expect(links.flatMap((link) => linkFinding(link)?.code ?? [])).toEqual(expected === undefined ? [] : [expected])
})

describe('variables', () => {
  it.each([
    ['{{ name }} {{ data.plan }} {{ a.b }} {{ data["First Name"] }}', ['name', 'plan', 'a.b', 'First Name']],
    ['{{ name ?? you }} {{ plan | default: "you" }} {{ "text" }}', ['(name)', '(plan)']],
    ['{{ plan | default: "you" }} {{ plan }} {{ plan ?? x }}', ['plan']],
    ['{{ email }} {{ event.order }} {{ unsubscribeUrl }} {{ mailwright_click }}', []],
    ['{% if name %}Hi {{ name }}{% else %}{{ other }}{% endif %}{{ name }}', ['name', 'other']],
    ['{% if names %}{{ name }}{% endif %}', ['name']],
    ['{% for item in items %}{{ item.name }}{{ forloop.index }}{% endfor %}', []],
    ['{% assign total = 3 %}{{ total }}{% capture x %}{% endcapture %}{{ x }}', []],
    ['{% mailwright_snippet title: "a", size: 3 %}{{ title }}{{ size }}{% endmailwright_snippet %}', []],
    ['{% comment %}{{ a }}{% endcomment %}{% raw %}{{ b }}{% endraw %}', []],
    ['{{ name | upcase }}', ['name']],
  ])('printed by %j', (source, expected) => {
    const names = printedIn([source]).map(({ path, isCovered }) => (isCovered ? `(${path.join('.')})` : path.join('.')))
    expect(names).toEqual(expected)
  })
})

describe('what mail programs leave out', () => {
  it.each([
    ['<p style="display:block;border-radius:0;opacity:1;margin:0 auto">Plain</p>', []],
    ['<div style="DISPLAY: inline-flex; gap: 8px">', ['display: flex', 'gap']],
    ['<style>.a{display:grid;width:calc(1px + 2px)}</style>', ['display: grid', 'calc()']],
    ['<style>@import url(a.css);@font-face{font-family:A}</style>', ['@import', '@font-face']],
    ['<td background="https://a.de/a.png">', ['background-image']],
    [
      '<p style="background:url(https://a.de/a.png)"><p style="background:linear-gradient(red,blue)">',
      ['background-image', 'gradient'],
    ],
    ['<video></video><form><input></form><script></script><svg></svg>', ['script', 'video', 'form', 'svg']],
    ['<link rel="stylesheet" href="https://a.de/a.css"><link rel="icon" href="/a">', ['link rel=stylesheet']],
    ['<img src="https://a.de/a.webp?b=c">', ['WebP']],
    ['<p style="color:var(--x);position:absolute;border-radius:4px">', ['position', 'var()']],
    ['<!--[if mso]><style>p{position:fixed}</style><![endif]--><p>flex, gap and var() in words</p>', []],
  ])('of %j', async (html, expected) => {
    expect(clientFindings(await shapeOf(html)).map(({ params }) => params.feature)).toEqual(expected)
  })

  it('of style sheets begins above 16 KB', async () => {
    const sheet = (bytes: number) => shapeOf(`<style>${'a'.repeat(bytes)}</style>`)
    expect(codes(clientFindings(await sheet(16 * 1024)))).toEqual([])
    expect(codes(clientFindings(await sheet(16 * 1024 + 1)))).toEqual(['style_large'])
  })
})

it('the worst comes first, and of many alike ten are listed', () => {
  const links = Array.from({ length: 13 }, (_, i) => finding('link_empty', 'body', { number: i + 1, text: '' }))
  const found = inOrder([finding('preheader_missing', 'preheader'), finding('subject_capitals', 'subject'), ...links])
  expect(codes(found)).toEqual([
    ...Array(10).fill('link_empty'),
    ...['more_alike', 'subject_capitals', 'preheader_missing'],
  ])
  expect(found[10]).toMatchObject({ severity: 'error', params: { count: 3 } })
})

it('a hostile body is read in turns, and what is too deep is left', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const { links } = await shapeOf(`${'<p style="a:b"><a href="https://a.de/">x</a>'.repeat(40_000)}`)
  clearInterval(timer)
  expect(links.length).toBeGreaterThan(30_000)
  expect(turns).toBeGreaterThan(2)
  const deep = await shapeOf(`<a href="#">x</a>${'<i>'.repeat(300_000)}${'</b>'.repeat(250_000)}`)
  expect(deep.links).toHaveLength(1)
})

describe('addresses are asked', () => {
  const dns = { ipv4: async () => [], ipv6: async () => [] } as never
  const sender = new Egress({ dns, allow: ['127.0.0.1'] })
  const asked: string[] = []
  let atOnce = 0
  let most = 0
  let server: Server
  let base = ''
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const path = request.url ?? ''
      asked.push(`${request.method} ${path}`)
      most = Math.max(most, ++atOnce)
      if (path.startsWith('/many')) await new Promise((done) => setTimeout(done, 10))
      atOnce--
      const to = (location: string, status = 302) => response.writeHead(status, { location }).end()
      const isHead = request.method === 'HEAD'
      if (path.startsWith('/slow')) return
      if (path === '/no-head') return void response.writeHead(isHead ? 405 : 200).end()
      if (path === '/odd-head') return void response.writeHead(isHead ? 404 : 200).end()
      if (path === '/loop') return void to('/loop')
      if (path === '/inside') return void to('http://127.0.0.2:1/')
      if (path.startsWith('/hop'))
        return void (path === '/hop5' ? response.end() : to(`/hop${Number(path.slice(4)) + 1}`))
      const status = Number(/^\/(\d{3})$/.exec(path)?.[1] ?? 200)
      response.writeHead(status, { 'content-length': 1234 }).end(isHead ? '' : 'x'.repeat(1234))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  async function found(path: string) {
    const shape = await shapeOf(`<a href="${path.startsWith('/') ? base + path : path}#there">Go</a>`)
    const targets = targetsOf(shape.links, shape.images, new Set())
    const answers = await askAddresses(
      sender,
      targets.map(({ address }) => address),
      { one: 300, all: 5_000 },
    )
    return askedFindings(targets, answers)
  }

  it.each([
    ['/200', []],
    ['/no-head', []],
    ['/odd-head', []],
    ['/hop0', []],
    ['/404', ['link_broken']],
    ['/410', ['link_broken']],
    ['/500', ['link_failing']],
    ['/401', ['link_unchecked']],
    ['/403', ['link_unchecked']],
    ['/429', ['link_unchecked']],
    ['/999', ['link_unchecked']],
    ['/loop', ['link_redirects']],
    ['/inside', ['address_forbidden']],
    ['/slow', ['link_unreachable']],
    ['http://127.0.0.1:1/', ['link_unreachable']],
    ['http://169.254.169.254/latest', ['address_forbidden']],
    ['mailto:ada@example.org', []],
    ['https://a.de/{{ id }}', []],
  ])('%s', async (path, expected) => {
    expect(codes(await found(path))).toEqual(expected)
  })

  it('with HEAD, and with GET only where HEAD is refused', async () => {
    asked.length = 0
    for (const path of ['/200', '/no-head', '/404', '/429']) await found(path)
    expect(asked).toEqual(['HEAD /200', 'HEAD /no-head', 'GET /no-head', 'HEAD /404', 'GET /404', 'HEAD /429'])
  })

  it('fifty of them at most, each once, five at the same time', async () => {
    asked.length = 0
    most = 0
    const html = Array.from(
      { length: 52 },
      (_, i) => `<a href="${base}/many${i}">a</a><a href="${base}/many${i}#b">b</a>`,
    )
    const shape = await shapeOf(html.join(''))
    const targets = targetsOf(shape.links, [], new Set())
    expect(targets).toHaveLength(52)
    const answers = await askAddresses(
      sender,
      targets.map(({ address }) => address),
    )
    expect(asked).toHaveLength(MOST_ASKED)
    expect(most).toBeLessThanOrEqual(5)
    expect(askedFindings(targets, answers)).toMatchObject([{ code: 'links_left_out', params: { count: 2, limit: 50 } }])
  })

  it('until the time for all is used up', async () => {
    const slow = ['/slow', '/slow?1', '/slow?2', '/slow?3', '/slow?4', '/slow?5'].map((path) => base + path)
    const answers = await askAddresses(sender, slow, { one: 10_000, all: 100 })
    expect([...answers.values()]).toEqual(Array(6).fill({ outcome: 'not asked' }))
  })

  it('not at all where the sender cannot', async () => {
    const broken = { send: () => Promise.reject(new Error('no HEAD')) }
    const answers = await askAddresses(broken, ['https://a.de/'])
    const target = { kind: 'link', number: 1, address: 'https://a.de/' } as const
    expect(codes(askedFindings([target], answers))).toEqual(['links_cannot_be_asked'])
  })

  it('pictures too, which also tells their size', async () => {
    const shape = await shapeOf(`<img alt="" src="${base}/a.png"><img alt="" src="${base}/404">`)
    const targets = targetsOf([], shape.images, new Set())
    const answers = await askAddresses(
      sender,
      targets.map(({ address }) => address),
    )
    expect(answers.get(`${base}/a.png`)).toEqual({ outcome: 'answered', status: 200, bytes: 1234 })
    expect(askedFindings(targets, answers)).toMatchObject([
      { code: 'image_broken', params: { number: 2, status: 404 } },
    ])
  })
})
