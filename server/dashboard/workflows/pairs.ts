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

/** The value that was typed. Throws when it is none of its kind; `label` names the field it belongs to. */
export function typedValue({ name, kind, value }: Pair, label: string, t: Texts): unknown {
  switch (kind) {
    case 'number': {
      const number = Number(value.trim().replace(',', '.'))
      if (value.trim() === '' || Number.isNaN(number)) throw new Error(t.workflows.notNumber(`${label}: ${name}`))
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
        throw new Error(t.workflows.notJson(`${label}: ${name}`))
      }
    default:
      return value
  }
}
