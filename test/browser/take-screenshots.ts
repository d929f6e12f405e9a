import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'puppeteer-core'
import { it } from 'vitest'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { launchChromium } from './chromium.ts'
import { startPageServer } from './mailed-pages.ts'

/** Takes the pictures of docs/pages.md: `CHROMIUM_PATH=/usr/bin/chromium npm run screenshots`. */
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

it('takes the pictures', async () => {
  const browser = await launchChromium()
  const server = await startPageServer(sqlite({ file: ':memory:' }), 'Acme Garden')
  try {
    for (const [i, shot] of SHOTS.entries()) {
      const { unsubscribeUrl } = await server.mailTo(`${PEOPLE[i]}@example.org`, { locale: shot.locale })
      const page = await sized(browser, shot)
      await page.goto(unsubscribeUrl.replace('/unsubscribe/', `/${shot.path}/`))
      if (shot.pressed) await Promise.all([page.waitForNavigation(), page.click('button')])
      await page.screenshot({ path: `${FOLDER}/${shot.file}.png` })
      await page.close()
    }
    const mail = await server.confirmation('rosa@example.org', { locale: 'es' })
    const page = await sized(browser, { width: 600, height: 292 })
    await page.setContent(String(mail.html))
    await page.screenshot({ path: `${FOLDER}/confirmation-mail.png` })
  } finally {
    await browser.close()
    await server.stop()
  }
})

async function sized(
  browser: Browser,
  { width, height, scheme }: Pick<Shot, 'width' | 'height' | 'scheme'>,
): Promise<Page> {
  const page = await browser.newPage()
  await page.setViewport({ width, height, deviceScaleFactor: 2 })
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme ?? 'light' }])
  return page
}
