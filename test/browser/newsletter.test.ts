import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { simpleParser } from 'mailparser'
import type { Page } from 'puppeteer-core'
import { expect, it } from 'vitest'
import { de as t } from '../../server/dashboard/texts/de/all.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { toSink } from '../support/engine.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { STEP_MS, testBrowser } from './chromium.ts'
import { type AcmeServer, OWNER, settled, signInShown, startAcme } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const browser = testBrowser()
let server: AcmeServer
let sink: SmtpSink
let folder: string

anewOnRetry(
  async () => {
    folder = mkdtempSync(join(tmpdir(), 'mailwright-newsletter-'))
    sink = await startSmtpSink()
    server = await startAcme({ transports: [toSink(sink)] })
  },
  async () => {
    await server?.stop()
    await sink?.close()
    rmSync(folder, { recursive: true, force: true })
  },
)

/** Every third says no; row 10 stands twice, in capitals, and two addresses are wrong. */
function exported(): { readonly file: string; readonly wanted: readonly string[] } {
  const wanted: string[] = []
  const lines = ['Kundennr.;E-Mail-Adresse;Vorname;Nachname;Ort;Newsletter;Kunde seit;Umsatz (€)']
  for (let i = 1; i <= 296; i++) {
    const wants = i % 3 !== 0
    const euros = `${(i * 131) % 5000},${String(i % 100).padStart(2, '0')}`
    const day = `${String((i % 28) + 1).padStart(2, '0')}.${String((i % 12) + 1).padStart(2, '0')}.20${20 + (i % 6)}`
    const email = i % 40 === 0 ? `kunde${i}@müller-${i}.example` : `kunde${i}@example.org`
    if (wants && (i === 10 || (i * 131) % 5000 >= 3000)) wanted.push(email)
    lines.push(`${1000 + i};${email};Jörg;"Groß; Söhne";Köln;${wants ? 'ja' : 'nein'};${day};${euros}`)
    if (i % 100 === 0) lines.push(';;;;;;;')
  }
  lines.push(`1010;KUNDE10@example.org;Jörg;Groß;Köln;ja;04.12.2021;3922,19`)
  lines.push(`1303;jürgen@example.org;Jürgen;Groß;Köln;ja;04.12.2021;3922,19`)
  lines.push(`1304;ohne-klammeraffe;Jürgen;Groß;Köln;ja;04.12.2021;3922,19`)
  lines.push('', ';;;;;;;')
  const file = join(folder, 'Kundenexport.csv')
  // as spreadsheets write it on Windows: a byte for each letter
  const bytes = Buffer.from(lines.join('\r\n').replaceAll('€', '\x80'), 'latin1')
  writeFileSync(file, bytes)
  return { file, wanted }
}

