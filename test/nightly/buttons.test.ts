import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import type { MadeProject } from '../../server/demo/history.ts'
import { STEP_MS, testBrowser } from '../browser/chromium.ts'
import { createEngine, silentLog } from '../browser/compiled.ts'
import { type DashboardServer, makeDemo, signIn, startDashboard } from '../browser/dashboard-server.ts'
import { Files } from '../browser/press/by-hand.ts'
import { enliven } from '../browser/press/enliven.ts'
import { buildMarked, buttonsInCode, type MarkedBuild } from '../browser/press/marked-build.ts'
import { bringAbout, SINK } from '../browser/press/states.ts'
import { Walk, type WalkOptions } from '../browser/press/walk.ts'

/** How long it may take on a machine that does much else; by itself it takes about ten minutes, so it is not for every change. */
const SLOWEST_MS = 3_600_000

/**
 * A part of the walk, to look for a fault: `WALK_ONLY='^/inboxes'` are the pages whose addresses within a project fit, and
 * `WALK_LOG` names a file that gets each button as it is pressed.
 */
const ONLY = process.env.WALK_ONLY ? new RegExp(process.env.WALK_ONLY) : undefined
const LOG = process.env.WALK_LOG

/** Buttons that the walk does not come to, each with the test of test/browser that presses it. */
const PRESSED_ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  // a campaign that begins to be sent while it is written
  [/^campaigns\/too-late.tsx TooLate Button t.campaigns.tooLate.keep/, 'together.test.ts'],
  [/^account\/(index.tsx (Profile|Invitations)|second-factor.tsx)/, 'account.test.ts'],
  // no model answers here
  [/^inboxes\/assist|^parts\/(assistant\/|mail-editor\/(assist-menu|subject-ideas).tsx)/, 'assistant.test.ts'],
  [/^connect\/|^settings\/grants.tsx/, 'inboxes.test.ts'],
  [/^contacts\/contact-topics.tsx Pause/, 'dashboard.test.ts'],
  [
    /^contacts\/import-(contacts.tsx Import Button t.contacts.(startImport|another)|columns.tsx ImportColumns)/,
    'dashboard.test.ts',
  ],
  [/^contacts\/import-job.tsx ImportJob Button t.contacts.downloadFailed/, 'dashboard.test.ts'],
  [/^contacts\/import-topic.tsx ImportTopic Button t.contacts.newTopic/, 'newsletter.test.ts'],
  [
    /^inboxes\/thread-page.tsx (Moves Button t.inboxes.archive|Notes Button t.inboxes.addNote|AnswerPlace)/,
    'inboxes.test.ts',
  ],
  [/^domains\/(reports|figures).tsx/, 'dashboard.test.ts'],
  [/^forms\/field-list.tsx Tool/, 'forms.test.ts'],
  [/^inboxes\/files.tsx DraftFiles/, 'inboxes.test.ts'],
  [/^operator\/people.tsx/, 'account.test.ts'],
  [/^operator\/routing.tsx/, 'routing-rules.test.ts'],
  [/^campaigns\/seed-tests.tsx|^settings\/seed-mailboxes.tsx/, 'seeds.test.ts'],
  [/^parts\/active-filters.tsx ActiveFilters Button t.anywhere.clearAll/, 'dashboard.test.ts'],
  [/^parts\/both-changed.tsx/, 'together.test.ts'],
  [/^parts\/mail-frame.tsx MailFrame Button t.anywhere.showPictures/, 'dashboard.test.ts'],
  [/^parts\/list.tsx List Button t.anywhere.(clearFilters|firstPage)/, 'dashboard.test.ts'],
  [/^parts\/mail-editor\/(mail-editor.tsx EarlierLook|save-as-snippet.tsx)/, 'mail-editor.test.ts'],
  [/^parts\/mail-servers\/|^set-up\/mail-step.tsx UseAsSender/, 'first-mail.test.ts'],
  [/^parts\/(notice-list|problem).tsx/, 'dashboard.test.ts'],
  [/^settings\/(fields-and-events|members).tsx|^settings\/keys.tsx Keys Button key.stoppedAt/, 'dashboard.test.ts'],
  [/^shell\/frame.tsx Frame Burger/, 'dashboard.test.ts'],
  [/^templates\/versions-panel.tsx/, 'mail-editor.test.ts'],
  [/^uploads\/picture.tsx Picture ActionIcon/, 'dashboard.test.ts'],
  [/^workflows\/mail-part.tsx/, 'welcome-series.test.ts'],
  [/^workflows\/try-step.tsx/, 'dashboard.test.ts'],
]

