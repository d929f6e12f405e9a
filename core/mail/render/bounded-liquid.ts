import {
  Context,
  type Emitter,
  type Filter,
  type FilterImplOptions,
  Liquid,
  type LiquidOptions,
  type Template,
  toValue,
} from 'liquidjs'
import type { JsonObject } from '../../values/json.ts'
import { processorTime } from '../../values/processor-time.ts'
import { addedTo, withQuery } from '../html/link-query.ts'
import type { FilterTroubles } from './filter-troubles.ts'
import { filterWork } from './filter-work.ts'
import { PRINT_AT, PRINT_HTML_AT } from './print-at.ts'
import { escapeHtml, limitText, MAX_OUTPUT, printed } from './printed.ts'
import { boundRanges, RANGE_FILTER, rangeOf } from './range-limit.ts'
import { LimitError, OutOfTime } from './render-limits.ts'
import { type InjectedParts, lookupOfWhole, ownValue } from './scope.ts'
import { type SnippetScopes, snippetTags } from './snippet-tags.ts'
import type { TemplateMode } from './template.ts'

/** How many characters and list items one rendering may make, in all. */
const MEMORY = 16_000_000
/** How deep lists and objects may be nested. */
const DEPTH = 100

/** Tags that would read other templates; `render` and `include` have their own classes. */
const ABSENT_TAGS = ['layout', 'block']
/** Filters that would read text as code. */
const ABSENT_FILTERS = ['where_exp', 'reject_exp', 'group_by_exp', 'has_exp', 'find_exp', 'find_index_exp']
/** Filters whose output is safe in HTML. */
const ESCAPING_FILTERS = new Set(['escape', 'escape_once', 'xml_escape'])
/** Filters that do not read their value. */
const FREE_FILTERS = new Set(['default', 'raw', 'size', 'first', 'last'])

/** Filters that work on text, which lists and objects are printed for. */
const TEXT_FILTERS = new Set(
  (
    'append prepend upcase downcase capitalize strip lstrip rstrip strip_newlines strip_html newline_to_br escape ' +
    'escape_once xml_escape url_encode url_decode cgi_escape uri_escape slugify replace replace_first replace_last ' +
    'remove remove_first remove_last split truncate truncatewords normalize_whitespace squish number_of_words base64_encode'
  ).split(' '),
)

/** Filters that make one text of a list. */
const JOINING_FILTERS = new Set(['join', 'array_to_sentence_string'])

const OPTIONS: LiquidOptions = {
  ownPropertyOnly: true,
  strictFilters: true,
  jsTruthy: false,
  locale: 'en-US',
  timezoneOffset: 0,
  memoryLimit: MEMORY,
  // Without its own `size` Liquid would count the global scope's keys for a missing variable of that name.
  globals: { size: undefined },
}

/** The context of a filter call. */
interface FilterCall {
  readonly context: Context
}
type Handler = (this: FilterCall, value: unknown, ...given: unknown[]) => unknown

/** The values that a template is filled in with, besides its scope. */
interface Filling {
  /** How many characters it may render to. */
  readonly most: number
  /** The field that holds the template. */
  readonly field: string
  readonly injected: InjectedParts | undefined
  readonly troubles: FilterTroubles | undefined
}

/** The state of one rendering. */
interface OneRendering extends Filling {
  /** How often each link was rendered so far. */
  readonly occurrences: Map<number, number>
}

/**
 * The Liquid engine within limits: no files, no other templates, no prototypes, and limits of processor time, memory and output
 * that hold for every value a template can make, not only for those the engine itself counts.
 */
export class BoundedLiquid extends Liquid {
  readonly #patience: number

