import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EVENTS } from '../../core/values/event-names.ts'
import { sourceFiles } from './source-files.ts'

const files = sourceFiles()
/** Written by a program, from the OpenAPI document. */
const WRITTEN = 'server/client/schema.ts'
const product = files.filter(({ path }) => !path.startsWith('test/') && !path.startsWith('bench/') && path !== WRITTEN)

describe('source files', () => {
  it('are named in kebab-case and have no drawer names', () => {
    const wrong = files.filter(
      ({ path }) =>
        !/^[a-z0-9/.-]+$/.test(path) ||
        /(^|\/)(utils?|helpers?|common|shared|misc|manager|service|controller)(\/|[.-])/.test(path),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  it('have an index.ts only where a package consumer imports one', () => {
    const doors =
      /^(server|server\/client|server\/compat|server\/nodemailer|config|plugins\/[^/]+|test\/contracts)\/index\.ts$/
    const wrong = files.filter(({ path }) => path.endsWith('/index.ts') && !doors.test(path))
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  it('export names, never stars', () => {
    expect(files.filter(({ code }) => /^export \*/m.test(code)).map(({ path }) => path)).toEqual([])
  })

  it('of the product hold no any and no double cast (the linter refuses non-null assertions)', () => {
    const wrong = product.filter(({ code }) => /\bas any\b|: any\b|<any>|as unknown as/.test(code))
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  it('of the dashboard hold no cast to never, which hides any difference of types', () => {
    const wrong = product.filter(({ path, code }) => path.startsWith('server/dashboard/') && /\bas never\b/.test(code))
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  it('name the events of the service in one place, which docs/events.md explains', () => {
    const names = Object.values(EVENTS)
    const wrong = product.filter(
      ({ path, code }) =>
        path.startsWith('core/') &&
        path !== 'core/values/event-names.ts' &&
        names.some((name) => code.includes(`'${name}'`)),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
    const page = readFileSync('docs/events.md', 'utf8')
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  it('begin a comment with the thing itself, and name who is meant in it', () => {
    const held = files.filter(({ path }) => path !== WRITTEN)
    const wrong = held.flatMap(({ path, text }) =>
      commentsIn(text)
        .filter((words) => /^What('s)?\b|\b(?:[Ss]ome|[Aa]ny|[Nn]o)body\b|\b[Ss]omeone\b|\b[Ww]hoever\b/.test(words))
        .map((words) => `${path}: ${words.slice(0, 80)}`),
    )
    const how =
      'Write "The text of a drawing" rather than "What a drawing says", and "the recipient", "the caller", "the operator" or ' +
      '"another process" rather than somebody, anybody, nobody, someone or whoever.'
    expect(wrong, how).toEqual([])
  })

  it('of core take the time from the clock', () => {
    const wrong = files.filter(
      ({ path, code }) =>
        path.startsWith('core/') &&
        path !== 'core/ports/clock.ts' &&
        /Date\.now\(\)|new Date\(\)|Math\.random\(/.test(code),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  it('spread no literal into another: that only saves lines', () => {
    const wrong = product.filter(({ code }) => /\.\.\.\{/.test(code))
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  it('stay readable: under 450 lines, lists of exports aside', () => {
    const lines = (text: string) => text.replace(/^export (type )?\{[^}]*\} from .*\n/gm, '').split('\n').length
    const wrong = files.filter(({ path, text }) => !path.startsWith('test/') && path !== WRITTEN && lines(text) > 450)
    expect(wrong.map(({ path, text }) => `${path} ${lines(text)}`)).toEqual([])
  })

  it('of the repositories ask through Rows, or begin with the reason for their SQL, as docs/decisions.md counts', () => {
    const repositories = files.filter(({ path }) => path.startsWith('plugins/kit/sql/repositories/'))
    const importing = (name: string) =>
      repositories.filter(({ imports }) => imports.some(({ target }) => target === `plugins/kit/sql/engine/${name}.ts`))
    const rows = new Set(importing('rows'))
    const wrong = importing('tables').filter((file) => !rows.has(file) && !/^\/\* SQL by hand: .{20}/.test(file.text))
    expect(wrong.map(({ path }) => path)).toEqual([])
    // "two fifths": written anew when it is no longer so
    expect(readFileSync('docs/decisions.md', 'utf8')).toContain("Two fifths of\nthe repositories' files use it")
    expect(Math.abs(rows.size / repositories.length - 2 / 5)).toBeLessThan(0.05)
  })

  it('of the SQL layer name only indexes that there are in the comments of statements', () => {
    const entityTexts = product
      .filter(({ path }) => path.startsWith('plugins/kit/sql/entities/'))
      .map(({ text }) => text)
    const known = new Set(entityTexts.flatMap((text) => [...text.matchAll(/name: '(\w+)'/g)].map(([, name]) => name)))
    const comments = product.filter(({ path }) => path.startsWith('plugins/kit/sql/'))
    const named = comments.flatMap(({ text }) =>
      [...text.matchAll(/Index: ([^.]+)[.;]/g)].flatMap(([, list = '']) =>
        [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name),
      ),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })

  it('keep what the databases do differently in the dialects', () => {
    const wrong = product.filter(
      ({ path, code }) => path.startsWith('plugins/kit/sql/') && /(===|!==) '(postgresql?|sqlite)'/.test(code),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })
})

/** The words of the comments on lines of their own, without code in them. */
function commentsIn(text: string): readonly string[] {
  const found = text.matchAll(/^[ {]*\/\*\*?([\s\S]*?)\*\/|(?:^ *\/\/.*\n)+/gm)
  return Array.from(found, ([whole, block]) =>
    (block ?? whole)
      .replaceAll(/^ *(?:\/\/|\*)/gm, '')
      .replaceAll(/`[^`]*`/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
}
