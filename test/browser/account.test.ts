import { TOTP } from 'otpauth'
import type { Page } from 'puppeteer-core'
import { describe, expect, it } from 'vitest'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { until } from '../support/until.ts'
import { look, testBrowser } from './chromium.ts'
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

describe('the account in the dashboard', { timeout: 120_000 }, () => {
  it('turns a second factor on, signs in with it, renews its codes and turns it off', async () => {
    const page = await open('')
    await signIn(page)
    await page.goto(server.address('account'))
    await press(page, 'Turn on')
    await type(page, 'Current password', 'wrong', FACTOR)
    await press(page, 'Continue')
    await page.waitForSelector('::-p-text(Is wrong.)')
    await type(page, 'Current password', OWNER.password, FACTOR)
    await press(page, 'Continue')
    await page.waitForSelector('::-p-aria([name="QR code for your authenticator app"])')
    expect(await faultsOf(page)).toEqual([])
    const secret = await page.$eval('code', (code) => (code.textContent ?? '').replaceAll(' ', ''))
    // no code counts twice: the next one is accepted before its time
    const code = (seconds = 0) => new TOTP({ secret }).generate({ timestamp: Date.now() + seconds * 1000 })
    await type(page, 'Code', '000000')
    await press(page, 'Turn on')
    await page.waitForSelector('::-p-text(Is wrong, or was used before.)')
    await type(page, 'Code', code())
    await press(page, 'Turn on')
    const first = await recoveryCodes(page)
    expect(first).toHaveLength(10)
    expect(await faultsOf(page)).toEqual([])
    await page.evaluate(`{
      window.print = () => { window.isPrinted = true }
      const real = URL.createObjectURL
      URL.createObjectURL = (blob) => (blob.text().then((text) => { window.savedText = text }), real(blob))
    }`)
    await press(page, 'Download')
    await press(page, 'Print')
    await page.waitForFunction('window.isPrinted === true && window.savedText !== undefined')
    const saved = String(await page.evaluate('window.savedText'))
    expect(first.filter((each) => !saved.includes(each))).toEqual([])
    await press(page, 'I have kept them')

    await press(page, 'New recovery codes')
    await type(page, 'Current password', OWNER.password, FACTOR)
    await type(page, 'Code', first[0]!)
    await press(page, 'New recovery codes')
    await page.waitForSelector('::-p-text(Is wrong, or was used before.)')
    await type(page, 'Code', code(30))
    await press(page, 'New recovery codes')
    const second = await recoveryCodes(page)
    expect(second).toHaveLength(10)
    expect(second.filter((each) => first.includes(each))).toEqual([])

    const other = await open('')
    await enterPassword(other)
    await type(other, 'Code', first[1]!)
    await press(other, 'Continue')
    await other.waitForSelector('[role="alert"]')
    await type(other, 'Code', second[0]!)
    await press(other, 'Continue')
    await other.waitForSelector('nav[aria-label]')

    await page.reload()
    await press(page, 'Turn off')
    await type(page, 'Current password', OWNER.password, FACTOR)
    await type(page, 'Code', second[1]!)
    await press(page, 'Turn off')
    await page.waitForSelector('::-p-aria([name="Turn on"][role="button"])')
    const plain = await open('')
    await signIn(plain)
  })

  it('lists the browsers that are logged in, and ends another one, which is asked to sign in', async () => {
    const [page, other] = [await open(''), await open('')]
    for (const each of [page, other]) await signIn(each)
    await page.goto(server.address('account'))
    const section = '::-p-aria([name="Sessions"][role="region"])'
    await page.waitForSelector(`${section} li ::-p-text(This one)`)
    const shown = await page.$eval(section, (box) => (box as unknown as { innerText: string }).innerText)
    expect(shown).toMatch(/Chrome on Linux/)
    expect(shown).toContain('127.0.0.1')
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Sign out all others')
    await page.waitForFunction(`document.querySelectorAll('main li').length === 1`)
    await other.bringToFront()
    await other.click('nav a[href$="/templates"]')
    await other.waitForSelector('::-p-aria([name="Your session has ended"][role="dialog"])')
    await page.bringToFront()
    await page.reload()
    await page.waitForSelector(`${section} li ::-p-text(This one)`)
  })

  it('asks again to confirm an address, and accepts and declines the invitations that wait', async () => {
    const { engine, project } = server
    const { members, links } = engine.accounts
    const entered = await engine.accounts.login(OWNER)
    const eve = { email: 'eve@example.org', password: 'correct horse battery' }
    const invite = async (id: string) => members.add(await members.caller(entered.user, id), { email: eve.email })
    const { link } = await invite(project.id)
    // a link that was passed on proves no address
    await links.acceptInvite({ token: link!.slice(link!.lastIndexOf('/') + 1), password: eve.password })
    const page = await open('')
    await signIn(page, eve)
    await page.goto(server.address('account'))
    await press(page, 'Resend the link')
    await page.waitForSelector('[role="status"] ::-p-text(on its way)')

    await engine.accounts.make(eve, 'known')
    for (const name of ['Bakery', 'Nursery'])
      await invite((await members.addProject(entered.user, { name })).project.id)
    const again = await open('')
    await signIn(again, eve)
    await again.goto(server.address('account'))
    const said = (name: string) => `//p[contains(., "${name}")]`
    for (const [name, answer] of [
      ['Bakery', 'Accept'],
      ['Nursery', 'Decline'],
    ] as const) {
      const button = `${said(name)}/following-sibling::*//button[contains(., "${answer}")]`
      await (await again.waitForSelector(`::-p-xpath(${button})`))!.click()
      await again.waitForSelector(`::-p-xpath(${said(name)})`, { hidden: true })
    }
    const names = (await members.projectsOf(await engine.accounts.make(eve, 'known'))).map(
      ({ project: { name } }) => name,
    )
    expect(names).toEqual(['Acme', 'Bakery'])
  })

  it('lets a person in again who has lost the phone and the password', async () => {
    const { accounts } = server.engine
    const zoe = { email: `zoe${Date.now()}@example.org`, password: 'correct horse battery' }
    const user = await accounts.make(zoe, 'new')
    const { secret } = await accounts.secondFactor.enrol(user, { password: zoe.password })
    await accounts.secondFactor.confirm(user, { code: new TOTP({ secret }).generate() })
    const page = await open('')
    await signIn(page)
    await page.goto(server.address('operator'))
    await (await page.waitForSelector('::-p-aria([name="All accounts"][role="link"])'))!.click()
    await (await page.waitForSelector('input[type="search"]'))!.type(zoe.email)
    await page.waitForFunction(`document.querySelectorAll('tbody tr').length === 1`)
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Turn off second factor')
    await type(page, 'Your own password', 'wrong', '[role="dialog"]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role="dialog"] ::-p-text(Is wrong)')
    await look(page, 'second-factor')
    await type(page, 'Your own password', OWNER.password, '[role="dialog"]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('::-p-text(logs in without a second factor)')
    await page.waitForFunction(`document.querySelector('[role="dialog"]') === null`)
    await press(page, 'New password')
    await type(page, 'Your own password', OWNER.password, '[role="dialog"]')
    await page.keyboard.press('Enter')
    const link = await page.waitForSelector('[role="dialog"] pre')
    expect(await faultsOf(page)).toEqual([])
    await look(page, 'password-link')
    const reset = await open('')
    await reset.goto((await link?.evaluate(({ textContent }) => textContent)) ?? '')
    await (await reset.waitForSelector('input[type="password"]'))!.type('another staple')
    await reset.keyboard.press('Enter')
    await until('the new password counts', async () =>
      accounts.login({ email: zoe.email, password: 'another staple' }).catch(() => undefined),
    )
  })

  it('says in the audit log what was changed, leads there, and narrows by kind, person and day', async () => {
    const { project } = server
    const page = await open(`p/${project.id}/settings?tab=audit`)
    await signIn(page)
    const ids = await page.evaluate(`(async () => {
      const headers = { 'content-type': 'application/json', 'x-project-id': '${project.id}' }
      const ask = async (method, path, body) => (await fetch(path, { method, headers, body: JSON.stringify(body) })).json()
      const topic = await ask('POST', '/topics', { name: 'Spring', slug: 'spring' })
      const { id } = await ask('POST', '/workflows', { name: 'Onboarding', eventName: 'x' })
      const step = await ask('POST', '/workflows/' + id + '/steps', { type: 'EXIT', name: 'End' })
      await ask('PATCH', '/workflows/' + id + '/steps/' + step.id, { name: 'Later' })
      await fetch('/topics/' + topic.id, { method: 'DELETE', headers })
      return { workflow: id }
    })()`)
    await page.reload()
    await page.waitForSelector('td ::-p-text(Deleted a topic)')
    const rows = () => page.$$eval('tbody tr', (all) => all.map(({ textContent }) => textContent ?? ''))
    const [deleted, changed] = await rows()
    expect(deleted).toMatch(/^Deleted a topic ?Spring/)
    expect(changed).toMatch(/^Changed a step of a workflow ?Onboarding/)
    // the topic has no page any more; the step is on its workflow's
    const linked = await page.$$eval('tbody tr a', ([a]) => a?.getAttribute('href'))
    expect(linked).toBe(`/app/p/${project.id}/workflows/${(ids as { workflow: string }).workflow}`)
    expect(await faultsOf(page)).toEqual([])
    const kind = (await page.waitForSelector('input[aria-label="Kind of thing"]'))!
    await kind.type('Topi')
    await (await page.waitForSelector('[role="option"]::-p-text(Topics)'))!.click()
    await page.waitForFunction(`document.querySelectorAll('tbody tr').length === 2`)
    await press(page, `Only what ${OWNER.email} did`)
    await page.waitForFunction(`location.search.includes('actor=ada')`)
    await page.$eval('input[type="date"]', (day) => day.focus())
    await page.keyboard.type('01012020')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`location.search.includes('startDate=2020-01-01')`)
    await settled(page)
    expect(await rows()).toHaveLength(2)
    await page.waitForSelector('::-p-text(from Jan 1, 2020)')
  })

  it('asks above the page to sign in again when the session ends, and then saves what was typed', async () => {
    const { engine, project } = server
    const { campaign } = await engine.campaigns.create(project, {
      ...{ name: 'June', subject: 'June', body: '<p>Hello</p>', from: 'news@example.com', audienceType: 'ALL' },
    })
    const subject = async () => (await engine.campaigns.get(project, campaign.id)).campaign.subject
    const page = await open(`p/${project.id}/campaigns/${campaign.id}`)
    await signIn(page)
    const { user } = await userOf(page)
    await end(page)
    await type(page, 'Subject', 'What June brings')
    const dialog = '::-p-aria([name="Your session has ended"][role="dialog"])'
    await page.waitForSelector(dialog)
    expect(await faultsOf(page)).toEqual([])
    expect(await subject()).toBe('June')
    await page.type('::-p-aria([name="Password"][role="textbox"])', 'wrong')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role="alert"]')
    await type(page, 'Password', OWNER.password)
    await page.keyboard.press('Enter')
    await page.waitForSelector(dialog, { hidden: true })
    await until('it is saved', async () => (await subject()) === 'What June brings')
    expect((await userOf(page)).user).toEqual(user)

    // by signing in elsewhere in the same browser
    await end(page)
    await type(page, 'Subject', 'Here comes June')
    await page.waitForSelector(dialog)
    const other = await page.browserContext().newPage()
    await other.goto(server.address(''))
    await signIn(other)
    await page.bringToFront()
    await page.evaluate(`dispatchEvent(new Event('focus'))`)
    await page.waitForSelector(dialog, { hidden: true })
    await until('it is saved', async () => (await subject()) === 'Here comes June')
  })
})

