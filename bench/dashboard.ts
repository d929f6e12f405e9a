import type { Browser, Page } from 'puppeteer-core'
import { createEngine } from '../config/library.ts'
import { launchChromium } from '../test/browser/chromium.ts'
import { addressOf, fillContacts, PROJECT_ID, TENTH } from './audience-data.ts'
import { type BenchStore, onDatabases } from './databases.ts'
import type { Figure } from './figure.ts'
import { startServer } from './server-process.ts'

/** How often each page is opened, and each thing done. */
const RUNS = 5
const OWNER = { email: 'ada@example.com', password: 'correct horse battery' }
const PROJECTS = [{ id: PROJECT_ID, name: 'Bench', trustedDomains: ['example.com'] }]
/** Elements on a page while something is on its way. */
const BUSY = '[aria-busy="true"], [data-stale], .mantine-Skeleton-root, .mantine-Loader-root'
const FIRST_ROW = `document.querySelector('main tbody tr:not(:has(.mantine-Skeleton-root))')?.innerText`

/**
 * The dashboard of a large project in a browser, from the call of a page until it can be used: its rows and figures are
 * there, and nothing is on its way. Each page is opened with an empty cache. The browser has the same two cores as the
 * server and the database.
 */
export function measureDashboard(on: BenchStore, contacts: number): Promise<readonly Figure[]> {
  return onDatabases(on, async (make) => {
    const { config, plugins, settle } = await make()
    const engine = await createEngine({ ...plugins, projects: PROJECTS, accounts: { passwordCost: 10 } })
    const [project] = await engine.projects.list()
    await engine.accounts.make(OWNER, 'new', { owns: true })
    await engine.stop()
    if (!project) throw new Error('the project was not made')
    await fillContacts(plugins.store, project.id, contacts)
    await settle()
    const limits = { requestsPerMinute: 10_000_000 }
    const server = await startServer({
      config: { store: config, projects: PROJECTS, limits, accounts: { passwordCost: 10 } },
      server: { publicUrl: 'http://127.0.0.1' },
    })
    const browser = await launchChromium()
    try {
      const figures = await measurePages(browser, `${server.url}/app/`, contacts)
      return figures.map((figure) => ({ ...figure, what: `dashboard: ${figure.what}, ${on}` }))
    } finally {
      await browser.close()
      await server.stop({ remove: true })
    }
  })
}

async function measurePages(browser: Browser, url: string, contacts: number): Promise<readonly Figure[]> {
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(url)
  await page.waitForSelector('input[type="email"]')
  await page.type('input[type="email"]', OWNER.email)
  await page.type('input[type="password"]', OWNER.password)
  await page.keyboard.press('Enter')
  await page.waitForSelector('nav[aria-label]')
  const home = `${url}p/${PROJECT_ID}`
  const list = `${home}/contacts`
  const rules = `${list}?filter=${encodeURIComponent(JSON.stringify(TENTH))}`
  const rare = addressOf(Math.floor(contacts / 2))
  const count = contacts.toLocaleString('en')
  const opened = (address: string, isThere: string) => medianOf(() => msToOpen(page, address, isThere))
  const doneOn = (address: string, act: string | (() => Promise<void>)) =>
    medianOf(async () => {
      await msToOpen(page, address, FIRST_ROW)
      return msToDo(page, act)
    })
  const clicked = (text: string) =>
    `[...document.querySelectorAll('main button, main label')].find((each) => each.innerText.trim() === '${text}').click()`
  const numbers: number[] = []
  const figures = {
    Home: await opened(home, `document.querySelector('main svg[role="img"], main table')`),
    contacts: await opened(list, `${FIRST_ROW} && document.querySelector('main').innerText.includes('${count}')`),
    'contacts by two conditions on data': await medianOf(async () => {
      const rows = await msToOpen(page, rules, FIRST_ROW)
      // counting continues in the background, so the next run starts once the server is at rest
      numbers.push(await untilCalm(page, `document.querySelector('main').innerText.includes('in total')`))
      return rows
    }),
    'the number of these contacts': middleOf(numbers),
    'the next page of contacts': await doneOn(list, clicked('Next')),
    'contacts that are unsubscribed': await doneOn(list, clicked('Not subscribed')),
    'contacts by an address, pasted': await doneOn(list, async () => {
      await page.focus('main input[type="search"]')
      await page.keyboard.sendCharacter(rare)
    }),
  }
  return Object.entries(figures).map(([what, value]) => ({ what, value, unit: 'ms', note: `${count} contacts` }))
}

/** From the call of this address, with an empty cache, until `isThere` holds and nothing is on its way. */
async function msToOpen(page: Page, address: string, isThere: string): Promise<number> {
  await page.goto('about:blank')
  await page.setCacheEnabled(false)
  await page.goto(address, { waitUntil: 'domcontentloaded' })
  return untilCalm(page, isThere)
}

/** From something that is done on a list until the rows it leads to are there. */
async function msToDo(page: Page, act: string | (() => Promise<void>)): Promise<number> {
  const first = await page.evaluate(FIRST_ROW)
  const from = Number(await page.evaluate('performance.now()'))
  if (typeof act === 'string') await page.evaluate(act)
  else await act()
  return (await untilCalm(page, `${FIRST_ROW} && ${FIRST_ROW} !== ${JSON.stringify(first)}`)) - from
}

/** When the page has what is wanted, painted, in milliseconds since it was called. */
async function untilCalm(page: Page, isThere: string): Promise<number> {
  const calm = `document.querySelector('main h1') && !document.querySelector('${BUSY}') && ${isThere}`
  const handle = await page.waitForFunction(`(${calm}) ? performance.now() : false`, { polling: 'raf' })
  return Number(await handle.jsonValue())
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) times.push(await measure())
  return middleOf(times)
}

function middleOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}
