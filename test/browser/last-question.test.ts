import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { describe, expect, it } from 'vitest'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { until } from '../support/until.ts'
import { testBrowser } from './chromium.ts'
import { type AcmeServer, settled, signIn, startAcme } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const browser = testBrowser()
let server: AcmeServer
let folder: string

anewOnRetry(
  async () => {
    folder = mkdtempSync(join(tmpdir(), 'mailwright-question-'))
    server = await startAcme({ transports: [outbox({ directory: folder })] })
  },
  async () => {
    await server?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  },
)

describe('before mail goes out', { timeout: 120_000 }, () => {
  it('a campaign is asked about with all that is wrong with it, and the way to mend each', async () => {
    const { engine, project } = server
    const { topics } = engine.subscriptions
    await topics.create(project, { name: 'Tips', standing: 'in' })
    for (const email of ['ada@example.com', 'bob@example.com'])
      await engine.contacts.upsert(project, { email, subscribed: true })
    await topics.choose(project, 'bob@example.com', { topics: [{ topic: 'tips', subscribed: false }] })
    const { campaign } = await engine.campaigns.create(project, {
      ...{ name: 'June', subject: 'June', from: 'news@example.com', audienceType: 'ALL' },
      body: '<p>Hello, this is what June brings.</p><p>[Your name]</p><p><a href="https://example.com/">Read</a></p>',
    })
    const page = await open(`p/${project.id}/campaigns/${campaign.id}?step=send`)
    // a plan that is not saved holds up the sending, is asked about when its step is left, and stays
    const tick = async (name: string) =>
      (await page.waitForSelector(`::-p-aria([name="${name}"][role="checkbox"])`))!.click()
    await tick('Only at certain times, or spread out')
    await tick('Only at certain hours')
    const held = `document.body.innerText.includes('Save the plan first.')`
    await page.waitForFunction(held)
    await (await page.waitForSelector('::-p-aria([name="4. Check"][role="tab"])'))!.click()
    await press(page, 'Keep editing')
    await page.waitForFunction(`location.search === '?step=send' && !document.querySelector('[role="dialog"]')`)
    await tick('Only at certain times, or spread out')
    await page.waitForFunction(`!${held}`)
    // ticked again, it stands there as before, and is still not saved
    await tick('Only at certain times, or spread out')
    await page.waitForFunction(held)
    await tick('Only at certain times, or spread out')
    // who comes while the page is open gets it, too
    await engine.contacts.upsert(project, { email: 'cem@example.com', subscribed: true })
    await press(page, 'Send now')
    const dialog = await dialogText(page)
    expect(dialog).toContain('Send to 3 ')
    expect(dialog).toContain('the mail is written to a folder')
    expect(dialog).toContain('“[Your name]”')
    expect(dialog).toContain('“https://example.com/”')
    expect(dialog).toContain('has no postal address')
    expect(dialog).toContain('No topic is chosen: one person who has left a topic gets this mail all the same.')
    expect(await page.evaluate(`document.activeElement.textContent`)).toBe('Cancel')
    expect(await faultsOf(page)).toEqual([])
    await (await page.waitForSelector('[role="dialog"] button::-p-text(To the audience)'))!.click()
    await page.waitForFunction(`location.search === '?step=audience' && !document.querySelector('[role="dialog"]')`)
    await page.goBack()
    await press(page, 'Send now')
    await press(page, 'Send all the same')
    await until('it is sent', async () => (await engine.campaigns.get(project, campaign.id)).campaign.status === 'SENT')

    // an audience that is empty today may be there on the day
    const { campaign: early } = await engine.campaigns.create(project, {
      ...{ name: 'Opening', subject: 'Opening', from: 'news@example.com', body: '<p>We open.</p>' },
      audienceType: 'FILTERED',
      audienceFilter: { operator: 'AND', conditions: [{ field: 'data.plan', operator: 'equals', value: 'gold' }] },
    })
    await page.goto(server.address(`p/${project.id}/campaigns/${early.id}?step=send`))
    await page.waitForSelector('main [role="status"]::-p-text(No contact would get it.)')
    await (await page.waitForSelector('::-p-aria([name="At a time of your choice"][role="radio"])'))!.click()
    await page.type('input[type="datetime-local"]', '01012099')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.type('1000AM')
    await press(page, 'Schedule')
    expect(await dialogText(page)).toContain('The audience is empty.')
    await press(page, 'Schedule all the same')
    const isPlanned = async () => (await engine.campaigns.get(project, early.id)).campaign.status === 'SCHEDULED'
    await until('it is scheduled', isPlanned)
  })
})

async function open(path: string): Promise<Page> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(server.address(path))
  await signIn(page)
  await settled(page)
  return page
}

async function press(page: Page, name: string): Promise<void> {
  await (await page.waitForSelector(`::-p-aria([name="${name}"][role="button"]):not([data-disabled])`))!.click()
}

async function dialogText(page: Page): Promise<string> {
  await page.waitForSelector('[role="dialog"] li')
  return page.$eval('[role="dialog"]', (box) => (box as unknown as { innerText: string }).innerText)
}
