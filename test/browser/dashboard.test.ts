import { readFileSync } from 'node:fs'
import type { BrowserContext, HTTPRequest, Page } from 'puppeteer-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { untrusted } from '../../core/values/input.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import type { MadeProject } from '../../server/demo/history.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { startReceiver } from '../support/receiver.ts'
import { dmarcXml } from '../support/reports.ts'
import { until } from '../support/until.ts'
import { STEP_MS, testBrowser } from './chromium.ts'
import {
  type DashboardServer,
  makeDemo,
  menuOf,
  OWNER,
  settled,
  signIn,
  startDashboard,
  watched,
} from './dashboard-server.ts'
import { COLORS, faultsOf } from './faults.ts'

/** How long it may take to look at every page in two colors, on a machine that does much else. */
const SLOWEST_MS = 360_000
const FILES = new URL('../../dist/server/dashboard/', import.meta.url)
const KB = 1024
/** Markup that would run, if it were taken for such. */
const HOSTILE = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`

const browser = testBrowser()
let demo: MadeProject
let server: DashboardServer
/** Where the owner is signed in. */
let owner: BrowserContext

anewOnRetry(
  async () => {
    demo = await makeDemo(30)
    server = await startDashboard(sqlite({ file: demo.file, synchronous: 'NORMAL' }), {
      judge: ({ to }) => (to[0] === 'hostile@example.org' ? { code: 550, message: `5.1.1 ${HOSTILE}` } : undefined),
    })
    owner = await browser.createBrowserContext()
    const page = await owner.newPage()
    await page.goto(server.url)
    await signIn(page)
    await page.close()
  },
  async () => {
    await server?.stop()
    await demo?.remove()
  },
)

/** Opens a page of a project, as its address below `/app/p/<project>/`. */
async function open(
  path: string,
  { in: context = owner, of = server.demo, language = 'en', ends = onTestFinished } = {},
): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(STEP_MS)
  ends(() => page.close())
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.evaluateOnNewDocument(`localStorage.setItem('mailwright-language', '${language}')`)
  await page.goto(addressOf(path, of.id))
  if (context === owner) await settled(page)
  return page
}

/** The browser keeps a chosen file for the next visit, also for that of another test or of another try. */
async function openImport(): Promise<Page> {
  const page = await open('contacts/import')
  onTestFinished(async () => {
    await page.evaluate(`new Promise((done, failed) => {
      const request = indexedDB.deleteDatabase('mailwright')
      request.onsuccess = done
      request.onerror = failed
    })`)
  })
  return page
}

const addressOf = (path: string, project = server.demo.id) => `${server.url}p/${project}/${path}`

describe('the dashboard', { timeout: SLOWEST_MS }, () => {
  const LOOKS = [
    { name: '1280 pixels', width: 1280, schemes: ['light', 'dark'], language: 'en' },
    { name: '360 pixels, in German', width: 360, schemes: ['dark', 'light'], language: 'de' },
  ] as const

  // each page and the first thing on it: nothing else sees a page that breaks, speaks to another host, or is hard to read
  it.concurrent.for(LOOKS)('has pages without a fault, light and dark: $name', async ({
    width,
    schemes,
    language,
  }, test) => {
    // of two tests at a time each must close its own page alone
    const page = await open('', { language, ends: test.onTestFinished })
    const { complaints, requests } = watched(page)
    await page.setViewport({ width, height: 800 })
    let scheme: 'light' | 'dark' = schemes[0]
    await turn(page, scheme)
    const menu = await menuOf(page)
    expect(menu.length).toBeGreaterThan(14)
    const faults: unknown[] = []
    const look = async () => {
      faults.push(...(await faultsOf(page)))
      const fits = `document.documentElement.scrollWidth <= ${width}`
      await page.waitForFunction(fits, { timeout: 1000 }).catch(async () => {
        const wide = await page.evaluate(TOO_WIDE)
        faults.push({ at: page.url(), wide })
      })
      // the other look of the same page: nothing but its colors is another
      scheme = scheme === 'light' ? 'dark' : 'light'
      await turn(page, scheme)
      faults.push(...(await faultsOf(page, COLORS)))
    }
    for (const href of menu) {
      // by the menu, also where a phone hides it: to load each page anew would take as long as all that is looked at
      await page.evaluate(`document.querySelector('nav a[href="${new URL(href).pathname}"]').click()`)
      await page.waitForFunction(`location.href === '${href}'`)
      await settled(page)
      await look()
      const first = `document.querySelector('main tbody a, main a[class*="card"]')`
      if (!(await page.evaluate(`${first} !== null`))) continue
      await page.evaluate(`${first}.click()`)
      await page.waitForFunction(`location.href !== '${href}'`)
      await settled(page)
      await look()
    }
    expect(faults).toEqual([])
    expect(complaints).toEqual([])
    expect(foreign(requests)).toEqual([])
  })

  // the walk above opens neither menus nor dialogs, and only the first tab of a page
  it('has dangerous buttons that can be read, light and dark', async () => {
    const page = await open('campaigns')
    const faults: unknown[] = []
    const look = async () => {
      for (const scheme of ['light', 'dark'] as const) {
        await turn(page, scheme)
        faults.push(...(await faultsOf(page, COLORS)))
      }
    }
    await page.click('main tbody a')
    await page.waitForSelector('main header button[aria-label="More"]')
    await settled(page)
    await page.click('main header button[aria-label="More"]')
    await page.waitForSelector('[role="menu"] ::-p-text(Delete)')
    await look()
    await page.click('[role="menu"] ::-p-text(Delete)')
    await page.waitForSelector('[role="dialog"] ::-p-text(Delete)')
    await look()
    for (const tab of ['members', 'keys', 'fields', 'project']) {
      await page.goto(addressOf(`settings?tab=${tab}`))
      await settled(page)
      await look()
    }
    expect(faults).toEqual([])
  })

  it('comes with a strict policy, files that are kept for good, and little to load', async () => {
    const context = await browser.createBrowserContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const scripts = new Set<string>()
    const kept = new Set<string | undefined>()
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (pathname.startsWith('/app/assets/')) kept.add(response.headers()['cache-control'])
      if (pathname.endsWith('.js')) scripts.add(pathname.replace('/app/', ''))
    })
    const answer = await page.goto(server.url)
    const policy = answer?.headers()['content-security-policy']
    expect(policy).toMatch(/default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{22}';/)
    expect(policy).not.toContain('unsafe')
    expect([...kept]).toEqual(['public, max-age=31536000, immutable'])
    const size = () => [...scripts].reduce((sum, name) => sum + readFileSync(new URL(`${name}.gz`, FILES)).length, 0)
    await page.waitForSelector('input[type="email"]')
    expect(size() / KB).toBeGreaterThan(50)
    // 37 of them for the words of all pages, in one language: 2 for what starts workflows, and for ready-made forms, 1 for the
    // audit log and the parts of the settings, 1 for inboxes and for fields that are left empty, 1 for the assistant, 1 for
    // numbers as the reader writes them; 1 for answers that are kept while they are written, and ways to mend mistakes; and 1 for the
    // accounts of a server, and sending without a provider
    expect(size() / KB).toBeLessThan(157)
    await signIn(page)
    await page.waitForSelector('main svg[role="img"]')
    // 1 for what the sandbox catches
    expect(size() / KB).toBeLessThan(173)
  })

  it('has a chart on Home, whose legend has the sums, and the figures of the day that is pointed at', async () => {
    const page = await open('')
    const legend = `document.querySelector('main svg[role="img"]').parentElement.nextSibling.innerText`
    await page.waitForSelector('main svg[role="img"] path')
    const [, sent] = ((await page.evaluate(legend)) as string).match(/^Total\s+Sent ([\d,]+)/) ?? []
    expect(Number(sent?.replace(',', ''))).toBeGreaterThan(0)
    const chart = await (await page.$('main svg[role="img"]'))?.boundingBox()
    if (!chart) throw new Error('there is no chart')
    await page.mouse.move(chart.x + chart.width - 14, chart.y + 40)
    const today = new Date().toLocaleDateString('en-US', { dateStyle: 'medium' })
    await page.waitForFunction(`${legend}.startsWith(${JSON.stringify(today)})`)
    await page.mouse.move(1, 1)
    await page.waitForFunction(`${legend}.startsWith('Total')`)
  })
})

describe('text of others in the dashboard', () => {
  const JS_LINK = 'javascript:document.title="taken"'
  const email = 'hostile@example.org'
  let mail: string
  let contact: string

  anewOnRetry(async () => {
    const { engine, demo: project } = server
    const from = 'hello@example.com'
    const headers = { 'X-Note': HOSTILE }
    const sent = { to: email, from, subject: HOSTILE, body: '<p>Hi</p>', headers, data: { alias: HOSTILE } }
    const { answer } = await engine.sending.send(project, sent)
    mail = answer.emails[0]?.email ?? ''
    contact = answer.emails[0]?.contact.id ?? ''
    await engine.events.track(project, { email, event: 'noted', data: { subject: HOSTILE, link: JS_LINK } })
    await until('the mail is refused', async () => (await engine.mails.get(project, mail)).email.status === 'BOUNCED')
  })

  const WORDS = `document.body.innerText + [...document.querySelectorAll('input')].map(({ value }) => value).join()`

  it('stays text', async () => {
    const page = await open('')
    const shown = [
      [`mails/${mail}`, [HOSTILE, `5.1.1 ${HOSTILE}`]],
      [`contacts/${contact}`, [HOSTILE]],
      ['contacts?search=hostile', [HOSTILE]],
      ['mails?search=hostile', [`${email}\t${HOSTILE}`]],
      ['activity', [HOSTILE]],
      ['suppressions', [HOSTILE]],
    ] as const
    for (const [path, texts] of shown) {
      await page.goto(addressOf(path))
      await settled(page)
      if (path.startsWith('mails/')) {
        await press(page, 'Show headers')
        await page.waitForFunction(`(${WORDS}).includes(${JSON.stringify(`X-Note\n${HOSTILE}`)})`)
      }
      for (const text of texts) await page.waitForFunction(`(${WORDS}).includes(${JSON.stringify(text)})`)
      expect(await page.$$('img[src="x"], a[href^="javascript:" i]'), path).toEqual([])
      expect(await page.title(), path).not.toBe('taken')
    }
  })

  it('of a mail stands in a frame without scripts and forms, which loads pictures once somebody asks for them', async () => {
    const elsewhere = await startReceiver()
    const body = `<h1>Offer</h1>${HOSTILE}<img src="${elsewhere.url}/picture" alt=""><a href='${JS_LINK}'>Look</a>
      <script src="${elsewhere.url}/script"></script><link rel="stylesheet" href="${elsewhere.url}/style">
      <form action="${elsewhere.url}/form"><button>Go</button></form>`
    const sent = { to: 'reader@example.org', from: 'hello@example.com', subject: 'Offer', body }
    const { answer } = await server.engine.sending.send(server.demo, sent)
    const page = await open(`mails/${answer.emails[0]?.email}`)
    const tag = await page.waitForSelector('main iframe[sandbox="allow-same-origin"]')
    const frame = await tag?.contentFrame()
    await frame?.waitForSelector('h1')
    await frame?.click('button')
    await frame?.click('a')
    const { headers } = await fetch(frame?.url() ?? '')
    const policy = headers.get('content-security-policy')
    expect(policy).toMatch(/^default-src 'none'; .*form-action 'none';.*sandbox allow-same-origin$/)
    await page.click('::-p-text(Load pictures)')
    await expect.poll(() => elsewhere.requests.map(({ path }) => path)).toEqual(['/hook/picture'])
    expect(await page.title()).not.toBe('taken')
  })

  it('may be the name of a file to import', async () => {
    const name = `${HOSTILE.slice(0, 30)}.csv`
    const page = await openImport()
    const file = { name, base64: btoa('email,First Name\nada@example.org,Ada') }
    await choose(page, file)
    await page.waitForFunction(`document.querySelector('main').innerText.includes(${JSON.stringify(name)})`)
    expect(await page.$('img[src="x"]')).toBeNull()
    // it is kept until another is wanted
    await page.waitForSelector('main th ::-p-text(First name)')
    await press(page, 'Choose another file')
    // the browser has the answer about it already when it is chosen again
    await choose(page, file)
    const start = `[...document.querySelectorAll('main button')].find(({ innerText }) => innerText === 'Import')`
    await page.waitForFunction(`${start}?.disabled === false`)
  })
})

describe('by the keyboard alone', () => {
  it('one signs in, makes a template and a campaign, sends it and reads the result', async () => {
    const context = await browser.createBrowserContext()
    onTestFinished(() => context.close())
    const page = await open('', { in: context })
    await tabTo(page, 'textbox Email address')
    await page.keyboard.type(OWNER.email)
    await tabTo(page, 'textbox Password')
    await page.keyboard.type(OWNER.password)
    await page.keyboard.press('Enter')
    await page.waitForSelector('nav[aria-label]')
    await settled(page)

    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await page.waitForFunction(`document.activeElement.closest('[role="dialog"]') !== null`)
    await page.keyboard.type('new templ')
    await page.waitForFunction(`document.querySelector('[data-combobox-selected]')?.innerText === 'New template'`)
    await page.keyboard.press('Enter')
    await isAt(page, 'New template')
    await tabTo(page, 'textbox Name')
    await page.keyboard.type('Autumn letter')
    await page.keyboard.press('Enter')
    await isAt(page, 'Autumn letter')

    await tabTo(page, 'button More')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.activeElement.closest('[role="menu"]') !== null`)
    await focusIsOn(page, 'menuitem Use in a campaign', 'ArrowDown')
    await page.keyboard.press('Enter')
    await isAt(page, 'New campaign')
    await tabTo(page, 'textbox Name')
    await page.keyboard.type('October')
    await page.keyboard.press('Enter')
    await isAt(page, 'October')

    await tabTo(page, 'tab 1. Content')
    await focusIsOn(page, 'tab 4. Check', 'ArrowRight')
    await page.waitForFunction(`/\\d+ contacts get this mail/.test(document.querySelector('main').innerText)`)
    const counted = await page.evaluate(`/(\\d+) contacts get/.exec(document.querySelector('main').innerText)[1]`)
    // there are no texts yet
    await page.waitForFunction(`document.querySelector('main').innerText.includes('The mail still has samples: ')`)
    // and what only the API can tell, with the way to mend it
    await page.waitForFunction(
      `/has no postal address.*To the settings/.test(document.querySelector('main').innerText)`,
    )
    await focusIsOn(page, 'tab 5. Send', 'ArrowRight')
    await tabTo(page, 'button Send now')
    server.sink.clear()
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.activeElement.closest('[role="dialog"]') !== null`)
    await tabTo(page, 'button Send all the same')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.querySelector('main header')?.innerText.includes('Sent')`)
    // the figures of the last moment are asked for once the page knows that all has gone
    await page.waitForFunction(
      `document.querySelector('main a[href*="tab=recipients"]')?.innerText.includes('${counted}')`,
    )
    // every figure has its people, those that are zero share a line, and the course has its chart
    const zeros = 'No unsubscribes, no answers, no bounces, no spam reports, no failures.'
    await page.waitForFunction(`document.querySelector('main').innerText.includes('${zeros}')`)
    const people = 'main a[href*="tab=recipients&"], main a[href$="tab=left-out"]'
    // the last look while it was sent is shown until the next one is there, with those that waited
    await page.waitForFunction(`document.querySelectorAll('${people}').length === 5`)
    await page.waitForSelector('main svg[role="img"][aria-label="Over time"]')
    expect(String(server.sink.messages.length)).toBe(counted)

    await tabTo(page, `button Send again to the ${counted} who did not open`)
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.activeElement.closest('[role="dialog"]') !== null`)
    await page.keyboard.press('Enter')
    await isAt(page, 'October: did not open')
    await tabTo(page, 'tab 1. Content')
    for (const tab of ['2. Sender', '3. Audience', '4. Check']) await focusIsOn(page, `tab ${tab}`, 'ArrowRight')
    await page.waitForFunction(`document.querySelector('main').innerText.includes('${counted} contacts get this mail')`)
  })

  // one page for all three: what counts is the keys, and each page anew takes a second
  it('one adds a domain, has it checked and adds a report on it, invites a member, and deletes a picture', async () => {
    const page = await open('domains')
    await tabTo(page, 'button Add a domain')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.activeElement.name === 'domain'`)
    // as it is copied from the address of a page
    await page.keyboard.type('https://keys.example/')
    await page.keyboard.press('Enter')
    await isAt(page, 'keys.example')
    await tabTo(page, 'button Check now')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role="status"] ::-p-text(Checked)')
    const report = Buffer.from(dmarcXml().replaceAll('acme.example', 'keys.example'))
    await choose(page, { name: 'report.xml', base64: report.toString('base64') })
    await page.waitForSelector('[role="status"] ::-p-text(The report of big.example has been added.)')
    await choose(page, { name: 'letter.xml', base64: DOT })
    await page.waitForSelector('[role="status"] ::-p-text(is neither a DMARC report)')
    const today = new Date().toISOString().slice(0, 10)
    const spam = btoa(`Date,User-reported spam rate\n${today},0.002\n`)
    await choose(page, { name: 'spam.csv', base64: spam, at: 1 })
    // neither a percent sign nor the column says what 0.002 is
    await tabTo(page, 'button 10%')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role="status"] ::-p-text(1 figure of Google Postmaster Tools has been added)')
    await page.waitForSelector('tbody ::-p-text(0.2%)')
    // a day of theirs is the same where it is still yesterday
    await page.emulateTimezone('Pacific/Honolulu')
    await page.reload()
    const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(today))
    await page.waitForSelector(`tbody ::-p-text(${day})`)
    await page.emulateTimezone()

    await page.goto(addressOf('settings?tab=members'))
    await tabTo(page, 'button Invite a member')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.activeElement.name === 'email'`)
    await page.keyboard.type('guest@example.org')
    await page.keyboard.press('Enter')
    await page.waitForSelector('tbody ::-p-text(guest@example.org)')
    expect(await page.evaluate(`document.querySelector('tbody').innerText`)).toContain('Invited')

    await page.goto(addressOf('uploads'))
    await settled(page)
    await choose(page, { name: 'dot.png', base64: DOT })
    await page.waitForSelector('main ul ::-p-text(dot.png)')
    await tabTo(page, 'button Delete dot.png?')
    await page.keyboard.press('Enter')
    // a question begins on the answer that loses nothing
    await page.waitForFunction(`document.activeElement.innerText === 'Cancel'`)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`!document.querySelector('main').innerText.includes('dot.png')`)
    expect((await server.engine.uploads.list(server.demo, {})).items).toEqual([])
  })

  it('one makes a key, which is shown and works', async () => {
    const page = await open('settings')
    await tabTo(page, 'tab Project')
    await focusIsOn(page, 'tab API keys', 'ArrowRight')
    await tabTo(page, 'button New key')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.activeElement.name === 'name'`)
    await page.keyboard.type('Shop')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role="alert"] code')
    const key = await page.evaluate(`document.querySelector('[role="alert"] code').textContent`)
    const authorization = `Bearer ${key}`
    const answer = await fetch(new URL('/campaigns', server.url), { headers: { authorization } })
    expect(answer.status).toBe(200)
  })

  it('one gives a key another name, and reads why that of the configuration keeps its own', async () => {
    const { engine, demo } = server
    const old = { name: 'Old shop', kind: 'secret', scopes: ['send'] } as const
    const { record } = await engine.projects.keys.create(demo, old)
    const page = await open(`settings?tab=keys&rename=${record.id}`)
    await page.waitForFunction(`document.activeElement?.value === 'Old shop'`)
    await page.keyboard.type(' in Köln')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.querySelector('[role="dialog"]') === null`)
    await page.waitForFunction(`document.querySelector('main tbody')?.innerText.includes('Old shop in Köln')`)
    const names = new Map((await engine.projects.keys.list(demo)).map(({ id, name }) => [id, name]))
    expect(names.get(record.id)).toBe('Old shop in Köln')
    const ofConfig = [...names].find(([, name]) => name === 'config')?.[0]
    const refused = await open(`settings?tab=keys&rename=${ofConfig}`)
    await refused.waitForFunction(`document.activeElement?.value === 'config'`)
    await refused.keyboard.type('2')
    await refused.keyboard.press('Enter')
    await refused.waitForFunction(
      `document.querySelector('[role="dialog"]')?.innerText.includes('set in the configuration of the server')`,
    )
    expect((await engine.projects.keys.list(demo)).some(({ name }) => name === 'config2')).toBe(false)
  })

  it('one sends a request of a webhook again', async () => {
    const receiver = await startReceiver()
    const { engine } = server
    await engine.webhooks.create(server.demo, { url: receiver.url, events: ['called'] })
    await engine.events.track(server.demo, { email: 'hooked@example.org', event: 'called', data: { number: 7 } })
    await expect.poll(() => receiver.requests.length).toBe(1)
    const page = await open('webhooks')
    await tabTo(page, 'link called')
    await page.keyboard.press('Enter')
    await isAt(page, 'called')
    await tabTo(page, 'button Send again')
    await page.keyboard.press('Enter')
    await expect.poll(() => receiver.requests.length).toBe(2)
    const [first, second] = receiver.requests.map(({ body }) => JSON.parse(body).data)
    expect(second).toEqual(first)
  })

  // its code comes with the first use, when the button is put anew: the focus must not be lost over that
  it('one opens a menu of the frame, and comes back from it to its button', async () => {
    const page = await open('settings')
    for (let time = 0; time < 2; time++) {
      await tabTo(page, 'button My account')
      await page.keyboard.press('Enter')
      await page.waitForFunction(`document.activeElement.closest('[role="menu"]') !== null`)
      await focusIsOn(page, 'menuitem My account', 'ArrowDown')
      await page.keyboard.press('Escape')
      await page.waitForFunction(`${NAME} === 'button My account'`)
    }
  })

  it('one is asked before unsaved words are left, and skips the menu', async () => {
    const page = await open('templates/new')
    await tabTo(page, 'textbox Name')
    await page.keyboard.type('Half done')
    await tabTo(page, 'button Skip to content')
    await page.keyboard.press('Enter')
    await tabTo(page, 'textbox Name', 5)
    await tabTo(page, 'link Home')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.activeElement.innerText === 'Keep editing'`)
    await page.keyboard.press('Escape')
    await page.waitForFunction(`${NAME} === 'link Home'`)
    expect(await page.evaluate(`document.querySelector('main input').value`)).toBe('Half done')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.activeElement.innerText === 'Keep editing'`)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await isAt(page, 'Home')
    // the key that answers the question asks no second one of the panel below
    await page.goto(addressOf('contacts?new=1'))
    await (await page.waitForSelector('[role="dialog"] input[type="email"]'))?.type('half@done.example')
    await page.keyboard.press('Escape')
    await page.waitForFunction(`document.activeElement.innerText === 'Keep editing'`)
    await page.keyboard.press('Escape')
    await page.waitForFunction(`document.querySelectorAll('[role="dialog"]').length === 1`)
    await page.evaluate('new Promise((done) => setTimeout(done, 150))')
    expect(await page.$$('[role="dialog"]')).toHaveLength(1)
    await page.keyboard.press('Escape')
    await page.waitForFunction(`document.activeElement.innerText === 'Keep editing'`)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.querySelector('[role="dialog"]') === null`)
  })
})

