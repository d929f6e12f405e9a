import { fileURLToPath } from 'node:url'
import { Liquid } from 'liquidjs'
import { simpleParser } from 'mailparser'
import type { Browser, Page } from 'puppeteer-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import type { MadeProject } from '../../server/demo/history.ts'
import { until } from '../support/until.ts'
import { launchChromium } from './chromium.ts'
import { type DashboardServer, makeDemo, settled, signIn, startDashboard } from './dashboard-server.ts'
import { CORPUS } from './mail-corpus.ts'

let browser: Browser
let demo: MadeProject
let server: DashboardServer

beforeAll(async () => {
  browser = await launchChromium()
  demo = await makeDemo(20)
  server = await startDashboard(sqlite({ file: demo.file, synchronous: 'NORMAL' }))
  const page = await browser.newPage()
  await page.goto(server.url)
  await signIn(page)
  await page.close()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
  await demo?.remove()
})

async function open(path: string): Promise<Page> {
  const page = await browser.newPage()
  page.setDefaultTimeout(10_000)
  onTestFinished(() => page.close())
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.goto(`${server.url}p/${server.demo.id}/${path}`)
  await settled(page)
  return page
}

/** Goes by Tab to what is called so, as somebody without a mouse does. */
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
  await page.waitForSelector('[role="menu"]')
  const reached = `document.activeElement.innerText.split('\\n')[0] === ${JSON.stringify(item)}`
  for (let presses = 0; presses < 30 && !(await page.evaluate(reached)); presses++)
    await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[role="menu"]', { hidden: true })
}

/** The code that makes blocks of HTML and HTML of blocks, as `mail` of a blank page. */
async function openConversion(): Promise<Page> {
  const part = (name: string) =>
    fileURLToPath(new URL(`../../server/dashboard/parts/mail-editor/${name}`, import.meta.url))
  const code = `
    export { convert } from ${JSON.stringify(part('convert.ts'))}
    export { compose } from ${JSON.stringify(part('compose.ts'))}
    import { nodesOf } from ${JSON.stringify(part('nodes.ts'))}
    import { getSchema } from '@tiptap/core'
    const schema = getSchema(nodesOf({ blocks: {}, noPicture: '', noPostal: '', condition: () => '' }, undefined))
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
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  const script = built && 'output' in built ? built.output[0].code : ''
  await page.evaluate(`${script}; window.mail = mail`)
  return page
}

/** What a mail has, as a browser shows it: what it says, what is hidden in it, where it leads, and its pictures. */
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

describe('the editor of mails', () => {
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
    await page.keyboard.type(' now')
    await tabTo(page, 'Leads to')
    await page.keyboard.type('https://example.org/?who={{ email | append: "x" }}&b=1')
    await choose(page, 'Add a block', 'Unsubscribe')
    await page.waitForFunction(`document.activeElement.tagName === 'TEXTAREA'`)
    await choose(page, 'Add a block', 'For some contacts only')
    await page.waitForFunction(`document.activeElement.className.includes('tiptap')`)
    await page.keyboard.type('Pros only. ')
    await tabTo(page, 'Field')
    await page.keyboard.type('plan')
    await page.keyboard.press('Escape')
    await page.keyboard.down('Control')
    await page.keyboard.press('s')
    await page.keyboard.up('Control')
    const stored = async () =>
      (await server.engine.templates.list(server.demo)).items.find(({ name }) => name === 'Drawn')
    await until('it is saved', async () => (await stored())?.body.includes('Pros only') === true)
    const { id = '', body = '', design } = (await stored()) ?? {}
    expect(body).toContain(
      '<p style="margin:0 0 16px">Dear {{ name | default: "friend" }}, 3 &lt; 4 &amp; {{ email | upcase }}!</p>',
    )
    expect(body).toContain(`href="https://example.org/?who={{ email | append: 'x' }}&amp;b=1"`)
    expect(body).toMatch(/\{% if plan != blank %\}\n<p [^>]*>Pros only\. .*<\/p>\n\{% endif %\}/)

    await page.goto(url)
    await settled(page)
    await page.waitForSelector('.tiptap [data-block="button"]')
    expect(await page.evaluate(`document.querySelector('.tiptap').innerText`)).toContain('Read more now')
    expect((await server.engine.templates.get(server.demo, id)).design).toEqual(design)

    await server.engine.sending.send(server.demo, {
      ...{ to: 'pro@example.org', from: 'hello@example.com', template: id },
      subscribed: true,
      data: { name: 'Ada', plan: 'pro' },
    })
    await until('it is sent', () => server.sink.messages.some(({ to }) => to.includes('pro@example.org')))
    const raw = server.sink.messages.find(({ to }) => to.includes('pro@example.org'))?.raw ?? ''
    const { text, html } = await simpleParser(raw)
    expect(text).toContain('Dear Ada, 3 < 4 & PRO@EXAMPLE.ORG!')
    expect(text).toContain('Pros only.')
    expect(html).toContain('Dear Ada, 3 &lt; 4 &amp; PRO@EXAMPLE.ORG!')
  })
})