  /** `patience` is how long one rendering may take, in milliseconds. */
  constructor(mode: TemplateMode, patience: number) {
    super({ ...OPTIONS, outputEscape: mode === 'html' ? escaped : printed })
    this.#patience = patience
    for (const name of ABSENT_TAGS) delete this.tags[name]
    for (const [name, tag] of Object.entries(snippetTags(mode))) this.registerTag(name, tag)
    for (const name of ABSENT_FILTERS) this.unregisterFilter(name)
    for (const [name, filter] of Object.entries(this.filters)) this.registerFilter(name, bounded(name, filter))
    this.registerFilter('fallback', (value: unknown, fallback: unknown) => toValue(value) ?? fallback)
    this.registerFilter(RANGE_FILTER, rangeOf)
    for (const [name, printers] of Object.entries({ print: PRINT_AT, print_html: PRINT_HTML_AT }))
      this.registerFilter(`mailwright_${name}`, { raw: true, handler: printingAt(printers) })
    this.registerFilter('mailwright_link', { raw: true, handler: linkInPlace })
    const add = mode === 'html' ? addedTo : withQuery
    this.registerFilter('mailwright_query', {
      raw: true,
      handler: (address: unknown, query: unknown) => add(printed(address), [...new URLSearchParams(printed(query))]),
    })
    const { renderer } = this
    const renderTemplates = renderer.renderTemplates.bind(renderer)
    renderer.renderTemplates = (templates, context, emitter) =>
      renderTemplates(templates, context, emitter ?? new BoundedEmitter(context))
  }

  override parse(source: string): Template[] {
    return boundRanges(super.parse(source))
  }

  /** Renders with an object without prototype as the scope, within the time limit. */
  fill(templates: Template[], scope: object, filling: Filling, patience = this.#patience): string {
    // Injected parts take time and memory too, which the writer could not know
    const hasMore = filling.most > MAX_OUTPUT
    const limits = hasMore ? { memoryLimit: 4 * MEMORY } : {}
    const context = new BoundedContext(scope, this.options, { sync: true, ...limits }, { liquid: this })
    limitTime(context, hasMore ? 4 * patience : patience)
    context.rendering = { ...filling, occurrences: new Map() }
    return printed(this.renderSync(templates, context))
  }
}

/** Ends a rendering that takes more of the processor than this. The clock says when it is worth a look. */
function limitTime({ renderLimit }: Context, patience: number): void {
  const begun = processorTime()
  let lookAt = performance.now() + patience
  renderLimit.check = (now) => {
    if (now <= lookAt) return
    const left = patience - (processorTime() - begun)
    if (left <= 0) throw new OutOfTime()
    lookAt = now + left
  }
}

/** Checks the time whenever a variable is read, because a long expression is one step to the engine. */
class BoundedContext extends Context implements SnippetScopes {
  rendering: OneRendering | undefined
  /** The scopes of the snippets that are being rendered, the innermost last. */
  readonly #snippets: object[] = []

  enterSnippet(given: object): void {
    const scope = Object.assign(Object.create(null), given)
    this.push(scope)
    this.#snippets.push(scope)
  }

  leaveSnippet(): void {
    this.pop()
    this.#snippets.pop()
  }

  /** A value assigned in a snippet stays in it. */
  override bottom(): ReturnType<Context['bottom']> {
    return this.#snippets.at(-1) ?? super.bottom()
  }

  override readProperty(...given: Parameters<Context['readProperty']>): unknown {
    this.renderLimit.check(performance.now())
    return super.readProperty(...given)
  }

  /** A key of the data that is a whole path wins over the path. */
  override _get(path: Parameters<Context['_get']>[0]): IterableIterator<unknown> {
    const isName = path.length === 1 || (path.length === 2 && path[0] === 'data')
    const named = isName ? undefined : this.#named(path)
    return named === undefined ? super._get(path) : answering(named)
  }

  #named(path: readonly unknown[]): unknown {
    const keys = path.map((key) => toValue(key))
    if (keys.some((key) => typeof key === 'object')) return undefined
    const [root = '', ...others] = keys.map(String)
    const scope = this.environments as JsonObject
    const named = lookupOfWhole([root, ...others])?.(root === 'data' ? (scope.data as JsonObject) : scope, {})
    // a variable of the template is not the data's
    const isOwn = named === undefined || root === 'data' || ownValue(this.getAll() as JsonObject, root) === scope[root]
    return isOwn ? named : undefined
  }

  override spawn(scope: object = {}): Context {
    const { sync, globals, strictVariables, ownPropertyOnly, memoryLimit, renderLimit, liquid } = this
    const options = { sync, globals, strictVariables, ownPropertyOnly }
    const context = new BoundedContext(scope, this.opts, options, { memoryLimit, renderLimit, liquid })
    context.rendering = this.rendering
    return context
  }
}

