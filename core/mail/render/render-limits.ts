import { LiquidError } from 'liquidjs'

/** A limit was broken; the message completes a sentence that begins with the field's name. */
export class LimitError extends Error {}

/** A rendering took too long. */
export class OutOfTime extends Error {}

/** Whether the rendering was ended for the time it took. */
export function isOutOfTime(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof OutOfTime)
}

/** The message of a broken limit, or undefined for another error. */
export function limitOf(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    if (cause instanceof LimitError) return cause.message
    if (cause.message.includes('call stack')) return 'is nested too deeply'
    // of the Liquid engine, and of the language
    if (/memory alloc limit|^Invalid (?:string|array) length/.test(cause.message))
      return 'needs too much memory to render'
  }
  return undefined
}

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error; cause = LiquidError.is(cause) ? cause.originalError : undefined)
    causes.push(cause)
  return causes
}
