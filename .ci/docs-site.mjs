// Makes a site of the documentation that asks nothing from elsewhere: `npm run docs` writes it to dist/site, `node .ci/docs-site.mjs FOLDER` elsewhere. It needs no server: its pages
// open from the disk, too.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix, relative, resolve } from 'node:path'
import markdownIt from 'markdown-it'
import MiniSearch from 'minisearch'

const ROOT = dirname(import.meta.dirname)
const target = resolve(process.argv[2] ?? join(ROOT, 'dist/site'))
const require = createRequire(import.meta.url)

/** Which page of the site each file is: README.md is the first page, docs/README.md the map. */
const addresses = new Map([
  ['README.md', 'index.html'],
  ['docs/README.md', 'map.html'],
])
for (const file of globSync('docs/**/*.md', { cwd: ROOT }).sort()) {
  if (!addresses.has(file)) addresses.set(file, file.slice('docs/'.length).replace(/\.md$/, '.html'))
}

/** The slug of a title, as GitHub makes it. */
function placeOf(title) {
  const text = title.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '')
  return text.replaceAll(' ', '-')
}

/** Reads a page: its HTML, its title, its sections with their plain text. */
function read(file) {
  const page = addresses.get(file)
  const markdown = markdownIt({ html: true })
  const env = { sections: [], title: '' }
  const { rules } = markdown.renderer

  markdown.core.ruler.push('places', ({ tokens }) => {
    const seen = new Map()
    let section = { title: '', place: '', text: '' }
    env.sections.push(section)
    for (const [i, token] of tokens.entries()) {
      if (token.type === 'heading_open') {
        const title = plain(tokens[i + 1])
        const slug = placeOf(title)
        const before = seen.get(slug) ?? 0
        seen.set(slug, before + 1)
        const place = before === 0 ? slug : `${slug}-${before}`
        token.attrSet('id', place)
        if (token.tag === 'h1') env.title ||= title
        section = { title, place: token.tag === 'h1' ? '' : place, text: '', level: Number(token.tag[1]) }
        env.sections.push(section)
      } else if (token.type === 'inline' && tokens[i - 1]?.type !== 'heading_open') section.text += ` ${plain(token)}`
      else if (token.type === 'fence' || token.type === 'code_block') section.text += ` ${token.content}`
    }
  })

  rules.link_open = (tokens, i, options, _env, self) => {
    const [token] = [tokens[i]]
    const href = token.attrGet('href') ?? ''
    const led = lead(file, page, href)
    if (led === undefined) token.attrSet('class', 'none')
    token.attrs = token.attrs.filter(([name]) => name !== 'href' || led !== undefined)
    if (led !== undefined) token.attrSet('href', led)
    return self.renderToken(tokens, i, options)
  }
  rules.image = (tokens, i, options, renderEnv, self) => {
    tokens[i].attrSet('src', picture(file, page, tokens[i].attrGet('src')))
    tokens[i].attrSet('alt', self.renderInlineAsText(tokens[i].children, options, renderEnv))
    return self.renderToken(tokens, i, options)
  }
  // nothing but pictures is written as HTML
  const html = (tokens, i) =>
    tokens[i].content
      .replace(/<(?!img )/g, '&lt;')
      .replace(/src="([^"]+)"/g, (_all, src) => `src="${picture(file, page, src)}"`)
  rules.html_inline = html
  rules.html_block = html
  rules.table_open = () => '<div class="table"><table>\n'
  rules.table_close = () => '</table></div>\n'

  const source = readFileSync(join(ROOT, file), 'utf8')
  return { file, page, html: markdown.render(source, env), ...env }
}

function plain({ children }) {
  return children
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : type === 'softbreak' ? ' ' : ''))
    .join('')
}

