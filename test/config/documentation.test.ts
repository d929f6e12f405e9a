import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { beforeAll, expect, it } from 'vitest'
import { VARIABLES } from '../../config/from-env.ts'
import { ConfigKeys, ConfigValues } from '../../config/schema.ts'
import { knownKeys } from '../../config/unknown-keys.ts'

/** Sections need no row of their own: their keys have one. */
const SECTIONS = ['server', 'limits', 'log', 'auth', 'delivery']

let rows: Map<string, string>

beforeAll(async () => {
  const text = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
  const lines = text.split('\n').filter((line) => line.startsWith('| `'))
  rows = new Map(lines.map((line) => [/`([^`]+)`/.exec(line)?.[1] ?? '', line]))
})

it('every key of a config has a row in the documentation, and every row a key', () => {
  const documented = [...rows.keys()].filter((key) => !Object.hasOwn(VARIABLES, key))
  expect(documented.sort()).toEqual(
    knownKeys()
      .filter((key) => !SECTIONS.includes(key))
      .sort(),
  )
})

it('every default stands in the row of its key', () => {
  const defaults = leaves(v.parse(ConfigValues, {}))
  expect(defaults.map(([key]) => key)).toContain('delivery.retryDelays')
  for (const [key, value] of defaults) expect(rows.get(key)).toContain(`\`${JSON.stringify(value)}\``)
})

it('every variable has a row, and stands in the row of the key it fills', () => {
  for (const [variable, key] of Object.entries(VARIABLES)) {
    expect(rows.get(variable)).toContain(`\`${key}\``)
    expect(rows.get(key)).toContain(`\`${variable}\``)
  }
})

it('the sections are those of the schema', () => {
  expect(Object.keys(ConfigKeys.entries)).toEqual(expect.arrayContaining(SECTIONS))
})

function leaves(values: object, path = ''): [key: string, value: unknown][] {
  return Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    const field = path === '' ? key : `${path}.${key}`
    return typeof value === 'object' && !Array.isArray(value) ? leaves(value, field) : [[field, value]]
  })
}