describe('what comes between', () => {
  it('is a session that ends: signing in leads back to where one was going', async () => {
    const context = await browser.createBrowserContext()
    onTestFinished(() => context.close())
    const page = await open('segments', { in: context })
    await signIn(page)
    expect(page.url()).toBe(addressOf('segments'))
    await context.deleteCookie(...(await context.cookies()))
    await page.click('nav a[href$="/contacts"]')
    await signIn(page)
    expect(page.url()).toBe(addressOf('contacts'))
  })

  it('is another project in another tab, and neither sees the other', async () => {
    const [here, there] = [await open('contacts'), await open('contacts?new=1', { of: server.second })]
    await there.waitForSelector('[role="dialog"] input[type="email"]')
    await there.type('[role="dialog"] input[type="email"]', 'only@second.example')
    await there.keyboard.press('Enter')
    await there.waitForSelector('tbody ::-p-text(only@second.example)')
    expect(await there.$$('tbody tr')).toHaveLength(1)
    await here.bringToFront()
    await here.reload()
    await settled(here)
    expect(here.url()).toBe(addressOf('contacts'))
    expect(await here.$$('tbody tr')).not.toHaveLength(1)
    expect(await here.$('tbody ::-p-text(only@second.example)')).toBeNull()
  })

  it('is a lost connection, which is said, and over by itself, also for a page that was never open', async () => {
    const context = await browser.createBrowserContext()
    onTestFinished(() => context.close())
    const page = await open('segments', { in: context })
    await signIn(page)
    await page.setOfflineMode(true)
    await page.click('nav a[href$="/webhooks"]')
    await page.waitForSelector('[role="status"] ::-p-text(Connection lost)')
    await page.setOfflineMode(false)
    await page.waitForFunction(`!document.body.innerText.includes('Connection lost')`)
    await page.waitForSelector('main h1 ::-p-text(Webhooks)')
    await settled(page)
  })
})

