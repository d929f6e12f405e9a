import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { anewOnRetry } from '../support/anew-on-retry.ts'

const PACKAGE = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..')
const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
/** In `node_modules`, so that it goes with the package it is unpacked from. */
const CACHE = join(PACKAGE, '..', '..', '.cache', `chromium-${version}`)

/**
 * How long a page may take for one step, in milliseconds. Only what hangs takes so long: on a core that is shared with
 * other browsers, the editor of mails has needed ten seconds for one.
 */
export const STEP_MS = 60_000

/** A Chromium for the tests of a file. A test that is tried again gets another, which knows nothing of the first try. */
export function testBrowser(): Pick<Browser, 'newPage' | 'createBrowserContext'> {
  let chromium: Browser
  anewOnRetry(
    async () => {
      chromium = await launchChromium()
    },
    async () => {
      await chromium?.close()
    },
  )
  return {
    newPage: () => chromium.newPage(),
    createBrowserContext: () => chromium.createBrowserContext(),
  }
}

/**
 * A headless Chromium: the one at `CHROMIUM_PATH`, else that of the package @sparticuz/chromium, which brings the
 * libraries it needs beyond the C library (Linux, x64). Nothing is downloaded.
 */
export async function launchChromium(): Promise<Browser> {
  const { CHROMIUM_PATH, ...env } = process.env
  if (CHROMIUM_PATH) return launch(CHROMIUM_PATH, env)
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('The browser that comes along is for Linux on x64: set CHROMIUM_PATH to a Chromium or Chrome here.')
  }
  if (!existsSync(CACHE)) await unpack()
  return launch(join(CACHE, 'chromium'), { ...env, LD_LIBRARY_PATH: join(CACHE, 'al2023', 'lib') })
}

/** Keeps a picture of the page in the folder `PICTURES`, for those who look at it. */
export async function look(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

function launch(executablePath: string, env: NodeJS.ProcessEnv): Promise<Browser> {
  // As root and in containers there is no sandbox to be had; the only pages opened are our own.
  // Some systems name no language that a browser knows, without which pages cannot write numbers
  env = { ...env, LANG: 'en_US.UTF-8', LANGUAGE: 'en_US' }
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars']
  return puppeteer.launch({ executablePath, headless: true, args, env })
}

/** Unpacks beside the cache and moves the whole there at the end: what broke off is never taken for a browser. */
async function unpack(): Promise<void> {
  const parent = dirname(CACHE)
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'unpacking-'))
  const before = process.env.TMPDIR
  // The package unpacks into the system's folder for temporary files
  process.env.TMPDIR = folder
  try {
    await chromium.executablePath()
    await inflate(join(PACKAGE, 'bin', 'al2023.tar.br'))
    renameSync(folder, CACHE)
  } catch (error) {
    if (!existsSync(CACHE)) throw error
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(folder, { recursive: true, force: true })
  }
}
