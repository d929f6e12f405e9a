import { isJsonObject, type Json, type JsonObject } from '../../../core/values/json.ts'
import { readJsonText } from '../../../core/values/json-text.ts'

/** Values for the placeholders of one mail, which its contact does not keep. */
export function valuesOnce(values: Readonly<Record<string, Json>>): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value, persistent: false }]))
}

/** The object that a text has as JSON; undefined when it has none. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value = readJsonText(Buffer.from(text)) as Json
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
