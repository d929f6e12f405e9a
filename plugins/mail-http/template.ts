import { isJsonObject, type Json } from '../../core/values/json.ts'
import { nearest } from '../../core/values/nearest.ts'
import { itemsOf, LISTS, type MailOfRequest, type Rendered, STRUCTURES, VALUES } from './values.ts'

/** A problem with a template, and where it is. */
export interface TemplateProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** A body with placeholders, read once. */
export interface Template {
  /** The body for one request; undefined stands for nothing at all. */
  render(mail: MailOfRequest): Rendered | undefined
  /** The lists and values that it has a place for: `to`, `html`, `attachments`; `to.text` and `each to` say in which form. */
  readonly uses: ReadonlySet<string>
  readonly problems: readonly TemplateProblem[]
}

type Item = Readonly<Record<string, string | undefined>>
type Render = (mail: MailOfRequest, item: Item) => Rendered | undefined

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const EACH = /^\{\{\s*each\s+([\w.]+)\s*\}\}$/
const MAX_DEPTH = 20

/**
 * Reads a template: any JSON, in whose texts `{{ subject }}` stands for a field of the mail. An object with the key
 * `{{ each to }}` repeats what is behind it for every item. What the mail lacks is left out, and so is an object or a
 * list that has nothing else.
 */
export function readTemplate(template: Json): Template {
  const reader = new Reader()
  const render = reader.read(template, [], undefined)
  return { render: (mail) => render(mail, {}), uses: reader.uses, problems: reader.problems }
}

class Reader {
  readonly uses = new Set<string>()
  readonly problems: TemplateProblem[] = []

  /** `list` is the one whose items are at hand. */
  read(value: Json, path: TemplateProblem['path'], list: string | undefined): Render {
    if (path.length > MAX_DEPTH) return this.#refuse(path, `must not be nested deeper than ${MAX_DEPTH}`)
    if (typeof value === 'string') return this.#text(value, path, list)
    if (Array.isArray(value)) return this.#list(value, path, list)
    return isJsonObject(value) ? this.#object(value, path, list) : () => value
  }

  #text(text: string, path: TemplateProblem['path'], list: string | undefined): Render {
    const found = [...text.matchAll(PLACEHOLDER)]
    if (/\{\{|\}\}/.test(text.replace(PLACEHOLDER, ''))) return this.#refuse(path, 'has a {{ or }} without the other')
    const [first, ...more] = found.map(([, name = '']) => this.#placeholder(name.trim(), path, list))
    if (first === undefined) return () => text
    const isAlone = more.length === 0 && found[0]?.[0] === text.trim()
    if (isAlone) return first.render
    for (const { name } of [first, ...more].filter(({ isStructure }) => isStructure)) {
      this.#refuse(path, `{{ ${name} }} is a list or an object, so it must stand alone`)
    }
    const [begin = '', ...between] = text.split(/\{\{[^{}]*\}\}/)
    const parts = [first, ...more]
    return (mail, item) => {
      const values = parts.map(({ render }) => render(mail, item))
      if (values.every((value) => value === undefined)) return undefined
      return begin + values.map((value, i) => `${value ?? ''}${between[i] ?? ''}`).join('')
    }
  }

  #placeholder(name: string, path: TemplateProblem['path'], list: string | undefined) {
    const field = /^item\.(\w+)$/.exec(name)?.[1]
    if (field !== undefined) {
      const fields = list === undefined ? undefined : LISTS[list]
      if (fields === undefined) this.#refuse(path, `{{ ${name} }} has a meaning only inside {{ each … }}`)
      else if (!fields.includes(field)) this.#refuse(path, unknown(name, fields.map(itemName)))
      const render: Render = (_mail, item) => item[field]
      return { name, render, isStructure: false }
    }
    const value = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined
    if (value === undefined) {
      return { name, isStructure: false, render: this.#refuse(path, unknown(name, Object.keys(VALUES))) }
    }
    this.uses.add(name)
    this.uses.add(name.replace(/\..*/s, ''))
    const render: Render = (mail) => present(value(mail))
    return { name, render, isStructure: STRUCTURES.has(name) }
  }

