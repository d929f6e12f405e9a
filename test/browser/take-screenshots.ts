import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'puppeteer-core'
import { it } from 'vitest'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { launchChromium } from './chromium.ts'
import { SCREENS } from './dashboard-screens.ts'
import { type DashboardServer, makeDemo, settled, signIn, startDashboard } from './dashboard-server.ts'
import { startPageServer } from './mailed-pages.ts'

/**
 * Takes the pictures of the documentation: `CHROMIUM_PATH=/usr/bin/chromium npm run screenshots`. Look at each before you keep
 * it: without Japanese fonts, Chromium draws boxes. `SCREENS_INTO=/tmp/screens` puts
 * all screens of the dashboard there, light and dark, wide and narrow, to be looked at; `SCREENS_IN=de` in German.
 */
const FOLDER = fileURLToPath(new URL('../../docs/images', import.meta.url))

interface Shot {
  readonly file: string
  readonly locale: string
  readonly path: 'unsubscribe' | 'subscribe' | 'manage'
  readonly width: number
  readonly height: number
  readonly scheme?: 'dark'
  /** Whether the button is pressed first. */
  readonly pressed?: boolean
}

const DESKTOP = { width: 760, height: 380 }
const PHONE = { width: 320, height: 460 }
const SHOTS: readonly Shot[] = [
  { file: 'unsubscribe', locale: 'en', path: 'unsubscribe', ...DESKTOP },
  { file: 'unsubscribed', locale: 'en', path: 'unsubscribe', ...DESKTOP, pressed: true },
  { file: 'manage-dark', locale: 'fr', path: 'manage', ...DESKTOP, height: 700, scheme: 'dark' },
  { file: 'unsubscribe-phone', locale: 'de', path: 'unsubscribe', ...PHONE },
  { file: 'unsubscribed-phone-dark', locale: 'ja', path: 'unsubscribe', ...PHONE, scheme: 'dark', pressed: true },
  { file: 'unsubscribe-ja', locale: 'ja', path: 'unsubscribe', ...DESKTOP },
]
const PEOPLE = ['ada', 'grace', 'marie', 'emmy', 'yuki', 'hana']

it('takes the pictures of the pages that mails lead to', async () => {
  const browser = await launchChromium()
  const server = await startPageServer(sqlite({ file: ':memory:' }), 'Acme Garden')
  try {
    for (const [i, shot] of SHOTS.entries()) {
      const { unsubscribeUrl } = await server.mailTo(`${PEOPLE[i]}@example.org`, { locale: shot.locale })
      const page = await sized(browser, shot)
      await page.goto(unsubscribeUrl.replace('/unsubscribe/', `/${shot.path}/`))
      if (shot.pressed) await Promise.all([page.waitForNavigation(), page.click('button')])
      await page.screenshot({ path: `${FOLDER}/${shot.file}.png`, fullPage: true })
      await page.close()
    }
    const { topics } = server.engine.subscriptions
    await topics.create(server.project, {
      name: 'Newsletter',
      description: 'What is new, once a month.',
      standing: 'in',
    })
    await topics.create(server.project, { name: 'Offers', description: 'What costs less this week.' })
    const { unsubscribeUrl } = await server.mailTo('lise@example.org')
    const chosen = await sized(browser, { width: 480, height: 900 })
    await chosen.goto(unsubscribeUrl.replace('/unsubscribe/', '/manage/'))
    await chosen.screenshot({ path: `${FOLDER}/manage-topics.png`, fullPage: true })
    const mail = await server.confirmation('rosa@example.org', { locale: 'es' })
    const page = await sized(browser, { width: 600, height: 292 })
    await page.setContent(String(mail.html))
    await page.screenshot({ path: `${FOLDER}/confirmation-mail.png` })
  } finally {
    await browser.close()
    await server.stop()
  }
})

const CONTACTS = 2000
/** The looks in which every screen is worth a look. */
const LOOKS = [
  { name: 'light', width: 1280, height: 800 },
  { name: 'dark', width: 1280, height: 800, scheme: 'dark' },
  { name: 'phone', width: 360, height: 740 },
  { name: 'phone-dark', width: 360, height: 740, scheme: 'dark' },
] as const

