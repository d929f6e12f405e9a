import { type JsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describedSchemas } from '../../core/values/described.ts'

/** Actions of schemas that code checks on top of the form. It is not described: the refusal explains itself. */
const UNDESCRIBED = new Set(['check', 'raw_check', 'trim', 'to_lower_case', 'to_upper_case'])
const DEFS = '#/$defs/'
const COMPONENTS = '#/components/schemas/'

/** JSON Schemas for an OpenAPI document: those asked for, by their keys, and the named ones they refer to. */
export interface JsonSchemas {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly components: Readonly<Record<string, JsonSchema>>
}

/**
 * Writes schemas as JSON Schema (draft 2020-12) in the form of their input. Named schemas (`named`) become components,
 * stand-ins (`describedBy`) take the place of what they stand for, with its sentence (`worded`). Throws for a schema that has no such form.
 */
export function jsonSchemas(wanted: Readonly<Record<string, v.GenericSchema>>): JsonSchemas {
  const described = describedSchemas()
  const keys = new Map<v.GenericSchema, string>()
  for (const [schema, { standIn }] of described) {
    for (const each of standIn ? [schema, standIn] : [schema])
      if (!keys.has(each)) keys.set(each, `described-${keys.size}`)
  }
  const names = new Map<string, string>()
  const standIns = new Map<string, string>()
  const sentences = new Map<string, string>()
  for (const [schema, { name, standIn, sentence }] of described) {
    const key = keys.get(schema) ?? ''
    if (sentence !== undefined) sentences.set(key, sentence)
    if (name !== undefined) names.set(key, name)
    if (standIn !== undefined) standIns.set(key, keys.get(standIn) ?? '')
  }
  const defs = toJsonSchemaDefs(
    { ...wanted, ...Object.fromEntries([...keys].map(([schema, key]) => [key, schema])) },
    {
      typeMode: 'input',
      target: 'draft-2020-12',
      // what has a stand-in is converted too, and thrown away
      errorMode: 'ignore',
      overrideSchema: ({ valibotSchema, jsonSchema, errors }) => {
        const standIn = described.get(valibotSchema)?.standIn
        if (standIn) return { $ref: `${DEFS}${keys.get(standIn)}` }
        return overridden(valibotSchema, jsonSchema, errors)
      },
      overrideAction: ({ valibotAction, jsonSchema, errors }) => {
        if (valibotAction.type === 'metadata') return { ...jsonSchema, ...formatOf(valibotAction) }
        if (!errors || UNDESCRIBED.has(valibotAction.type)) return undefined
        return { ...jsonSchema, [UNKNOWN]: valibotAction.type }
      },
    },
  )
  const places = Object.entries(wanted).map(([place, schema]) => [place, keys.get(schema) ?? place] as const)
  return new Composition(defs, names, standIns, sentences).of(places)
}

/** Of all metadata only a format is for readers. */
function formatOf(action: object): JsonSchema {
  const { format } = 'metadata' in action ? (action.metadata as { readonly format?: string }) : {}
  return format === undefined ? {} : { format }
}

/** Marks what could not be written. */
const UNKNOWN = 'x-unknown'

/** Schemas that the converter does not know, or writes otherwise than OpenAPI readers expect. */
function overridden(schema: v.GenericSchema, json: JsonSchema, errors: readonly string[] | undefined) {
  if (schema.type === 'date') return { type: 'string', format: 'date-time' } as const
  if (schema.type === 'instance') return { type: 'string', format: 'binary' } as const
  if (errors) return { [UNKNOWN]: schema.type } as JsonSchema
  if (schema.type === 'object') return withoutRefused(schema, json)
  if (schema.type === 'loose_object') return { ...withoutRefused(schema, json), additionalProperties: true }
  if (schema.type === 'record')
    return { type: 'object', additionalProperties: json.additionalProperties ?? true } as const
  if (schema.type === 'variant') return discriminated(schema, json)
  if (schema.type === 'nullish' || schema.type === 'nullable') return orNull(json)
  return undefined
}

