import type { JsonSchema } from '@valibot/to-json-schema'
import { isJsonObject } from '../../core/values/json.ts'
import { ROUTES } from '../../server/app.ts'
import type { Route } from '../../server/http/route.ts'
import { openApiDocument } from '../../server/openapi/document.ts'

// The fields of a request by its schema in the API document, and requests that have another value in one of them.

type Schema = JsonSchema & Readonly<Record<string, unknown>>

const DOCUMENT = openApiDocument(ROUTES)

/** The keys that lead to a field, from outside in: `['attachments', '0', 'filename']`. */
export type Place = readonly string[]

/** An entry of a list, and a key of an object that may have any. */
const [FIRST, ANY_KEY] = ['0', 'key']

/** The schema of a route's JSON body, absent where it takes none, and the names of its query. */
export function takenBy({ method, path }: Route): { readonly body?: Schema; readonly query: readonly string[] } {
  const operation = DOCUMENT.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
  const parameters = (operation?.parameters ?? []).flatMap((each) => ('in' in each ? [each] : []))
  const body = operation?.requestBody?.content['application/json']?.schema as Schema | undefined
  const query = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
  return { ...(body ? { body } : {}), query }
}

/**
 * Every field, with those inside others. What is in a named schema is entered once for all calls with this `seen`: it is
 * read by the same code wherever it stands.
 */
export function placesOf(schema: Schema, seen: Set<string>): readonly Place[] {
  const found = formsOf(schema, seen).flatMap((form) =>
    Object.entries(membersOf(form)).flatMap(([key, member]) => [
      [key],
      ...placesOf(member, seen).map((place) => [key, ...place]),
    ]),
  )
  return [...new Map(found.map((place) => [place.join('.'), place])).values()]
}

/** The body with this value in the field. What has to be around it and is not in the body is made by the schema. */
export function spoilt(schema: Schema, body: unknown, [key = '', ...rest]: Place, value: unknown): unknown {
  const form = formsOf(schema).find((each) => hasPlace(each, [key, ...rest])) ?? {}
  const isList = form.items !== undefined
  const fits = isList ? Array.isArray(body) : isJsonObject(body)
  const around = (fits ? body : sampleOf(form)) as Record<string, unknown>
  const member = membersOf(form)[key] ?? {}
  const inner = rest.length === 0 ? value : spoilt(member, around[key], rest, value)
  return isList ? [inner] : { ...around, [key]: inner }
}

/** Whether the body has what the field stands in. */
export function hasParent(body: unknown, place: Place): boolean {
  return place.length === 1 || (isJsonObject(body) && hasParent(body[place[0] ?? ''], place.slice(1)))
}

function hasPlace(form: Schema, [key = '', ...rest]: Place): boolean {
  const member = membersOf(form)[key]
  return member !== undefined && (rest.length === 0 || formsOf(member).some((inner) => hasPlace(inner, rest)))
}

/** The forms that it may have, without names and choices. */
function formsOf(schema: Schema, seen: Set<string> = new Set()): readonly Schema[] {
  const { $ref, anyOf, oneOf, allOf } = schema
  if (typeof $ref === 'string') {
    if (seen.has($ref)) return []
    seen.add($ref)
    return formsOf(named($ref), seen)
  }
  const choices = [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])] as Schema[]
  return [schema, ...choices.flatMap((choice) => formsOf(choice, seen))]
}

function membersOf({ properties, items, additionalProperties }: Schema): Readonly<Record<string, Schema>> {
  return {
    ...(isJsonObject(additionalProperties) ? { [ANY_KEY]: additionalProperties as Schema } : {}),
    ...(isJsonObject(items) ? { [FIRST]: items as Schema } : {}),
    ...(properties as Record<string, Schema> | undefined),
  }
}

/** A value that the schema takes: of an object the least there is. */
export function sampleOf(schema: Schema): unknown {
  const { $ref, anyOf, oneOf, allOf, type, minimum, minItems, minLength, format, required } = schema
  if (typeof $ref === 'string') return sampleOf(named($ref))
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [choice] = [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])] as Schema[]
  if (choice) return sampleOf(choice)
  const members = membersOf(schema)
  if (schema.items) return Array.from({ length: Number(minItems ?? 0) }, () => sampleOf(members[FIRST] ?? {}))
  if (type === 'object' || schema.properties)
    return Object.fromEntries((required ?? []).map((key) => [key, sampleOf(members[key] ?? {})]))
  if (type === 'integer' || type === 'number') return minimum ?? 1
  if (type === 'boolean') return true
  return FORMATS[format ?? ''] ?? 'x'.repeat(Number(minLength ?? 1))
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'ada@example.org',
  'idn-email': 'ada@example.org',
  uri: 'https://acme.example/',
  uuid: '01900000-0000-7000-8000-000000000000',
  'date-time': '2027-01-01T00:00:00Z',
}

function named(reference: string): Schema {
  const name = reference.slice('#/components/schemas/'.length)
  return DOCUMENT.components.schemas[name] as Schema
}
