/** Two states of a form and two of the server: what each was when they agreed, and what each is now. */
export interface Sides<Values> {
  /** The values in the form. */
  readonly mine: Values
  /** The values in the form when it was saved last. */
  readonly saved: Values
  /** The values on the server. */
  readonly theirs: Values
  /** The values on the server after that. */
  readonly known: Values
}

/** Names of fields that are one thing, such as a body and what it was made of. */
export type Group<Values> = readonly (keyof Values)[]

export interface Merge<Values> {
  /** The fields that others changed, and I did not. */
  readonly taken: Partial<Values>
  /** The fields that were changed here and there, to different values. */
  readonly disputed: readonly Group<Values>[]
}

/** Merges what others changed into a form, field by field. */
export function threeWay<Values extends object>(
  { mine, saved, theirs, known }: Sides<Values>,
  together: readonly Group<Values>[] = [],
): Merge<Values> {
  const names = Object.keys(theirs) as (keyof Values)[]
  const alone = names.filter((name) => !together.some((group) => group.includes(name))).map((name) => [name])
  const taken: Partial<Values> = {}
  const disputed: Group<Values>[] = []
  for (const group of [...together, ...alone]) {
    const differ = (one: Values, other: Values) => group.some((name) => !isSame(one[name], other[name]))
    if (!differ(theirs, known)) continue
    if (differ(mine, saved) && differ(mine, theirs)) disputed.push(group)
    else for (const name of group) taken[name] = theirs[name]
  }
  return { taken, disputed }
}

/** The fields of a request that differ from those of what was saved; of those that are one thing all, when one does. */
export function changedOnly<Body extends object>(
  body: Body,
  before: Body,
  together: readonly (readonly string[])[] = [],
): Partial<Body> {
  const earlier = new Map(Object.entries(before))
  const changed = new Set(
    Object.entries(body).flatMap(([name, value]) => (isSame(value, earlier.get(name)) ? [] : [name])),
  )
  const isSent = (name: string) =>
    changed.has(name) || together.some((group) => group.includes(name) && group.some((each) => changed.has(each)))
  return Object.fromEntries(Object.entries(body).filter(([name]) => isSent(name))) as Partial<Body>
}

/** Whether two values say the same, whatever the order of their keys: databases change it. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || textOf(one) === textOf(other)
}

function textOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
