import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Store } from '../ports/store/store.ts'
import type { JsonObject } from '../values/json.ts'
import type { ProjectId } from '../values/project-id.ts'

/** The settings of the installation, by their names. */
export const MAIL_SERVERS = 'mail-servers'
export const PUBLIC_ADDRESS = 'public-address'
export const ROUTES = 'routes'

/** How often a change is tried again that another one came before. */
const TRIES = 5

/** A value in the store that counts its changes. */
export interface StoredValue {
  /** Answers undefined where there is none yet. */
  read(): Promise<{ readonly value: JsonObject; readonly version: number } | undefined>
  /** Answers whether it was stored over the version before; otherwise another change came first. */
  write(value: JsonObject, version: number): Promise<boolean>
}

/** A setting of the installation. */
export function settingOf(store: Store, kit: Kit, name: string): StoredValue {
  return {
    read: async () => (await store.installation.all()).find((each) => each.name === name),
    write: (value, version) => store.installation.put({ name, value, version, updatedAt: kit.now() }),
  }
}

/** The mail servers of a project. */
export function serversOf(store: Store, kit: Kit, projectId: ProjectId): StoredValue {
  return {
    read: async () => (await store.projectServers.among([projectId]))[0],
    write: (value, version) => store.projectServers.put({ projectId, value, version, updatedAt: kit.now() }),
  }
}

/**
 * Changes a value, which is undefined where there is none, and then has the version 0. Throws EngineError `CONFLICT` when others change it all the
 * time.
 */
export async function changeValue<Answer>(
  stored: StoredValue,
  change: (
    value: JsonObject | undefined,
    version: number,
  ) => Promise<{ readonly value: JsonObject; readonly answer: Answer }>,
): Promise<Answer> {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await stored.read()
    const version = before?.version ?? 0
    const { value, answer } = await change(before?.value, version)
    if (await stored.write(value, version + 1)) return answer
  }
  throw new EngineError('CONFLICT', 'Others are changing this at the same time.', { suggestion: 'Try again.' })
}
