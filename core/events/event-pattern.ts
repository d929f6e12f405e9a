import * as v from 'valibot'
import { say } from '../values/parse.ts'
import { AnyEventName } from './event.ts'

/** The name of an event; `*` for all, or `email.*` for all that begin with `email.`. */
export const EventPattern = v.pipe(
  AnyEventName,
  v.check(
    (name) => name === '*' || !name.replace(/\.\*$/, '').includes('*'),
    say('custom', 'must be the name of an event, * for all of them, or a beginning such as email.*'),
  ),
)

/** Whether a pattern matches the event: by its name, `*`, or the beginning before `.*`. */
export function matches(pattern: string, name: string): boolean {
  if (pattern === '*' || pattern === name) return true
  return pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1))
}
