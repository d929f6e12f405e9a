import { crc32, deflateSync } from 'node:zlib'
import type { Frame, Page } from 'puppeteer-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import type { DesignNode } from '../../server/dashboard/parts/mail-editor/design.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { STEP_MS, testBrowser } from './chromium.ts'
import { type DashboardServer, settled, signIn, startDashboard } from './dashboard-server.ts'

const browser = testBrowser()
let server: DashboardServer

anewOnRetry(
  async () => {
    server = await startDashboard(sqlite({ file: ':memory:' }), {}, { name: 'Demo', trustedDomains: ['example.com'] })
    const page = await browser.newPage()
    await page.goto(server.url)
    await signIn(page)
    await page.close()
  },
  async () => {
    await server?.stop()
  },
)

const text = (words: string, ...marks: readonly string[]): DesignNode => ({
  type: 'text',
  text: words,
  ...(marks.length === 0 ? {} : { marks: marks.map((type) => ({ type, attrs: type === 'link' ? { href: TO } : {} })) }),
})
const p = (words: string, textAlign = ''): DesignNode => ({
  type: 'paragraph',
  ...(textAlign === '' ? {} : { attrs: { textAlign } }),
  content: [text(words)],
})
const item = (words: string, ...more: readonly DesignNode[]): DesignNode => ({
  type: 'listItem',
  content: [p(words), ...more],
})
const TO = 'https://example.org/'
const LONG = 'Words enough for more than a single line of a mail, as the paragraphs of a newsletter mostly have them.'

/** Blocks of each kind, as people fill them in. */
function samples(): Readonly<Record<string, readonly DesignNode[]>> {
  const picture = (size: string, attrs: DesignNode['attrs'] = {}): DesignNode => ({
    type: 'picture',
    attrs: { src: `${PICTURES}${size}.png`, alt: '', width: Number(size.split('x')[0]), ...attrs },
  })
  const columns = (...each: readonly (readonly DesignNode[])[]): DesignNode => ({
    type: 'columns',
    content: each.map((content) => ({ type: 'column', content })),
  })
  const button = { type: 'button', attrs: { text: 'Read more', href: TO } }
  const card = {
    type: 'card',
    attrs: { title: 'Tea', text: 'Green\nand black', price: '3 €', button: 'Buy', href: TO },
  }
  return {
    paragraph: [
      p(LONG),
      p(LONG, 'center'),
      p('Right', 'right'),
      { type: 'paragraph' },
      p('שלום, מה שלומך?'),
      p('שלום, מה שלומך?', 'left'),
      {
        type: 'paragraph',
        content: [
          ...[text('bold ', 'bold'), text('italic ', 'italic'), text('under ', 'underline'), text('gone ', 'strike')],
          ...[text('code()', 'code'), text(' and a '), text('link', 'link'), { type: 'hardBreak' }, text('below')],
        ],
      },
    ],
    heading: [1, 2, 3].map((level) => ({ type: 'heading', attrs: { level }, content: [text(`Heading ${level}`)] })),
    bulletList: [
      { type: 'bulletList', content: [item('שלום'), item('תודה')] },
      {
        type: 'bulletList',
        content: [item('One'), item(LONG, { type: 'bulletList', content: [item('In')] }), item('Two')],
      },
    ],
    orderedList: [
      { type: 'orderedList', attrs: { start: 3 }, content: [item('Third'), item('Fourth', p('More of it'))] },
    ],
    blockquote: [{ type: 'blockquote', content: [p(LONG), p('Said')] }],
    codeBlock: [{ type: 'codeBlock', content: [text(`npm install\n  ${'x'.repeat(90)}`)] }],
    horizontalRule: [{ type: 'horizontalRule' }],
    spacer: [4, 24, 120].map((height) => ({ type: 'spacer', attrs: { height } })),
    button: ['left', 'center', 'right'].map((textAlign) => ({ ...button, attrs: { ...button.attrs, textAlign } })),
    picture: [
      picture('240x80'),
      picture('240x80', { textAlign: 'center', href: TO }),
      picture('240x80', { textAlign: 'right' }),
      // twice as many pixels as it is wide
      picture('480x160', { width: 240 }),
      picture('1400x300', { width: 720, textAlign: 'center' }),
      picture('20x20'),
    ],
    columns: [
      columns([p('One')], [p('Two')]),
      columns([picture('100x60'), p(LONG)], [picture('800x200', { width: 720 })], [button]),
      columns([picture('100x60', { textAlign: 'center', href: TO })], [card]),
    ],
    card: [
      card,
      { type: 'card', attrs: { ...card.attrs, src: `${PICTURES}1400x300.png` } },
      { type: 'card', attrs: { ...card.attrs, src: `${PICTURES}120x60.png`, width: 120, button: '' } },
    ],
    social: [
      { type: 'social', attrs: { links: [], textAlign: 'center' } },
      { type: 'social', attrs: { links: [{ name: 'Own', url: TO }], textAlign: 'left' } },
    ],
    postal: [{ type: 'postal' }, { type: 'postal', attrs: { textAlign: 'center' } }],
    wayOut: [{ type: 'wayOut', attrs: { text: 'No more of it?', link: 'Unsubscribe', textAlign: 'center' } }],
    condition: [{ type: 'condition', attrs: { field: 'email', asks: 'set' }, content: [p(LONG), button] }],
  }
}

