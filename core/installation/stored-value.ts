import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Store } from '../ports/store/store.ts'
import type { JsonObject } from '../values/json.ts'

/** The settings of the installation, by their names. */
export const MAIL_SERVERS = 'mail-servers'
export const PUBLIC_ADDRESS = 'public-address'

/** How often a change is tried again that another one came before. */
const TRIES = 5

/**
 * Changes the value of a setting, which is undefined where there is none. Throws EngineError `CONFLICT` when others change
 * it all the time.
 */
export async function changeValue<Answer>(
  store: Store,
  kit: Kit,
  name: string,
  change: (value: JsonObject | undefined) => Promise<{ readonly value: JsonObject; readonly answer: Answer }>,
): Promise<Answer> {
  for (let tries = 0; tries < TRIES; tries++) {
    const stored = (await store.installation.all()).find((each) => each.name === name)
    const { value, answer } = await change(stored?.value)
    const version = (stored?.version ?? 0) + 1
    if (await store.installation.put({ name, value, version, updatedAt: kit.now() })) return answer
  }
  throw new EngineError('CONFLICT', 'Others are changing this at the same time.', { suggestion: 'Try again.' })
}