  #list(value: readonly Json[], path: TemplateProblem['path'], list: string | undefined): Render {
    const parts = value.map((each, i) => {
      const isRepeated = isJsonObject(each) && repeatedIn(each) !== undefined && Object.keys(each).length === 1
      return { isRepeated, render: this.read(each, [...path, i], list) }
    })
    return (mail, item) => {
      const all = parts.flatMap(({ render, isRepeated }) => {
        const made = render(mail, item)
        if (made === undefined) return []
        return isRepeated && Array.isArray(made) ? made : [made]
      })
      return all.length === 0 && parts.length > 0 ? undefined : all
    }
  }

  #object(value: Readonly<Record<string, Json>>, path: TemplateProblem['path'], list: string | undefined): Render {
    const keys = Object.keys(value)
    const repeated = keys.filter((key) => EACH.test(key))
    if (keys.length === 1 && repeated.length === 1) return this.#each(keys[0] ?? '', value, path, list)
    const entries = keys.map((key) => {
      if (EACH.test(key)) return { merged: this.#each(key, value, path, list) }
      return { key: this.#text(key, [...path, key], list), render: this.read(value[key] ?? null, [...path, key], list) }
    })
    return (mail, item) => {
      const made: Record<string, Rendered> = {}
      for (const entry of entries) {
        if ('merged' in entry) merge(made, entry.merged(mail, item))
        else put(made, String(entry.key(mail, item) ?? ''), entry.render(mail, item))
      }
      return Object.keys(made).length === 0 && keys.length > 0 ? undefined : made
    }
  }

  #each(
    key: string,
    value: Readonly<Record<string, Json>>,
    path: TemplateProblem['path'],
    outer: string | undefined,
  ): Render {
    const list = EACH.exec(key)?.[1] ?? ''
    if (outer !== undefined) return this.#refuse([...path, key], 'must not stand inside another {{ each … }}')
    if (!Object.hasOwn(LISTS, list)) return this.#refuse([...path, key], unknown(list, Object.keys(LISTS)))
    this.uses.add(list)
    this.uses.add(`each ${list}`)
    const render = this.read(value[key] ?? null, [...path, key], list)
    return (mail) => {
      const made = itemsOf(list, mail).flatMap((item) => render(mail, item) ?? [])
      return made.length === 0 ? undefined : made
    }
  }

  #refuse(path: TemplateProblem['path'], message: string): Render {
    this.problems.push({ path, message })
    return () => undefined
  }
}

function repeatedIn(value: Readonly<Record<string, Json>>): string | undefined {
  return Object.keys(value).find((key) => EACH.test(key))
}

/** The objects of a list become entries of the object around it. */
function merge(into: Record<string, Rendered>, made: Rendered | undefined): void {
  for (const each of Array.isArray(made) ? made : []) {
    if (!isJsonObject(each)) continue
    for (const [key, value] of Object.entries<Rendered>(each)) put(into, key, value)
  }
}

/** A key that comes again gets a list. */
function put(into: Record<string, Rendered>, key: string, value: Rendered | undefined): void {
  if (value === undefined || key === '') return
  const before = Object.hasOwn(into, key) ? into[key] : undefined
  const both = before === undefined ? value : [...[before].flat(), ...[value].flat()]
  Object.defineProperty(into, key, { value: both, enumerable: true, configurable: true, writable: true })
}

/** Lists and objects without anything count as missing. */
function present(value: Rendered | undefined): Rendered | undefined {
  if (typeof value !== 'object' || value === null) return value
  return Object.keys(value).length === 0 ? undefined : value
}

const itemName = (field: string) => `item.${field}`

function unknown(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return `{{ ${name} }} is not a placeholder (${near === undefined ? `there are ${known.join(', ')}` : `did you mean ${near}?`})`
}