describe('the way in', () => {
  it('leads from an empty project to a first mail, and Home knows what is left', async () => {
    // one contact besides the person who sends themselves a mail
    await server.engine.contacts.upsert(server.second, { email: 'only@second.example' })
    const page = await open('start', { of: server.second })
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Save and continue')
    // an address brings its domain along, whose records are shown; one of a domain that needs none leads on
    for (const address of ['hello@new.example', 'hello@second.example']) {
      await (await page.waitForSelector('main input[type="email"]'))?.focus()
      await page.keyboard.down('Control')
      await page.keyboard.press('a')
      await page.keyboard.up('Control')
      await page.keyboard.type(address)
      await page.keyboard.press('Escape')
      await press(page, 'Save')
      if (address.endsWith('@second.example')) break
      await page.waitForSelector('main ::-p-text(_domainkey.new.example)')
      expect(await faultsOf(page)).toEqual([])
    }
    await page.waitForSelector('main ::-p-text(How mail leaves this server)')
    await press(page, 'Next')
    // a refusal that names an endpoint to programs names the page to people
    const from = await page.waitForSelector('main input[name="from"]')
    await from?.click({ count: 3 })
    await page.keyboard.type('me@elsewhere.example')
    await press(page, 'Send')
    await page.waitForSelector('main [role="alert"] a[href$="/domains"]')
    expect(await page.evaluate(`document.querySelector('main [role="alert"]').innerText`)).not.toMatch(/POST|TRUSTED/)
    await from?.click({ count: 3 })
    await page.keyboard.type('hello@second.example')
    server.sink.clear()
    await press(page, 'Send')
    await page.waitForSelector('main [role="status"] ::-p-text(See what each server said)')
    await expect.poll(() => server.sink.messages.map(({ from }) => from).length).toBe(1)
    await press(page, 'Finish')
    await page.waitForSelector('main ::-p-text(Import your contacts)')
    const done = `[...document.querySelectorAll('main li')].filter((item) => item.querySelector('[aria-label="Yes"]'))`
    // the server is asked how its transports do
    const items = () => page.evaluate(`${done}.map((item) => item.innerText.trim())`)
    await expect
      .poll(items, { timeout: 10_000 })
      .toEqual([
        'Set the sender of your project',
        'Set the mail server that sends your mail',
        'Send a first mail to yourself',
        'Import your contacts',
      ])
  })

  it('of contacts is a file, whose columns are renamed and left out before anything happens', async () => {
    const page = await openImport()
    const rows = ['Mail of whom;First Name;Secret', 'imp1@example.org;Ann;x', 'no address;Bob;y']
    await choose(page, { name: 'people.csv', base64: btoa(rows.join('\n')) })
    const becomes = (column: string) => `input[aria-label="What ${column} becomes"]`
    await page.waitForSelector('main ::-p-text(The file cannot be imported like this)')
    await page.type(becomes('Mail of whom'), 'email')
    await page.waitForSelector('main ::-p-text(1 contact will be added.)')
    await page.click(becomes('First Name'), { count: 3 })
    await page.keyboard.type('called')
    await page.evaluate(`[...document.querySelectorAll('main input[type="checkbox"]')][2].click()`)
    await page.waitForSelector('main th ::-p-text(Called)')
    await page.waitForFunction(`document.querySelector('main [role="status"]')?.innerText.includes('Secret') === false`)
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Import')
    await page.waitForSelector('main ::-p-text(Imported: 1 new, 0 updated, 1 rejected)')
    await page.evaluate(`URL.createObjectURL = (blob) => {
      blob.text().then((text) => { window.saved = text })
      return '#'
    }`)
    await page.click('main button ::-p-text(Download the rejected row)')
    const saved = await page.waitForFunction('window.saved').then((text) => text.jsonValue())
    expect(saved).toMatch(/^Mail of whom;First Name;Secret;import_error\r\nno address;Bob;y;email: must be /)
    const { items } = await server.engine.contacts.list(server.demo, { search: 'imp1@example.org' })
    expect(items.map(({ data }) => data)).toEqual([{ called: 'Ann' }])
  })
})

