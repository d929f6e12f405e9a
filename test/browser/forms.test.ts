import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'puppeteer-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../config/library.ts'
import { listen } from '../../server/http/http-server.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { toSink } from '../support/engine.ts'
import { ANY } from '../support/matrix.ts'
import { freePort } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { STEP_MS, testBrowser } from './chromium.ts'
import { createApp, createEngine, silentLog } from './compiled.ts'
import { OWNER, settled, signIn } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const FIELDS = [
  { type: 'text', key: 'firstName', label: 'First name', required: true },
  { type: 'choice', key: 'plan', label: 'I am', options: ['a customer', 'curious'] },
  { type: 'consent', key: 'partners', label: 'Partners, too' },
] as const

const browser = testBrowser()
let engine: Engine
let project: Awaited<ReturnType<Engine['projects']['list']>>[number]
let sink: SmtpSink
let http: Awaited<ReturnType<typeof listen>>
/** A page of another site, at an origin of its own. */
let site: Server
let siteUrl: string
let html = ''

anewOnRetry(
  async () => {
    sink = await startSmtpSink()
    const port = await freePort()
    engine = await createEngine({
      ...{ store: ANY.store(), publicUrl: `http://127.0.0.1:${port}`, transports: [toSink(sink)], log: silentLog },
      projects: [{ name: 'Acme', trustedDomains: ['example.com'], from: 'Acme <news@example.com>' }],
      accounts: { passwordCost: 10 },
      delivery: { threads: 0 },
    })
    await engine.accounts.make(OWNER, 'new', { owns: true })
    await engine.start()
    http = await listen(createApp(engine, { log: false }), { host: '127.0.0.1', port }, silentLog)
    const [made] = await engine.projects.list()
    project = await engine.projects.change(made!, { look: { color: '#a02040' } })
    site = createServer((_, answer) => answer.setHeader('content-type', 'text/html; charset=utf-8').end(html))
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    siteUrl = `http://localhost:${(site.address() as AddressInfo).port}`
  },
  async () => {
    await http?.close(0)
    await engine?.stop()
    await sink?.close()
    site?.close()
  },
)

const make = (change: object = {}) =>
  engine.subscriptions.forms.create(project, {
    ...{ name: 'Footer', texts: { title: 'News' }, consent: 'Acme may mail me. https://example.com/privacy' },
    ...{ fields: FIELDS, origins: [siteUrl], ...change },
  })
const sentBy = async (id: string) => (await engine.subscriptions.forms.submissions(project, id)).items
const open = async (url: string, { scripts = true } = {}) => {
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  page.setDefaultTimeout(STEP_MS)
  await page.setJavaScriptEnabled(scripts)
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(url)
  return { page, complaints }
}
/** In the tree of a form that the script put into a page. */
const inside = (selector: string) => `.mailwright >>> ${selector}`
const fill = async (page: Page, email: string, at = (selector: string) => selector) => {
  await page.type(at('input[name="email"]'), email)
  await page.type(at('input[name="firstName"]'), 'Ada')
  await page.select(at('select[name="plan"]'), 'curious')
  await page.click(at('input[name="partners"]'))
}
const ANSWERS = { firstName: 'Ada', plan: 'curious', partners: true }
const headingOf = (page: Page) => page.$eval('h1', ({ textContent }) => textContent)