function* answering(value: unknown): IterableIterator<unknown> {
  return yield value
}

/** Collects the output of the whole template or of a `capture`, and counts it. */
class BoundedEmitter implements Emitter {
  buffer = ''
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  write(value: unknown): void {
    const text = textOf(value, this.#context)
    this.#context.memoryLimit.use(text.length)
    const most = renderingOf(this.#context)?.most
    if (most !== undefined && this.buffer.length + text.length > most)
      throw new LimitError(`renders to more than ${limitText(most)}`)
    this.buffer += text
  }
}

/** Turns an address that was rendered in place into a tracked link. */
function linkInPlace(this: FilterCall, address: unknown, number: unknown): string {
  const html = printed(address)
  const rendering = renderingOf(this.context)
  if (rendering?.injected === undefined || typeof number !== 'number') return html
  const occurrence = rendering.occurrences.get(number) ?? 0
  rendering.occurrences.set(number, occurrence + 1)
  return rendering.injected.linkInPlace(number, occurrence, html)
}

/** Prints as the place in the HTML needs. */
function printingAt(printers: Readonly<Partial<Record<string, (text: string) => string>>>) {
  return function (this: FilterCall, value: unknown, place: unknown): string {
    const text = textOf(value, this.context)
    return printers[String(place)]?.(text) ?? text
  }
}

function renderingOf(context: Context): OneRendering | undefined {
  return context instanceof BoundedContext ? context.rendering : undefined
}

function escaped(this: Filter | FilterCall, value: unknown): string {
  return escapeHtml('context' in this ? textOf(value, this.context) : printed(value))
}

function textOf(value: unknown, context: Context): string {
  if (typeof value === 'object') charge(value, context)
  return printed(value)
}

function bounded(name: string, filter: FilterImplOptions): FilterImplOptions {
  const handler = (typeof filter === 'function' ? filter : filter.handler) as Handler
  const raw = ESCAPING_FILTERS.has(name) || (typeof filter !== 'function' && filter.raw)
  if (FREE_FILTERS.has(name)) return { raw, handler }
  return {
    raw,
    handler(value: unknown, ...given: unknown[]): unknown {
      const { context } = this
      context.renderLimit.check(performance.now())
      charge(value, context)
      for (const argument of given) charge(argument, context)
      const isText = TEXT_FILTERS.has(name)
      const from = isText ? asText(value) : JOINING_FILTERS.has(name) ? asTexts(value) : value
      const hasTexts = isText || JOINING_FILTERS.has(name)
      const { result, trouble } = filterWork(name, from, hasTexts ? given.map(asText) : given, (read) =>
        handler.call(this, from, ...read),
      )
      if (typeof result === 'object') charge(result, context)
      if (trouble === undefined) return result
      const rendering = renderingOf(context)
      rendering?.troubles?.note({ field: rendering.field, filter: name, ...trouble })
      // what is safe in HTML when it works must be safe when it does not
      return raw ? escapeHtml(printed(result)) : result
    },
  }
}

function asText(value: unknown): unknown {
  return typeof value === 'object' ? printed(value) : value
}

function asTexts(list: unknown): unknown {
  return Array.isArray(list) ? list.map(asText) : asText(list)
}

/**
 * Counts a value with everything in it. A list may contain itself many times, so that printing or comparing it would
 * never end: counting what each filter makes prevents such values.
 */
function charge(value: unknown, context: Context, depth = 0): void {
  if (typeof value === 'string') context.memoryLimit.use(value.length)
  if (typeof value !== 'object' || value === null) return
  if (depth > DEPTH) throw new LimitError(`nests lists deeper than ${DEPTH} levels`)
  context.renderLimit.check(performance.now())
  if (Array.isArray(value)) {
    context.memoryLimit.use(value.length)
    for (const item of value) charge(item, context, depth + 1)
    return
  }
  const entries = Object.entries(value)
  context.memoryLimit.use(entries.length)
  for (const [, item] of entries) charge(item, context, depth + 1)
}