/** Kinds that the editor shows as what they are, not as they look: what they become is only known with a contact. */
const SHOWN_AS_CODE = ['snippet', 'source']

/** A picture of one color. */
function png(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 0], 8)
  // each row begins with its filter, which is none
  const rows = deflateSync(
    Buffer.alloc((width + 1) * height, Buffer.concat([Buffer.alloc(1), Buffer.alloc(width, 90)])),
  )
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

const PICTURES = 'https://pictures.example/'

/** A page that gets pictures from there: their names are their sizes, `240x80.png`. */
async function newPage(): Promise<Page> {
  const page = await browser.newPage()
  page.setDefaultTimeout(STEP_MS)
  onTestFinished(() => page.close())
  await page.setRequestInterception(true)
  page.on('request', (request) => {
    const [, width, height] = /^https:\/\/pictures\.example\/(\d+)x(\d+)\.png$/.exec(request.url()) ?? []
    if (width === undefined) return void request.continue()
    void request.respond({ contentType: 'image/png', body: png(Number(width), Number(height)) })
  })
  return page
}

/** One thing that a reader sees: a word, a picture, or an edge or a ground with a color. */
interface Seen {
  readonly what: string
  readonly box: readonly [x: number, y: number, width: number, height: number]
  readonly look: string
}

