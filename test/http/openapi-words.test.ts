import { describe, expect, it } from 'vitest'
import { ROUTES } from '../../server/app.ts'
import { openApiDocument } from '../../server/openapi/document.ts'
import { ALL_GROUPS } from '../../server/openapi/groups.ts'
import { everyNoun } from '../../server/openapi/words/every-noun.ts'

type Value = Readonly<Record<string, unknown>>

const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument(ROUTES)))

/** Everything the document should describe: its place, and what is said there. */
const DESCRIBED: readonly (readonly [place: string, said: unknown])[] = [...placesIn(DOCUMENT, '')]

function* placesIn(value: unknown, place: string): Generator<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null) return
  const {
    operationId,
    name,
    in: where,
    schema,
    properties,
    description,
    examples: _,
    example: __,
    ...rest
  } = value as Value
  if (operationId !== undefined) yield [`operation ${operationId}`, description]
  if (name !== undefined && where !== undefined && schema !== undefined)
    yield [`parameter ${place} ${name}`, description]
  if (/^\/components\/(?:schemas|responses|parameters|headers|securitySchemes)\/\w+$/.test(place))
    yield [place, description]
  for (const [field, property] of Object.entries((properties ?? {}) as Value)) {
    yield [`property ${place}.${field}`, (property as Value).description]
    yield* placesIn(property, `${place}.${field}`)
  }
  yield* placesIn(schema, `${place}/schema`)
  for (const [key, each] of Object.entries(rest))
    yield* placesIn(each, Array.isArray(value) ? place : `${place}/${key}`)
}

describe('the OpenAPI document says in words', () => {
  it('what each operation, parameter, property and component is', () => {
    expect(DESCRIBED.length).toBeGreaterThan(1500)
    const silent = DESCRIBED.filter(([, said]) => typeof said !== 'string' || said.length < 4).map(([place]) => place)
    expect(silent).toEqual([])
  })

  it('whole sentences, and never just the name again', () => {
    const plain = (text: string) =>
      text
        .toLowerCase()
        .replace(/[^a-z]/g, '')
        .replace(/^(?:the|a|an)/, '')
    const empty = DESCRIBED.filter(
      ([place, said]) => plain(String(said)) === plain(place.slice(place.lastIndexOf('.') + 1)),
    )
    expect(empty.map(([place]) => place)).toEqual([])
  })

  it('more of an operation than its summary does', () => {
    const operations = Object.values(DOCUMENT.paths).flatMap((path) => Object.values(path as Value)) as Value[]
    const same = operations.filter(({ summary, description }) => summary === description || /\.$/.test(String(summary)))
    expect(same.map(({ operationId }) => operationId)).toEqual([])
    const summaries = operations.map(({ summary }) => summary)
    expect(summaries.filter((each, i) => summaries.indexOf(each) !== i)).toEqual([])
  })

  it('nothing that no field or schema needs', () => {
    const said = new Set(DESCRIBED.map(([, words]) => words))
    const tables = new Set([...ALL_GROUPS.flatMap(({ words }) => words), everyNoun])
    const unused = [...tables].flatMap(({ schemas, fields, deprecated }) =>
      Object.entries({ ...schemas, ...fields, ...deprecated }).filter(([, words]) => !said.has(words)),
    )
    expect(unused.map(([key]) => key)).toEqual([])
  })
})