describe('forms in a real browser', { timeout: 120_000 }, () => {
  it.each([true, false])('are sent from their own page, with scripts: %s', async (scripts) => {
    const { id } = await make()
    const { page, complaints } = await open(`${http.url}/f/${id}`, { scripts })
    await page.setViewport({ width: 320, height: 700 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(await page.evaluate('document.querySelector(".trap").getBoundingClientRect().right < 0')).toBe(true)
    if (scripts) expect(await faultsOf(page)).toEqual([])
    await fill(page, `own-${scripts}@example.org`)
    await Promise.all([page.waitForNavigation(), page.click('button')])
    expect(await headingOf(page)).toBe('Thank you!')
    expect(await sentBy(id)).toMatchObject([{ answers: ANSWERS, outcome: 'asked', address: '127.0.0.1' }])
    expect(complaints).toEqual([])
    await until('the mail that asks', () => sink.messages.some(({ to }) => to.includes(`own-${scripts}@example.org`)))
  })

  it('are put into pages of other origins by the script, and say thanks where they stood', async () => {
    const { id } = await make()
    html = `<!doctype html><html lang="en"><title>Shop</title><style>button{background:#008000;color:#fff;border-radius:9px}.mailwright::part(button){border-radius:3px}</style><main><h1>Shop</h1><button>Buy</button><script src="${http.url}/f/${id}/embed.js" async></script></main>`
    const { page, complaints } = await open(siteUrl)
    await page.waitForSelector(inside('form[data-mailwright]'))
    expect(await faultsOf(page)).toEqual([])
    // neither side's style changes the other, but for the parts that the page names
    const ownTree = `document.querySelector('.mailwright').shadowRoot`
    const styleOf = (button: string, name: string) => page.evaluate(`getComputedStyle(${button})['${name}']`)
    const button = `${ownTree}.querySelector('button')`
    expect([await styleOf(button, 'background-color'), await styleOf(button, 'color')]).toEqual([
      'rgb(160, 32, 64)',
      'rgb(255, 255, 255)',
    ])
    expect(await styleOf(button, 'border-radius')).toBe('3px')
    expect(await styleOf(`document.querySelector('button')`, 'background-color')).toBe('rgb(0, 128, 0)')
    expect(await page.$eval(inside('h2'), ({ textContent }) => textContent)).toBe('News')
    const widthOf = (selector: string) =>
      page.evaluate(`${ownTree}.querySelector('${selector}').getBoundingClientRect().width`)
    // labels stand above their fields
    expect(await widthOf('.field input')).toBe(await widthOf('.field'))
    await fill(page, 'nobody', inside)
    // what the browser lets through is checked by the server, which names the field
    await page.$eval(inside('form'), (form) => form.setAttribute('novalidate', ''))
    await page.click(inside('form button'))
    await page.waitForFunction(`${ownTree}.querySelector('[role=alert]')?.textContent`)
    expect(await page.$eval(inside('[role=alert]'), ({ textContent }) => textContent)).toBe(
      'Please check: Email address',
    )
    await page.evaluate(`${ownTree}.querySelector('input[name="email"]').value = 'script@example.org'`)
    await page.click(inside('form button'))
    await page.waitForSelector(inside('.mailwright-thanks'))
    expect(await page.evaluate(`${ownTree}.activeElement.textContent`)).toContain('Thank you!')
    expect(page.url()).toBe(`${siteUrl}/`)
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(await sentBy(id)).toMatchObject([{ answers: ANSWERS, outcome: 'asked' }])
    expect(complaints.filter((text) => !text.includes('422'))).toEqual([])
    const { shown } = await engine.subscriptions.forms.get(project, id)
    expect(shown).toBe(1)
  })

  it('lead to their own page where the script is on a page that is not listed', async () => {
    const { id } = await make({ origins: [] })
    // as part of the page, without its heading, which the page has
    html = `<!doctype html><title>Shop</title><body><script src="${http.url}/f/${id}/embed.js" data-unstyled></script>`
    const { page } = await open(siteUrl)
    expect(await page.$('form h2')).toBe(null)
    await fill(page, 'unlisted@example.org')
    await Promise.all([page.waitForNavigation(), page.click('form button')])
    expect(await headingOf(page)).toBe('Thank you!')
    expect(page.url()).toBe(`${http.url}/f/${id}`)
    expect(await sentBy(id)).toHaveLength(1)
  })

  it('are made in the dashboard, put in order by keys, and copied as HTML that works without scripts', async () => {
    await engine.projects.change(project, { from: null })
    const { page, complaints } = await open(`${http.url}/app/`)
    await page.evaluate(`localStorage.setItem('mailwright-language', 'en')`)
    await signIn(page)
    await page.goto(`${http.url}/app/p/${project.id}/forms/new`)
    await settled(page)
    const type = async (label: string, text: string) => {
      const field = await page.waitForSelector(`::-p-aria([name="${label}"][role="textbox"])`)
      await field!.type(text)
    }
    const press = async (name: string) =>
      (await page.waitForSelector(`::-p-aria([name="${name}"][role="button"])`))!.click()
    await press('Newsletter')
    await page.waitForFunction(`location.search === '?start=newsletter'`)
    await settled(page)
    // asked for at the top, and what is written meanwhile stays
    await type('Introduction', 'Every month. ')
    await page.type('[role=alert] input[type="email"]', 'news@example.com')
    await press('Save')
    await page.waitForFunction(`!document.body.innerText.includes('Which address do your mails come from?')`)
    await press('Remove “First name”')
    for (const kind of ['Text', 'Date']) {
      await press('Add a field')
      await (await page.waitForSelector(`::-p-aria([name="${kind}"][role="menuitem"])`))!.click()
      await page.waitForSelector('[role="menu"]', { hidden: true })
    }
    await (await page.waitForSelector('::-p-aria([name="Move “date2” up"][role="button"])'))!.focus()
    await page.keyboard.press('Enter')
    expect(await faultsOf(page)).toEqual([])
    await press('Create')
    await page.waitForFunction(`location.search === '?tab=embed'`)
    await settled(page)
    const [form] = (await engine.subscriptions.forms.list(project)).items
    expect(form?.fields.map(({ key }) => key)).toEqual(['date2', 'text1'])
    expect(form).toMatchObject({
      name: 'Our newsletter',
      texts: {
        title: 'Our newsletter',
        intro: 'Every month. What is new, straight to your inbox.',
        button: 'Subscribe',
      },
      consent: 'Acme may send me its newsletter by email. I can unsubscribe at any time.',
    })
    expect(await faultsOf(page)).toEqual([])
    const [script = '', plain = ''] = await page.$$eval('pre', (blocks) =>
      blocks.map((block) => block.textContent ?? ''),
    )
    expect(script).toBe(`<script src="${http.url}/f/${form!.id}/embed.js" async></script>`)

    html = `<!doctype html><title>Shop</title>${plain}`
    const other = await open(siteUrl, { scripts: false })
    await other.page.type('input[name="email"]', 'plain@example.org')
    await Promise.all([other.page.waitForNavigation(), other.page.click('button')])
    expect(await headingOf(other.page)).toBe('Thank you!')
    // the figure leads to the person behind it, also on a small screen in German
    await page.evaluate(`localStorage.setItem('mailwright-language', 'de')`)
    await page.setViewport({ width: 320, height: 700 })
    await page.goto(`${http.url}/app/p/${project.id}/forms/${form!.id}?tab=edit`)
    await settled(page)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(await faultsOf(page)).toEqual([])
    await page.click(`a[href$="/forms/${form!.id}?tab=people"]`)
    await page.waitForFunction(`document.querySelector('main').innerText.includes('plain@example.org')`)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(await faultsOf(page)).toEqual([])

    // while the sender's domain is not verified no one can confirm, and the page of the form says so
    await engine.domains.add(project, { domain: 'later.example' })
    await engine.projects.change(project, { from: { email: 'news@later.example' } })
    await page.reload()
    await page.waitForSelector('[role="status"] ::-p-text(Solange later.example nicht bestätigt ist)')
    // a domain that the server trusts sends, whatever its records
    await engine.domains.add(project, { domain: 'example.com' })
    await page.goto(`${http.url}/app/p/${project.id}/domains`)
    await page.waitForSelector('::-p-text(Vom Server freigegeben)')
    expect(complaints.filter((text) => !/401|Failed to load resource/.test(text))).toEqual([])
  })
})