/** The look of `inside`, from its upper left corner on, between the marks "§kind-1": a list for each of them. */
const LOOK = `(inside) => {
  const { left, top } = inside.getBoundingClientRect()
  const padding = getComputedStyle(inside)
  const zero = [left + Number.parseFloat(padding.paddingLeft), top + Number.parseFloat(padding.paddingTop)]
  const boxOf = ({ x, y, width, height }) => [x - zero[0], y - zero[1], width, height].map((each) => Math.round(each * 10) / 10)
  const seen = []
  const range = inside.ownerDocument.createRange()
  const walk = (node) => {
    if (node.nodeType === 3) {
      const style = getComputedStyle(node.parentElement)
      for (const { index, 0: word } of node.data.matchAll(/[^\\s\\u00a0]+/g)) {
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        const look = [style.fontSize, style.fontWeight, style.fontStyle, style.color, style.fontFamily.split(',')[0]]
        seen.push({ what: word, box: boxOf(range.getBoundingClientRect()), look: look.join(' ') })
      }
      return
    }
    if (node.nodeType !== 1 || getComputedStyle(node).display === 'none') return
    const style = getComputedStyle(node)
    const edges = ['Top', 'Right', 'Bottom', 'Left'].map((side) => style['border' + side + 'Style'] === 'none' ? 0 : Number.parseFloat(style['border' + side + 'Width']))
    const ground = style.backgroundColor === 'rgba(0, 0, 0, 0)' ? '' : style.backgroundColor
    if (node !== inside && (ground !== '' || edges.some((edge) => edge > 0))) {
      const [edge] = ['Top', 'Left'].filter((side) => style['border' + side + 'Style'] !== 'none').map((side) => style['border' + side + 'Color'])
      const box = boxOf(node.getBoundingClientRect())
      // the line of a rule is its upper edge, whatever is below it
      if (edges[0] > 0 && edges[2] === 0 && ground === '') box[3] = edges[0]
      seen.push({ what: '[box]', box, look: [ground, ...edges, edges.some((each) => each > 0) ? edge : '', style.borderRadius].join(' ') })
    }
    if (node.tagName === 'IMG' && node.src) seen.push({ what: node.getAttribute('src').split('/').at(-1), box: boxOf(node.getBoundingClientRect()), look: '' })
    for (const child of node.childNodes) walk(child)
  }
  walk(inside)
  let group = []
  const groups = { logo: group }
  for (const each of seen) {
    if (each.what.startsWith('§')) {
      group.push({ ...each, what: '[end]', look: '' })
      group = groups[each.what.slice(1)] = []
    }
    group.push(each)
  }
  for (const each of Object.values(groups)) {
    const from = each[0].box[1]
    for (const one of each) one.box = [one.box[0], Math.round((one.box[1] - from) * 10) / 10, one.box[2], one.box[3]]
  }
  return groups
}`
type Groups = Readonly<Record<string, readonly Seen[]>>

const look = (page: Page | Frame, selector: string): Promise<Groups> =>
  page.evaluate(`(${LOOK})(document.querySelector(${JSON.stringify(selector)}))`) as Promise<Groups>

/** How one differs from the other by more than a pixel, or in its look; undefined when it does not. */
function difference(one: Seen | undefined, other: Seen | undefined): string | undefined {
  if (one?.what !== other?.what) return `${one?.what} is ${other?.what}`
  if (one === undefined || other === undefined) return undefined
  const isMoved = one.box.some((value, at) => Math.abs(value - (other.box[at] ?? 0)) > 1.5)
  return isMoved || one.look !== other.look
    ? `${one.what}: ${one.box} ${one.look} is ${other.box} ${other.look}`
    : undefined
}

function differences(one: Groups, other: Groups): readonly string[] {
  return Object.keys({ ...one, ...other }).flatMap((group) => {
    const [first, second] = [one[group] ?? [], other[group] ?? []]
    const at = Array.from({ length: Math.max(first.length, second.length) }, (_, each) => each)
    const found = at.flatMap((each) => difference(first[each], second[each]) ?? [])
    return found.slice(0, process.env.ALL ? 99 : 1).map((each) => `${group}: ${each}`)
  })
}

/** The same without places and looks: what there is, in its order. */
const inOrder = (groups: Groups): Groups =>
  Object.fromEntries(
    Object.entries(groups).map(([name, all]) => [name, all.map(({ what }) => ({ what, box: [0, 0, 0, 0], look: '' }))]),
  )

const loaded = `[...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0)`

