import { readFileSync } from 'node:fs'
import type { Page } from 'puppeteer-core'
import { expect, it } from 'vitest'
import { REFUSAL_MEANINGS } from '../../core/bounces/refusal-meaning.ts'
import { CHECK_SENTENCES } from '../../core/checks/check-sentences.ts'
import { BIMI_ADVICE } from '../../core/domains/bimi-advice.ts'
import { BLOCKLIST_ADVICE } from '../../core/domains/blocklist-advice.ts'
import { DNS_ADVICE } from '../../core/domains/dns-advice.ts'
import { TEST_ADVICE } from '../../core/domains/test-advice.ts'
import { RATE_ADVICE } from '../../core/feedback/verdict.ts'
import { DE } from '../../core/mail/languages/de.ts'
import { EN } from '../../core/mail/languages/en.ts'
import { REPORT_ADVICE } from '../../core/reports/report-advice.ts'
import { STS_ADVICE } from '../../core/reports/sts-advice.ts'
import { DKIM_ADVICE } from '../../plugins/identity-dkim/dkim-advice.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { de } from '../../server/dashboard/texts/de/all.ts'
import { audit as germanAudit } from '../../server/dashboard/texts/de/audit.ts'
import { recipes as germanRecipes } from '../../server/dashboard/texts/de/recipes.ts'
import { en } from '../../server/dashboard/texts/en/all.ts'
import { audit } from '../../server/dashboard/texts/en/audit.ts'
import { recipes } from '../../server/dashboard/texts/en/recipes.ts'
import type { MadeProject } from '../../server/demo/history.ts'
import { accountWords } from '../../server/pages/account-words.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { testBrowser } from './chromium.ts'
import { SCREENS, type Screen } from './dashboard-screens.ts'
import { type DashboardServer, makeDemo, settled, signIn, startDashboard } from './dashboard-server.ts'
import { enliven } from './press/enliven.ts'

const SLOWEST_MS = 400_000
const IN_PAGE = readFileSync(new URL('./press/in-page.js', import.meta.url), 'utf8')

/** Names that the demo and `enliven` have given, which are English words of ours elsewhere. */
const NAMES = new Set(['Welcome', 'News', 'Offers', 'Events', 'Newsletter', 'Receipt', 'Help', 'Two days', 'Sign up'])

/** Stands for each thing that a function of words takes. */
const GIVEN = '\u0001'
/** So long a piece of a sentence is at least, that it is told from a name. */
const PIECE = 12

/** All texts, and the pieces of those that take something. */
function saidIn(words: unknown, into: { texts: Set<string>; pieces: Set<string> }): typeof into {
  if (typeof words === 'string') {
    const pieces = words.split(/\{\w+\}/)
    if (pieces.length === 1) into.texts.add(words)
    else for (const piece of pieces) into.pieces.add(piece.trim())
  } else if (typeof words === 'function') {
    try {
      const said: unknown = words(...Array.from({ length: words.length }, () => GIVEN))
      if (typeof said === 'string') for (const piece of said.split(GIVEN)) into.pieces.add(piece.trim())
    } catch {
      // it takes what is no text
    }
  } else if (typeof words === 'object' && words !== null) {
    for (const each of Object.values(words)) saidIn(each, into)
  }
  return into
}

const ADVICE = [
  CHECK_SENTENCES,
  DNS_ADVICE,
  TEST_ADVICE,
  DKIM_ADVICE,
  RATE_ADVICE,
  REFUSAL_MEANINGS,
  REPORT_ADVICE,
  STS_ADVICE,
  BIMI_ADVICE,
  BLOCKLIST_ADVICE,
]
const ENGLISH = saidIn([en, audit, recipes, EN, ADVICE, accountWords(['en'])], { texts: new Set(), pieces: new Set() })
const GERMAN = saidIn([de, germanAudit, germanRecipes, DE, accountWords(['de'])], {
  texts: new Set(),
  pieces: new Set(),
})
const germanText = [...GERMAN.texts, ...GERMAN.pieces].join('\n')
const texts = new Set([...ENGLISH.texts].filter((text) => /[a-z]{2}/.test(text) && !GERMAN.texts.has(text)))
const pieces = [...ENGLISH.pieces].filter(
  (piece) => piece.length >= PIECE && / /.test(piece) && !germanText.includes(piece),
)

/** The English words of ours among what is shown. */
function englishIn(shown: readonly string[]): readonly string[] {
  return shown.filter((text) => !NAMES.has(text) && (texts.has(text) || pieces.some((piece) => text.includes(piece))))
}

/** A number among the data of contacts, with decimals as German does not write them. */
const AMOUNT = 2437.79

const link = 'main tbody a, main a[class*="card"]'
/** Screens that only a project with more than the demo has. */
const MORE: readonly Screen[] = [
  ...['inboxes', 'inboxes/approvals', 'templates/layouts', 'templates/snippets'].map((path) => ({ name: path, path })),
  ...['inboxes', 'templates/layouts', 'templates/snippets'].map((path) => ({
    name: `one of ${path}`,
    path,
    click: { link },
  })),
  { name: 'campaign of variants', path: 'campaigns?status=DRAFT', click: { link, tab: 'step=send' } },
  ...['transport', 'domain', 'mail'].map((step) => ({ name: `start: ${step}`, path: `start?step=${step}` })),
]

