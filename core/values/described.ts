import type * as v from 'valibot'

/** Facts about a schema for descriptions of an interface, such as the OpenAPI document, beyond the schema itself. */
export interface Described {
  /** Its name: descriptions refer to it by this name. */
  readonly name?: string
  /** The schema that is described in its place. */
  readonly standIn?: v.GenericSchema
  /** A sentence about it. */
  readonly sentence?: string
}

/** Filled while modules load; a schema costs nothing more when it reads. */
const DESCRIBED = new Map<v.GenericSchema, Described>()

/** Names a schema for descriptions. Answers the same schema. Throws for a name that another schema has. */
export function named<Schema extends v.GenericSchema>(name: string, schema: Schema): Schema {
  for (const [other, described] of DESCRIBED) {
    if (described.name === name && other !== schema) throw new Error(`Two schemas are named ${name}`)
  }
  DESCRIBED.set(schema, { ...DESCRIBED.get(schema), name })
  return schema
}

/**
 * Describes a schema by another one, since code that chooses or checks cannot be described. It continues reading as
 * before. Answers the same schema.
 */
export function describedBy<Schema extends v.GenericSchema>(schema: Schema, standIn: v.GenericSchema): Schema {
  DESCRIBED.set(schema, { ...DESCRIBED.get(schema), standIn })
  return schema
}

/** The same schema with a sentence about it. It is another one, since a schema may stand in several places. */
export function worded<Schema extends v.GenericSchema>(schema: Schema, sentence: string): Schema {
  const copy = { ...schema }
  DESCRIBED.set(copy, { sentence, ...(DESCRIBED.has(schema) ? { standIn: schema } : {}) })
  return copy
}

/** All schemas with a name, a stand-in or a sentence. */
export function describedSchemas(): ReadonlyMap<v.GenericSchema, Described> {
  return DESCRIBED
}