describe('what narrows a list', () => {
  it('stands above it in words, and is taken away one by one by keyboard, or all at once', async () => {
    const rule = (value: string) => ({ field: 'data.plan', operator: 'notEquals', value })
    const filter = JSON.stringify({ operator: 'AND', conditions: [rule('none'), rule('secret')] })
    const page = await open(`contacts?search=example&subscribed=true&filter=${encodeURIComponent(filter)}`)
    const pills = async () =>
      (await page.evaluate(`[...document.querySelectorAll('main ul[aria-label="Filters"] button')].map((each) =>
        each.innerText.replace(/^Remove filter:\\s*/, ''))`)) as string[]
    expect(await pills()).toEqual(['“example”', 'Subscribed', 'Plan is not none', 'Plan is not secret', 'Clear all'])
    expect(await faultsOf(page)).toEqual([])
    await tabTo(page, 'button Remove filter: Plan is not none')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.activeElement.innerText.includes('Plan is not secret')`)
    expect(JSON.parse(new URL(page.url()).searchParams.get('filter') ?? '').conditions).toEqual([rule('secret')])
    await page.click('button ::-p-text(Clear all)')
    await page.waitForFunction(`location.search === '' && document.activeElement.type === 'search'`)
    expect(await pills()).toEqual([])
  })
})

describe('a change of a contact', () => {
  it('is taken back exactly, unless somebody changed it since, or it ended a subscription', async () => {
    const { engine, demo: project } = server
    const { contact } = await engine.contacts.upsert(project, {
      email: 'undo@example.org',
      data: { floor: 3, old: 'x' },
    })
    const known = async () => (await engine.contacts.get(project, contact.id)).data
    const page = await open(`contacts/${contact.id}`)
    const undo = async () => {
      await page.click('[role="status"] button ::-p-text(Undo)')
    }
    const save = async (floor: string) => {
      // not clicked: a notice may stand over it
      await page.focus('main ::-p-aria([name="Floor"][role="textbox"])')
      await page.evaluate('document.activeElement.select()')
      await page.keyboard.type(floor)
      await press(page, 'Save')
      await page.waitForSelector('[role="status"] ::-p-text(Saved.)')
    }
    await save('4')
    expect(await known()).toEqual({ floor: 4, old: 'x' })
    await undo()
    await page.waitForSelector('::-p-text(Undone.)')
    expect(await known()).toEqual({ floor: 3, old: 'x' })
    await save('5')
    await engine.contacts.change(project, contact.id, { data: { old: 'y' } })
    await undo()
    await page.waitForSelector('::-p-text(so nothing was undone)')
    expect(await known()).toEqual({ floor: 5, old: 'y' })
    await page.reload()
    await settled(page)
    await page.click('main input[role="switch"]')
    await press(page, 'Save')
    await page.waitForSelector('[role="status"] ::-p-text(Saved.)')
    expect(await page.$$('[role="status"] button ::-p-text(Undo)')).toEqual([])
  })
})

describe('chosen contacts', () => {
  // each of them was asked for by itself, and only 500 were added
  it('are added to a segment in one request, which is taken back for those who were not in it before', async () => {
    const { engine, demo: project } = server
    const { id } = await engine.segments.create(project, { name: 'Chosen by hand', type: 'STATIC' })
    const { items } = await engine.contacts.list(project, { limit: 20 })
    await engine.segments.addMembers(project, id, { contactIds: [items[3]?.id ?? ''] })
    const page = await open('contacts')
    const { requests } = watched(page)
    await page.click('thead input[type="checkbox"]')
    await press(page, 'Add to a segment')
    await page.click('[role="menuitem"] ::-p-text(Chosen by hand)')
    await page.waitForSelector('::-p-text(“Chosen by hand”: 19 added, 1 already in it.)')
    expect(requests.filter((url) => url.includes(items[0]?.id ?? ''))).toEqual([])
    await page.click('button ::-p-text(Undo)')
    await page.waitForSelector('::-p-text(Undone.)')
    const { data } = await engine.segments.contacts(project, id)
    expect(data.map((each) => each.id)).toEqual([items[3]?.id])
  })
})

describe('a tracked segment', () => {
  // its entries and exits were reported to webhooks and workflows, and shown nowhere
  it('shows who entered and who left', async () => {
    const { engine, demo: project } = server
    const email = 'mover@example.org'
    const filters = { operator: 'AND', conditions: [{ field: 'data.floor', operator: 'equals', value: 9 }] } as const
    const { id } = await engine.segments.create(project, { name: 'Ninth floor', filters, trackMembership: true })
    for (const floor of [9, 8]) {
      await engine.contacts.upsert(project, { email, data: { floor } })
      await engine.segments.compute(project, id)
    }
    for (const way of ['entry', 'exit']) {
      const page = await open(`segments/${id}?tab=changes&way=${way}`)
      expect([way, await page.evaluate(`document.querySelector('main').innerText`)]).toEqual([
        way,
        expect.stringContaining(email),
      ])
    }
  })
})

describe('the counts of a step', () => {
  // the numbers stood there without the people behind them
  it('lead to the people behind them', async () => {
    const { engine, demo: project } = server
    const { items } = await engine.workflows.list(project, {})
    const id = items.at(-1)?.id ?? ''
    const { steps } = await engine.workflows.stats(project, id)
    const passed = steps.at(-1)?.byStatus.COMPLETED ?? 0
    expect(passed).toBeGreaterThan(0)
    const page = await open(`workflows/${id}`)
    const last = `[...document.querySelectorAll('main a[href*="stepStatus=COMPLETED"]')].at(-1)`
    await page.waitForFunction(`${last}?.innerText.startsWith('${passed} ')`)
    await page.evaluate(`${last}.click()`)
    await page.waitForFunction(`document.querySelectorAll('main tbody tr a').length === ${Math.min(passed, 20)}`)
    await page.waitForSelector('main ul button ::-p-text(: Completed)')
  })
})

describe('a drawn workflow', () => {
  it('begins with a recipe, and gets a step at a branch by keyboard alone, once its settings are right', async () => {
    const page = await open('workflows')
    await tabTo(page, 'button New workflow')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.activeElement.getAttribute('role') === 'radio'`)
    const recipes = [
      'Welcome series',
      'Welcome to',
      'Double',
      'Birthday',
      'Trial',
      'Win-back',
      'Feedback',
      'Abandoned cart',
    ]
    for (const wanted of recipes) {
      await page.keyboard.press('ArrowDown')
      await page.waitForFunction(`document.activeElement.innerText.startsWith('${wanted}')`)
    }
    await page.keyboard.press('Space')
    await tabTo(page, 'button Create')
    await page.keyboard.press('Enter')
    await isAt(page, 'Abandoned cart')
    expect(await page.evaluate(`document.querySelectorAll('[data-step]').length`)).toBe(6)

    // from the start down the branch of those who order, and beside the last step
    await tabTo(page, 'button Start : The event cart_filled . Goes on at Orders within three hours?.')
    const name = () => page.evaluate(`document.activeElement.querySelector('[class*="name"]')?.innerText`)
    await page.keyboard.press('ArrowDown')
    expect(await name()).toBe('Orders within three hours?')
    await page.keyboard.press('ArrowDown')
    expect(await name()).toBe('Ordered')
    await page.keyboard.press('ArrowUp')
    expect(await name()).toBe('Orders within three hours?')
    await tabTo(page, 'button Add a step after Anything unclear?')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role="menuitem"]')
    const chosen = `document.activeElement.getAttribute('aria-label')`
    for (let at = 0; at < 20 && (await page.evaluate(chosen)) !== 'Split by percentages'; at++) {
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Enter')
    await tabTo(page, 'textbox Percent of branch 1')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForFunction(
      `document.querySelector('fieldset [role="alert"]')?.innerText.includes('100 percent, not 101')`,
    )
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.querySelectorAll('[data-step]').length === 7`)
    // its branches are named, and have their places
    await page.waitForSelector('[aria-label="Add a step after Split by percentages, A"]')
    await page.waitForSelector('[aria-label="Add a step after Split by percentages, B"]')

    // its mails are not written yet
    await tabTo(page, 'button Turn on')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role="dialog"] ::-p-text(Abandoned cart 2: Is anything unclear?)')
    await page.keyboard.press('Escape')
  })

  it('lights up the way of one run', async () => {
    const { engine, demo: project } = server
    const { items } = await engine.workflows.list(project, {})
    const workflow = items.at(-1)?.id ?? ''
    const runs = await engine.workflows.executions.list(project, workflow, { status: 'COMPLETED' })
    const { execution: { id = '' } = {}, steps = [] } = runs.items[0] ?? {}
    expect(steps.length).toBeGreaterThan(2)
    const page = await open(`workflows/${workflow}/runs/${id}`)
    const count = (selector: string) => `document.querySelectorAll('${selector}').length`
    await page.waitForSelector('[data-taken]')
    expect(await page.evaluate(count('[data-taken="true"]'))).toBe(steps.length - 1)
    expect(await page.evaluate(count('[data-pale="true"]'))).toBeGreaterThan(0)
    expect(await page.evaluate(count('[data-pale="false"] time'))).toBe(steps.length)
  })
})

describe('the panel of a step', () => {
  it('takes what holds a mail back, tries the step as it is stored, and leaves the goal alone', async () => {
    const { engine, demo: project } = server
    const [email, eventName] = ['tried@example.org', 'panelled']
    const template = (await engine.templates.list(project, {})).items[0]
    const { id: contactId } = (await engine.contacts.upsert(project, { email })).contact
    const { workflow, steps } = await engine.workflows.create(project, {
      ...{ name: 'Panelled', eventName, goal: { eventName: 'paid' } },
      steps: [
        { key: 'mail', type: 'SEND_EMAIL', templateId: template?.id ?? '' },
        { key: 'wait', type: 'DELAY', config: { amount: 1, unit: 'days' } },
      ],
      transitions: [
        { from: 'trigger', to: 'mail' },
        { from: 'mail', to: 'wait' },
      ],
    })
    const page = await open(`workflows/${workflow.id}`)
    const panel = async (at: number) => {
      await page.click(`[data-step="${steps[at]?.id}"]`)
      await page.waitForSelector('[role="dialog"] form')
      await settled(page)
    }
    await panel(1)
    await tabTo(page, 'textbox Not if mailed within (hours)')
    await page.keyboard.type('8761')
    await page.waitForSelector('[role="dialog"] ::-p-text(as it was last saved)')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role="dialog"] ::-p-text(Must be at most 8760.)')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-step] + div ::-p-text(, not if mailed in the last 876 hours)')
    await panel(1)
    await tabTo(page, 'combobox Contact')
    await page.keyboard.type(email)
    await page.waitForSelector(`[role="option"] ::-p-text(${email})`)
    await page.click(`[role="option"] ::-p-text(${email})`)
    await page.click('[role="dialog"] button ::-p-text(Try)')
    await page.waitForSelector(`[role="status"] ::-p-text(Would send to ${email}:)`)
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.waitForSelector('[role="dialog"]', { hidden: true })

    // the name is saved without the goal, which another user has changed meanwhile
    await panel(0)
    await engine.workflows.change(project, workflow.id, { enabled: true, goal: { eventName: 'bought' } })
    await tabTo(page, 'textbox Name')
    await page.keyboard.press('End')
    await page.keyboard.type(' anew')
    await page.keyboard.press('Enter')
    await isAt(page, 'Panelled anew')
    expect((await engine.workflows.get(project, workflow.id)).workflow).toMatchObject({ goalEvent: 'bought' })

    // it is on, and is so with every request
    await page.keyboard.press('Escape')
    await page.waitForSelector('[role="dialog"]', { hidden: true })
    await page.click('[aria-label^="Add a step between The event panelled"]')
    await page.waitForSelector('[role="menuitem"][aria-label="Wait"]')
    // it unfolds: what it is clicked at would not stay where it is
    await page.evaluate(`document.querySelector('[role="menuitem"][aria-label="Wait"]').click()`)
    await page.waitForSelector('[role="dialog"] form')
    await tabTo(page, 'textbox Step name')
    await page.keyboard.type('Pause')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.querySelectorAll('[data-step]').length === 4`)
    const graph = await engine.workflows.get(project, workflow.id)
    const pause = graph.steps.find(({ name }) => name === 'Pause')?.id
    expect(graph.transitions).toContainEqual(expect.objectContaining({ fromStepId: steps[0]?.id, toStepId: pause }))
    expect(graph.transitions).toContainEqual(expect.objectContaining({ fromStepId: pause, toStepId: steps[1]?.id }))

    await engine.workflows.executions.start(project, workflow.id, { contactId })
    await until(
      'the contact waits',
      async () => (await engine.workflows.stats(project, workflow.id)).byStatus.WAITING > 0,
    )
    await engine.events.track(project, { email, event: 'bought' })
    await until('it is at the goal', async () => (await engine.workflows.stats(project, workflow.id)).goalReached > 0)
    await page.goto(addressOf(`workflows/${workflow.id}`))
    await page.waitForSelector('main a ::-p-text(1 reached the goal)')
    await page.click('main a ::-p-text(1 reached the goal)')
    await page.waitForSelector('main tbody a ::-p-text(Reached the goal)')
    await page.waitForSelector('main ul button ::-p-text(Reached the goal)')

    // a contact that is still in it leaves it by one press
    const { id: left } = (await engine.contacts.upsert(project, { email: 'left@example.org', subscribed: false }))
      .contact
    await engine.workflows.change(project, workflow.id, { goal: null })
    await engine.workflows.executions.start(project, workflow.id, { contactId: left })
    const standing = async () => (await engine.workflows.stats(project, workflow.id)).byStatus
    await until('it waits', async () => (await standing()).WAITING > 0)
    await page.goto(addressOf(`workflows/${workflow.id}`))
    await settled(page)
    await page.click('[aria-label="More"]')
    await (await page.waitForSelector('[role="menuitem"] ::-p-text(End all runs)'))?.click()
    await page.waitForSelector('[role="dialog"] ::-p-text(stop where they are)')
    await page.click('[role="dialog"] button ::-p-text(End all runs)')
    await page.waitForSelector('::-p-text(1 run ended.)')
    expect(await standing()).toMatchObject({ CANCELLED: 1, WAITING: 0 })
  })
})

