import type { Mended } from '../ports/store/mail-words.ts'
import type { Store } from '../ports/store/store.ts'
import { NIL_ID } from '../values/id.ts'
import { rest } from '../work/rest.ts'

/** How many mails are compared with the index at once: some milliseconds. */
const AT_ONCE = 1_000

/**
 * Notes all mails of inboxes that should be in the index and are not, so that a worker puts them there; a part at a time, so that
 * others get at the database. Answers how many.
 */
export async function mendIndex({ mailWords }: Pick<Store, 'mailWords'>, signal?: AbortSignal): Promise<number> {
  let lost = 0
  for (let after: string | undefined = NIL_ID; after !== undefined && !signal?.aborted; ) {
    const begun = performance.now()
    const part: Mended = await mailWords.mend(after, AT_ONCE)
    lost += part.lost
    after = part.last
    await rest(begun)
  }
  return lost
}
