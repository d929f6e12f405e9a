import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import ts from 'typescript-5'
import { build, type Plugin } from 'vite'
import type { App } from '../../../server/index.ts'

const ROOT = 'server/dashboard'

/** The elements of the library and of HTML that are pressed. Others are made of these, in files that are marked, too. */
const PRESSED = new Set([
  ...['Button', 'ActionIcon', 'Menu.Item', 'Tabs.Tab', 'UnstyledButton', 'CloseButton', 'Checkbox', 'Switch', 'Radio'],
  ...['Chip', 'Burger', 'SegmentedControl', 'button', 'Anchor'],
])
const CHOICES = /^(Checkbox|Switch|Radio|Chip|SegmentedControl)$/

/** A button of the code: its file, the component that has it, the element and its words. */
interface Mark {
  readonly at: number
  readonly name: string
}

/** All buttons of one file. Two of one component with the same words are one. */
function marksIn(path: string, code: string): readonly Mark[] {
  const source = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const found: Mark[] = []
  const visit = (node: ts.Node, within: string): void => {
    const name = ts.isFunctionDeclaration(node) && node.name ? node.name.text : within
    if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) {
      const tag = node.tagName.getText(source)
      const attributes = new Map(
        node.attributes.properties
          .filter(ts.isJsxAttribute)
          .map((each) => [each.name.getText(source), each.initializer?.getText(source) ?? '']),
      )
      const words =
        ['aria-label', 'label', 'value'].map((each) => attributes.get(each)).find((each) => each !== undefined) ??
        (ts.isJsxOpeningElement(node) ? node.parent.children.map((each) => each.getText(source)).join('') : '')
      // one that only leads elsewhere is followed, and is not among these
      const isLink = attributes.has('href') && !attributes.has('onClick')
      const isDead = (tag === 'Anchor' && !attributes.has('onClick')) || attributes.get('disabled') === ''
      // that of the router has no attributes
      const isRouter = tag === 'Switch' && attributes.size === 0
      if (PRESSED.has(tag) && !isLink && !isDead && !isRouter) {
        const said = words
          .replace(/^[{"']|[}"']$/g, '')
          .replace(/\s+/g, ' ')
          .trim()
        found.push({
          at: node.tagName.end,
          name: `${path} ${name} ${tag} ${CHOICES.test(tag) ? (attributes.get('aria-label') ?? said) : said}`.slice(
            0,
            140,
          ),
        })
      }
    }
    ts.forEachChild(node, (child) => visit(child, name))
  }
  visit(source, '')
  return found
}

/** The names of all buttons that are in the code of the dashboard. */
export function buttonsInCode(): ReadonlySet<string> {
  const files = globSync(`${ROOT}/**/*.tsx`).map((path) => path.replaceAll('\\', '/'))
  return new Set(
    files.flatMap((path) => marksIn(path.slice(ROOT.length + 1), readFileSync(path, 'utf8')).map(({ name }) => name)),
  )
}

const markButtons: Plugin = {
  name: 'mark-buttons',
  enforce: 'pre',
  transform(code, id) {
    const path = relative(ROOT, id).replaceAll('\\', '/')
    if (!path.endsWith('.tsx') || path.startsWith('..')) return null
    let marked = code
    for (const { at, name } of marksIn(path, code).toReversed())
      marked = `${marked.slice(0, at)} data-mark={${JSON.stringify(name)}}${marked.slice(at)}`
    return marked
  },
}

/** The dashboard whose buttons say where they are in the code (`data-mark`), in place of the compiled one. */
export interface MarkedBuild {
  /** Serves it instead of that of the app. */
  within(app: App): App
  remove(): void
}

export async function buildMarked(): Promise<MarkedBuild> {
  const folder = mkdtempSync(join(tmpdir(), 'marked-dashboard-'))
  await build({
    configFile: `${ROOT}/vite.config.ts`,
    plugins: [markButtons],
    // no smaller, since it is loaded on this machine alone
    build: { outDir: folder, minify: false, emptyOutDir: true },
  })
  const assets = new Set(readdirSync(join(folder, 'assets')))
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const HEAD = /<(?:script|link)[^>]*(?:src|href)="\.\/assets\/[^>]*>(?:<\/script>)?/g
  const head = page.match(HEAD)?.join('\n') ?? ''
  const fetch = async (app: App, request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const name = pathname.match(/^\/app\/assets\/([^/]+)$/)?.[1]
    if (name !== undefined && assets.has(name)) {
      const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
      return new Response(readFileSync(join(folder, 'assets', name)), { headers: { 'content-type': type } })
    }
    const answer = await app.fetch(request)
    const isPage = /^\/app\/(?!frame)/.test(pathname) && answer.headers.get('content-type')?.startsWith('text/html')
    if (!isPage) return answer
    const html = (await answer.text()).replace(HEAD, '').replace('</head>', `${head}</head>`)
    const headers = new Headers(answer.headers)
    for (const each of ['content-length', 'etag']) headers.delete(each)
    return new Response(html, { status: answer.status, headers })
  }
  return {
    within: (app) => ({
      fetch: (request) => fetch(app, request),
      request: (request, init) => fetch(app, new Request(request instanceof Request ? request : String(request), init)),
    }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
