import type { Store } from '../../core/ports/store/store.ts'
import type { StoreSubject } from '../contracts/store/store.ts'

interface Opened {
  readonly store: Store
  close?(): Promise<void>
}

/** A store for its contract, which is opened by `open`, emptied by what `emptier` answers, and cleared up by `remove`. */
export async function storeSubject(
  open: () => Promise<Opened>,
  emptier: () => Promise<{ empty(): Promise<void>; close(): unknown }>,
  remove: () => Promise<void> = async () => {},
): Promise<StoreSubject> {
  let opened = await open()
  // the tables are there now
  const emptying = await emptier()
  return {
    get store() {
      return opened.store
    },
    empty: () => emptying.empty(),
    reopen: async () => {
      await opened.close?.()
      opened = await open()
      return opened.store
    },
    close: async () => {
      await emptying.close()
      await opened.close?.()
      await remove()
    },
  }
}