const browser = testBrowser()
let demo: MadeProject
let server: DashboardServer

anewOnRetry(
  async () => {
    demo = await makeDemo(30)
    const own = { name: 'Demo', trustedDomains: ['example.com', 'lumen.example'], locale: 'de' }
    server = await startDashboard(sqlite({ file: demo.file, synchronous: 'NORMAL' }), {}, own)
    await enliven(server)
    const { engine, demo: project } = server
    const filters = {
      operator: 'AND',
      conditions: [{ field: 'data.spent', operator: 'lessThan', value: AMOUNT }],
    } as const
    await engine.segments.create(project, { name: 'Sparer', type: 'DYNAMIC', filters })
    await engine.contacts.upsert(project, { email: 'kunde@example.org', data: { spent: AMOUNT } })
  },
  async () => {
    await server?.stop()
    await demo?.remove()
  },
)

it('knows English words when it sees them', () => {
  expect(texts.size).toBeGreaterThan(1500)
  expect(pieces.length).toBeGreaterThan(150)
  expect(englishIn(['Einstellungen', 'Settings', 'Newsletter'])).toEqual(['Settings'])
})

it('is not English anywhere when it is German', { timeout: SLOWEST_MS }, async () => {
  const found = new Map<string, readonly string[]>()
  const amounts = new Set<string>()
  const page = await germanPage()
  const look = async (name: string) => {
    const shown = (await page.evaluate('walk.texts()')) as string[]
    const values = (await page.evaluate(
      '[...document.querySelectorAll("input")].map(({ value }) => value)',
    )) as string[]
    const numbers = [...shown, ...values].filter((text) => /2437.79/.test(text))
    if (numbers.length > 0) amounts.add(name)
    const english = [...englishIn(shown), ...numbers.filter((text) => text.includes(String(AMOUNT)))]
    if (english.length > 0) found.set(name, [...new Set(english)])
  }
  await page.goto(server.url)
  await page.waitForSelector('input[type="email"]')
  await look('sign-in')
  await page.goto(`${server.url}sign-in/forgotten`)
  await page.waitForSelector('input[type="email"]')
  await look('forgotten')
  await page.goto(server.url)
  await signIn(page)
  const root = `${server.url}p/${server.demo.id}/`
  for (const { name, path, click } of [...SCREENS, ...MORE]) {
    const url = path.startsWith('/') ? `${server.url}${path.slice(1)}` : root + path
    await page.evaluate(`walk.open(${JSON.stringify(url)})`)
    await settled(page)
    if (click !== undefined) {
      const href = await page.evaluate(`document.querySelector(${JSON.stringify(click.link)})?.href`)
      if (typeof href !== 'string') throw new Error(`${name}: there is no ${click.link}`)
      await page.evaluate(
        `walk.open(${JSON.stringify(click.tab === undefined ? href : `${href.split('?')[0]}?${click.tab}`)})`,
      )
      await settled(page)
    }
    await look(name)
    // the menu of its head, and the dialog of its first button
    for (const opener of ['main header [aria-haspopup="menu"]', 'main header button:not([aria-haspopup])']) {
      const isThere = await page.evaluate(`Boolean(document.querySelector(${JSON.stringify(opener)}))`)
      if (!isThere) continue
      await page.evaluate(`document.querySelector(${JSON.stringify(opener)}).click()`)
      await page.evaluate('walk.idle()')
      await look(`${name}: ${opener}`)
      await page.keyboard.press('Escape')
    }
  }
  expect(Object.fromEntries(found)).toEqual({})
  expect([...amounts]).toEqual(expect.arrayContaining(['contact', 'segments', 'segment-rules']))
})

it('has pages for the recipients in German alone, too', { timeout: SLOWEST_MS }, async () => {
  const found = new Map<string, readonly string[]>()
  const page = await germanPage()
  const { engine, demo: project } = server
  const origin = new URL(server.url).origin
  const { items } = await engine.subscriptions.forms.list(project)
  const link = (await engine.accounts.firstUser.link(origin)) ?? `${origin}/auth/setup/none`
  const addresses = [
    `/leave/${project.id}`,
    '/archive/probe-news',
    ...items.map(({ id }) => `/f/${id}`),
    new URL(link).pathname,
    ...['verify-email', 'reset-password', 'accept-invite'].map((name) => `/auth/${name}/none`),
    ...['unsubscribe', 'manage', 'subscribe', 'view'].map((name) => `/${name}/none`),
  ]
  for (const path of addresses) {
    const answer = await page.goto(origin + path)
    expect(answer?.headers()['content-type'], path).toContain('text/html')
    const english = englishIn((await page.evaluate('walk.texts()')) as string[])
    if (english.length > 0) found.set(path, english)
    expect(await page.evaluate('document.documentElement.lang'), path).toBe('de')
  }
  expect(Object.fromEntries(found)).toEqual({})
})

async function germanPage(): Promise<Page> {
  const page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 800 })
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setExtraHTTPHeaders({ 'accept-language': 'de' })
  await page.evaluateOnNewDocument(`localStorage.setItem('mailwright-language', 'de')`)
  await page.evaluateOnNewDocument(IN_PAGE)
  return page
}
