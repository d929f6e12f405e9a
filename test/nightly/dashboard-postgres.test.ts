import { expect, it } from 'vitest'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { STEP_MS, testBrowser } from '../browser/chromium.ts'
import {
  copyDemo,
  type DashboardServer,
  makeDemo,
  menuOf,
  settled,
  signIn,
  startDashboard,
  watched,
} from '../browser/dashboard-server.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { freshDatabase } from '../support/fresh-database.ts'

/* No store decides how a page looks, and the routes behind the pages are tested on both: so this is for the night. */

const browser = testBrowser()
let server: DashboardServer

anewOnRetry(
  async () => {
    const demo = await makeDemo(30)
    const url = await freshDatabase()
    await copyDemo(demo, url)
    await demo.remove()
    server = await startDashboard(postgres({ url }))
  },
  async () => {
    await server?.stop()
  },
)

it('the dashboard on PostgreSQL opens every page', async () => {
  const page = await browser.newPage()
  page.setDefaultTimeout(STEP_MS)
  await page.goto(server.url)
  await signIn(page)
  const { complaints } = watched(page)
  const menu = await menuOf(page)
  expect(menu.length).toBeGreaterThan(14)
  for (const href of menu) {
    await page.click(`nav a[href="${new URL(href).pathname}"]`)
    await page.waitForFunction(`location.href === '${href}'`)
    await settled(page)
    expect(await page.$$('main [role="alert"]'), href).toEqual([])
  }
  expect(complaints).toEqual([])
})
