import { isJsonObject, type Json, type JsonObject } from '../../../core/values/json.ts'

/** Values for the placeholders of one mail, which its contact does not keep. */
export function valuesOnce(values: Readonly<Record<string, Json>>): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value, persistent: false }]))
}

/** The object that a text has as JSON; undefined when it has none. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
