import { readFileSync } from 'node:fs'
import type { Page } from 'puppeteer-core'
import type { Opening } from './by-hand.ts'

/** The script that walks in the page: a press by the browser's own protocol would take ten times as long. */
const IN_PAGE = readFileSync(new URL('./in-page.js', import.meta.url), 'utf8')

/** The ways in which a request fails that is refused for no field. */
const REFUSALS = ['server', 'network'] as const

/** An element that can be pressed. */
interface Pressable {
  readonly name: string
  /** The button of the code that it is, as `buttonsInCode` names it. */
  readonly mark?: string
  readonly tag: string
  readonly row?: number
  readonly rowText?: string
  readonly isFrame: boolean
  readonly isHead: boolean
  readonly isEditor: boolean
  readonly isNotice: boolean
  readonly isButton: boolean
  readonly isMenu: boolean
  readonly isOutside: boolean
  readonly href?: string
}

interface View {
  readonly url: string
  readonly layer: string
  readonly heading: string
  readonly all: readonly Pressable[]
  /** The presses that led to it. */
  readonly path: readonly string[]
}

interface Outcome {
  readonly stuck: string
  readonly sent: readonly { method: string; path: string; status: number | string; why?: string }[]
  readonly url: string
  readonly layer: string
  readonly isNews: boolean
  readonly messages: readonly string[]
  readonly lost: readonly string[]
}

/** A button, and the folder of the page it is on. */
interface Pressed {
  readonly folder: string
  readonly name: string
}

export interface WalkOptions {
  /** The values of fields, by patterns of their names and labels; the first that fits counts. */
  readonly values: readonly (readonly [field: string, value: string])[]
  /** Buttons whose request is refused, but never let through, by their names. */
  readonly notForReal: readonly RegExp[]
  /** Whether a page is walked, by its address without ids. */
  readonly pages: (shape: string) => boolean
  /** Requests that this server refuses although the form is filled, by the button and the code, each with the reason. */
  readonly refusals: readonly (readonly [button: RegExp, code: RegExp, why: string])[]
  /** The names of buttons that delete or end something: they are pressed last of all. */
  readonly last: RegExp
  /** Gets each page that is opened and each button that is pressed. */
  readonly log?: (line: string) => void
}

/** Addresses of one page: with ids, and values of filters, left out. */
function shapeOf(url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://x')
  const path = pathname.replace(/^\/app\/p\/[^/]+/, '').replace(/\/(?=[\w-]*\d)[\w-]{12,}/g, '/:id')
  const kept = ['tab', 'step'].flatMap((name) => (searchParams.has(name) ? [`${name}=${searchParams.get(name)}`] : []))
  return `${path.replace(/\/$/, '') || '/'}${kept.length > 0 ? `?${kept.join('&')}` : ''}`
}

/** The part of the dashboard that a button is of: the page, but for what several pages share. */
function placeOf({ mark, isFrame, isNotice, isHead, isEditor }: Pressable, url: string): string {
  if (isNotice) return 'notice'
  if (isFrame) return 'frame'
  if (isEditor) return 'editor'
  const isOfOnePart = mark !== undefined && (!mark.startsWith('parts/') || mark.startsWith('parts/mail-'))
  return isHead || isOfOnePart ? shapeOf(url).replace(/\?.*/, '') : shapeOf(url)
}

/** The last id in an address; without one, all of it. */
function idIn(url: string): string {
  return new URL(url, 'http://x').pathname.match(/(?=[\w-]*\d)[\w-]{12,}/g)?.at(-1) ?? url
}

/** Whether a request asks for what a page is about. */
function isAbout(url: string, asked: string): boolean {
  return asked.includes(idIn(url))
}

/** So many pages of one shape are walked: their buttons differ with what they show. */
const EACH = 2
/** So many rows of a table, for the same reason. */
const ROWS = 2
/** So many choices of one list. */
const ALIKE = 3
const DEEPEST = 4

