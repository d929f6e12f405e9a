import type { Store } from '../../ports/store/store.ts'

/**
 * Counts how often forms are shown. One write at a time stands for all views that came while the one before it ran, so
 * that many visitors at once cost no more than a few.
 */
export class FormViews {
  #waiting = new Map<string, number>()
  #next: Promise<void> | undefined
  #last: Promise<void> | undefined

  constructor(private readonly store: Pick<Store, 'forms'>) {}

  /** Resolves when this view is counted. */
  add(formId: string): Promise<void> {
    this.#waiting.set(formId, (this.#waiting.get(formId) ?? 0) + 1)
    this.#next ??= this.#afterLast()
    return this.#next
  }

  async #afterLast(): Promise<void> {
    await this.#last?.catch(() => {})
    const views = this.#waiting
    this.#waiting = new Map()
    this.#last = this.#next
    this.#next = undefined
    for (const [formId, by] of views) await this.store.forms.note(formId, { shown: by })
  }
}
