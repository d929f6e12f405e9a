import { fileURLToPath } from 'node:url'
import { Liquid } from 'liquidjs'
import { simpleParser } from 'mailparser'
import type { Page } from 'puppeteer-core'
import { build } from 'vite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import type { MadeProject } from '../../server/demo/history.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { until } from '../support/until.ts'
import { STEP_MS, testBrowser } from './chromium.ts'
import { type DashboardServer, makeDemo, settled, signIn, startDashboard } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'
import { CORPUS } from './mail-corpus.ts'

const browser = testBrowser()
let demo: MadeProject
let server: DashboardServer

anewOnRetry(
  async () => {
    demo = await makeDemo(20)
    server = await startDashboard(sqlite({ file: demo.file, synchronous: 'NORMAL' }))
    const page = await browser.newPage()
    await page.goto(server.url)
    await signIn(page)
    await page.close()
  },
  async () => {
    await server?.stop()
    await demo?.remove()
  },
)

async function open(path: string): Promise<Page> {
  const page = await browser.newPage()
  page.setDefaultTimeout(STEP_MS)
  onTestFinished(() => page.close())
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.goto(`${server.url}p/${server.demo.id}/${path}`)
  await settled(page)
  return page
}

/** Publishes the draft of the template that is open, once it can be. */
async function publish(page: Page): Promise<void> {
  const ready = `[...document.querySelectorAll('button')].find(({ innerText, disabled }) => innerText === 'Publish' && !disabled)`
  await page.waitForFunction(`${ready} !== undefined`)
  // not by its place, where a notice may be for a while
  await page.evaluate(`${ready}.click()`)
}

