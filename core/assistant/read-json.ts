import * as v from 'valibot'
import { EngineError } from '../errors.ts'

const THOUGHT_ENDS = '</think>'

/**
 * The JSON object in a model's answer, read by a schema. Models put thoughts before it and fences around it; all else is refused.
 * Throws EngineError `SERVICE_UNAVAILABLE`.
 */
export function readJson<const Schema extends v.GenericSchema>(schema: Schema, text: string): v.InferOutput<Schema> {
  const thought = text.lastIndexOf(THOUGHT_ENDS)
  const said = thought < 0 ? text : text.slice(thought + THOUGHT_ENDS.length)
  const read = v.safeParse(schema, parsed(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1)))
  if (read.success) return read.output
  throw unreadable()
}

/** A model's words as they may be stored and shown: no signs that are none. */
export function cleaned(text: string): string {
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')
}

export function unreadable(): EngineError {
  return new EngineError('SERVICE_UNAVAILABLE', 'The assistant has answered something that cannot be used.', {
    isTold: true,
    suggestion: 'Try it again. If that does not help, the model may be too small for this.',
  })
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
