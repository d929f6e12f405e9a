import type { Warning } from '../../values/unknown-keys.ts'

/** A filter that could not do its work in one rendering. */
export interface FilterTrouble {
  /** The field whose template has the filter. */
  readonly field: string
  readonly filter: string
  /** The value that stayed unchanged; for `zone` what was given as the time zone. */
  readonly value: string
  readonly kind: 'value' | 'zone'
  readonly reason: string
}

/** Called for each filter that could not do its work in a mail that leaves. */
export type NoteTrouble = (
  mail: { readonly id: string; readonly projectId: string; readonly campaignId?: string },
  trouble: FilterTrouble,
) => void

/** How many of one mail are kept. */
const MOST = 20

/** The filters of one mail that could not do their work, each once. */
export class FilterTroubles {
  readonly #found = new Map<string, FilterTrouble>()
  readonly #noted: ((trouble: FilterTrouble) => void) | undefined

  /** `noted` is called with each, once. */
  constructor(noted?: (trouble: FilterTrouble) => void) {
    this.#noted = noted
  }

  /** The plain text is made from the same placeholders as the HTML, and counts with it. */
  note(trouble: FilterTrouble): void {
    const { field, filter, value, reason } = trouble
    const key = `${field} ${filter} ${value} ${reason}`
    if (this.#found.has(key) || this.#found.size >= MOST) return
    this.#found.set(key, trouble)
    this.#noted?.(trouble)
  }

  get all(): readonly FilterTrouble[] {
    return [...this.#found.values()]
  }
}

/** The trouble as a warning about its field. */
export function warningOf({ field, filter, value, kind, reason }: FilterTrouble): Warning {
  const what =
    kind === 'zone'
      ? `knows no time zone "${value}": ${reason}`
      : `cannot work with "${value}": ${reason}. The value stays unchanged`
  return { field, message: `the filter ${filter} ${what}` }
}
