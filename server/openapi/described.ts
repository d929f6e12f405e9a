import type { JsonSchema } from '@valibot/to-json-schema'
import { ALL_GROUPS } from './groups.ts'
import { everyNoun } from './words/every-noun.ts'
import { type Words, wordsOf } from './words/words.ts'

/** A named schema with what is said about it and its fields, by the table that names it. */
export function describedComponent(name: string, schema: JsonSchema): JsonSchema {
  const table = [...ALL_GROUPS.flatMap(({ words }) => words), everyNoun].find((words) => names(words, name))
  const { description, ...rest } = described(schema, table ? [table] : [], [name])
  const sentence = table?.schemas?.[name] ?? description
  return (sentence === undefined ? rest : { description: sentence, ...rest }) as JsonSchema
}

/** A noun that is declared as a record has its sentence there, and a table only for what is counted of it. */
function names({ schemas = {}, fields }: Words, name: string): boolean {
  return name in schemas || Object.keys(fields).some((key) => key.startsWith(`${name}.`))
}

/** The schema with what these tables, or else those for all nouns, say about each field. `path` leads to the schema. */
export function described(schema: JsonSchema, tables: readonly Words[], path: readonly string[]): JsonSchema {
  const inner = (value: unknown, at: readonly string[]) => described(value as JsonSchema, tables, at)
  const entries = Object.entries(schema).map(([key, value]) => {
    if (key === 'properties') {
      const properties = Object.entries(value as Readonly<Record<string, JsonSchema>>).map(([name, property]) => {
        const at = [...path, name]
        const { description, ...rest } = inner(property, at)
        return [name, { ...rest, ...wordsOf([...tables, everyNoun], at, description) }] as const
      })
      return [key, Object.fromEntries(properties)] as const
    }
    if (NESTED.has(key) && typeof value === 'object') {
      return [key, Array.isArray(value) ? value.map((each) => inner(each, path)) : inner(value, path)] as const
    }
    return [key, value] as const
  })
  return Object.fromEntries(entries) as JsonSchema
}

/** Where a schema holds others that are about the same. */
const NESTED: ReadonlySet<string> = new Set(['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'])
