import type { BrowserContext, Page } from 'puppeteer-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { until } from '../support/until.ts'
import { STEP_MS, testBrowser } from './chromium.ts'
import { type AcmeServer, OWNER, settled, signIn, startAcme } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const browser = testBrowser()
let server: AcmeServer

anewOnRetry(
  async () => {
    server = await startAcme()
  },
  async () => {
    await server?.stop()
  },
)

describe('two tabs of the dashboard', { timeout: 120_000 }, () => {
  it('on one campaign save what each changed, and ask about what both did', async () => {
    const { engine, project } = server
    const { campaign } = await engine.campaigns.create(project, {
      ...{ name: 'June', subject: 'June', body: '<p>Hello</p>', from: 'news@example.com', audienceType: 'ALL' },
    })
    const stored = async () => (await engine.campaigns.get(project, campaign.id)).campaign
    const [one, other] = await twoTabs(`campaigns/${campaign.id}`)
    await overwrite(one, 'Subject', 'What June brings')
    await until('the subject is saved', async () => (await stored()).subject === 'What June brings')
    await overwrite(other, 'Preview line', 'Strawberries')
    await until('the preview text is saved', async () => (await stored()).preheader === 'Strawberries')
    expect(await stored()).toMatchObject({ subject: 'What June brings', preheader: 'Strawberries', version: 3 })
    expect(await textIn(other, 'Subject')).toBe('What June brings')

    // both change the subject
    await overwrite(one, 'Subject', 'Here comes June')
    await until('the first is saved', async () => (await stored()).subject === 'Here comes June')
    await overwrite(other, 'Subject', 'June is here')
    const question = '::-p-aria([name="Subject"][role="region"])'
    await other.waitForSelector(question)
    const asked = await other.$eval(question, (box) => (box as unknown as { innerText: string }).innerText)
    expect(asked).toMatch(/Yours\s+June is here\s+Keep mine\s+Theirs\s+Here comes June\s+Take theirs/)
    expect((await stored()).subject).toBe('Here comes June')
    expect(await textIn(other, 'Subject')).toBe('June is here')
    expect(await faultsOf(other)).toEqual([])
    // what is typed elsewhere meanwhile is not lost
    await overwrite(other, 'Preview line', 'And cherries')
    await press(other, 'Keep mine')
    await until('mine is saved', async () => (await stored()).subject === 'June is here')
    await until('and the rest', async () => (await stored()).preheader === 'And cherries')
    await other.waitForSelector(question, { hidden: true })

    await one.bringToFront()
    await overwrite(one, 'Subject', 'Mine')
    await one.waitForSelector(question)
    await press(one, 'Take theirs')
    await one.waitForSelector(question, { hidden: true })
    expect(await textIn(one, 'Subject')).toBe('June is here')
    expect(await stored()).toMatchObject({ subject: 'June is here', preheader: 'And cherries' })
  })

  it('on one drawn mail show the other text in the editor that was not touched, and keep what was written when it was sent', async () => {
    const { engine, project } = server
    const { campaign } = await engine.campaigns.create(project, {
      ...{ name: 'July', subject: 'July', body: '<p>First</p>', from: 'news@example.com', audienceType: 'ALL' },
    })
    const stored = async () => (await engine.campaigns.get(project, campaign.id)).campaign
    const [, other] = await twoTabs(`campaigns/${campaign.id}`)
    await engine.campaigns.change(project, campaign.id, { body: '<p>Second</p>' })
    await overwrite(other, 'Subject', 'In July')
    await until('the subject is saved', async () => (await stored()).subject === 'In July')
    expect((await stored()).body).toBe('<p>Second</p>')
    const frame = `document.querySelector('main iframe')?.contentDocument?.body?.innerText`
    await other.waitForFunction(`${frame}?.includes('Second')`)

    // what is written after it was sent elsewhere is not in it, and becomes a draft
    await engine.contacts.upsert(project, { email: 'ada@example.org', subscribed: true })
    await engine.campaigns.send(project, campaign.id)
    await overwrite(other, 'Subject', 'In July, once more')
    await says(other, 'This campaign began to be sent while you were writing')
    expect(await faultsOf(other)).toEqual([])
    await press(other, 'Make a draft with my changes')
    await says(other, 'July (Copy)')
    const drafts = await engine.campaigns.list(project, { status: 'DRAFT' })
    expect(drafts.items.map((each) => each.campaign.subject)).toContain('In July, once more')
    expect((await stored()).subject).toBe('In July')
  })

  it('on one segment ask with the rules in words', async () => {
    const { engine, project } = server
    const rules = (value: string) => ({
      operator: 'AND' as const,
      conditions: [{ field: 'data.plan', operator: 'equals' as const, value }],
    })
    const segment = await engine.segments.create(project, { name: 'Readers', filters: rules('pro') })
    const stored = () => engine.segments.get(project, segment.id)
    const [one, other] = await twoTabs(`segments/${segment.id}?tab=rules`)
    await overwrite(one, 'Name', 'Our readers')
    await press(one, 'Save')
    await until('the name is saved', async () => (await stored()).name === 'Our readers')
    await overwrite(other, 'Notes', 'For the newsletter')
    await press(other, 'Save')
    await until('the notes are saved', async () => (await stored()).description === 'For the newsletter')
    expect(await stored()).toMatchObject({ name: 'Our readers', version: 3 })
    await overwrite(one, 'Name', 'Mine')
    await engine.segments.change(project, segment.id, { name: 'Theirs' })
    await press(one, 'Save')
    await one.waitForSelector('::-p-aria([name="Name"][role="region"])')
    await press(one, 'Take theirs')
    await until('theirs is shown', async () => (await textIn(one, 'Name')) === 'Theirs')
    expect(await stored()).toMatchObject({ name: 'Theirs', description: 'For the newsletter' })
  })
})