describe('the settings of a project', { timeout: 120_000 }, () => {
  const focused = `(document.activeElement?.labels?.[0]?.textContent ?? '')`

  it('are found by words of their hints, and saved and mended without scrolling, on a phone, too', async () => {
    const { engine, project } = server
    const page = await open(`p/${project.id}/settings`)
    await signIn(page)
    await page.setViewport({ width: 390, height: 844 })
    const save = '::-p-aria([name="Save"][role="button"])'
    const isInView = async () => (await page.waitForSelector(save))!.isIntersectingViewport({ threshold: 1 })
    expect(await isInView()).toBe(true)
    const search = (await page.waitForSelector('input[aria-label="Find a setting"]'))!
    await search.type('countries require')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`${focused} === 'Postal address'`)
    await page.keyboard.type('1 Main Street, Springfield')
    expect(await isInView()).toBe(true)
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Save')
    const look = async () => (await engine.projects.get(project.id)).look
    await until('it is saved', async () => (await look())?.postalAddress === '1 Main Street, Springfield')

    // a setting by its label, with the mouse
    await search.type('sender na')
    await (await page.waitForSelector('[role="option"]::-p-text(Sender name)'))!.click()
    await page.waitForFunction(`${focused} === 'Sender name'`)
    expect(await search.evaluate(({ value }) => value)).toBe('')
    await type(page, 'Sender', 'nobody')
    await page.select('select[aria-label="Parts of the settings"]', 'links')
    await page.waitForFunction(`document.getElementById('links').getBoundingClientRect().top < innerHeight / 2`)
    await page.keyboard.down('Control')
    await page.keyboard.press('s')
    await page.keyboard.up('Control')
    // the refused field is far above
    await page.waitForFunction(`${focused} === 'Sender'`)
    expect(new URL(page.url()).hash).toBe('#links')
    expect(await faultsOf(page)).toEqual([])
  })
})

