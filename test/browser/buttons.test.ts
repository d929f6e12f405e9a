import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import type { MadeProject } from '../../server/demo/history.ts'
import { launchChromium } from './chromium.ts'
import { type DashboardServer, makeDemo, signIn, startDashboard } from './dashboard-server.ts'
import { Walk, type WalkOptions } from './press/walk.ts'

/** How long it may take on a machine that does much else; by itself it takes about a minute. */
const SLOWEST_MS = 600_000

const OPTIONS: WalkOptions = {
  // each page of the menu, and what each mail and contact has; others are pressed by the tests of their nouns
  pages: (shape) => /^\/[\w-]*$|^\/app\/account$|^\/(mails|contacts)\/:id$/.test(shape),
  values: [
    ['e-?mail', 'probe@example.com'],
    ['url|link|address of|https', 'https://example.com/probe'],
    ['domain', 'probe.example'],
    ['password', 'correct horse battery'],
    ['^slug|short name', 'probe'],
    ['colou?r', '#0b7285'],
    ['archiveSlug', 'probe-archive'],
    ['search|filter', ''],
  ],
  // the session of the walk itself, its password and its project, which all that follows needs
  notForReal: [/^Sign out/, /^Leave/, /^Claim/, /^Change password/],
  last: /delete|remove|leave|stop|\bend\b|revoke|sign out|archive|hide|Deutsch|password|claim/i,
}

let browser: Browser
let demo: MadeProject
let server: DashboardServer

beforeAll(async () => {
  browser = await launchChromium()
  demo = await makeDemo(30)
  server = await startDashboard(sqlite({ file: demo.file, synchronous: 'NORMAL' }))
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
  await demo?.remove()
})

// nothing else presses a button whose request fails, by a field, the server or the network
it('has buttons that work, and that say why when they are refused', { timeout: SLOWEST_MS }, async () => {
  const page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 800 })
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.evaluateOnNewDocument(`localStorage.setItem('mailwright-language', 'en')`)
  await Walk.prepare(page)
  await page.goto(server.url)
  await signIn(page)
  const menu = `[...document.querySelectorAll('nav a[href^="/app/"]')].map(({ href }) => href)`
  const walk = new Walk(page, OPTIONS)
  await walk.run((await page.evaluate(menu)) as string[])
  expect(walk.faults).toEqual([])
  expect(walk.shapes.size).toBeGreaterThan(18)
  expect(walk.pressed.length).toBeGreaterThan(200)
})