describe('two people on one draft', { timeout: 120_000 }, () => {
  it('see each other while they edit, and what was edited since they looked', async () => {
    const { engine, project } = server
    const { campaign } = await engine.campaigns.create(project, {
      ...{ name: 'August', subject: 'August', body: '<p>Hello</p>', from: 'news@example.com', audienceType: 'ALL' },
    })
    const bob = { email: 'bob@example.com', password: OWNER.password }
    await engine.accounts.make(bob)
    const entered = await engine.accounts.login(OWNER)
    if (!('session' in entered)) throw new Error('a second factor is asked for')
    const owner = await engine.accounts.members.caller(entered.user, project.id)
    const { id } = await engine.accounts.members.add(owner, { email: bob.email, role: 'EDITOR' })
    const joined = await engine.accounts.login(bob)
    if (!('session' in joined)) throw new Error('a second factor is asked for')
    await engine.accounts.members.acceptInvitation(joined.user, id)
    const [ada, other] = await twoTabs(`campaigns/${campaign.id}`)
    await says(other, 'You have this open in another tab.')
    await says(ada, 'You have this open in another tab.')
    await other.close()
    const ofBob = await signedIn(bob)
    await ofBob.goto(server.address(`p/${project.id}/campaigns/${campaign.id}`))
    await settled(ofBob)
    await says(ofBob, 'ada@example.com is editing this, too.')
    await ada.bringToFront()
    await ada.evaluate('window.dispatchEvent(new Event("focus"))')
    await says(ada, 'bob@example.com is editing this, too.')
    expect(await ada.evaluate('document.body.innerText')).not.toContain('in another tab')
    expect(await faultsOf(ada)).toEqual([])

    // Ada leaves, Bob changes it, and she comes back
    await ada.goto(server.address(`p/${project.id}/campaigns`))
    await settled(ada)
    expect(await ada.evaluate('document.body.innerText')).not.toContain('Edited since you looked')
    await ofBob.bringToFront()
    await ofBob.evaluate('window.dispatchEvent(new Event("focus"))')
    await ofBob.waitForFunction('!document.body.innerText.includes("is editing this, too")')
    await overwrite(ofBob, 'Subject', 'Late summer')
    await until('it is saved', async () => {
      return (await engine.campaigns.get(project, campaign.id)).campaign.subject === 'Late summer'
    })
    await ofBob.close()
    await ada.bringToFront()
    await ada.reload()
    await settled(ada)
    await says(ada, 'Edited since you looked')
    await ada.goto(server.address(`p/${project.id}/campaigns/${campaign.id}`))
    await settled(ada)
    await ada.waitForFunction(
      '/bob@example.com edited this .* ago, since you last opened it in this browser/.test(document.body.innerText)',
    )
    expect(await faultsOf(ada)).toEqual([])
    await ada.goto(server.address(`p/${project.id}/campaigns`))
    await settled(ada)
    expect(await ada.evaluate('document.body.innerText')).not.toContain('Edited since you looked')
  })
})

async function says(page: Page, words: string): Promise<void> {
  await page.bringToFront()
  await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(words)})`)
}

/** A page in a browser of its own, in English, in which this user is signed in. */
async function signedIn(user: { readonly email: string; readonly password: string }): Promise<Page> {
  const context = await browser.createBrowserContext()
  onTestFinished(() => context.close())
  const page = await blankIn(context)
  await page.goto(server.address(''))
  await page.evaluate(`localStorage.setItem('mailwright-language', 'en')`)
  await signIn(page, user)
  return page
}

async function blankIn(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(STEP_MS)
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width: 1280, height: 900 })
  return page
}

/** The same page of the project twice, in English. */
async function twoTabs(path: string): Promise<readonly [Page, Page]> {
  const one = await signedIn(OWNER)
  const other = await blankIn(one.browserContext())
  for (const page of [one, other]) {
    await page.bringToFront()
    await page.goto(server.address(`p/${server.project.id}/${path}`))
    await settled(page)
  }
  return [one, other]
}

async function press(page: Page, name: string): Promise<void> {
  await page.bringToFront()
  await (await page.waitForSelector(`::-p-aria([name="${name}"][role="button"])`))!.click()
}

/** Writes into a field instead of what it has. */
async function overwrite(page: Page, label: string, text: string): Promise<void> {
  await page.bringToFront()
  const field = await page.waitForSelector(`::-p-aria([name="${label}"][role="textbox"])`)
  await field!.click({ count: 3 })
  await field!.type(text)
}

async function textIn(page: Page, label: string): Promise<string> {
  const field = await page.waitForSelector(`::-p-aria([name="${label}"][role="textbox"])`)
  return field!.evaluate((input) => (input as unknown as { value: string }).value)
}