describe('a list of suppressed addresses', () => {
  it('comes from a file of another service, with the rows that were refused', async () => {
    const page = await open('suppressions?import=1')
    const rows = ['email,reason', 'gone1@example.org,bounce', 'no address,bounce']
    await page.waitForSelector('[role="dialog"] input[type="file"]')
    await choose(page, { name: 'bounces.csv', base64: btoa(rows.join('\n')) })
    await page.waitForSelector('[role="dialog"] ::-p-text(1 added, 1 refused.)')
    await page.waitForSelector('[role="dialog"] ::-p-text(Row 3: no address)')
    expect(await faultsOf(page)).toEqual([])
    const { items } = await server.engine.suppressions.list(server.demo, {})
    expect(items[0]).toMatchObject({ email: 'gone1@example.org', reason: 'BOUNCE' })
  })
})

describe('a topic', () => {
  it('is made, its counts open the contacts behind them, and each has its proof', async () => {
    const { engine, demo } = server
    const page = await open('topics?new=1')
    await page.waitForSelector('[role="dialog"] input[name="name"]')
    await page.type('[role="dialog"] input[name="name"]', 'Field notes')
    await page.click('[role="dialog"] button[type="submit"]')
    await page.waitForSelector('main tbody ::-p-text(Field notes)')
    const { items } = await engine.contacts.list(demo, { limit: 1 })
    const { id = '', email = '' } = items[0] ?? {}
    const topics = [{ topic: 'field-notes', subscribed: true, text: 'Yes, notes' }]
    await engine.subscriptions.topics.choose(demo, id, { topics })
    await page.reload()
    await settled(page)
    expect(await faultsOf(page)).toEqual([])
    await page.click('main tbody a')
    await page.waitForSelector(`main tbody a ::-p-text(${email})`)
    await page.goto(addressOf(`contacts/${id}`))
    await page.waitForSelector('main ::-p-text(“Yes, notes”)')
    expect(await faultsOf(page)).toEqual([])
  })
})

