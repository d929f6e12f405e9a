import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import type { MadeProject } from '../../server/demo/history.ts'
import { launchChromium, STEP_MS } from '../browser/chromium.ts'
import { type DashboardServer, makeDemo, signIn, startDashboard } from '../browser/dashboard-server.ts'
import { enliven } from '../browser/press/enliven.ts'
import { buildMarked, buttonsInCode, type MarkedBuild } from '../browser/press/marked-build.ts'
import { Walk, type WalkOptions } from '../browser/press/walk.ts'

/** How long it may take on a machine that does much else; by itself it takes about ten minutes, so it is not for every change. */
const SLOWEST_MS = 1_200_000

/** Buttons that the walk does not come to, each with its reason. */
const NOT_REACHED: readonly (readonly [RegExp, string])[] = [
  [/^account\/index.tsx/, 'while an invitation waits, or an address is not confirmed'],
  [/^account\/second-factor.tsx/, 'with codes of the second factor: account.test.ts'],
  [/^account\/sessions.tsx|SignOut|LeaveProject/, 'end the session of the walk, or its place in the project'],
  [
    /^campaigns\/(brake-question|campaign-page|variant-results).tsx/,
    'while a campaign is sent: dashboard.test.ts, variants.test.ts',
  ],
  [
    /^contacts\/import-|^suppressions\/import-|detach|^uploads\/|picture-field.tsx/,
    'once a file was chosen, which no page does by itself: newsletter.test.ts',
  ],
  [
    /^contacts\/(awaited-confirmation|contact-topics|contact-places)/,
    'for contacts who wait, pause, or are in a workflow',
  ],
  [/^inboxes\/(thread-page|message|approvals)/, 'once a mail came in: inboxes.test.ts'],
  [/^mails\/mail-page.tsx Actions/, 'while a mail waits to be sent'],
  [/both-changed|together.tsx/, 'with two people on one draft: together.test.ts'],
  [/broken.tsx|problem.tsx/, 'when a page breaks, or does not load'],
  [/list.tsx List Button t.anywhere.(firstPage|previous|next)/, 'in lists of more than one page'],
  [/frame.tsx Frame Burger/, 'on a phone'],
  [/notice-list.tsx/, 'notices are closed before the next press'],
  [/^parts\/mail-servers|UseAsSender/, 'with a mail server that answers: first-mail.test.ts'],
  [/^parts\/mail-editor/, 'for a chosen block: mail-editor.test.ts'],
  [
    /^workflows\/(run-page|mail-part|use-step-edits|start-fields|wait-until-fields)/,
    'for steps and runs that the demo has not',
  ],
  [/^settings\/members/, 'pressed by dashboard.test.ts, where an editor comes by the link of an invitation'],
  [/^settings\/(keys|fields-and-events)/, 'for keys of agents, and for fields and events that nothing uses'],
  [/^campaigns\/(test-fields|variants-fields|check-step)/, 'for a campaign of variants: variants.test.ts'],
  [/^segments\//, 'for segments whose changes are kept: dashboard.test.ts'],
  [/^workflows\/(steps|try-step)/, 'in the panel of a step: dashboard.test.ts'],
  [/bulk-bar.tsx|series-page.tsx|segment-menus|versions-panel/, 'for rows, issues and versions that are gone by then'],
  [
    /edit-campaign|list.tsx Search|slug-field|template-page.tsx Actions/,
    'while something is typed, which is saved by itself',
  ],
]

const OPTIONS: WalkOptions = {
  // the pages of the dashboard: others are reached by links, too
  pages: (shape) => !/^\/app\/sign-in|^\/(docs|nowhere|archive|f)\b/.test(shape),
  values: [
    // of an inbox
    ['^address ', 'probe@lumen.example'],
    ['blocked', 'probe@spam.example'],
    ['^\\s*(to|cc|bcc)\\b', 'probe@example.com'],
    ['value of rule', 'probe@example.com'],
    ['origin', 'https://example.com'],
    [' date$', '2030-01-01'],
    ['linkHost|links.*host', 'links.lumen.example'],
    ['feed', ''],
    ['\\b(at|time)\\b.*time|time of', '09:00'],
    ['e-?mail', 'probe@example.com'],
    ['url|link|address of|https', 'https://example.com/probe'],
    ['domain', 'probe.example'],
    ['password', 'correct horse battery'],
    ['^slug|short name', 'probe'],
    ['colou?r', '#0b7285'],
    ['archiveSlug', 'probe-archive'],
    ['^search|\\bsearch\\b', ''],
  ],
  // the session of the walk itself, its password and its project, which all that follows needs
  notForReal: [/^Sign out/, /^Leave/, /^Claim/, /^Change password/],
  refusals: [
    [/^\/domains\/:id/, /does not receive mail|needs a public URL/, 'nothing from outside reaches this server'],
    [/^\/workflows\/:id/, /Contacts are in/, 'a workflow is not deleted while contacts are in it'],
    [/^\/campaigns\/:id/, /it cannot be paused/, 'all of it is sent by then'],
    [/^\/settings/, /no OWNER/, 'the project has one owner, who stays'],
    [/^\/segments\/new/, /conditions\.0\.value/, 'the first rule compares with a value that is to be written'],
  ],
  last: /delete|remove|leave|stop|\bend\b|revoke|sign out|archive|hide|Deutsch|password|claim/i,
}

let browser: Browser
let demo: MadeProject
let server: DashboardServer
let marked: MarkedBuild

beforeAll(async () => {
  browser = await launchChromium()
  demo = await makeDemo(30)
  marked = await buildMarked()
  const own = { name: 'Demo', trustedDomains: ['example.com', 'lumen.example'] }
  server = await startDashboard(sqlite({ file: demo.file, synchronous: 'NORMAL' }), {}, own, marked.within)
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await server?.stop()
  await demo?.remove()
  marked?.remove()
})

// nothing else presses a button whose request fails, by a field, the server or the network
it('has buttons that work, and that say why when they are refused', { timeout: SLOWEST_MS }, async () => {
  const page = await browser.newPage()
  page.setDefaultTimeout(STEP_MS)
  await page.setViewport({ width: 1280, height: 800 })
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.evaluateOnNewDocument(`localStorage.setItem('mailwright-language', 'en')`)
  await Walk.prepare(page)
  await page.goto(server.url)
  await signIn(page)
  await enliven(server)
  const menu = `[...document.querySelectorAll('nav a[href^="/app/"]')].map(({ href }) => href)`
  const walk = new Walk(page, OPTIONS)
  const [sent] = (await server.engine.campaigns.list(server.demo, { status: 'SENT' })).items
  const [form] = (await server.engine.subscriptions.forms.list(server.demo)).items
  const more = [
    ...['start', 'campaigns/series', 'inboxes/approvals', 'templates/snippets', 'templates/layouts'],
    ...[`campaigns/${sent?.campaign.id}`, `forms/${form?.id}?tab=edit`],
    ...['members', 'keys', 'servers', 'fields', 'events', 'limits', 'audit'].map((tab) => `settings?tab=${tab}`),
  ].map((path) => `${server.url}p/${server.demo.id}/${path}`)
  const own = ['account', 'operator'].map((path) => server.url + path)
  await walk.run([...((await page.evaluate(menu)) as string[]), ...more, ...own])
  expect(walk.faults).toEqual([])
  const all = [...buttonsInCode()]
  expect(all.length).toBeGreaterThan(300)
  const unused = NOT_REACHED.filter(([pattern]) => !all.some((button) => pattern.test(button)))
  expect(unused).toEqual([])
  const left = all.filter((button) => !walk.marks.has(button) && !NOT_REACHED.some(([pattern]) => pattern.test(button)))
  // what one button deletes, another may have wanted
  expect(left.length, left.join('\n')).toBeLessThan(6)
})
