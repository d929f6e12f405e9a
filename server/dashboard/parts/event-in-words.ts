import type { FirstTexts } from '../texts/types.ts'

/** The meaning of an event of the service; those of programs have the names that they were given. */
export function eventInWords(name: string, t: FirstTexts): string {
  const [, segment, change] = /^segment\.(.+)\.(entry|exit)$/.exec(name) ?? []
  if (segment !== undefined) return change === 'entry' ? t.activity.entered(segment) : t.activity.left(segment)
  return t.activity.types[name] ?? t.activity.events[name] ?? name
}
