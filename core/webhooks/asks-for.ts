import { matches } from '../events/event-pattern.ts'
import { EVENTS } from '../values/event-names.ts'
import type { JsonObject } from '../values/json.ts'

/** Narrower names of events, by which endpoints may subscribe to some of them only, each with what they have in their data. */
const NARROWER: Readonly<Record<string, readonly { readonly name: string; holds(data: JsonObject): boolean }[]>> = {
  [EVENTS.bounce]: [
    { name: `${EVENTS.bounce}.permanent`, holds: ({ bounceType }) => bounceType === 'Permanent' },
    { name: `${EVENTS.bounce}.transient`, holds: ({ bounceType }) => bounceType === 'Transient' },
  ],
  [EVENTS.open]: [{ name: `${EVENTS.open}.first`, holds: ({ isFirstOpen }) => isFirstOpen === true }],
  [EVENTS.click]: [{ name: `${EVENTS.click}.first`, holds: ({ isFirstClick }) => isFirstClick === true }],
}
const WIDER = new Map(
  Object.entries(NARROWER).flatMap(([wider, names]) => names.map(({ name }) => [name, wider] as const)),
)

/** Whether one of the patterns stands for the event: by its name, or by a narrower one. */
export function asksFor(
  patterns: readonly string[],
  { name, data }: { readonly name: string; readonly data: JsonObject },
): boolean {
  const narrower = Object.hasOwn(NARROWER, name) ? NARROWER[name] : undefined
  const names = [name, ...(narrower ?? []).flatMap((each) => (each.holds(data) ? each.name : []))]
  return patterns.some((pattern) => names.some((each) => matches(pattern, each)))
}

/** The event that a name of an event is about: `email.bounce` for `email.bounce.permanent`. */
export function widerName(name: string): string {
  return WIDER.get(name) ?? name
}