describe('a member who may only read and send', () => {
  it('sees every page, is offered nothing else, and is refused nothing', async () => {
    const { engine } = server
    const eve = { email: 'eve@example.org', password: OWNER.password }
    const member = await engine.accounts.make(eve)
    const { id } = await engine.accounts.members.add(await ownerCaller(), { email: eve.email, role: 'MEMBER' })
    await engine.accounts.members.acceptInvitation(member, id)
    const context = await browser.createBrowserContext()
    onTestFinished(() => context.close())
    const page = await open('', { in: context })
    await signIn(page, eve)
    const refused: string[] = []
    page.on('response', (answer) => {
      if (answer.status() === 403) refused.push(`${page.url()}: ${answer.url()}`)
    })
    const offered: unknown[] = []
    const changes = `[...document.querySelectorAll('main button, main a.mantine-Button-root')].map(({ innerText }) => innerText)
      .filter((text) => /^(Save|Create|Add|New|Delete|Import|Choose)\\b(?! columns)/.test(text))`
    const look = async () => {
      await settled(page)
      const names = (await page.evaluate(changes)) as string[]
      if (names.length > 0) offered.push([page.url(), names])
    }
    const first = `document.querySelector('main tbody a, main a[class*="card"]')`
    for (const href of await menuOf(page)) {
      await page.click(`nav a[href="${new URL(href).pathname}"]`)
      await page.waitForFunction(`location.href === '${href}'`)
      await look()
      if (!(await page.evaluate(`${first} !== null`))) continue
      await page.evaluate(`${first}.click()`)
      await page.waitForFunction(`location.href !== '${href}'`)
      await look()
    }
    expect({ refused, offered }).toEqual({ refused: [], offered: [] })
    await page.goto(addressOf('templates/new'))
    await page.waitForSelector('main ::-p-text(Your role does not allow this)')
    await page.waitForSelector(`main ::-p-text(Ask ${OWNER.email})`)
  })

  it('becomes an editor by the link that the owner copied, writes, and finds no form that is not theirs', async () => {
    const page = await open('settings?tab=members')
    await page.click('main button ::-p-text(Invite a member)')
    await page.type('[role="dialog"] input[type="email"]', 'ines@example.org')
    await page.click('[role="dialog"] input[aria-haspopup="listbox"]')
    const editor = await page.waitForSelector('::-p-aria([name="Editor"][role="option"])', { visible: true })
    await editor?.click()
    await page.waitForSelector('[role="dialog"] ::-p-text(writes and sends campaigns)')
    await page.click('[role="dialog"] button[type="submit"]')
    await page.waitForSelector('[role="dialog"] pre')
    const link = (await page.evaluate(`document.querySelector('[role="dialog"] pre').textContent`)) as string
    const context = await browser.createBrowserContext()
    onTestFinished(() => context.close())
    const theirs = await context.newPage()
    await theirs.goto(new URL(new URL(link).pathname, addressOf('')).href)
    await theirs.type('input[name="password"]', OWNER.password)
    await Promise.all([theirs.waitForNavigation(), theirs.click('button')])
    await theirs.goto(addressOf('templates/new'))
    await theirs.waitForSelector('main input[name="name"]')
    await theirs.goto(addressOf('settings'))
    await theirs.waitForSelector(`main ::-p-text(Ask ${OWNER.email})`)
    expect(await theirs.$$('main input')).toEqual([])
    expect(await theirs.$$('[role="tab"] ::-p-text(Keys)')).toEqual([])
    await theirs.goto(addressOf('settings?tab=members'))
    await theirs.waitForSelector('main ::-p-text(ines@example.org)')
    expect(await theirs.$$('main button ::-p-text(Invite a member)')).toEqual([])
    expect(await faultsOf(theirs)).toEqual([])
    // removed meanwhile, they read why nothing is there, without an id
    await theirs.goto(addressOf('templates'))
    await settled(theirs)
    const { engine, demo: project } = server
    const members = await engine.accounts.members.list(project)
    const ines = members.find(({ email }) => email === 'ines@example.org')
    await engine.accounts.members.remove(await ownerCaller(), ines?.id ?? '')
    await theirs.click('nav a[href$="/segments"]')
    await theirs.waitForSelector('main ::-p-text(no longer open to you)')
    expect(await theirs.evaluate('document.body.innerText')).not.toContain(project.id)
  })
})

