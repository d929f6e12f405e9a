/** What ends when its signal is aborted. */
interface Abortable {
  readonly signal: AbortSignal
  aborted(): void
}

/** Tells deliveries that their signal was aborted. Many share a signal, and to listen to it takes long: that is done once. */
export class Aborts {
  readonly #listening = new Map<AbortSignal, { readonly all: Set<Abortable>; stop(): void }>()

  watch(one: Abortable): void {
    const { signal } = one
    const known = this.#listening.get(signal)
    if (known) known.all.add(one)
    else this.#listen(signal, one)
  }

  forget(one: Abortable): void {
    const known = this.#listening.get(one.signal)
    if (!known?.all.delete(one) || known.all.size > 0) return
    known.stop()
    this.#listening.delete(one.signal)
  }

  #listen(signal: AbortSignal, first: Abortable): void {
    const all = new Set([first])
    const tell = () => {
      for (const one of all) one.aborted()
    }
    signal.addEventListener('abort', tell)
    this.#listening.set(signal, { all, stop: () => signal.removeEventListener('abort', tell) })
  }
}