it('a newsletter goes by keyboard alone from a German list of 300 to its figures', { timeout: 240_000 }, async () => {
  const { engine, project } = server
  const page = await browser.newPage()
  page.setDefaultTimeout(STEP_MS)
  await page.setViewport({ width: 1280, height: 800 })
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.goto(server.address(''))
  await page.evaluate(`localStorage.setItem('mailwright-language', 'de')`)
  await page.goto(server.address(`p/${project.id}/contacts`))
  const { keyboard } = page
  const keys = keysOf(page)
  const words = async () => String(await page.evaluate('document.querySelector("main").innerText'))
  await signInShown(page)
  await keys.to(t.signIn.email)
  await keyboard.type(OWNER.email)
  await keys.to(t.signIn.password)
  await keyboard.type(OWNER.password)
  await keyboard.press('Enter')
  await page.waitForSelector('nav[aria-label]')
  await settled(page)
  await look(page)

  await engine.contacts.upsert(project, { email: 'schon@example.org', subscribed: true })
  // the list: who would be subscribed is seen before anything is stored
  const { file, wanted } = exported()
  await keys.press(t.contacts.import)
  await page.waitForSelector('input[type="file"]')
  await look(page)
  await keys.to(t.contacts.choose)
  await (await page.waitForSelector('input[type="file"]'))?.uploadFile(file)
  await page.waitForSelector(`main ::-p-text(${t.contacts.outlook})`)
  await settled(page)
  await look(page)
  expect(await words()).toContain('198 Personen werden angemeldet, wie es in der Datei steht (Newsletter).')
  expect(await words()).toContain('jürgen@example.org')
  await keys.press(t.contacts.newTopic)
  await keys.fill(t.topics.name, 'Hofpost')
  await keyboard.press('Enter')
  await until('the topic is chosen', () =>
    page.evaluate(`document.querySelector('main').innerText.includes(${JSON.stringify(t.topics.consentText)})`),
  )
  await look(page)
  // the names that mails greet by
  const keyOf = `[...document.querySelectorAll('main table input[role="combobox"]')].map(({ value }) => value)`
  expect(await page.evaluate(keyOf)).toEqual(expect.arrayContaining(['email', 'firstName', 'lastName', 'city']))
  await keys.press(t.contacts.startImport)
  await page.waitForSelector(`main ::-p-text(${t.contacts.another})`)
  await page.waitForFunction(`!document.querySelector('main [role="progressbar"]')`)
  await settled(page)
  await look(page)

  const [jörg] = (await engine.contacts.list(project, { search: 'kunde1@example.org' })).items
  expect(jörg?.data).toMatchObject({ firstName: 'Jörg', lastName: 'Groß; Söhne', city: 'Köln' })

  // from the import the way leads to a newsletter for its people, and not for a contact who was there before
  await keys.press(t.contacts.writeToThem(198, '198'))
  await page.waitForSelector(`main ::-p-text(${t.campaigns.toImported(198, '198')})`)
  await settled(page)
  await look(page)
  await keys.fill(t.campaigns.name, 'An die Neuen')
  await keys.fill(t.campaigns.subject, 'Willkommen')
  const additions: string[] = []
  page.on('request', (each) => void (each.url().endsWith('/members') && additions.push(each.url())))
  await keys.press(t.campaigns.make)
  await page.waitForSelector('main [contenteditable="true"]')
  // two pages of them, in few requests: these count against the limit of the project
  expect(additions).toHaveLength(1)
  const [draft] = (await engine.campaigns.list(project)).items
  expect(await engine.campaigns.preview(project, draft?.campaign.id ?? '')).toMatchObject({ totalRecipients: 198 })
  // one that changes before it is sent still gets it
  await engine.contacts.change(project, jörg?.id ?? '', { data: { city: 'Bonn' } })
  expect(await engine.campaigns.preview(project, draft?.campaign.id ?? '')).toMatchObject({ totalRecipients: 198 })

  // the list, which was first opened without any field, shows those that people are known by
  await page.goto(server.address(`p/${project.id}/contacts`))
  await page.waitForSelector('main tbody a')
  await settled(page)
  await look(page)
  const headings = `[...document.querySelectorAll('main th')].map(({ innerText }) => innerText.trim()).filter(Boolean)`
  expect(await page.evaluate(headings)).toEqual([
    t.contacts.address,
    t.anywhere.status,
    ...['Vorname', 'Nachname', 'Ort'],
    t.anywhere.created,
  ])

  // a segment by an amount
  await page.goto(server.address(`p/${project.id}/segments`))
  await settled(page)
  await keys.press(t.segments.new)
  await page.waitForSelector(`main ::-p-text(${t.segments.byRules})`)
  await settled(page)
  await keys.fill(t.segments.name, 'Gute Kunden')
  // a search without a match chooses nothing, and sends no form
  await keys.fill(t.filter.field, 'zzz')
  await keyboard.press('Enter')
  await keys.to(t.filter.field)
  expect(await page.evaluate(`document.querySelectorAll('main [role="alert"]').length`)).toBe(0)
  await keys.fill(t.filter.field, 'umsa')
  await keyboard.press('Enter')
  await keys.choose(t.filter.field, 'Umsatz')
  await keys.choose(t.filter.operator, t.filter.operators.greaterThanOrEqual ?? '')
  await keys.fill(t.filter.value, '3000')
  await look(page)
  await keys.press(t.anywhere.create)
  await page.waitForSelector('main table')
  await settled(page)
  await look(page)

  // a letter in their own words, to the good customers who want the topic
  await page.goto(server.address(`p/${project.id}/campaigns`))
  await settled(page)
  await keys.press(t.campaigns.new)
  await page.waitForSelector(`main ::-p-text(${t.campaigns.make})`)
  await settled(page)
  await keys.to(t.campaigns.blank)
  for (const _ of ['letter', 'newsletter', 'announcement']) await keyboard.press('ArrowRight')
  await look(page)
  await keys.fill(t.campaigns.name, 'Dezember')
  await keys.fill(t.campaigns.subject, 'Der Dezember auf dem Hof')
  await keys.press(t.campaigns.make)
  await page.waitForSelector('main [contenteditable="true"]')
  await settled(page)
  await look(page)
  await keys.to(t.campaigns.body)
  await rewrite(
    page,
    t.starters.samples.announcement,
    'am 3. Dezember öffnen wir den Hof: mit Feuer, Suppe und Punsch.',
  )
  await keyboard.press('ArrowDown')
  await keys.fill(t.editor.attributes.href ?? '', 'https://hof.example.net/fest')
  await look(page)
  await keys.press(t.campaigns.goOn(t.campaigns.steps.sender))
  await page.waitForSelector(`main ::-p-text(${t.campaigns.fromName})`)
  await look(page)
  await keys.press(t.campaigns.goOn(t.campaigns.steps.audience))
  await page.waitForSelector(`main ::-p-text(${t.campaigns.audienceAll})`)
  await settled(page)
  // the project's only topic stands there from the beginning
  await keys.to(t.topics.one)
  expect(await page.evaluate('document.activeElement.value')).toBe('Hofpost')
  await keys.to(t.campaigns.audienceAll)
  await keyboard.press('ArrowDown')
  await keys.choose(t.campaigns.chooseSegment, 'Gute Kunden (115)')
  await look(page)
  await keys.press(t.campaigns.goOn(t.campaigns.steps.check))
  await page.waitForSelector(`main ::-p-text(${t.campaigns.countHint})`)
  await settled(page)
  await look(page)
  expect(await words()).toContain(t.campaigns.count('77'))
  for (const none of [[''], ['', '']]) expect(await words()).not.toContain(t.checks.samplesLeft(none).slice(0, 30))
  await keys.press(t.campaigns.goOn(t.campaigns.steps.send))
  await page.waitForSelector(`main ::-p-text(${t.campaigns.when})`)
  await settled(page)
  await look(page)
  await keys.press(t.campaigns.sendNow)
  await page.waitForSelector('[role="dialog"]')
  await look(page)
  await keys.press(t.checks.sendAllTheSame)
  const mails = await sink.waitFor(77, 60)
  await page.waitForSelector(`main ::-p-text(${t.campaigns.figures.opened})`)
  await settled(page)
  await look(page)
  expect(mails.map(({ to }) => to[0]).sort()).toEqual([...wanted].sort())
  const read = await simpleParser(mails[0]!.raw)
  expect(read.subject).toBe('Der Dezember auf dem Hof')
  expect(read.text).toContain('mit Feuer, Suppe und Punsch')

  // one reads it and follows its link; the figure leads to that person, and the rest can be asked again
  const link = /href="(http:[^"]+\/t\/c\/[^"]+)"/.exec(String(read.html))?.[1] ?? ''
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  const answer = await fetch(link, { redirect: 'manual', headers: { 'user-agent': agent } })
  expect(answer.headers.get('location')).toContain('https://hof.example.net/fest')
  await page.reload()
  await page.waitForFunction(
    `[...document.querySelectorAll('main a[href*="clicked=true"]')].some((a) => /\\b1\\b/.test(a.innerText))`,
  )
  await settled(page)
  await keys.open('&clicked=true')
  await page.waitForFunction(`document.querySelector('main').innerText.match(/kunde\\d+@/g)?.length === 1`)
  expect(await words()).toContain(mails[0]!.to[0])
  await look(page)
  await keys.press(t.campaigns.again.notOpened('76'))
  await page.waitForSelector('[role="dialog"]')
  await keys.press(t.campaigns.againMake)
  await page.waitForSelector('main [contenteditable="true"]')
  await until('the draft is there', async () => (await engine.campaigns.list(project)).items.length === 3)
  await look(page)
})