const FACTOR = 'section[aria-label="Two-factor authentication"]'

async function open(path: string): Promise<Page> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(server.address(path))
  return page
}

async function press(page: Page, name: string): Promise<void> {
  await (await page.waitForSelector(`::-p-aria([name="${name}"][role="button"])`))!.click()
}

/** Overwrites what is in a field. `within`: the part of the page that has it, where several have one of this name. */
async function type(page: Page, name: string, text: string, within = ''): Promise<void> {
  const field = (await page.waitForSelector(`${within} ::-p-aria([name="${name}"][role="textbox"])`))!
  await field.focus()
  await page.keyboard.down('Control')
  await page.keyboard.press('a')
  await page.keyboard.up('Control')
  await page.keyboard.type(text)
}

async function enterPassword(page: Page): Promise<void> {
  await type(page, 'Email address', OWNER.email)
  await type(page, 'Password', OWNER.password)
  await page.keyboard.press('Enter')
}

async function recoveryCodes(page: Page): Promise<string[]> {
  await page.waitForSelector('::-p-text(I have kept them)')
  return page.$$eval('code', (codes) => codes.map(({ textContent }) => textContent ?? ''))
}

/** Ends the session as its expiry does: the browser has no cookie any more. */
async function end(page: Page): Promise<void> {
  await settled(page)
  const context = page.browserContext()
  await context.deleteCookie(...(await context.cookies()))
}

async function userOf(page: Page): Promise<{ readonly user: string }> {
  return page.evaluate(
    `fetch('/users/@me').then((answer) => answer.json()).then(({ id }) => ({ user: id }))`,
  ) as Promise<{
    user: string
  }>
}
