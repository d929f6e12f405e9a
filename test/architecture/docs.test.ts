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
  const named = PAGES.filter(({ page }) => !/CHANGELOG|coming-from|compat-/.test(page)).flatMap(({ page, text }) =>
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

it('the map has every page, and each once', () => {
  const map = readFileSync('docs/README.md', 'utf8')
  const listed = [...map.matchAll(/\]\(([^):#]+\.md)\)/g)]
    .map(([, path = '']) => path)
    .filter((path) => !path.startsWith('../'))
  const pages = globSync('**/*.md', { cwd: 'docs' }).filter((page) => page !== 'README.md')
  const missing = pages.filter((page) => !listed.includes(page))
  expect(missing, 'pages that docs/README.md does not list: add them where a reader looks for them').toEqual([])
  expect(listed.toSorted()).toEqual(pages.toSorted())
})

it('each place on a page that a link names is there', () => {
  const pages = PAGES.filter(({ page }) => !page.endsWith('endpoints.md'))
  const links = pages.flatMap(({ page, text }) =>
    [...withoutCode(text).matchAll(/\]\(([^):#\s]*)#([^)\s]+)\)/g)].map(([, path = '', place = '']) => ({
      ...{ page, path: path === '' ? page : join(dirname(page), path), place },
    })),
  )
  expect(links.length).toBeGreaterThan(100)
  const missing = links.filter(({ path, place }) => existsSync(path) && !placesOn(path).includes(place))
  expect(missing).toEqual([])
})

it('each guarantee names a test that is there', () => {
  const rows = readFileSync('docs/guarantees.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| .+\. \|/.test(line))
  expect(rows.length).toBeGreaterThan(35)
  const broken = rows.filter((row) => {
    const [, path = '', title = ''] = /\| `(test\/[^`]+\.test\.ts)`: (.+) \|$/.exec(row) ?? []
    return !existsSync(path) || !readFileSync(path, 'utf8').includes(`'${title}'`)
  })
  expect(broken).toEqual([])
})

/** The places a link can lead to, named as GitHub does. */
function placesOn(page: string): readonly string[] {
  const titles = [...withoutCode(readFileSync(page, 'utf8')).matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => title)
  return titles.map((title) =>
    title
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}
