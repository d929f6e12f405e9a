import type { Texts } from '../texts/types.ts'

export const PAIR_KINDS = ['text', 'number', 'yes', 'no', 'delete', 'json'] as const

/** A field and its value, as one types them. */
export interface Pair {
  readonly name: string
  readonly kind: (typeof PAIR_KINDS)[number]
  readonly value: string
}

/** The fields of an object, each as one would type it. */
export function pairsOf(given: unknown): readonly Pair[] {
  return Object.entries(given ?? {}).map(([name, value]): Pair => {
    if (value === null) return { name, kind: 'delete', value: '' }
    if (typeof value === 'boolean') return { name, kind: value ? 'yes' : 'no', value: '' }
    if (typeof value === 'number') return { name, kind: 'number', value: String(value) }
    return typeof value === 'string'
      ? { name, kind: 'text', value }
      : { name, kind: 'json', value: JSON.stringify(value) }
  })
}

/**
 * The object of what was typed, without rows that have no name; undefined where there are none. Throws when a value is
 * none of its kind, or a name is there twice, of which one would be lost; `label` names the field they belong to.
 */
export function objectOf(pairs: readonly Pair[], label: string, t: Texts): Record<string, unknown> | undefined {
  const named = pairs.map((pair) => ({ ...pair, name: pair.name.trim() })).filter(({ name }) => name !== '')
  const twice = named.find(({ name }, at) => named.findIndex((each) => each.name === name) !== at)
  if (twice) throw new Error(t.anywhere.pairs.twice(`${label}: ${twice.name}`))
  if (named.length === 0) return undefined
  return Object.fromEntries(named.map((pair) => [pair.name, typedValue(pair, label, t)]))
}

/** The value that was typed. Throws when it is none of its kind; `label` names the field it belongs to. */
function typedValue({ name, kind, value }: Pair, label: string, t: Texts): unknown {
  switch (kind) {
    case 'number': {
      const number = Number(value.trim().replace(',', '.'))
      if (value.trim() === '' || Number.isNaN(number)) throw new Error(t.anywhere.notNumber(`${label}: ${name}`))
      return number
    }
    case 'yes':
    case 'no':
      return kind === 'yes'
    case 'delete':
      return null
    case 'json':
      try {
        return JSON.parse(value)
      } catch {
        throw new Error(t.anywhere.notJson(`${label}: ${name}`))
      }
    default:
      return value
  }
}