/** The owner, as the rooms know callers. */
async function ownerCaller() {
  const { engine, demo: project } = server
  const login = await engine.accounts.login(OWNER)
  if (!('session' in login)) throw new Error('a second factor is asked for')
  return engine.accounts.members.caller(login.user, project.id)
}

/** A picture of one pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Puts a file into the field for files. */
async function choose(
  page: Page,
  { name, base64, at = 0 }: { readonly name: string; readonly base64: string; readonly at?: number },
): Promise<void> {
  await page.waitForSelector('input[type="file"]')
  await page.evaluate(`(() => {
    const field = document.querySelectorAll('input[type="file"]')[${at}]
    const files = new DataTransfer()
    const bytes = Uint8Array.from(atob('${base64}'), (each) => each.charCodeAt(0))
    files.items.add(new File([bytes], ${JSON.stringify(name)}, { lastModified: 0 }))
    field.files = files.files
    field.dispatchEvent(new Event('change', { bubbles: true }))
  })()`)
}

describe('what few projects have', { timeout: SLOWEST_MS }, () => {
  // no other test presses these, and the walk of all buttons does not come to them
  it('is stopped, deleted, taken back and left again', async () => {
    const { engine, demo } = server
    const { inbox } = await engine.inboxes.create(demo, { name: 'Orders', address: 'orders@example.com' })
    const grant = { inboxIds: [inbox.id], rights: ['read', 'draft'], approval: 'always' }
    const agent = { name: 'Agent', kind: 'secret', scopes: ['inbox'], inbox: grant } as const
    await engine.projects.keys.create(demo, untrusted(agent))
    const page = await open('settings?tab=keys')
    const rowOf = (name: string) =>
      `[...document.querySelectorAll('main tbody tr')].find((row) => row.innerText.includes('${name}'))`
    const pressIn = async (name: string, text: string) => {
      const button = `[...(${rowOf(name)}?.querySelectorAll('button') ?? [])].find((each) => each.innerText.trim() === '${text}')`
      await page.waitForFunction(`${button} !== undefined`)
      await page.evaluate(`${button}.click()`)
    }
    const answer = async (text: string) => {
      const button = await page.waitForSelector(`[role="dialog"] ::-p-aria([name="${text}"][role="button"])`)
      await button?.click()
    }
    await pressIn('Agent', 'Stop')
    await pressIn('Agent', 'Let work again')
    await pressIn('Agent', 'Stop')
    await page.waitForFunction(`${rowOf('Agent')}?.innerText.includes('Let work again')`)

    await engine.contacts.upsert(demo, { email: 'odd@example.org', data: { leftOver: 1 } })
    await engine.events.track(demo, { email: 'odd@example.org', event: 'unheard' })
    for (const [tab, name] of [
      ['fields', 'leftOver'],
      ['events', 'unheard'],
    ] as const) {
      await page.goto(addressOf(`settings?tab=${tab}`))
      await settled(page)
      await pressIn(name, 'Delete')
      await answer('Delete')
      await page.waitForFunction(`${rowOf(name)} === undefined`)
    }

    await page.goto(addressOf('settings?tab=members&new=1'))
    await settled(page)
    await page.type('[role="dialog"] input[name="email"]', 'gone@example.org')
    await page.keyboard.press('Enter')
    await answer('Close')
    await pressIn('gone@example.org', 'Remove')
    await answer('Remove')
    await page.waitForFunction(`${rowOf('gone@example.org')} === undefined`)

    for (let i = 0; i < 30; i++) await engine.contacts.upsert(demo, { email: `more${i}@example.org` })
    await page.goto(addressOf('contacts?search=nowhere-at-all'))
    await settled(page)
    await press(page, 'Clear search and filters')
    await page.waitForSelector('main tbody tr')
    for (const at of [2, 3]) {
      await press(page, 'Next')
      await page.waitForFunction(`location.search.includes('page=${at}')`)
      await settled(page)
    }
    await press(page, 'First page')
    await page.waitForFunction(`!location.search.includes('page=')`)

    // the second click of a double click finds the other button, and takes nothing back
    const workflow = (await engine.workflows.list(demo)).items.find(({ enabled }) => enabled)
    await page.goto(addressOf(`workflows/${workflow?.id}`))
    await settled(page)
    // its time stands still, so that it is one on a slow machine, too
    await page.evaluate(`new Promise((done) => {
      const named = (text) => [...document.querySelectorAll('main button')].find(({ innerText }) => innerText.trim() === text)
      const began = performance.now()
      performance.now = () => began
      named('Turn off').click()
      const again = () => {
        const other = named('Turn on')
        if (other === undefined || other.disabled) return setTimeout(again, 5)
        other.click()
        delete performance.now
        done()
      }
      again()
    })`)
    await settled(page)
    const now = (await engine.workflows.list(demo)).items.find(({ id }) => id === workflow?.id)
    expect(now?.enabled).toBe(false)

    const later = new Date(Date.now() + 20 * 86_400_000).toISOString()
    const { contact } = await engine.contacts.upsert(demo, { email: 'rests@example.org' })
    await engine.contacts.change(demo, contact.id, { pausedUntil: later })
    await page.goto(addressOf(`contacts/${contact.id}`))
    await settled(page)
    await press(page, 'End the pause')
    await expect.poll(async () => (await engine.contacts.get(demo, contact.id)).pausedUntil).toBeUndefined()

    // what does not load is asked for again
    await page.setRequestInterception(true)
    const refuse = (request: HTTPRequest) =>
      void (request.url().includes('/topics') && request.resourceType() === 'fetch'
        ? request.respond({ status: 500, body: '{}' })
        : request.continue())
    page.on('request', refuse)
    await page.evaluate(`document.querySelector('nav a[href$="/topics"]').click()`)
    const again = '::-p-aria([name="Try again"][role="button"])'
    await page.waitForSelector(again)
    page.off('request', refuse)
    await page.setRequestInterception(false)
    await (await page.waitForSelector(again))?.click()
    await page.waitForSelector(again, { hidden: true })

    // rules about what was deleted since say so, and are no reason to count again and again
    const segment = await engine.segments.create(demo, { name: 'Short-lived', type: 'STATIC' })
    await engine.segments.addMembers(demo, segment.id, { emails: ['more1@example.org'] })
    const audienceFilter = {
      operator: 'AND',
      conditions: [{ field: `segment.${segment.id}`, operator: 'memberOfSegment' }],
    } as const
    const { campaign } = await engine.campaigns.create(demo, {
      ...{ name: 'Short', subject: 'Short', body: '<p>Hi</p>', from: demo.from?.email ?? 'news@example.com' },
      ...{ audienceType: 'FILTERED', audienceFilter },
    })
    await engine.campaigns.send(demo, campaign.id)
    await expect.poll(async () => (await engine.campaigns.get(demo, campaign.id)).campaign.status).toBe('SENT')
    await engine.segments.remove(demo, segment.id)
    await page.goto(addressOf(`campaigns/${campaign.id}`))
    await page.waitForSelector('main ::-p-text(It cannot be sent again from here)')
    const copy = await engine.campaigns.duplicate(demo, campaign.id)
    await page.goto(addressOf(`campaigns/${copy.campaign.id}?step=audience`))
    await page.waitForSelector('main ::-p-text(This was deleted, so the rule matches no one)')
    await page.waitForSelector('main ::-p-text(Segment “deleted”)')

    await page.setViewport({ width: 390, height: 844 })
    await (await page.waitForSelector('::-p-aria([name="Menu"][role="button"])'))?.click()
    await page.waitForSelector('nav a[href$="/segments"]', { visible: true })
  })
})