const OPTIONS: WalkOptions = {
  // the pages of the dashboard: others are reached by links, too
  pages: (shape) =>
    !/^\/app\/sign-in|^\/(docs|nowhere|archive|f)\b/.test(shape) && (ONLY === undefined || ONLY.test(shape)),
  ...(LOG && { log: (line: string) => appendFileSync(LOG, `${new Date().toISOString().slice(11, 19)} ${line}\n`) }),
  values: [
    // of an inbox
    ['^address ', 'probe@lumen.example'],
    ['blocked', 'probe@spam.example'],
    ['^\\s*(to|cc|bcc)\\b', 'probe@example.com'],
    ['value of rule|forward', 'probe@example.com'],
    ['origin', 'https://example.com'],
    [' date$', '2030-01-01'],
    ['linkHost|links.*host', 'links.lumen.example'],
    ['feed', ''],
    ['\\b(at|time)\\b.*time|time of', '09:00'],
    ['e-?mail', 'probe@example.com'],
    ['url|link|address of|https', 'https://example.com/probe'],
    ['domain', 'probe.example'],
    ['password', 'correct horse battery'],
    ['^slug|short name', 'probe-slug'],
    ['colou?r', '#0b7285'],
    ['archiveSlug', 'probe-archive'],
    ['^search|\\bsearch\\b', ''],
  ],
  // the session of the walk itself, its password and its project, which all that follows needs
  notForReal: [/^Sign out/, /^Leave/, /^Claim/, /^Change password/],
  refusals: [
    [/^\/domains\/:id/, /does not receive mail|needs a public URL/, 'nothing from outside reaches this server'],
    [/^\/workflows\/:id/, /Contacts are in/, 'a workflow is not deleted while contacts are in it'],
    [/^\/(segments|templates)\/:id/, /is used by/, 'a draft has been given it by then'],
    [/^\/campaigns\/:id/, /it cannot be paused/, 'all of it is sent by then'],
    [/^\/campaigns\/:id .*Delete/, /is used by the series/, 'a series is made from it by then'],
    [/^\/settings/, /no OWNER/, 'the project has one owner, who stays'],
    [/^\/settings .*Delete/, /is used by/, 'a segment or a form asks for the field'],
    [/^\/app\/operator .*Look up/, /must name the addresses/, 'the configuration names no addresses of servers'],
    [/^\/settings .*Add a mailbox/, /reads no mailboxes/, 'the engine has no secret to keep their passwords with'],
    [/^\/contacts/, /has no column named/, 'the column of the addresses is left out'],
    [/^\/(segments\/new|workflows)/, /conditions\.\d+\.value/, 'a rule compares with a value that is to be written'],
  ],
  last: /delete|remove|leave|stop|\bend\b|revoke|sign out|archive|hide|Deutsch|password|claim|^clear$|^send (now|all the same)|^cancel campaign/i,
}

const browser = testBrowser()
let demo: MadeProject
let server: DashboardServer
let marked: MarkedBuild
let files: Files

