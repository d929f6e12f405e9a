import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { testBrowser } from './chromium.ts'

describe('the site of the documentation', () => {
  let folder: string
  const browser = testBrowser()
  let pages: readonly string[]
  anewOnRetry(
    async () => {
      folder = mkdtempSync(join(tmpdir(), 'mailwright-site-'))
      execFileSync(process.execPath, ['.ci/docs-site.mjs', folder])
      pages = globSync('**/*.html', { cwd: folder }).sort()
    },
    async () => {
      rmSync(folder, { recursive: true, force: true })
    },
  )

  it('has every page, and each of its links leads to a page and a place that are there', () => {
    expect(pages.length).toBe(globSync('docs/**/*.md').length + 1)
    const text = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]))
    const links = pages.flatMap((page) =>
      [...(text.get(page) ?? '').matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address = '']) => ({ page, address })),
    )
    expect(links.length).toBeGreaterThan(4000)
    const dead = links.filter(({ page, address }) => {
      if (/^(?:https?:|mailto:|data:)/.test(address)) return false
      const [path = '', place] = address.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(folder, target))) return true
      return place !== undefined && !text.get(target)?.includes(` id="${decodeURIComponent(place)}"`)
    })
    expect(dead).toEqual([])
  })

  it('is read and searched from the disk, and asks nothing from elsewhere', async () => {
    const page = await browser.newPage()
    const asked: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    for (const each of pages) await page.goto(pathToFileURL(join(folder, each)).href)
    await page.goto(`${pathToFileURL(join(folder, 'templates.html')).href}#filters`)
    expect(await page.evaluate('document.querySelector("#filters").getBoundingClientRect().top')).toBeLessThan(100)
    await page.goto(pathToFileURL(join(folder, 'recipes/win-back.html')).href)
    await page.type('#search', 'switch percent')
    const first = await page.waitForSelector('#results a')
    await Promise.all([page.waitForNavigation(), first?.click()])
    expect(await page.evaluate('document.querySelector("h1").textContent')).toBe('Workflows')
    await page.type('#search', 'xyzzyqq')
    expect(await page.evaluate('document.querySelector("#results").textContent')).toBe('Nothing is found.')
    expect(asked.length).toBeGreaterThan(pages.length)
    expect(asked.filter((each) => !each.startsWith('file:') && !each.startsWith('data:'))).toEqual([])
    expect(complaints).toEqual([])
  })
})
