import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sourceFiles } from '../architecture/source-files.ts'

const core = sourceFiles().filter(({ path }) => path.startsWith('core/'))
const library = readFileSync(new URL('../../config/library.ts', import.meta.url), 'utf8')

/** `SendInput` with the name of the schema it is made of, unless a record's sentences or other schemas comment its fields. */
const inputs = core.flatMap(({ path, text }) =>
  [...text.matchAll(/(?:interface|type) (\w+Input)\b[^;]*?InputOf<typeof (\w+)>/g)]
    .map(([, name = '', schema = '']) => ({ name, schema, path, text }))
    .filter(({ schema }) => !isMadeOfOthers(schema, text)),
)

function isMadeOfOthers(schema: string, text: string): boolean {
  const record = `(?:v\\.object\\(\\{\\s*\\.\\.\\.)?(?:creating|changing)\\(`
  const spreads = `v\\.object\\((?:[A-Z_]+\\)|\\{(?:\\s*\\.\\.\\.[^\\n,]*,?)+\\s*\\}\\))\\n`
  return new RegExp(`const ${schema} = (?:${record}|${spreads})`).test(text)
}

it('what rooms take has types that the package gives away', () => {
  const taken = core.flatMap(({ text }) => [...text.matchAll(/(\w+Input) \| UntrustedInput/g)].map(([, name]) => name))
  expect(new Set(taken).size).toBeGreaterThan(40)
  expect(taken.filter((name) => !new RegExp(`\\b${name}\\b`).test(library))).toEqual([])
})

it('and every field of them has a comment, which an editor shows', () => {
  expect(inputs.length).toBeGreaterThan(35)
  const bare = inputs.flatMap(({ name, schema, path, text }) => {
    const fields = fieldsOf(schema, text)
    expect(fields.length, `${path} ${name}`).toBeGreaterThan(0)
    return fields.filter(({ isCommented }) => !isCommented).map(({ field }) => `${path} ${name}.${field}`)
  })
  expect(bare).toEqual([])
})

/** The fields a schema is written with, without those it takes from another and those it only refuses. */
function fieldsOf(schema: string, text: string): { readonly field: string; readonly isCommented: boolean }[] {
  const start = new RegExp(`const ${schema} = (?:v\\.pipe\\(\\s*)?v\\.object\\((\\w+|\\{)`).exec(text)
  if (start?.[1] !== '{') {
    const entries = new RegExp(`const ${start?.[1]} = \\{`).exec(text)
    return entries ? linesOf(text.slice(entries.index)) : []
  }
  return linesOf(text.slice(start.index))
}

function linesOf(block: string): { readonly field: string; readonly isCommented: boolean }[] {
  const lines = block.slice(0, block.search(/^[})]/m)).split('\n')
  return lines.flatMap((line, i) => {
    const [, field] = /^ +(\w+): (?!instead\()/.exec(line) ?? /^ {2}(\w+),$/.exec(line) ?? []
    return field === undefined ? [] : [{ field, isCommented: lines[i - 1]?.endsWith('*/') === true }]
  })
}
