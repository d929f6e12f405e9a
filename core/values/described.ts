import type * as v from 'valibot'

/** What descriptions of an interface, such as the OpenAPI document, know of a schema beyond the schema itself. */
export interface Described {
  /** Its name: descriptions refer to it by this name. */
  readonly name?: string
  /** The schema that is described in its place. */
  readonly standIn?: v.GenericSchema
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

/** All schemas with a name or a stand-in. */
export function describedSchemas(): ReadonlyMap<v.GenericSchema, Described> {
  return DESCRIBED
}