/** Presses the button that says this. */
async function press(page: Page, text: string): Promise<void> {
  const button = `[...document.querySelectorAll('main button')].find((each) => each.innerText.trim() === ${JSON.stringify(text)})`
  await page.waitForFunction(`${button} !== undefined && !${button}.disabled`)
  await page.evaluate(`${button}.click()`)
}

/** Presses Tab until the control with this role and name has the focus. */
async function tabTo(page: Page, wanted: string, most = 150): Promise<void> {
  await settled(page)
  const passed: unknown[] = []
  for (let count = 0; count < most; count++) {
    await page.keyboard.press('Tab')
    const name = await page.evaluate(NAME)
    if (name === wanted) return
    passed.push(name)
  }
  throw new Error(`Tab does not reach ${wanted}, but ${passed.join('; ')}`)
}

/** Presses a key until the control with this role and name has the focus. */
async function focusIsOn(page: Page, wanted: string, key: 'ArrowRight' | 'ArrowDown'): Promise<void> {
  for (let count = 0; count < 10; count++) {
    if ((await page.evaluate(NAME)) === wanted) return
    await page.keyboard.press(key)
  }
  throw new Error(`${key} does not reach ${wanted}`)
}

/** The role and the name of what has the focus, as far as these tests need them. */
const NAME = `(() => {
  const node = document.activeElement
  const role = node.getAttribute('role') ?? { A: 'link', BUTTON: 'button', TEXTAREA: 'textbox' }[node.tagName] ??
    ({ radio: 'radio', checkbox: 'checkbox' }[node.type] ?? (node.tagName === 'INPUT' ? 'textbox' : node.tagName))
  const name = node.getAttribute('aria-label') ?? node.labels?.[0]?.innerText ?? node.innerText ?? ''
  return role + ' ' + name.replace(/ \\*$/, '').replace(/\\s+/g, ' ').trim()
})()`

async function isAt(page: Page, heading: string): Promise<void> {
  const isThere = `document.querySelector('main h1')?.innerText === ${JSON.stringify(heading)}`
  await page.waitForFunction(isThere).catch(async (cause: unknown) => {
    throw new Error(`not at ${heading}, but: ${await page.evaluate('document.body.innerText')}`, { cause })
  })
  await settled(page)
}

/** Changes the colors of a page, and waits until they are those that are read. */
async function turn(page: Page, to: 'light' | 'dark'): Promise<void> {
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: to },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ])
  await page.waitForFunction(
    `document.documentElement.dataset.mantineColorScheme === '${to}' && document.getAnimations().length === 0`,
  )
}

function foreign(requests: readonly string[]): readonly string[] {
  const { origin } = new URL(server.url)
  return requests.filter((url) => !url.startsWith(origin) && !/^(data|blob):/.test(url))
}

/** The elements that reach beyond the right edge of the page. */
const TOO_WIDE = `[...document.querySelectorAll('main *')]
  .filter((each) => each.getBoundingClientRect().right > innerWidth && each.children.length === 0)
  .map((each) => each.outerHTML.slice(0, 200))`