it('takes the pictures of the dashboard', async () => {
  const browser = await launchChromium()
  const demo = await makeDemo(CONTACTS)
  const quotas = { daily: 5000, monthly: 100_000 }
  const server = await startDashboard(sqlite({ file: demo.file }), {}, { name: 'Demo', quotas })
  const archive = await liven(server)
  const into = process.env.SCREENS_INTO
  const language = process.env.SCREENS_IN ?? 'en'
  const isEnglish = language === 'en'
  try {
    for (const look of into === undefined ? LOOKS.slice(0, 1) : LOOKS) {
      const page = await sized(browser, look, 1)
      await page.goto(server.url)
      if (look === LOOKS[0]) {
        await page.evaluate(`localStorage.setItem('mailwright-language', '${language}')`)
        await signIn(page)
      }
      for (const { name, path, click, image, from } of SCREENS) {
        const isShown = image !== undefined && look === LOOKS[0] && isEnglish
        if (into === undefined && !isShown) continue
        await page.goto(
          path.startsWith('/') ? `${server.url}${path.slice(1)}` : `${server.url}p/${server.demo.id}/${path}`,
        )
        await settled(page)
        if (click !== undefined) await follow(page, click)
        await drawn(page)
        if (from !== undefined) {
          await page.evaluate(`window.scrollBy(0, document.querySelector('${from}').getBoundingClientRect().top - 72)`)
        }
        if (isShown) await page.screenshot({ path: `${FOLDER}/${image}.png` })
        if (into === undefined) continue
        mkdirSync(`${into}/${look.name}`, { recursive: true })
        // as high as what is on it: what stays in view otherwise ends in the middle of the picture
        await drawn(page)
        const height = await page.evaluate('document.documentElement.scrollHeight')
        await page.setViewport({ ...look, height: Math.max(look.height, Number(height)), deviceScaleFactor: 1 })
        await drawn(page)
        await page.screenshot({ path: `${into}/${look.name}/${name}.png` })
        await page.setViewport({ ...look, deviceScaleFactor: 1 })
      }
    }
    const page = await sized(browser, { width: 760, height: 560 })
    await page.goto(archive)
    if (isEnglish) await page.screenshot({ path: `${FOLDER}/archive.png` })
  } finally {
    await browser.close()
    await server.stop()
    await demo.remove()
  }
})

/**
 * Adds what the demo lacks: a domain, a webhook that was called, topics, and an archive. Answers the archive's address.
 */
async function liven({ engine, demo, url }: DashboardServer): Promise<string> {
  await engine.domains.add(demo, { domain: 'lumen.example' })
  await engine.webhooks.create(demo, { url: new URL('/health', url).href, events: ['noted'] })
  // previews are for the newest contact
  await engine.contacts.upsert(demo, { email: 'ada@example.org', data: { name: 'Ada', plan: 'pro', country: 'GB' } })
  await engine.events.track(demo, { email: 'ada@example.org', event: 'noted' })
  const { topics } = engine.subscriptions
  await topics.create(demo, { name: 'Newsletter', description: 'What is new, once a month.', standing: 'in' })
  await topics.create(demo, { name: 'Offers', description: 'What costs less this week.' })
  await topics.create(demo, { name: 'Events', description: 'Invitations, a few times a year.' })
  for (const { email } of (await engine.contacts.list(demo, { subscribed: true, limit: 60 })).items) {
    const isOdd = email.length % 2 === 1
    await topics.choose(demo, email, {
      topics: [{ topic: isOdd ? 'offers' : 'events', subscribed: email.length % 3 > 0 }],
    })
  }
  const shown = await engine.projects.change(demo, {
    archiveSlug: 'lumen-news',
    signUpUrl: 'https://lumen.example/news',
  })
  const sent = await engine.campaigns.list(demo, { status: 'SENT' })
  for (const { campaign } of sent.items) await engine.campaigns.archive.publish(demo, campaign.id, true)
  return engine.campaigns.archive.addressOf(shown) ?? ''
}

/** Clicks the first link of a kind and waits for the page behind it; `tab` names the one to open there. */
async function follow(page: Page, { link, tab }: { readonly link: string; readonly tab?: string }): Promise<void> {
  const before = page.url()
  await page.evaluate(`document.querySelector('${link}').click()`)
  await page.waitForFunction(`location.href !== '${before}'`)
  if (tab !== undefined) await page.goto(`${page.url().split('?')[0]}?${tab}`)
  await settled(page)
}

/** Waits for charts and for the mails in frames, also for that of a preview. */
async function drawn(page: Page): Promise<void> {
  const isPreview = `[...document.querySelectorAll('main label')].some(({ innerText }) => innerText === 'Preview for')`
  await page.waitForFunction(`!${isPreview} || document.querySelector('main iframe') !== null`)
  const frames = `[...document.querySelectorAll('iframe')].filter((frame) => frame.getBoundingClientRect().top < innerHeight)`
  await page.waitForFunction(`${frames}.every(({ contentDocument }) => contentDocument?.body?.innerHTML)`)
}

async function sized(
  browser: Browser,
  { width, height, scheme }: Pick<Shot, 'width' | 'height' | 'scheme'>,
  deviceScaleFactor = 2,
): Promise<Page> {
  const page = await browser.newPage()
  await page.setViewport({ width, height, deviceScaleFactor })
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme ?? 'light' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ])
  return page
}