/** Goes by Tab to what is called so, as a user without a mouse does. */
async function tabTo(page: Page, name: string): Promise<void> {
  const called = `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText ?? '').trim()`
  const labelled = `[...(document.activeElement.labels ?? [])].map(({ innerText }) => innerText.replace(' *', '').trim())`
  for (let presses = 0; presses < 120; presses++) {
    if (await page.evaluate(`${called} === ${JSON.stringify(name)} || ${labelled}.includes(${JSON.stringify(name)})`))
      return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never comes to ${name}`)
}

async function choose(page: Page, menu: string, item: string): Promise<void> {
  await tabTo(page, menu)
  await page.keyboard.press('Enter')
  // arrows that are pressed before its items are there do nothing
  await page.waitForFunction(`document.activeElement.closest('[role="menu"]') !== null`)
  const reached = `document.activeElement.innerText.split('\\n')[0] === ${JSON.stringify(item)}`
  for (let presses = 0; presses < 30 && !(await page.evaluate(reached)); presses++)
    await page.keyboard.press('ArrowDown')
  expect(await page.evaluate(reached), `${menu}: ${item}`).toBe(true)
  await page.keyboard.press('Enter')
  await page.waitForSelector('[role="menu"]', { hidden: true })
}

let conversion: Promise<string> | undefined

/** A blank page with `mail`: the code that makes blocks of HTML and HTML of blocks. */
async function openConversion(): Promise<Page> {
  conversion ??= buildConversion()
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  await page.evaluate(`${await conversion}; window.mail = mail`)
  return page
}

async function buildConversion(): Promise<string> {
  const part = (name: string) =>
    fileURLToPath(new URL(`../../server/dashboard/parts/mail-editor/${name}`, import.meta.url))
  const code = `
    export { convert } from ${JSON.stringify(part('convert.ts'))}
    export { compose } from ${JSON.stringify(part('compose.ts'))}
    import { nodesOf } from ${JSON.stringify(part('nodes.ts'))}
    import { getSchema } from '@tiptap/core'
    const schema = getSchema(nodesOf({ blocks: {}, noPicture: '', noPostal: '', noSnippet: '', condition: () => '' }, undefined, []))
    export function asLoaded({ content }) {
      const doc = schema.nodeFromJSON({ type: 'doc', content })
      doc.check()
      return { version: 1, content: doc.toJSON().content }
    }`
  const [built] = [
    await build({
      configFile: false,
      logLevel: 'error',
      root: fileURLToPath(new URL('../../server/dashboard', import.meta.url)),
      plugins: [
        {
          name: 'code',
          resolveId: (id) => (id.endsWith('mail-page.js') ? part('mail-page.js') : undefined),
          load: (id) => (id === part('mail-page.js') ? code : undefined),
        },
      ],
      build: { write: false, minify: false, lib: { entry: 'mail-page.js', formats: ['iife'], name: 'mail' } },
    }),
  ].flat()
  return built && 'output' in built ? built.output[0].code : ''
}

/** The parts of a mail, as a browser shows it: its text, what is hidden in it, where it leads, and its pictures. */
const READ = `(html) => {
  const frame = document.body.appendChild(document.createElement('iframe'))
  frame.width = 800
  frame.contentDocument.write(html.replaceAll('https://example.org/', '/nowhere/').replaceAll('noscript', 'div'))
  frame.contentDocument.close()
  const { body } = frame.contentDocument
  for (const each of body.querySelectorAll('style, title, script')) each.remove()
  const blank = /[\\s\\u00ad\\u034f\\u200b-\\u200f\\u2060\\ufeff]+/g
  const isPixel = ({ attributes: { width, height } }) => width?.value === '1' || height?.value === '1'
  // blocks end words; case is a matter of style
  const words = body.innerText.replaceAll(/[\\u00ad\\u034f\\u200b-\\u200f\\u2060\\ufeff]/g, '').toLowerCase().split(/\\s+/).filter(Boolean)
  const order = []
  const walk = (node) => {
    if (node.nodeType === 3) order.push(node.data.replaceAll(blank, ''))
    if (node.tagName === 'IMG' && !isPixel(node) && node.getAttribute('src')) order.push('[' + node.getAttribute('src') + ']')
    for (const child of node.childNodes) walk(child)
  }
  walk(body)
  const led = [...body.querySelectorAll('a[href], area[href]')]
    .filter((each) => each.tagName === 'AREA' || each.innerText.trim() !== '' || each.querySelector('img'))
    .map((each) => each.getAttribute('href').trim())
  frame.remove()
  return { words: words.join(' '), order: order.join(''), links: led.filter((href, at) => href !== led[at - 1]) }
}`

/** The Liquid that does not only set looks, in its order, whatever quotes and spaces it is written with. */
function liquidIn(html: string): readonly string[] {
  const left = html
    .replaceAll(/<style[\s\S]*?<\/style>|<title[\s\S]*?<\/title>|<!--\[if[\s\S]*?<!\[endif\]-->/g, '')
    .replaceAll(/ (?:bgcolor|class|style)="[^"{]*\{\{[^}]*\}\}[^"{]*"/g, '')
  return [...left.matchAll(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g)].map(([piece]) =>
    piece.replaceAll('"', "'").replaceAll(' ', ''),
  )
}

describe('blocks made from HTML', () => {
  // a mail that loses a word, a link or a condition on its way into blocks is sent so: no other test reads whole mails
  it('keep all words, links, pictures and Liquid, in their order, and load into the editor', async () => {
    const page = await openConversion()
    const run = (of: string) =>
      `${JSON.stringify(CORPUS.map(({ html }) => html))}.map((html) => { try { return ${of} } catch (error) { return { error: String(error.stack) } } })`
    const made = (await page.evaluate(
      run(`(() => {
        const first = mail.compose(mail.convert(html).design, {})
        const { design } = mail.convert(first)
        return { first, second: mail.compose(design, {}), loaded: mail.compose(mail.asLoaded(mail.convert(html).design), {}) }
      })()`),
    )) as readonly {
      readonly error?: string
      readonly first: string
      readonly second: string
      readonly loaded: string
    }[]
    const liquid = new Liquid({ jsTruthy: false })
    const items = [
      { name: 'Tea', price: '3' },
      { name: 'Cup', price: '4' },
    ]
    const people = [
      {
        firstName: 'Ada',
        plan: 'pro',
        items,
        total: '7',
        shop: 'https://example.org/shop',
        color: 'red',
        data: { 'First Name': 'A' },
      },
      { shop: 'https://example.org/none', color: 'blue' },
    ]
    const faults: object[] = []
    const asked: { readonly at: number; readonly which: string; readonly htmls: readonly string[] }[] = []
    for (const [at, { name, html }] of CORPUS.entries()) {
      const { error, first = '', second = '', loaded } = made[at] ?? {}
      if (error !== undefined || loaded !== first)
        faults.push({ name, error: error ?? `the editor makes this of it: ${loaded}` })
      else {
        expect.soft(liquidIn(first), `Liquid of ${name}`).toEqual(liquidIn(html))
        for (const [which, person] of people.entries()) {
          const htmls = [html, first, second].map((each) => liquid.parseAndRenderSync(each, person))
          asked.push({ at, which: `${name}, contact ${which}`, htmls })
        }
      }
    }
    const read = (await page.evaluate(
      `${JSON.stringify(asked.map(({ htmls }) => htmls))}.map((htmls) => htmls.map(${READ}))`,
    )) as readonly {
      readonly words: string
      readonly order: string
      readonly links: readonly string[]
    }[][]
    for (const [at, [source, first, second]] of read.entries()) {
      const { which, at: sample } = asked[at] as (typeof asked)[number]
      expect.soft(first, which).toEqual(source)
      expect.soft(second, `${which}, again`).toEqual(source)
      const { hidden } = CORPUS[sample] ?? {}
      if (hidden !== undefined) expect.soft(first?.order, `${which}: hidden`).toContain(hidden.replaceAll(' ', ''))
    }
    expect(faults).toEqual([])
  })
})

/** One of each block, with words and addresses that do not break by themselves. */
const EVERY_BLOCK = [
  { type: 'heading', attrs: { level: 1 }, content: [{ type: 'text', text: 'Every block' }] },
  {
    type: 'paragraph',
    content: [
      { type: 'text', text: 'Words with a ' },
      { type: 'text', text: 'link', marks: [{ type: 'link', attrs: { href: 'https://example.org/' } }] },
      { type: 'text', text: ` and https://example.org/${'verylong'.repeat(20)}` },
    ],
  },
  { type: 'paragraph', content: [{ type: 'text', text: 'שלום, מה שלומך?' }] },
  {
    type: 'orderedList',
    attrs: { start: 3 },
    content: [{ type: 'listItem', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Third' }] }] }],
  },
  { type: 'blockquote', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Said' }] }] },
  { type: 'codeBlock', content: [{ type: 'text', text: `npm install ${'x'.repeat(120)}` }] },
  { type: 'horizontalRule' },
  { type: 'spacer', attrs: { height: 24 } },
  { type: 'button', attrs: { text: 'Read more', href: 'https://example.org/', textAlign: 'center' } },
  {
    type: 'picture',
    attrs: { src: 'http://127.0.0.1:9/p.png', alt: 'A picture', width: 720 },
  },
  {
    type: 'columns',
    content: ['One', 'Two', 'Three'].map((text) => ({
      type: 'column',
      content: [
        { type: 'paragraph', content: [{ type: 'text', text }] },
        { type: 'button', attrs: { text: `Button ${text}`, href: 'https://example.org/' } },
      ],
    })),
  },
  {
    type: 'card',
    attrs: {
      title: 'Tea',
      text: 'Green',
      price: '3',
      button: 'Buy',
      href: 'https://example.org/',
      src: 'http://127.0.0.1:9/p.png',
    },
  },
  { type: 'social', attrs: { links: [{ name: 'Mastodon', url: 'https://example.org/m' }], textAlign: 'center' } },
  { type: 'postal', attrs: {} },
  { type: 'wayOut', attrs: { text: 'No more?', link: 'Unsubscribe' } },
  {
    type: 'condition',
    attrs: { field: 'plan' },
    content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Pros' }] }],
  },
  { type: 'source', attrs: { html: '<table width="900" border="1"><tr><th>Wide</th><td>own HTML</td></tr></table>' } },
]

describe('a drawn mail', () => {
  // projects choose their color, and half of the readers have a phone or a dark screen: only a browser sees what comes out
  it.each([
    ['#ffe066', 800],
    ['#0b7285', 600],
    ['#7f7f7f', 400],
    ['#101010', 600],
  ])('can be read in %s and %i px wide on light and on dark, at any width, and has nothing Outlook cannot show', async (color, wide) => {
    const page = await openConversion()
    const look = { color, width: wide, font: 'times', postalAddress: 'Example Ltd, 1 High Street' }
    const html = (await page.evaluate(
      `mail.compose({ version: 1, content: ${JSON.stringify(EVERY_BLOCK)} }, ${JSON.stringify({ look })})`,
    )) as string
    expect(html).not.toMatch(/display:\s*(?:flex|grid)|<div|position:|float:|rgba|var\(/)
    for (const [picture] of html.matchAll(/<img[^>]*>/g)) expect(picture).toMatch(/ width="\d+"/)
    const shown = new Liquid().parseAndRenderSync(html, {
      ...{ plan: 'pro', unsubscribeUrl: 'https://example.org/out', mailwright_postal: look.postalAddress },
    })
    for (const width of [360, 800]) {
      for (const scheme of ['light', 'dark']) {
        await page.setViewport({ width, height: 900 })
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
        await page.setContent(shown)
        if (process.env.MAILS_INTO) {
          await page.screenshot({
            path: `${process.env.MAILS_INTO}/${color.slice(1)}-${width}-${scheme}.png`,
            fullPage: true,
          })
        }
        expect(await page.evaluate('document.documentElement.scrollWidth'), `${width}, ${scheme}`).toBe(width)
        const card = (await page.evaluate(
          `(({ width, fontFamily }) => [width, fontFamily])(getComputedStyle(document.querySelector('.card')))`,
        )) as readonly string[]
        expect(card).toEqual([`${Math.min(wide, width - 24)}px`, expect.stringContaining('Times New Roman')])
        expect(await faultsOf(page, ['color-contrast']), `${width}, ${scheme}`).toEqual([])
      }
    }
  })
})

describe('a finished mail that becomes blocks', () => {
  const words = 'Words enough for more than a single line of a mail, as the paragraphs of a newsletter mostly have.'
  const p = `<p data-text>${words}</p>`
  const table = (inside: string, attributes = '') => `<table ${attributes}><tr><td>${inside}</td></tr></table>`
  const cell = (inside: string, attributes: string) =>
    `<table width="100%"><tr><td ${attributes}>${inside}</td></tr></table>`

  it('has its text where Chromium shows it, whatever align says of the tables around it', async () => {
    const page = await openConversion()
    for (const html of [
      cell(table(p, 'width="600"'), 'align="center"'),
      cell(table(p, 'width="600"'), 'align="center" style="text-align:center"'),
      cell(table(p), 'align="right"'),
      cell(p, 'align="center"'),
      table(p, 'align="center" width="600"'),
      `<center>${table(p, 'width="600"')}</center>`,
      `<center>${p}</center>`,
      `<div align="center">${table(cell(p, 'align="center"'), 'width="100%"')}</div>`,
      `<div align="center">${table(table(p, 'width="560"'), 'width="600"')}</div>`,
      `<div style="text-align:right">${table(p, 'width="600"')}</div>`,
      table(p, 'style="text-align:center" align="left" width="600"'),
      cell(table(`<div style="text-align:left">${p}</div>`, 'width="600"'), 'align="center" style="text-align:center"'),
      `<table width="100%"><tbody align="center"><tr><td>${p}</td></tr></tbody></table>`,
      `<table width="100%"><tr align="right"><td>${table(p, 'width="600"')}</td></tr></table>`,
    ]) {
      await page.setContent(`<!doctype html>${html}`)
      const shown = await page.evaluate(`getComputedStyle(document.querySelector('[data-text]')).textAlign`)
      const { content } = (await page.evaluate(`mail.convert(${JSON.stringify(html)}).design`)) as {
        content: { type: string; attrs?: { textAlign?: string } }[]
      }
      const sides = content.map(({ type, attrs }) => `${type} ${attrs?.textAlign ?? 'left'}`)
      expect(sides, html).toEqual([`paragraph ${String(shown).replace('-webkit-', '').replace('start', 'left')}`])
    }
  })

  it('keeps pictures, buttons and short lines in the middle whose table is placed there', async () => {
    const page = await openConversion()
    const button = '<a href="https://a.example" style="background:#c00;padding:8px">Buy</a>'
    const picture = '<img src="https://a.example/a.png" alt="a" width="120">'
    for (const [html, expected] of [
      [cell(table(button), 'align="center"'), 'button center'],
      [cell(table(button, 'width="200"'), 'align="center"'), 'button center'],
      [cell(table(button, 'width="600"'), 'align="center"'), 'button left'],
      [cell(table(table(button), 'width="600"'), 'align="center"'), 'button left'],
      [table(picture, 'align="center"'), 'picture center'],
      [`<center>${picture}</center>`, 'picture center'],
      [cell(table('© Acme'), 'align="center"'), 'paragraph center'],
    ] as const) {
      const sides = await page.evaluate(
        `mail.convert(${JSON.stringify(html)}).design.content.map(({ type, attrs }) => type + ' ' + (attrs?.textAlign ?? 'left'))`,
      )
      expect(sides, html).toEqual([expected])
    }
  })
})

describe('pictures of a finished mail', () => {
  it('are as wide as they are said to be, else as they are, and never wider', async () => {
    const page = await openConversion()
    for (const [attributes, width] of [
      ['width="240"', 240],
      ['width="600" style="width:200px"', 200],
      ['width="240" style="width:100%;max-width:180px"', 180],
      ['style="display:block;width:180px;max-width:100%"', 180],
      ['width="100%"', 720],
      ['width="50%"', 360],
      ['width="2000"', 720],
      ['', 300],
      ['style="max-width:100%"', 300],
      ['height="50"', 150],
      ['height="400"', 300],
      ['style="max-height:40px;height:auto"', 120],
    ] as const) {
      const html = `<p>Before</p><img src="https://a.example/a.png" alt="a" ${attributes}>`
      const sizes = `new Map([['https://a.example/a.png', { width: 300, height: 100 }]])`
      const found = await page.evaluate(
        `mail.convert(${JSON.stringify(html)}, ${sizes}).design.content.find(({ type }) => type === 'picture').attrs.width`,
      )
      expect(found, attributes).toBe(width)
    }
  })
})

describe('links to profiles', () => {
  it('are those of the block, else those of the project', async () => {
    const page = await openConversion()
    const links = [{ name: 'A & B', url: 'https://social.example/@a' }]
    const composed = (attrs: object, look: object) =>
      page.evaluate(
        `mail.compose({ version: 1, content: [${JSON.stringify({ type: 'social', attrs })}] }, ${JSON.stringify({ look })})`,
      ) as Promise<string>
    expect(await composed({ links: [] }, { links })).toContain(
      '<a href="https://social.example/@a" class="link" style="color:#0b7285">A &amp; B</a>',
    )
    const own = await composed({ links: [{ name: 'Own', url: 'https://own.example/' }] }, { links })
    expect(own).toContain('<a href="https://own.example/" class="link" style="color:#0b7285">Own</a>')
    expect(own).not.toContain('social.example')
    expect(await composed({}, {})).not.toContain('<p style="margin:0 0 16px')
  })
})

/** The HTML that Word and Google Docs put into the clipboard. */
const CLIPBOARD = {
  word: `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal {margin:0cm}</style></head><body lang="EN-GB"><!--StartFragment-->
    <p class="MsoNormal"><b><span style='font-family:"Calibri",sans-serif;mso-fareast-language:EN-US'>Dear
    team</span></b><span style="color:red">, see <a href="https://example.org/"><span style="text-decoration:underline">this</span></a><o:p></o:p></span></p>
    <p class="MsoNormal"><o:p>&nbsp;</o:p></p>
    <p class="MsoListParagraphCxSpFirst" style="text-indent:-18.0pt;mso-list:l0 level1 lfo1"><![if !supportLists]><span style="font-family:Symbol"><span style="mso-list:Ignore">·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>First<o:p></o:p></p>
    <p class="MsoListParagraphCxSpLast" style="margin-left:72.0pt;text-indent:-18.0pt;mso-list:l0 level2 lfo1"><![if !supportLists]><span><span style="mso-list:Ignore">a.<span>&nbsp; </span></span></span><![endif]>Inner<o:p></o:p></p>
    <p class="MsoNormal">Bye<o:p></o:p></p><!--EndFragment--></body></html>`,
  docs: `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h2 dir="ltr" style="line-height:1.38"><span style="font-size:16pt;font-weight:400">Title</span></h2><p dir="ltr"><span style="font-weight:400">Plain </span><span style="font-weight:700">bold</span></p><ul><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>One</span></p></li><ul><li dir="ltr" aria-level="2"><p dir="ltr"><a href="shop.example/news">Two</a></p></li></ul></ul></b><br class="Apple-interchange-newline">`,
}

/** A PNG of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The text of a node, and its marks: `**bold**`, lists by their names. */
type Drawn = {
  readonly type: string
  readonly text?: string
  readonly content?: readonly Drawn[]
  readonly marks?: readonly { readonly type: string }[]
}
function outline({ type, text, content = [], marks = [] }: Drawn): string {
  if (text !== undefined) return marks.map((mark) => `${mark.type}:`).join('') + text
  return `${type}(${content.map(outline).join('|')})`
}

/** Presses Ctrl+S. */
async function save(page: Page): Promise<void> {
  await page.keyboard.down('Control')
  await page.keyboard.press('s')
  await page.keyboard.up('Control')
}

describe('the editor of mails', () => {
  // a draft without a reply address could be made, but never saved
  it('saves a campaign whose optional fields are empty', async () => {
    const words = {
      name: 'Bare',
      subject: 'S',
      body: '<p>Hi</p>',
      from: 'hello@example.com',
      audienceType: 'ALL',
      headers: { 'X-Kept': '1' },
    } as const
    const { id } = (await server.engine.campaigns.create(server.demo, words)).campaign
    const page = await open(`campaigns/${id}`)
    await tabTo(page, 'Subject')
    await page.keyboard.press('End')
    await page.keyboard.type('!')
    await save(page)
    const subject = async () => (await server.engine.campaigns.get(server.demo, id)).campaign.subject
    await until('it is saved', async () => (await subject()) === 'S!')
    expect((await server.engine.campaigns.get(server.demo, id)).campaign.body).toBe(words.body)

    // a header field is refused in its row, and none gets lost behind another
    await tabTo(page, 'Add a field')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Name of field 2')
    await page.keyboard.type('X-Kept')
    await save(page)
    await page.waitForSelector('[role="alert"] ::-p-text(“Header fields for programs: X-Kept” is there twice.)')
    await page.keyboard.type(':')
    await save(page)
    await page.waitForSelector('fieldset ::-p-text(Is not a header field name.)')
    expect(await page.$('fieldset [role="alert"]')).toBeNull()
    await page.keyboard.press('Backspace')
    await page.keyboard.type('-Too')
    await page.keyboard.press('Tab')
    await page.keyboard.type('2')
    await save(page)
    const headers = async () => (await server.engine.campaigns.get(server.demo, id)).campaign.headers
    await until('it is saved', async () => (await headers())?.length === 2)
    expect(await headers()).toEqual([
      ['X-Kept', '1'],
      ['X-Kept-Too', '2'],
    ])
  })

  // what was drawn before kept its colors until something else in it was changed
  it('says that the look of the project has changed since a mail was drawn, and takes the new one', async () => {
    const { engine, demo: project } = server
    const { look } = project
    const conversion = await openConversion()
    const design = { version: 1, content: [{ type: 'button', attrs: { text: 'Go', href: 'https://example.org' } }] }
    const body = String(
      await conversion.evaluate(`mail.compose(${JSON.stringify(design)}, ${JSON.stringify(project)})`),
    )
    const words = { name: 'Drawn before', subject: 'S', type: 'TRANSACTIONAL', from: 'hello@example.com' } as const
    const { id } = await engine.templates.create(project, { ...words, body, design })
    const page = await open(`templates/${id}`)
    await page.waitForSelector('.tiptap')
    const said = '::-p-text(This mail was drawn in an earlier look.)'
    expect(await page.$(said)).toBeNull()
    onTestFinished(async () => void (await engine.projects.change(project, { look: look ?? null })))
    await engine.projects.change(project, { look: { ...look, color: '#bb1155' } })
    await page.reload()
    await page.waitForSelector(said)
    expect(await faultsOf(page)).toEqual([])
    await page.click('button::-p-text(Use the new look)')
    await page.waitForSelector(said, { hidden: true })
    const draft = async () => String((await engine.templates.draft(project, id))?.fields.body)
    await until('it is kept', async () => (await draft()).includes('#bb1155'))
  })

  // what is above the mail pushes it off the writer's screen; a draft that shows an address has to send it
  it('has the mail of a draft on the first screen, in the look of now, with its undo and a dark preview', async () => {
    const { engine, demo: project } = server
    const conversion = await openConversion()
    const design = {
      version: 1,
      content: [
        { type: 'heading', attrs: { level: 1 }, content: [{ type: 'text', text: 'Spring' }] },
        { type: 'postal' },
      ],
    }
    const drawn = (look: object) =>
      conversion.evaluate(
        `mail.compose(${JSON.stringify(design)}, ${JSON.stringify({ look, locale: project.locale })})`,
      )
    // as it was before the place of the address was kept
    const body = String(await drawn({})).replace(/<p class="quiet".*mailwright_postal.*<\/p>/, '')
    const words = { name: 'First screen', subject: 'S', from: 'hello@example.com', audienceType: 'ALL' } as const
    const { id } = (await engine.campaigns.create(project, { ...words, body, design })).campaign
    const { look } = await engine.projects.get(project.id)
    onTestFinished(async () => void (await engine.projects.change(project, { look: look ?? null })))
    await engine.projects.change(project, { look: { postalAddress: '1 New Street' } })
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    await page.setViewport({ width: 1280, height: 800 })
    await page.goto(`${server.url}p/${project.id}/campaigns/${id}?step=check`)
    await settled(page)
    const stored = async () => (await engine.campaigns.get(project, id)).campaign.body
    await until('the draft follows', async () => (await stored()).includes('{{ mailwright_postal }}'))
    await page.waitForSelector('iframe')
    const checked = await (await page.waitForSelector('iframe'))?.contentFrame()
    await checked?.waitForFunction(`document.body.innerText.includes('1 New Street')`)
    await page.locator('[role="tab"]::-p-text(1. Content)').click()
    await page.waitForSelector('.tiptap [data-block="postal"]')
    expect(await page.evaluate(`document.querySelector('[data-paper]').getBoundingClientRect().top`)).toBeLessThan(312)
    // a subject of usual length is seen whole while it is written
    expect(await page.evaluate(`document.querySelector('main input[maxlength="998"]').clientWidth`)).toBeGreaterThan(
      400,
    )
    expect(await faultsOf(page)).toEqual([])
    for (const step of ['2. Sender', '3. Audience', '4. Check', '5. Send', '1. Content']) {
      await page.locator(`[role="tab"]::-p-text(${step})`).click()
      await page.waitForSelector(`[role="tab"][aria-selected="true"]::-p-text(${step})`)
      await settled(page)
      if (step !== '1. Content') expect(await faultsOf(page), step).toEqual([])
    }
    await page.waitForSelector('.tiptap')

    // the words of a new block go once others are typed, and come back after a look at the preview
    await page.focus('.tiptap')
    await choose(page, 'Add a block', 'Heading')
    await page.waitForFunction(`getSelection().toString() === 'A heading'`)
    await page.keyboard.type('Tulips')
    await page.waitForFunction(`document.querySelector('.tiptap h2')?.innerText === 'Tulips'`)
    await page.locator('::-p-xpath(//label[.="Preview"])').click()
    const frame = await (await page.waitForSelector('iframe'))?.contentFrame()
    const ground = `getComputedStyle(document.querySelector('.card')).backgroundColor`
    await frame?.waitForFunction(`document.body.innerText.includes('Tulips') && ${ground} === 'rgb(255, 255, 255)'`)
    await page.locator('::-p-xpath(//label[.="Dark mode"])').click()
    await frame?.waitForFunction(`${ground} === 'rgb(34, 38, 43)'`)
    await page.locator('::-p-xpath(//label[.="Write"])').click()
    await page.locator('::-p-aria(Undo)').click()
    await page.waitForFunction(`document.querySelector('.tiptap h2')?.innerText !== 'Tulips'`)

    // a look at the HTML leaves the drawing as it was, and what can be undone
    await page.locator('::-p-aria(Redo)').click()
    await page.waitForFunction(`document.querySelector('.tiptap h2')?.innerText === 'Tulips'`)
    await page.locator('button::-p-text(Edit as HTML)').click()
    await page.locator('::-p-xpath(//*[@role="dialog"]//button[.="Edit as HTML"])').click()
    await page.waitForSelector('.cm-content')
    await page.locator('button::-p-text(Turn into blocks)').click()
    await page.waitForFunction(`document.querySelector('.tiptap')?.offsetParent != null`)
    await page.locator('::-p-aria(Undo)').click()
    await page.waitForFunction(`document.querySelector('.tiptap h2')?.innerText !== 'Tulips'`)

    // a slash in an empty line offers the blocks, by keyboard alone
    await page.evaluate(
      `document.querySelector('.tiptap').editor.chain().focus('start').insertContentAt(0, '<p></p>').setTextSelection(1).run()`,
    )
    await page.keyboard.type('/')
    await page.waitForSelector('[role="listbox"][aria-label="Blocks to add"]')
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.type('but')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.activeElement.value === 'Read more'`)
    expect(await page.evaluate(`document.querySelector('.tiptap').innerText`)).not.toContain('/')
  })

  // from an empty draft to a mail at the recipient: no other test sees that what was drawn is what is sent
  it('draws a mail by keyboard alone, which opens as it was drawn and is sent as it looks', async () => {
    const page = await open('templates/new')
    await tabTo(page, 'Name')
    await page.keyboard.type('Drawn')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.tiptap')
    const url = page.url()
    await tabTo(page, 'Body')
    await page.keyboard.down('Control')
    await page.keyboard.press('a')
    await page.keyboard.up('Control')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('Dear {{ name | default: "friend" }}, 3 < 4 & {{ email | upcase }}!')
    await choose(page, 'Add a block', 'Button')
    await page.waitForFunction(`document.activeElement.value === 'Read more'`)
    await page.keyboard.type('Read more now')
    await tabTo(page, 'Leads to')
    // as people type addresses: without it the button would lead nowhere
    await page.keyboard.type('example.org/?who={{ email | append: "x" }}&b=1')
    await choose(page, 'Add a block', 'Unsubscribe')
    await page.waitForFunction(`document.activeElement.tagName === 'TEXTAREA'`)
    await choose(page, 'Add a block', 'For some contacts only')
    await page.waitForFunction(`document.activeElement.className.includes('tiptap')`)
    await page.keyboard.type('Pros only.')
    await tabTo(page, 'Field')
    await page.keyboard.type('plan')
    await page.keyboard.press('Escape')
    await save(page)
    await publish(page)
    const stored = async () =>
      (await server.engine.templates.list(server.demo)).items.find(({ name }) => name === 'Drawn')
    await until('it is saved', async () => (await stored())?.body.includes('Pros only') === true)
    const { id = '', body = '', design } = (await stored()) ?? {}
    expect(body).toContain(
      '<p style="margin:0 0 16px">Dear {{ name | default: "friend" }}, 3 &lt; 4 &amp; {{ email | upcase }}!</p>',
    )
    expect(body).toContain(`href="https://example.org/?who={{ email | append: 'x' }}&amp;b=1"`)
    expect(body).toMatch(/\{% if plan != blank %\}\n<p [^>]*>Pros only\.<\/p>\n\{% endif %\}/)

    await page.goto(url)
    await settled(page)
    await page.waitForSelector('.tiptap [data-block="button"]')
    expect(await page.evaluate(`document.querySelector('.tiptap').innerText`)).toContain('Read more now')
    expect((await server.engine.templates.get(server.demo, id)).design).toEqual(design)

    await server.engine.sending.send(server.demo, {
      ...{ to: 'pro@example.org', from: 'hello@example.com', template: id },
      subscribed: true,
      // of all subscribers the one with most fields
      data: { name: 'Ada', plan: 'pro', ...Object.fromEntries([...'abcdefghi'].map((name) => [name, 1])) },
    })
    await until('it is sent', () => server.sink.messages.some(({ to }) => to.includes('pro@example.org')))
    const raw = server.sink.messages.find(({ to }) => to.includes('pro@example.org'))?.raw ?? ''
    const { text, html } = await simpleParser(raw)
    expect(text).toContain('Dear Ada, 3 < 4 & PRO@EXAMPLE.ORG!')
    expect(text).toContain('Pros only.')
    expect(html).toContain('Dear Ada, 3 &lt; 4 &amp; PRO@EXAMPLE.ORG!')

    // the fields show what that contact has, and the document stays as it is
    await page.reload()
    await page.waitForSelector('.tiptap [data-variable][data-shown="Ada"]')
    expect(await page.$('::-p-text(Unsaved)')).toBeNull()
  })

  // a body that came by API belongs to the program that sent it: even its line ends are signed, compared and versioned
  it('leaves a body byte by byte as it came when only the subject is changed', async () => {
    const odd = [
      '<p>One</p>\r\n\t<p>Two\u00a0three</p>\r\n',
      '\ufeff<p>\ud83d\ude00 {{ firstName }}</p>\n<P CLASS=x>no end',
      'a\r<br>b\nc\r\nd  \t',
    ]
    for (const [at, body] of odd.entries()) {
      const made = await server.engine.templates.create(server.demo, {
        name: `Odd ${at}`,
        subject: 'Before',
        body,
        type: 'MARKETING',
        from: 'hello@example.com',
      })
      const stored = async () => await server.engine.templates.get(server.demo, made.id)
      expect((await stored()).body).toBe(body)
      const page = await open(`templates/${made.id}`)
      await page.locator('::-p-xpath(//label[.="HTML"])').click()
      await page.waitForSelector('.cm-content')
      await tabTo(page, 'Subject')
      await page.keyboard.type('After')
      await page.keyboard.down('Control')
      await page.keyboard.press('s')
      await page.keyboard.up('Control')
      await publish(page)
      await until('it is saved', async () => (await stored()).subject.includes('After'))
      expect((await stored()).body).toBe(body)
    }
  })

  // the page's policy forbids styles that a blank page allows: what a style sheet hides must be found under it too
  it('turns HTML into blocks on the page, and keeps hidden what was hidden', async () => {
    const { html = '' } = CORPUS.find(({ name }) => name === 'transactional') ?? {}
    const made = await server.engine.templates.create(server.demo, {
      name: 'Hidden',
      subject: 'Hidden',
      body: html,
      type: 'MARKETING',
      from: 'hello@example.com',
    })
    const page = await open(`templates/${made.id}`)
    await page.locator('::-p-xpath(//button[contains(., "Turn into blocks")])').click()
    await page.locator('::-p-xpath(//*[@role="dialog"]//button[contains(., "Turn into blocks")])').click()
    await page.waitForSelector('.tiptap [data-block="source"]')
    await save(page)
    await publish(page)
    const stored = async () => await server.engine.templates.get(server.demo, made.id)
    await until('it is saved', async () => (await stored()).design !== undefined)
    expect((await stored()).body).toContain('<span class="preheader" style="display:none;">Peek at spring</span>')
  })

  // the draft is kept by itself, and not sent: no other test sees what is written without saving
  it('keeps what is typed in a template as a draft, which is sent once it is published, and brings versions back', async () => {
    const made = await server.engine.templates.create(server.demo, {
      name: 'Kept',
      subject: 'First',
      body: '<p>Hello</p>',
      type: 'TRANSACTIONAL',
      from: 'hello@example.com',
    })
    const { templates } = server.engine
    const subject = async () => (await templates.get(server.demo, made.id)).subject
    const draft = async () => (await templates.draft(server.demo, made.id))?.fields.subject
    const page = await open(`templates/${made.id}`)
    await tabTo(page, 'Subject')
    await page.keyboard.press('End')
    await page.keyboard.type(', half {{ na')
    await until('the draft is kept', async () => (await draft()) === 'First, half {{ na')
    expect(await page.evaluate('document.activeElement.name')).toBe('subject')
    await page.waitForSelector('::-p-text(Saved as draft at)')
    await page.reload()
    await page.waitForFunction(`document.querySelector('input[name="subject"]')?.value === 'First, half {{ na'`)
    expect(await subject()).toBe('First')
    await publish(page)
    await page.waitForSelector('[role="alert"]')
    expect(await subject()).toBe('First')
    await page.click('a::-p-text(Contacts)')
    const atContacts = 'location.pathname.endsWith("/contacts")'
    await page.waitForFunction(atContacts)
    await page.goBack()
    await tabTo(page, 'Subject')
    await page.keyboard.press('End')
    await page.keyboard.type('me }}')
    // leaving keeps it, too, without a question
    await page.evaluate('history.forward()')
    await page.waitForFunction(atContacts)
    expect(await draft()).toBe('First, half {{ name }}')
    // the way back to the same page is asked about where words would be lost
    await page.evaluate(`history.pushState(null, '', location.pathname.replace('contacts', 'templates/new'))`)
    await (await page.waitForSelector('main input[name="name"]'))!.type('Half done')
    await page.evaluate('history.back()')
    await (await page.waitForSelector('[role="dialog"] button::-p-text(Discard)'))!.click()
    await page.waitForFunction(atContacts)
    await page.goBack()
    await publish(page)
    await until('it is published', async () => (await subject()) === 'First, half {{ name }}')
    expect(await draft()).toBeUndefined()
    await page.waitForSelector('::-p-text(Published:)')
    // before this the page may still read what was published, and would take in what is written meanwhile
    await page.waitForSelector('button[disabled]:not([data-loading])::-p-text(Publish)')
    // another user writes a draft while one is open here
    await templates.saveDraft(server.demo, made.id, { subject: 'Theirs' })
    await tabTo(page, 'Subject')
    await page.keyboard.press('End')
    await page.keyboard.type('!')
    await page.waitForSelector('::-p-text(Someone else changed this meanwhile)')
    expect(await draft()).toBe('Theirs')
    await page.click('button::-p-text(Keep mine)')
    await until('it is kept', async () => (await draft()) === 'First, half {{ name }}!')
    // another field of theirs is taken in without a question, also where a program changed what is sent beside the draft
    const kept = (await templates.draft(server.demo, made.id))?.fields
    await templates.saveDraft(server.demo, made.id, { ...kept, preheader: 'Peek' })
    await tabTo(page, 'Subject')
    await page.keyboard.press('End')
    await page.keyboard.type('!')
    await until('both are kept', async () => (await draft()) === 'First, half {{ name }}!!')
    expect((await templates.draft(server.demo, made.id))?.fields.preheader).toBe('Peek')
    await templates.change(server.demo, made.id, { description: 'By a program' })
    await publish(page)
    await until('it is published', async () => (await subject()) === 'First, half {{ name }}!!')
    expect(await templates.get(server.demo, made.id)).toMatchObject({ preheader: 'Peek', description: 'By a program' })
    await page.click('button::-p-text(Versions)')
    await page.locator('::-p-aria(View version 1)').click()
    await page.locator('::-p-xpath(//*[@role="dialog"]//button[contains(., "Restore")])').click()
    await page
      .locator('::-p-xpath(//*[@role="dialog"][contains(., "Restore version 1?")]//button[.="Restore"])')
      .click()
    await until('it is restored', async () => (await subject()) === 'First')
    await page.waitForFunction(`document.querySelector('input[name="subject"]')?.value === 'First'`)
    expect(await draft()).toBeUndefined()
  })

  it('saves a campaign by itself, and asks nothing while nothing changes', async () => {
    const words = {
      name: 'Auto',
      subject: 'S',
      body: '<p>Hi</p>',
      from: 'hello@example.com',
      audienceType: 'ALL',
    } as const
    const { id } = (await server.engine.campaigns.create(server.demo, words)).campaign
    const subject = async () => (await server.engine.campaigns.get(server.demo, id)).campaign.subject
    const page = await open(`campaigns/${id}`)
    const saves: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') saves.push(request.url())
    })
    await tabTo(page, 'Subject')
    await page.keyboard.press('End')
    await page.keyboard.type(' by itself')
    await until('it is saved', async () => (await subject()) === 'S by itself')
    await page.waitForSelector('::-p-text(Saved at)')
    expect(await page.evaluate('document.activeElement.name')).toBe('subject')
    await page.keyboard.down('Control')
    await page.keyboard.press('a')
    await page.keyboard.up('Control')
    await page.keyboard.press('Backspace')
    await page.waitForSelector('::-p-text(Not saved yet)')
    // in sight where one writes, with the button at the end of a long page
    const edge = `document.querySelector('main [role="status"][data-unsaved]').getBoundingClientRect().bottom`
    expect(await page.evaluate(`scrollY === 0 && ${edge} <= innerHeight`)).toBe(true)
    expect(await subject()).toBe('S by itself')
    expect(saves).toHaveLength(2)

    // another step loses nothing and asks nothing, but sends nothing either; the field says what holds it up
    await page.click('[role="tab"]::-p-text(5. Send)')
    await page.waitForSelector('main [role="alert"]::-p-text(Save the draft)')
    await page.click('[role="tab"]::-p-text(1. Content)')
    await page.waitForSelector('::-p-text(Is required.)')
    // who leaves the page is asked
    await page.click('nav a[href$="/contacts"]')
    await page.waitForSelector('button::-p-text(Keep editing)')
    await page.click('button::-p-text(Keep editing)')
    await tabTo(page, 'Subject')
    await page.keyboard.type('S again')
    await until('it is saved', async () => (await subject()) === 'S again')
    await page.waitForSelector('::-p-text(Is required.)', { hidden: true })

    // sent in another tab meanwhile: the page says so, and shows what has become of it
    await page.click('[role="tab"]::-p-text(5. Send)')
    await page.waitForSelector('button::-p-text(Send now)')
    await server.engine.campaigns.send(server.demo, id, {})
    await page.click('button::-p-text(Send now)')
    await page.waitForSelector('[role="dialog"] button::-p-text(Send all the same)')
    await page.click('[role="dialog"] button::-p-text(Send all the same)')
    await page.waitForSelector('::-p-text(cannot be sent)')
    await page.waitForSelector('main a[href*="tab=recipients"]')
  })

  // what is reused is made, chosen and sent without a word of HTML by hand; source becomes the same block
  it('saves a snippet into a mail as a block, and a layout around it', async () => {
    const page = await open('templates/snippets/new')
    await page.waitForSelector('.tiptap')
    expect(await faultsOf(page)).toEqual([])
    await tabTo(page, 'Name')
    await page.keyboard.type('Legal nöte')
    await page.click('.tiptap')
    await page.keyboard.down('Control')
    await page.keyboard.press('a')
    await page.keyboard.up('Control')
    await page.keyboard.type('Acme of {{ town }}')
    await page.locator('::-p-xpath(//button[contains(., "Create snippet")])').click()
    await page.waitForFunction('/snippets\\/[0-9a-f-]{36}$/.test(location.pathname)')
    const { snippets } = server.engine.templates
    const note = (await snippets.list(server.demo)).items.find(({ name }) => name === 'legal-note')
    expect(note).toMatchObject({ title: 'Legal nöte', body: '<p style="margin:0 0 16px">Acme of {{ town }}</p>' })
    const frame = await server.engine.templates.layouts.create(server.demo, {
      name: 'Brand',
      body: '<html><body><h1>Frame</h1>{{ content }}</body></html>',
    })
    const made = await server.engine.templates.create(server.demo, {
      name: 'Reusing',
      subject: 'Reusing',
      body: '<p>Hello</p>{% render \'legal-note\', town: "Bonn" %}<p>Bye</p>',
      type: 'TRANSACTIONAL',
      from: 'hello@example.com',
    })
    await page.goto(`${server.url}p/${server.demo.id}/templates/${made.id}`)
    await settled(page)
    await page.locator('::-p-xpath(//button[contains(., "Turn into blocks")])').click()
    await page.locator('::-p-xpath(//*[@role="dialog"]//button[contains(., "Turn into blocks")])').click()
    await page.waitForSelector('.tiptap [data-block="snippet"]')
    await choose(page, 'Add a block', 'Snippet')
    await page.waitForFunction(
      `document.activeElement.getAttribute('role') === 'combobox' || document.activeElement.getAttribute('aria-haspopup') === 'listbox'`,
    )
    await page.keyboard.type('legal')
    await page.locator('::-p-xpath(//*[@role="option"][contains(., "Legal nöte")])').click()
    await page.locator('::-p-aria(Layout)').click()
    await page.locator('::-p-xpath(//*[@role="option"][contains(., "Brand")])').click()
    await save(page)
    await publish(page)
    const stored = async () => await server.engine.templates.get(server.demo, made.id)
    await until('it is saved', async () => (await stored()).layoutId === frame.id)
    const { body, design } = await stored()
    expect(body.match(/\{% render .*? %\}/g)?.toSorted()).toEqual([
      "{% render 'legal-note' %}",
      `{% render 'legal-note', town: "Bonn" %}`,
    ])
    await page.reload()
    await settled(page)
    await page.waitForSelector('.tiptap [data-block="snippet"]')
    expect(await page.$$eval('.tiptap [data-block="snippet"]', ({ length }) => length)).toBe(2)
    expect((await stored()).design).toEqual(design)
    await server.engine.sending.send(server.demo, { to: 'bonn@example.org', template: made.id })
    await until('it is sent', () => server.sink.messages.some(({ to }) => to.includes('bonn@example.org')))
    const raw = server.sink.messages.find(({ to }) => to.includes('bonn@example.org'))?.raw ?? ''
    expect((await simpleParser(raw)).html).toMatch(/<h1>Frame<\/h1>[\s\S]*Acme of Bonn/)

    // a block becomes a snippet where it stands, and the snippet says what a change of it touches
    await choose(page, 'Add a block', 'Button')
    await page.waitForFunction(`document.activeElement.value === 'Read more'`)
    await tabTo(page, 'Save as a snippet')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.activeElement.tagName === 'INPUT'`)
    await page.keyboard.type('Buy now')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.querySelectorAll('.tiptap [data-block="snippet"]').length === 3`)
    const bought = (await snippets.list(server.demo)).items.find(({ name }) => name === 'buy-now')
    expect(await snippets.get(server.demo, bought?.id ?? '')).toMatchObject({
      ...{ title: 'Buy now', design: { content: [{ type: 'button' }] } },
    })
    await save(page)
    const draft = async () => (await server.engine.templates.draft(server.demo, made.id))?.fields.body
    await until('the draft is kept', async () => String(await draft()).includes('buy-now'))
    await page.waitForSelector('::-p-text(Saved as draft at)')
    await page.goto(`${server.url}p/${server.demo.id}/templates/snippets/${note?.id}`)
    await settled(page)
    await page.waitForSelector('::-p-text(Mails sent after saving)')
    await page.waitForSelector(`a[href$="/templates/${made.id}"]`)
  })

  // without the place of the mail, a layout would send nothing but itself
  it('draws a layout whose place for the mail can be moved, but not deleted', async () => {
    const page = await open('templates/layouts/new')
    await page.waitForSelector('.tiptap [data-block="mailContent"]')
    await tabTo(page, 'Name')
    await page.keyboard.type('Drawn frame')
    await page.click('.tiptap [data-block="mailContent"]')
    await page.waitForSelector('section[aria-label="The chosen block"] ::-p-text(The mail itself)')
    await page.keyboard.press('Backspace')
    await page.click('.tiptap [data-block="mailContent"]')
    await page.locator('::-p-aria(Move down)').click()
    await page.focus('.tiptap')
    await page.keyboard.down('Control')
    await page.keyboard.press('a')
    await page.keyboard.up('Control')
    await page.keyboard.press('Delete')
    expect(await page.$$eval('.tiptap [data-block="mailContent"]', ({ length }) => length)).toBe(1)
    await page.keyboard.press('ArrowUp')
    await page.locator('::-p-xpath(//button[contains(., "Create layout")])').click()
    await page.waitForFunction('/layouts\\/[0-9a-f-]{36}$/.test(location.pathname)')
    const { layouts } = server.engine.templates
    const frame = (await layouts.list(server.demo)).items.find(({ name }) => name === 'Drawn frame')
    expect(frame?.body.match(/\{\{ content \}\}/g)).toHaveLength(1)
    await settled(page)
    await page.waitForSelector('.tiptap [data-block="mailContent"]')
    expect(await faultsOf(page)).toEqual([])
  })

  // what is pasted comes from word processors more often than not; their styles and drawn lists would go out to everybody
  it('takes what is pasted from Word and Google Docs without their styles', async () => {
    const made = await server.engine.templates.create(server.demo, {
      name: 'Pasted',
      subject: 'Pasted',
      body: '<p></p>',
      type: 'MARKETING',
      from: 'hello@example.com',
      design: { version: 1, content: [{ type: 'paragraph' }] },
    })
    const page = await open(`templates/${made.id}`)
    await page.waitForSelector('.tiptap')
    const pasted = async (html: string, picture = '') => {
      await page.focus('.tiptap')
      return await page.evaluate(`(() => {
        const { editor } = document.querySelector('.tiptap')
        editor.commands.setContent('')
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/html', ${JSON.stringify(html)})
        const bytes = Uint8Array.from(atob('${picture}'), (each) => each.charCodeAt(0))
        if (bytes.length > 0) clipboardData.items.add(new File([bytes], 'image.png', { type: 'image/png' }))
        editor.view.dom.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
        return editor.getJSON()
      })()`)
    }
    expect(outline((await pasted(CLIPBOARD.word)) as Drawn)).toBe(
      'doc(paragraph(bold:Dear team|, see |link:this)|bulletList(listItem(paragraph(First)|orderedList(listItem(paragraph(Inner)))))|paragraph(Bye))',
    )
    expect(outline((await pasted(CLIPBOARD.docs)) as Drawn)).toBe(
      'doc(heading(Title)|paragraph(Plain |bold:bold)|bulletList(listItem(paragraph(One)|bulletList(listItem(paragraph(link:Two))))))',
    )
    const cells = '<tr><td><p class="MsoNormal">Tulip</p></td><td><p class="MsoNormal"><b>3,50</b></p></td></tr>'
    const photo = '<p><img width="200" src="file:///C:/clip_image001.png"></p>'
    expect(outline((await pasted(`<table>${cells}</table>${photo}`)) as Drawn)).toMatch(
      /^doc\(paragraph\(Tulip · \|bold:3,50\)/,
    )
    await page.waitForSelector('::-p-text(A picture in what you pasted is left out.)')
    const mixed = '<table><tr><td>Rose<div>red</div></td><td>2,50</td></tr></table>'
    expect(outline((await pasted(mixed)) as Drawn)).toContain('Rose')
    // browsers copy a picture as HTML and as a file
    await pasted('<meta charset="utf-8"><img src="https://pictures.example/a.png" alt="">', PIXEL)
    await page.waitForSelector('.tiptap [data-block="picture"] img')
    // a photo as cameras make them, then what mails cannot show: neither leaves the page for a file
    const dropped = (name: string, type: string, at: string) =>
      page.evaluate(`(async () => {
        const canvas = new OffscreenCanvas(4000, 1000)
        canvas.getContext('2d').fillRect(0, 0, 9, 9)
        const files = new DataTransfer()
        files.items.add(new File([await canvas.convertToBlob({ type: 'image/jpeg' })], '${name}', { type: '${type}' }))
        const place = document.querySelector('${at}')
        const { x, y } = place.getBoundingClientRect()
        const event = new DragEvent('drop', { dataTransfer: files, clientX: x + 9, clientY: y + 9, bubbles: true, cancelable: true })
        place.dispatchEvent(event)
        return event.defaultPrevented
      })()`)
    expect(await dropped('yard.jpg', 'image/jpeg', '.tiptap > *')).toBe(true)
    await until('the photo is there', async () => {
      const [newest] = (await server.engine.uploads.list(server.demo)).items
      return newest?.name === 'yard.jpg' && newest.width === 1440 && newest.height === 360
    })
    expect(await dropped('yard.heic', 'image/heic', '.tiptap > *')).toBe(true)
    await page.waitForSelector('::-p-text(Mails cannot show yard.heic.)')
    expect(await dropped('yard.pdf', 'application/pdf', 'h1')).toBe(true)
  })
})