/** Finds a text in the mail by the arrow keys, and writes another in its place. */
async function rewrite(page: Page, from: string, to: string): Promise<void> {
  const { keyboard } = page
  const isThere = () => page.evaluate(`getSelection().focusNode?.textContent === ${JSON.stringify(from)}`)
  await keyboard.down('Control')
  await keyboard.press('Home')
  await keyboard.up('Control')
  for (let i = 0; i < 40 && !(await isThere()); i++) await keyboard.press('ArrowDown')
  expect(await isThere()).toBe(true)
  await keyboard.press('Home')
  await keyboard.down('Shift')
  for (const _ of from) await keyboard.press('ArrowRight')
  await keyboard.up('Shift')
  expect(await page.evaluate('String(getSelection())')).toBe(from)
  await keyboard.type(to)
}

/** The faults of a page at both sizes. */
async function look(page: Page): Promise<void> {
  expect(await faultsOf(page)).toEqual([])
  await page.setViewport({ width: 390, height: 844 })
  expect(await faultsOf(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await page.setViewport({ width: 1280, height: 800 })
}

/** A page as it is used without a mouse. */
function keysOf(page: Page) {
  const { keyboard } = page
  const NAME = `(() => {
    const at = document.activeElement
    const by = at.getAttribute('aria-labelledby')
    const name = at.getAttribute('aria-label') ?? (by && document.getElementById(by)?.innerText) ?? at.labels?.[0]?.innerText
    return (name || at.innerText || '').replace(/\\s*\\*$/, '').trim()
  })()`
  const MARKED = `document.activeElement.getAttribute('aria-expanded') === 'true' && document.getElementById(document.activeElement.getAttribute('aria-controls'))?.querySelector('[data-combobox-selected]')?.innerText`
  const nameOf = async () => String(await page.evaluate(NAME))
  const to = async (name: string, tags?: string) => {
    const met: string[] = []
    for (let i = 0; i < 150; i++) {
      const here = await nameOf()
      if (here === name && (!tags || tags.includes(String(await page.evaluate('document.activeElement.tagName')))))
        return
      met.push(here)
      await keyboard.press('Tab')
    }
    throw new Error(`no key leads to “${name}” at ${page.url()}, only to: ${[...new Set(met)].join(' | ')}`)
  }
  return {
    to,
    press: async (name: string) => {
      await to(name, 'BUTTON A')
      await keyboard.press('Enter')
    },
    /** A link by the end of its address. */
    open: async (end: string) => {
      for (let i = 0; i < 150; i++) {
        if (String(await page.evaluate('document.activeElement.href')).endsWith(end)) return keyboard.press('Enter')
        await keyboard.press('Tab')
      }
      throw new Error(`no key leads to ${end}`)
    },
    fill: async (name: string, text: string) => {
      await to(name)
      await keyboard.down('Control')
      await keyboard.press('a')
      await keyboard.up('Control')
      await keyboard.type(text)
    },
    choose: async (name: string, option: string) => {
      await to(name)
      const isChosen = async () => (await page.evaluate('document.activeElement.value')) === option
      for (let i = 0; i < 40 && !(await isChosen()); i++) {
        await keyboard.press('ArrowDown')
        await page.waitForSelector('[role="option"]')
        if ((await page.evaluate(MARKED)) === option) await keyboard.press('Enter')
      }
      if (await isChosen()) return
      throw new Error(`no option ${option}`)
    },
  }
}