beforeAll(async () => {
  demo = await makeDemo(30)
  marked = await buildMarked()
  files = new Files()
  await askBefore(demo)
  const own = { name: 'Demo', trustedDomains: ['example.com', 'lumen.example'] }
  server = await startDashboard(sqlite({ file: demo.file, synchronous: 'NORMAL' }), SINK, own, marked.within)
}, 120_000)
afterAll(async () => {
  await server?.stop()
  await demo?.remove()
  marked?.remove()
  files?.remove()
})

/** Opens a page that breaks while it is drawn, since the server answers nonsense, and presses the only button that it has. */
async function refreshBroken(url: string): Promise<string> {
  const page = await browser.newPage()
  page.setDefaultTimeout(STEP_MS)
  await page.setRequestInterception(true)
  let isNonsense = true
  page.on('request', (request) => {
    const isAbout = isNonsense && new URL(request.url()).pathname === '/segments'
    void (isAbout ? request.respond({ contentType: 'application/json', body: '{}' }) : request.continue())
  })
  await page.goto(url)
  const button = await page.waitForSelector('main button[data-mark^="shell/broken.tsx"]')
  const mark = await button?.evaluate((element) => element.getAttribute('data-mark'))
  isNonsense = false
  await Promise.all([page.waitForNavigation(), button?.click()])
  await page.waitForSelector('main table')
  await page.close()
  return String(mark)
}

/** Asks a contact to confirm that it signed up, two days ago, so that it may be asked once more. */
async function askBefore({ file }: MadeProject): Promise<void> {
  const engine = await createEngine({
    ...{ store: sqlite({ file, synchronous: 'NORMAL' }), publicUrl: 'http://127.0.0.1', log: silentLog },
    clock: { now: () => new Date(Date.now() - 2 * 86_400_000) },
  })
  const [project] = await engine.projects.list()
  const { forms } = engine.subscriptions
  const words = { name: 'Asked', texts: { title: 'News' }, consent: 'Yes.', doubleOptIn: true }
  const form = await forms.create(project!, words)
  await forms.submit((await forms.look(form.id))!, { email: 'asked-before@example.org' })
  await engine.stop()
}

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
  const states = await bringAbout(server, files)
  const menu = `[...document.querySelectorAll('nav a[href^="/app/"]')].map(({ href }) => href)`
  const walk = new Walk(page, OPTIONS)
  const [sent] = (await server.engine.campaigns.list(server.demo, { status: 'SENT' })).items
  const [form] = (await server.engine.subscriptions.forms.list(server.demo)).items
  const more = [
    ...['start', 'campaigns/series', 'inboxes/approvals', 'templates/snippets', 'templates/layouts'],
    ...[`campaigns/${sent?.campaign.id}`, `forms/${form?.id}?tab=edit`],
    ...['members', 'keys', 'servers', 'fields', 'events', 'limits', 'audit'].map((tab) => `settings?tab=${tab}`),
  ].map((path) => `${server.url}p/${server.demo.id}/${path}`)
  const own = ['account', 'operator', 'operator/people'].map((path) => server.url + path)
  const others = [...((await page.evaluate(menu)) as string[]), ...more, ...own].map((url) => ({ url }))
  // what is in some state is looked at before any other page changes it
  await walk.run([...states, ...others])
  // both lists are wanted: a whole walk takes long
  expect.soft(walk.faults).toEqual([])
  walk.marks.add(await refreshBroken(`${server.url}p/${server.demo.id}/segments`))
  const all = [...buttonsInCode()]
  expect(all.length).toBeGreaterThan(300)
  const unused = PRESSED_ELSEWHERE.filter(([pattern]) => !all.some((button) => pattern.test(button)))
  expect(unused).toEqual([])
  const left = all.filter(
    (button) => !walk.marks.has(button) && !PRESSED_ELSEWHERE.some(([pattern]) => pattern.test(button)),
  )
  if (LOG) appendFileSync(LOG, `Not pressed:\n${left.join('\n')}\n`)
  if (ONLY !== undefined) return
  // what one button deletes, another may have wanted
  expect(left.length, left.join('\n')).toBeLessThan(6)
})
