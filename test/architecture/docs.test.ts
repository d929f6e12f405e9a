import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { ROUTES } from '../../server/app.ts'

const PAGES = ['README.md', 'server/dashboard/README.md', ...globSync('docs/**/*.md')].map((page) => ({
  ...{ page, text: readFileSync(page, 'utf8') },
}))

/** A path from the root of the repository, which may have stars: `core/ports/`, `test/http/log.test.ts`. */
const PATH = new RegExp(
  `(?<![\\w./@:{}$<>-])(?:\\./)?(?:${'core plugins server config test bench docs deploy examples \\.ci'.replaceAll(' ', '|')})/[\\w./@*-]*[\\w*/]`,
  'g',
)

it('files that the documentation names are there', () => {
  const named = PAGES.flatMap(({ page, text }) => [...text.matchAll(PATH)].map(([path]) => ({ page, path })))
  expect(named.length).toBeGreaterThan(150)
  expect(named.filter(({ path }) => (path.includes('*') ? globSync(path).length === 0 : !existsSync(path)))).toEqual([])
})

it('and so are those it links to', () => {
  const links = PAGES.flatMap(({ page, text }) =>
    [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)|<img src="([^"]+)"/g)].map(([, link, image]) => ({
      ...{ page, path: link ?? image ?? '' },
    })),
  ).filter(({ path }) => !/^[a-z]+:/.test(path))
  expect(links.length).toBeGreaterThan(200)
  expect(links.filter(({ page, path }) => !existsSync(join(dirname(page), path)))).toEqual([])
})

it('endpoints that it names are in the route table', () => {
  const routes = ROUTES.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
  }))
  const named = PAGES.filter(({ page }) => !/CHANGELOG|coming-from/.test(page)).flatMap(({ page, text }) =>
    [...text.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/[\w@{}<>:/.…-]*)/g)].map(([, method, path = '']) => ({
      ...{ page, method, path: path.replace(/[.:…]+$/, '').replace(/(?<=.)\/$/, '') },
    })),
  )
  expect(named.length).toBeGreaterThan(250)
  const strange = named.filter(
    ({ method, path }) => !routes.some((route) => route.method === method && route.pattern.test(path)),
  )
  expect(strange).toEqual([])
})