/** Presses every button of every page it comes to, once. */
export class Walk {
  readonly pressed: Pressed[] = []
  readonly faults: string[] = []
  /** The buttons of the code that were pressed. */
  readonly marks = new Set<string>()
  readonly shapes = new Map<string, number>()
  readonly #known = new Set<string>()
  readonly #alike = new Map<string, number>()
  /** The buttons whose request was refused. */
  readonly #refusedKinds = new Set<string>()
  readonly #seen = new Set<string>()
  /** The buttons that end something, which come last. */
  readonly #ends: { url: string; path: readonly string[]; key: string }[] = []
  /** The ids of what was deleted. */
  readonly #dead: string[] = []
  #isWalking = true
  #refused = 0
  /** The work that is done by hand on some pages once they are open. */
  readonly #prepared = new Map<string, (page: Page) => Promise<unknown>>()
  readonly #queue: string[] = []
  readonly #page: Page
  readonly #options: WalkOptions
  #at = ''

  constructor(page: Page, options: WalkOptions) {
    this.#page = page
    this.#options = options
    page.on('console', (message) => {
      // requests are looked at where they are made
      if (!['error', 'warn'].includes(message.type()) || message.text().startsWith('Failed to load resource')) return
      this.#fault(`console: ${message.text()} ${message.location().url ?? ''}`)
    })
    page.on('pageerror', (error) => this.#fault(`exception: ${error}`))
  }

  /** To be called before the page is opened. */
  static async prepare(page: Page): Promise<void> {
    await page.evaluateOnNewDocument(IN_PAGE)
  }

  async run(first: readonly Opening[]): Promise<void> {
    for (const { url, prepare } of first) {
      this.#add(url, true)
      if (prepare !== undefined) this.#prepared.set(url, prepare)
    }
    await this.#all()
    this.#isWalking = false
    // what is deleted by its own page first, since a list may delete all that is chosen; another language comes last of all
    const rank = ({ url, key }: { readonly url: string; readonly key: string }) => {
      if (/Deutsch/.test(key)) return 3
      if (!shapeOf(url).includes(':id')) return 2
      // what was sent has no fields any more, of which others take something away
      return /Send now|Cancel campaign/.test(key) ? 1 : 0
    }
    while (this.#ends.length > 0) {
      const [end] = this.#ends.sort((a, b) => rank(a) - rank(b)).splice(0, 1)
      if (end === undefined) break
      const { url, path, key } = end
      const places = [url, ...this.#seen].filter((each) => shapeOf(each) === shapeOf(url) && this.#lives(each))
      for (const place of places) {
        // the keys of menus have the id of their page
        const steps = [...path, key].map((each) => each.replace(idIn(url), idIn(place)))
        const wanted = steps.pop() ?? key
        const view = await this.#open(place, steps)
        const at = view?.all.findIndex((each) => this.#keyOf(view, each) === wanted) ?? -1
        if (view === undefined || at < 0) continue
        await this.#press(place, steps, view, at, wanted)
        break
      }
      await this.#all()
    }
  }

  /** Whether what the page is about is still there. */
  #lives(url: string): boolean {
    return !this.#dead.some((id) => url.includes(id))
  }

  async #all(): Promise<void> {
    for (let url = this.#queue.shift(); url !== undefined; url = this.#queue.shift()) {
      await this.#walk(url)
    }
  }

  #add(url: string, isFirst = false): void {
    const shape = shapeOf(url)
    if (!this.#options.pages(shape)) return
    const count = this.shapes.get(shape) ?? 0
    // a part of a page is like that of the next
    const most = isFirst ? Number.POSITIVE_INFINITY : shape.includes('?') ? 1 : EACH
    if (count >= most || this.#seen.has(url)) return
    this.#seen.add(url)
    this.shapes.set(shape, count + 1)
    this.#queue.push(url)
  }

  #fault(what: string): void {
    // of pages that are read and never shown
    if (/Applying inline style/.test(what) && /Turn into blocks/.test(this.#at)) return
    // pictures of others wait until the reader asks for them
    if (/Loading the image .*img-src data:/.test(what)) return
    if (this.faults.includes(`${this.#at}: ${what}`)) return
    this.faults.push(`${this.#at}: ${what}`)
    this.#options.log?.(`FAULT ${this.#at}: ${what}`)
  }

  /** All buttons of a page but those that end something, which come when all pages were walked. */
  async #walk(url: string): Promise<void> {
    this.#at = shapeOf(url)
    if (!this.#lives(url)) return
    this.#options.log?.(url)
    let count: number
    do {
      count = this.pressed.length
      const view = await this.#open(url)
      for (const link of await this.#in<string[]>('links()')) this.#add(link.replace(/#.*/, ''))
      await this.#level(url, [], view)
      // what was chosen is chosen no more once one of its buttons has done its work
    } while (this.#prepared.has(url) && count !== this.pressed.length)
  }

  async #open(url: string, path: readonly string[] = []): Promise<View | undefined> {
    const { stuck, sent } = await this.#in<Pick<Outcome, 'stuck' | 'sent'>>(`open(${JSON.stringify(url)})`)
    // by then a thing may have been deleted by a button of a list
    const gone = this.#isWalking
      ? undefined
      : sent.find(({ path: asked, status }) => status === 404 && isAbout(url, asked))
    if (gone !== undefined) {
      this.#dead.push(idIn(url))
      return undefined
    }
    if (stuck !== '') this.#fault(`does not come to rest: ${stuck}`)
    this.#answers(sent)
    await this.#prepared
      .get(url)?.(this.#page)
      .catch((error) => this.#fault(`cannot be prepared: ${error}`))
    let view = await this.#view([])
    for (const [i, key] of path.entries()) {
      const found = await this.#find(view, key)
      const at = found.at
      view = found.view
      // what it did is done, such as a pause: what came of it is on the page itself
      if (at < 0) continue
      await this.#in(`press(${at})`)
      view = await this.#view(path.slice(0, i + 1))
    }
    return view
  }

  /** Where the button is in the view; what is not there yet is looked for a moment longer. */
  async #find(first: View, key: string): Promise<{ readonly view: View; readonly at: number }> {
    let view = first
    for (let tries = 0; ; tries++) {
      const shown = view
      const at = shown.all.findIndex((each) => this.#keyOf(shown, each) === key)
      if (at >= 0 || tries === 3) return { view, at }
      await this.#in('idle()')
      view = await this.#view(first.path)
    }
  }

  #answers(sent: Outcome['sent']): void {
    for (const { method, path, status, why = '' } of sent) {
      // by then pages may ask for what was deleted elsewhere, such as the segment of a campaign
      const isOfDeleted = !this.#isWalking && method === 'GET' && (status === 404 || status === 422)
      const isKnown = this.#options.refusals.some(([button, code]) => button.test(this.#at) && code.test(why))
      if (Number(status) >= 400 && !isKnown && !isOfDeleted)
        this.#fault(`${method} ${path} is answered ${status}: ${why.slice(0, 300)}`)
    }
  }

  /** Everything that can be pressed, once the forms are filled. */
  async #view(path: readonly string[]): Promise<View> {
    await this.#in(`fill(${JSON.stringify(this.#options.values)})`)
    await this.#in('alter()')
    const view = { ...(await this.#in<View>('pressables()')), path }
    return view
  }

  /** Everything on the layer that these presses open. */
  async #level(
    url: string,
    path: readonly string[],
    from: View | undefined,
    before: ReadonlySet<string> = new Set(),
  ): Promise<void> {
    let view = from
    for (;;) {
      if (view === undefined || !this.#lives(url)) return
      const shown = view
      const at = shown.all.findIndex((each) => !before.has(this.#keyOf(shown, each)) && this.#isDue(shown, each, path))
      const one = shown.all[at]
      if (one === undefined) return
      const key = this.#keyOf(shown, one)
      this.#known.add(key)
      if (this.#isLikeOthers(one, key)) continue
      if (this.#isWalking && this.#options.last.test(one.name)) {
        this.#ends.push({ url, path, key })
        continue
      }
      view = await this.#press(url, path, shown, at, key)
    }
  }

  /** Whether enough were pressed in this place that are the same button of the code, such as the choices of one list. */
  #isLikeOthers({ mark, tag, isMenu }: Pressable, key: string): boolean {
    // of few choices each shows other fields
    if (mark === undefined || tag === 'tab' || tag === 'radio' || isMenu) return false
    const alike = [...key.split(' | ').slice(0, -1), mark].join(' | ')
    const count = (this.#alike.get(alike) ?? 0) + 1
    this.#alike.set(alike, count)
    return count > ALIKE
  }

  #isDue(view: View, each: Pressable, path: readonly string[]): boolean {
    if (each.row !== undefined && each.row >= ROWS) return false
    if (each.isFrame && path.length > 0 && view.layer === '') return false
    // pressed by mail-editor.test.ts, where it is also looked at what comes of it
    if (each.isEditor) return false
    return !this.#known.has(this.#keyOf(view, each))
  }

  #keyOf(view: View, one: Pressable): string {
    const { name, mark = '', tag, row, rowText = '', isMenu, isFrame } = one
    const cells = row === undefined ? [] : rowText.split(/[\n\t]+/).filter((cell) => cell.length > 3)
    const plain = cells.reduce((text, cell) => text.replaceAll(cell, '*'), name)
    const label = (row !== undefined && plain.length > 40 ? 'row' : plain)
      .replaceAll(view.heading || '\0', '*')
      .replace(/[\w.+-]+@[\w.-]+/g, '@')
      .replace(/[“„"][^”“"]*[”“"]/g, '“”')
      .replace(/[\d.,]*\d/g, '#')
      .replace(/( x+)+/g, '')
      .replace(/\s+/g, ' ')
    // a menu or a dialog is of what opens it, but for the question that all forms ask
    const isOfAll = /without saving/.test(view.layer)
    const opener = view.layer === '' || isOfAll ? undefined : view.path.at(-1)?.split(' | ')
    const where = isOfAll ? 'shell' : (opener?.[0] ?? placeOf(one, view.url))
    return [
      where,
      opener?.[3] ?? '',
      view.layer
        .replace(/[\d.,]*\d/g, '#')
        .replace(/( x+)+/g, '')
        .replaceAll(view.heading || '\0', '*'),
      tag,
      // two of one name, such as those that close a dialog
      mark.replaceAll('|', ''),
      // what a menu offers depends on the state of what it is about
      isMenu && !isFrame && view.layer === '' ? `${label} ${idIn(view.url)}` : label,
    ].join(' | ')
  }

  /** Presses one, refused in each way first, and answers what is to be seen then. */
  async #press(url: string, path: readonly string[], view: View, at: number, key: string): Promise<View | undefined> {
    const one = view.all[at]
    if (one === undefined) return undefined
    this.#at = key
    this.#options.log?.(`  ${key}`)
    if (!one.isOutside && one.href !== undefined && !one.isButton) {
      this.#add(one.href)
      return view
    }
    const folder = one.isFrame ? 'shell' : (shapeOf(view.url).split(/[/?]/)[1] ?? '')
    this.pressed.push({ folder, name: one.name })
    if (one.mark !== undefined) this.marks.add(one.mark)
    // those that all forms and questions share are refused in each of these
    const kind = one.mark === undefined || /^parts\/(form|confirm-view)\b/.test(one.mark) ? key : one.mark
    const isRefused = !this.#refusedKinds.has(kind)
    const isForReal = !this.#options.notForReal.some((pattern) => pattern.test(one.name))
    if (!isRefused && !isForReal) return view
    if (isRefused) await this.#in(`refuse('field')`)
    let outcome = await this.#act(at)
    if (isRefused && outcome.sent.some(({ status }) => status === 'field')) {
      this.#refusedKinds.add(kind)
      await this.#refusedAgain(outcome, { url, path, view, key, one })
      await this.#in(`refuse('')`)
      const fresh = await this.#open(url, path)
      if (!isForReal) return fresh
      const found = fresh?.all.findIndex((each) => this.#keyOf(fresh as View, each) === key) ?? -1
      // others have changed what it is about, such as rows that are chosen no more
      if (found < 0) return fresh
      outcome = await this.#act(found)
    }
    await this.#in(`refuse('')`)
    if (outcome.stuck !== '') this.#fault(`stays busy: ${outcome.stuck}`)
    this.#answers(outcome.sent)
    for (const { method, path: asked, status } of outcome.sent)
      if (method === 'DELETE' && Number(status) < 400) this.#dead.push(asked.split('/').at(-1) ?? '')
    const isElsewhere = shapeOf(outcome.url) !== shapeOf(view.url)
    if (isElsewhere) this.#add(outcome.url)
    if (outcome.layer !== view.layer && outcome.layer !== '' && path.length < DEEPEST) {
      await this.#level(url, [...path, key], await this.#view([...path, key]))
      return this.#open(url, path)
    }
    if (isElsewhere || outcome.layer !== view.layer || outcome.url !== view.url) return this.#open(url, path)
    const next = await this.#view(path)
    // what was chosen brings more to press, such as what is done with chosen rows
    const before = new Set(view.all.map((each) => this.#keyOf(view, each)))
    const hasMore = next.all.some((each) => this.#isDue(next, each, path) && !before.has(this.#keyOf(next, each)))
    if (!hasMore || path.length >= DEEPEST) return next
    await this.#level(url, [...path, key], { ...next, path: [...path, key] }, before)
    return this.#open(url, path)
  }

  /** Looks at what a button does whose field was refused, and presses it once more, refused in one of the other ways by turns. */
  async #refusedAgain(
    first: Outcome,
    { url, path, view, key, one }: Pick<View, 'url' | 'path'> & { view: View; key: string; one: Pressable },
  ): Promise<void> {
    let outcome = first
    for (const way of ['field', REFUSALS[this.#refused++ % REFUSALS.length] ?? 'server']) {
      if (way !== 'field') {
        await this.#in(`refuse('${way}')`)
        const shown = await this.#again(url, path, key)
        const found = shown?.all.findIndex((each) => this.#keyOf(shown, each) === key) ?? -1
        if (found < 0) return
        outcome = await this.#act(found, way)
        // what was answered, or chosen, is not asked for again
        if (!outcome.sent.some(({ status }) => status === way)) return
      }
      const told = `${way}: ${outcome.sent.map(({ method, path: asked }) => `${method} ${asked}`).join(', ')}`
      if (outcome.stuck !== '') this.#fault(`stays busy when refused (${told}): ${outcome.stuck}`)
      // a question is a message, too
      if (!outcome.isNews && outcome.layer === view.layer) this.#fault(`says nothing when refused (${told})`)
      if (outcome.lost.length > 0 && !['tab', 'radio'].includes(one.tag))
        this.#fault(`loses what was typed when refused (${told}): ${outcome.lost}`)
    }
  }

  /** The same page after a refusal, with what was typed. */
  async #again(url: string, path: readonly string[], key: string): Promise<View | undefined> {
    const view = { ...(await this.#in<View>('pressables()')), path }
    if (view.all.some((each) => this.#keyOf(view, each) === key)) return view
    return this.#open(url, path)
  }

  async #act(at: number, way?: string): Promise<Outcome> {
    await this.#in('closeNotices()')
    if (way !== undefined) await this.#in(`refuse('${way}')`)
    return this.#in<Outcome>(`press(${at})`)
  }

  #in<Result>(code: string): Promise<Result> {
    return this.#page.evaluate(`walk.${code}`) as Promise<Result>
  }
}