/** Where a link leads on the site; undefined for what is no page, such as a source file. */
function lead(file, page, href) {
  if (/^(?:[a-z]+:|#)/.test(href)) return href
  const [path, place] = href.split('#')
  const found = addresses.get(posix.join(dirname(file), path))
  return found && to(page, found) + (place ? `#${place}` : '')
}

function picture(file, page, src) {
  const path = posix.join(dirname(file), src)
  if (!path.startsWith('docs/images/')) throw new Error(`${file} shows ${src}, which is not in docs/images`)
  return to(page, path.slice('docs/'.length))
}

function to(page, other) {
  return relative(dirname(page), other).replaceAll('\\', '/')
}

const pages = [...addresses.keys()].map(read)

/** The map, as the menu of every page. */
function menuOf(page) {
  const map = readFileSync(join(ROOT, 'docs/README.md'), 'utf8')
  const parts = map.split(/^## /m).slice(1)
  return parts
    .map((part) => {
      const [title] = part.split('\n', 1)
      const links = [...part.matchAll(/\[([^\]]+)\]\(([^)]+\.md)\)/g)].map(([, name, path]) => {
        const other = addresses.get(posix.join('docs', path))
        const label = name[0].toUpperCase() + name.slice(1)
        const here = other === page ? ' aria-current="page"' : ''
        return `<li><a href="${to(page, other)}"${here}>${escaped(label)}</a></li>`
      })
      return `<section><h2>${escaped(title)}</h2><ul>${links.join('')}</ul></section>`
    })
    .join('\n')
}

function contentsOf({ sections }) {
  const titles = sections.filter(({ level }) => level === 2)
  if (titles.length < 3) return ''
  const links = titles.map(({ title, place }) => `<li><a href="#${place}">${escaped(title)}</a></li>`)
  return `<aside><nav aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></nav></aside>`
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

function wholeOf(read) {
  const { page, title, html } = read
  const at = (file) => to(page, file)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title === 'Mailwright' ? title : `${title} · Mailwright`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${at('site.css')}">
</head>
<body data-root="${at('.') === '' ? '' : `${at('.')}/`}">
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="home" href="${at('index.html')}">Mailwright</a>
<div class="search" role="search"><input id="search" type="search" placeholder="Search" aria-label="Search the documentation" title="Press / to search" autocomplete="off" aria-controls="results"><div id="results" hidden></div></div>
<button id="menu" type="button" aria-expanded="false" aria-controls="pages">Pages</button>
</header>
<nav id="pages" aria-label="Pages">
${menuOf(page)}
</nav>
<main id="content">
${html}
</main>
${contentsOf(read)}
<script src="${at('minisearch.js')}" defer></script>
<script src="${at('search-index.js')}" defer></script>
<script src="${at('site.js')}" defer></script>
</body>
</html>
`
}

/** One entry for each section of each page. */
function indexOf() {
  const documents = pages.flatMap(({ page, title, sections }) =>
    sections
      .filter(({ title: own, text }) => own !== '' || text.trim() !== '')
      .map((section, i) => ({
        ...{
          id: `${page}${section.place ? `#${section.place}` : ''}!${i}`,
          address: `${page}${section.place ? `#${section.place}` : ''}`,
        },
        ...{ page: title, title: section.title || title, text: section.text.replace(/\s+/g, ' ').trim() },
      })),
  )
  const index = new MiniSearch(SEARCH)
  index.addAll(documents.map((each) => ({ ...each, start: each.text.slice(0, 160) })))
  return index
}

/** As site.js reads it. */
const SEARCH = { fields: ['title', 'page', 'text'], storeFields: ['address', 'page', 'title', 'start'] }

rmSync(target, { recursive: true, force: true })
for (const read of pages) {
  const path = join(target, read.page)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, wholeOf(read))
}
cpSync(join(ROOT, 'docs/images'), join(target, 'images'), { recursive: true })
const own = join(import.meta.dirname, 'docs-site')
for (const name of ['site.css', 'site.js']) cpSync(join(own, name), join(target, name))
const umd = join(dirname(require.resolve('minisearch')), '../umd/index.js')
if (!existsSync(umd)) throw new Error('minisearch has no file for browsers')
writeFileSync(join(target, 'minisearch.js'), readFileSync(umd, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, ''))
const data = JSON.stringify({ options: SEARCH, index: JSON.stringify(indexOf()) })
writeFileSync(join(target, 'search-index.js'), `globalThis.searchIndex = ${data}\n`)
console.log(`${pages.length} pages: open ${join(target, 'index.html')}`)
