import { describe, expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'

const files = sourceFiles()
const port = files.filter(({ path }) => path.startsWith('core/ports/store/'))
const declared = port.flatMap(({ code }) =>
  [...code.matchAll(/^export (?:const|type|interface|function) (\w+)/gm)].map(([, name = '']) => name),
)

/** The types that its signatures speak of besides: a page, an address, JSON. */
const spokenOf = port.flatMap(({ code }) =>
  [...code.matchAll(/^import (type )?\{([^}]*)\} from '[^']*'/gm)].flatMap(([, allTypes, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => allTypes !== undefined || name.startsWith('type '))
      .map((name) => name.replace(/^type /, '')),
  ),
)

/** The functions that declare a record; its type is written out for others. */
const makesRecords = new Set(
  files
    .filter(({ path }) => path === 'core/values/kind.ts' || path === 'core/values/record.ts')
    .flatMap(({ code }) => [...code.matchAll(/^export (?:const|type|interface|function) (\w+)/gm)])
    .map(([, name = '']) => name),
)

describe('the store port', () => {
  it('is exported whole from mailwright, so that a store can be written outside of this repository', () => {
    const library = files.find(({ path }) => path === 'config/library.ts')?.code ?? ''
    const exported = [...library.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
      names.split(','),
    )
    const known = new Set(exported.map((name) => name.trim().replace(/^type /, '')))
    expect(declared.length).toBeGreaterThan(100)
    const needed = new Set([...declared, ...spokenOf].filter((name) => name !== '' && !makesRecords.has(name)))
    expect([...needed].filter((name) => !known.has(name))).toEqual([])
  })

  it('asks no more than 15 methods of one repository, so that each can be read and written by itself', () => {
    const interfaces = port.flatMap(({ code }) => [...code.matchAll(/^export interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)])
    const sizes = interfaces.map(([, name, body = '']) => ({
      name,
      methods: body.match(/^ {2}\w+(?:<[^(]*>)?\(/gm)?.length,
    }))
    expect(sizes.find(({ name }) => name === 'WorkflowRepository')).toMatchObject({ methods: 15 })
    expect(sizes.filter(({ methods = 0 }) => methods > 15)).toEqual([])
  })
})