describe('a drawn mail', () => {
  // who draws a mail believes what she sees: what is sent has to be just that, for readers that drop its style sheet, too
  it.each([
    [1280, 1280],
    [390, 390],
  ])('looks in the editor as in the preview and when it is sent, at %i px', async (width) => {
    const blocks = samples()
    const content = Object.entries(blocks).flatMap(([kind, each]) =>
      each.flatMap((block, index) => [p(`§${kind}-${index}`), block]),
    )
    const project = server.demo
    await server.engine.projects.change(project, {
      look: {
        ...{
          postalAddress: 'Example Ltd, 1 High Street',
          color: '#7a1fa2',
          font: 'georgia',
          logoUrl: `${PICTURES}200x80.png`,
        },
        ...{ links: [{ name: 'Mastodon', url: TO }] },
      },
    })
    await server.engine.contacts.upsert(project, { email: 'ada@example.org' })
    const { id } = await server.engine.templates.create(project, {
      ...{ name: `Drawn ${width}`, subject: 'S', body: '<p></p>', type: 'MARKETING', from: 'hello@example.com' },
      design: JSON.parse(JSON.stringify({ version: 1, content: [...content, p('§end')] })),
    })
    const page = await newPage()
    await page.setViewport({ width, height: 900 })
    await page.goto(`${server.url}p/${project.id}/templates/${id}`)
    await settled(page)
    await page.waitForSelector('.tiptap')
    await page.locator('button::-p-text(Use the postal address)').click()
    await page.waitForSelector('button::-p-text(Use the postal address)', { hidden: true })
    // hints of the editor alone, which no reader gets
    await page.evaluate(`
      const sheet = new CSSStyleSheet()
      sheet.replaceSync('[data-hint] { display: none !important }')
      document.adoptedStyleSheets.push(sheet)`)
    await page.waitForFunction(loaded)
    const kinds = (await page.evaluate(
      `Object.values(document.querySelector('.tiptap').editor.schema.nodes).filter(({ isBlock, isInGroup }) => isBlock).filter((type) => type.isInGroup('block')).map(({ name }) => name)`,
    )) as readonly string[]
    expect(kinds.toSorted()).toEqual([...Object.keys(blocks), ...SHOWN_AS_CODE].toSorted())
    const drawn = await look(page, '[data-paper]')
    const paper = (await page.evaluate(
      `document.querySelector('[data-paper]').getBoundingClientRect().width`,
    )) as number
    if (process.env.MAILS_INTO)
      await page.screenshot({ path: `${process.env.MAILS_INTO}/editor-${width}.png`, fullPage: true })
    await page.locator('::-p-xpath(//label[.="Preview"])').click()
    const frame = await (await page.waitForSelector('iframe'))?.contentFrame()
    await frame?.waitForSelector('.inside')
    await frame?.waitForFunction(loaded)
    const html = `<!doctype html>${await frame?.evaluate('document.documentElement.outerHTML')}`
    const previewed = frame && (await look(frame, '.inside'))
    const card = await frame?.evaluate(`document.querySelector('.card').getBoundingClientRect().width`)

    const reader = await newPage()
    const sentAt = async (cardWidth: number, source: string) => {
      await reader.setViewport({ width: Math.round(cardWidth) + (cardWidth === 600 ? 200 : 24), height: 900 })
      await reader.setContent(source)
      await reader.waitForFunction(loaded)
      expect(await reader.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      if (process.env.MAILS_INTO)
        await reader.screenshot({
          path: `${process.env.MAILS_INTO}/sent-${width}-${source === html}.png`,
          fullPage: true,
        })
      return await look(reader, '.inside')
    }
    // without its style sheet, a mail has less room on a phone than the editor shows: nothing more, less or wider
    const bare = html.replaceAll(/<style[\s\S]*?<\/style>/g, '').replaceAll(/ class="(?!inside)[^"]*"/g, '')
    const plain = await sentAt(paper, bare)
    const found = {
      sent: differences(drawn, await sentAt(paper, html)),
      preview: differences(previewed ?? {}, await sentAt(Number(card), html)),
      bare: paper === 600 ? differences(drawn, plain) : differences(inOrder(drawn), inOrder(plain)),
      paper,
    }
    expect(found).toEqual({ sent: [], preview: [], bare: [], paper: width === 1280 ? 600 : expect.any(Number) })
  }, 120_000)
})