/** Without the keys that are only there to be refused by name. */
function withoutRefused(schema: v.GenericSchema, json: JsonSchema): JsonSchema {
  const entries = 'entries' in schema ? (schema.entries as Record<string, v.GenericSchema>) : {}
  const isRefused = (entry: v.GenericSchema | undefined) =>
    entry !== undefined && 'wrapped' in entry && (entry.wrapped as v.GenericSchema).type === 'never'
  const properties = Object.entries(json.properties ?? {}).filter(([key]) => !isRefused(entries[key]))
  const { required = [], ...rest } = json
  return { ...rest, properties: Object.fromEntries(properties), ...(required.length > 0 ? { required } : {}) }
}

/** Says which key tells the options apart, and which value means which (OpenAPI 3.1, "Discriminator Object"). */
function discriminated(schema: v.GenericSchema, json: JsonSchema): JsonSchema {
  const { key, options } = schema as v.VariantSchema<string, v.VariantOptions<string>, undefined>
  const mapping = options.map((option, i) => {
    const { literal } =
      (option as { readonly entries: Record<string, { readonly literal?: string }> }).entries[key] ?? {}
    return [literal, (json.oneOf?.[i] as JsonSchema | undefined)?.$ref]
  })
  return { ...json, discriminator: { propertyName: key, mapping: Object.fromEntries(mapping) } } as JsonSchema
}

/** `type: [string, null]` instead of `anyOf` where that says the same. */
function orNull(json: JsonSchema): JsonSchema | undefined {
  const [inner] = json.anyOf ?? []
  if (typeof inner !== 'object' || typeof inner.type !== 'string' || inner.enum) return undefined
  const { anyOf: _anyOf, ...rest } = json
  return { ...inner, ...rest, type: [inner.type, 'null'] }
}

/** Puts definitions where they are used, or among the components when they have a name. */
class Composition {
  readonly #components = new Map<string, JsonSchema>()

  constructor(
    private readonly defs: Readonly<Record<string, JsonSchema>>,
    private readonly names: ReadonlyMap<string, string>,
    private readonly standIns: ReadonlyMap<string, string>,
    private readonly sentences: ReadonlyMap<string, string>,
  ) {}

  /** Pairs of a place in the document and the key of its schema. */
  of(places: readonly (readonly [string, string])[]): JsonSchemas {
    const schemas = Object.fromEntries(places.map(([place, key]) => [place, this.#referred(key, [])]))
    const components = [...this.#components].sort(([one], [other]) => (one < other ? -1 : 1))
    return { schemas, components: Object.fromEntries(components) } as JsonSchemas
  }

  #placed(value: unknown, trail: readonly string[]): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#placed(each, trail))
    // a discriminator's
    if (typeof value === 'string' && value.startsWith(DEFS))
      return (this.#referred(value.slice(DEFS.length), trail) as JsonSchema).$ref
    if (typeof value !== 'object' || value === null) return value
    if (UNKNOWN in value) throw new Error(`No JSON Schema for ${String(value[UNKNOWN])} in ${trail.join(' → ')}`)
    const { $ref, ...beside } = value as { readonly $ref?: string }
    const rest = Object.fromEntries(Object.entries(beside).map(([key, each]) => [key, this.#placed(each, trail)]))
    if ($ref === undefined) return rest
    return { ...this.#referred($ref.slice(DEFS.length), trail), ...rest }
  }

  #referred(key: string, trail: readonly string[]): object {
    const name = this.names.get(key)
    if (name === undefined) {
      if (trail.includes(key)) throw new Error(`A schema that contains itself needs a name: ${trail.join(' → ')}`)
      return this.#body(key, trail)
    }
    if (!this.#components.has(name)) {
      // before its body is read, since a filter contains filters
      this.#components.set(name, {})
      this.#components.set(name, this.#body(key, [name]))
    }
    return { $ref: `${COMPONENTS}${name}` }
  }

  #body(key: string, trail: readonly string[]): JsonSchema {
    const standIn = this.standIns.get(key)
    const sentence = this.sentences.get(key)
    const said = sentence === undefined ? {} : { description: sentence }
    if (standIn !== undefined) return { ...this.#referred(standIn, [...trail, key]), ...said }
    return { ...(this.#placed(this.defs[key], [...trail, key]) as JsonSchema), ...said }
  }
}
