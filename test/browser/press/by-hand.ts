import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'

/** A page that is opened, and what is then done there by hand, before its buttons are looked for. */
export interface Opening {
  /** Where several open one page, each ends in a word of its own after `#`. */
  readonly url: string
  readonly prepare?: (page: Page) => Promise<unknown>
}

/** Presses the element as the walk does, since others may lie above it. */
async function press(page: Page, selector: string): Promise<void> {
  await (await page.waitForSelector(selector))?.evaluate((element) => (element as unknown as { click(): void }).click())
  await page.evaluate('walk.idle()')
}

/** Files that are chosen, in a folder of their own. */
export class Files {
  readonly #folder = mkdtempSync(join(tmpdir(), 'mailwright-files-'))

  /** Chooses a file of this text, once the page asks for one. */
  chosen(name: string, text: string, where = 'main'): (page: Page) => Promise<void> {
    const file = join(this.#folder, name)
    writeFileSync(file, text)
    return async (page) => {
      // one that was chosen before is still there, with what was chosen for it
      await (await page.$(`${where} button[data-mark$=".another"]`))?.click()
      await (await page.waitForSelector(`${where} input[type="file"]`))?.uploadFile(file)
      await page.evaluate('walk.idle()')
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Chooses a row of a list, again if the list was loaded anew meanwhile, and none when one is chosen. */
export const chooseRows = async (page: Page) => {
  const box = 'main tbody input[type="checkbox"]'
  await page.waitForSelector(box)
  for (let tries = 0; tries < 3 && (await page.$(`${box}:checked`)) === null; tries++) await press(page, box)
}

/** Opens the panel of a workflow's step, unless it was removed meanwhile. */
export const openStep = (id: string) => async (page: Page) => {
  await page.waitForSelector('[data-step]')
  if ((await page.$(`[data-step="${id}"]`)) === null) return
  await press(page, `[data-step="${id}"]`)
  await page.waitForSelector('[role="dialog"]')
}

/** Chooses a block of the mail that is drawn, or so many letters of its first text of this kind. */
export const chooseBlock = (kind: string) => async (page: Page) => {
  await page.waitForSelector('main .tiptap')
  await page.evaluate(`{
    const { editor } = document.querySelector('main .tiptap')
    let place
    editor.state.doc.descendants(({ type, marks }, at) => {
      if (place === undefined && (type.name === '${kind}' || marks.some((mark) => mark.type.name === '${kind}'))) place = at
    })
    const chain = editor.chain().focus()
    const isText = editor.schema.marks['${kind}'] !== undefined
    ;(isText ? chain.setTextSelection({ from: place, to: place + 2 }) : chain.setNodeSelection(place)).run()
  }`)
  await page.evaluate('walk.idle()')
}

/** Writes into a field of the page. */
export const write = (selector: string, text: string) => async (page: Page) => {
  await page.waitForSelector(selector)
  await page.evaluate(`walk.write(${JSON.stringify(selector)}, ${JSON.stringify(text)})`)
}

/** Gives a waiting mail another time. */
export const giveTime = async (page: Page) => {
  const button = 'main ::-p-aria([name="Change time"][role="button"])'
  // a mail that has been cancelled meanwhile has no time
  if ((await page.$(button)) === null) return
  await press(page, button)
  const inTenDays = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 16)
  await write('main input[type="datetime-local"]', inTenDays)(page)
}

/** Changes a draft whose saving the server then refuses, so that its next step asks to save it. */
export const leaveUnsaved = async (page: Page) => {
  await page.evaluate(`walk.refuse('server')`)
  await write('main input[name="subject"]', `Unsaved ${Math.random()}`)(page)
  await page.waitForSelector('main [role="status"] ::-p-text(Not saved yet)')
  // leaving its tab would save it
  await press(page, 'main ::-p-aria([name="4. Check"][role="tab"])')
  await page.waitForSelector('main [role="alert"] button')
  await page.evaluate(`walk.refuse('')`)
}

/** Opens the field for the address behind some words of the mail. */
export const openLink = async (page: Page) => {
  await chooseBlock('link')(page)
  await press(page, 'main [role="toolbar"] [aria-label="Link"]')
  // to set it, and to take it away
  await page.waitForSelector('[role="dialog"] button + button')
}

/** Opens the form that sends a template as a test. */
export const openTest = (page: Page) => press(page, 'main ::-p-aria([name="Send a test"][role="button"])')

/** Has a page open that another person changes meanwhile, and opens it again later. */
export const openEdited = (change: () => Promise<unknown>) => async (page: Page) => {
  await change()
  await page.reload()
  await page.waitForSelector('main h1')
  await page.waitForSelector('main [role="status"] [role="alert"]')
}

/** Opens the dialog to import blocked addresses, and chooses a file. */
export const importBlocked = (chosen: (page: Page) => Promise<void>) => async (page: Page) => {
  await press(page, 'main ::-p-aria([name="Import"][role="button"])')
  await page.waitForSelector('[role="dialog"]')
  await chosen(page)
}
