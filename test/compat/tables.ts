import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import type { ForeignApi } from '../../core/ports/foreign-api.ts'
import { ROUTES } from '../../server/app.ts'

/*
 * The table of a service's methods in docs/compat-<name>.md. It is written from the translation's own lists, so that the
 * page is true, and each method of the service's package must stand in it.
 */

const BEGIN = '<!-- methods: begin -->'
const END = '<!-- methods: end -->'

/** Our own endpoints, as the remarks name them. */
const OURS = new Set(ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`))

/** The endpoints that a remark names: `GET /emails/{id}`, without a query. */
function endpointsIn(remark: string): readonly string[] {
  return [...remark.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`?]*)/g)].map(([, named = '']) => named)
}

/** A service, its package and its page. */
export interface TableOf {
  /** The translation. */
  readonly api: ForeignApi
  /** The methods of the package, as `methodsOf` answers them. */
  readonly methods: readonly string[]
  /** The page: `docs/compat-resend.md`. */
  readonly page: string
  /** Methods of the package that make no request of their own, with what there is to say about each. */
  readonly local?: Readonly<Record<string, string>>
}

/**
 * The methods of a client and of the objects in it, by their paths: `emails.attachments.get`, without those that the
 * package keeps `hidden` for itself. Those of the class of the client itself are no methods of the service, and objects
 * that lead back are not followed.
 */
export function methodsOf(client: object, hidden: readonly string[] = []): readonly string[] {
  const found: string[] = []
  const visit = (owner: object, path: string, above: readonly object[]) => {
    for (const [name, value] of Object.entries(owner)) {
      if (typeof value !== 'object' || value === null || above.includes(value)) continue
      const methods = methodNames(value)
      found.push(...methods.map((method) => `${path}${name}.${method}`))
      if (methods.length > 0) visit(value, `${path}${name}.`, [...above, value])
    }
  }
  visit(client, '', [client])
  return found.filter((path) => !hidden.includes(path.split('.').at(-1) ?? '')).sort()
}

/** The methods of a class of a package; those of the platform, such as `Headers` and lists, do not count. */
function methodNames(value: object): readonly string[] {
  const prototype: object = Object.getPrototypeOf(value)
  const made = prototype.constructor
  if (made === Reflect.get(globalThis, made.name)) return []
  return Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
}

/**
 * Checks that the lists name each method of the package and no other, and that the page has their table. `vitest -u`
 * writes it.
 */
export async function expectTable({ api, methods, page, local = {} }: TableOf): Promise<void> {
  const listed = [...api.endpoints, ...api.absent].flatMap((each) => each.methods)
  const all = [...new Set([...listed, ...Object.keys(local)])].sort()
  expect(all).toEqual([...methods].sort())
  const theirs = [...api.endpoints, ...api.absent].map(({ method, path }) => `${method} ${path}`)
  const remarks = [...api.endpoints.map(({ difference = '' }) => difference), ...api.absent.map(({ reason }) => reason)]
  expect(remarks.flatMap(endpointsIn).filter((each) => !OURS.has(each) && !theirs.includes(each))).toEqual([])
  const address = new URL(`../../${page}`, import.meta.url)
  const text = await readFile(address, 'utf8')
  const [before = '', rest = ''] = text.split(BEGIN)
  const [, after = ''] = rest.split(END)
  expect(rest, `${page} needs the lines ${BEGIN} and ${END}`).toContain(END)
  await expect(`${before}${BEGIN}\n${tableOf(api, local)}\n${END}${after}`).toMatchFileSnapshot(address.pathname)
}

function tableOf({ endpoints, absent }: ForeignApi, local: NonNullable<TableOf['local']>): string {
  const rows = [
    ...endpoints.map(({ difference, ...each }) => rowOf(each, difference ? `works; ${difference}` : 'works')),
    ...Object.entries(local).map(([method, remark]) => `| \`${method}\` | none | works; ${remark} |`),
    ...absent.map(({ reason, ...each }) => rowOf(each, `not here: ${reason}`)),
  ]
  return ['| Method | Request | Here |', '|---|---|---|', ...rows].join('\n')
}

function rowOf(given: Pick<ForeignApi['endpoints'][number], 'method' | 'path' | 'methods'>, here: string): string {
  const { method, path, methods } = given
  const names = methods.map((name) => `\`${name}\``).join(', ') || 'none in the package'
  return `| ${names} | \`${method} ${path}\` | ${here} |`
}
