import type { JsonObject } from '../../values/json.ts'

/** A setting of the operator for the whole installation, changed while it runs: one value for each name. */
export interface InstallationSetting {
  /** `mail-servers`, `public-address` or `routes`. */
  readonly name: string
  /** The value that was set. */
  readonly value: JsonObject
  /** Counts its changes, from 1. */
  readonly version: number
  /** When it was changed last. */
  readonly updatedAt: Date
}

/** The settings of the installation. */
export interface InstallationRepository {
  /** All of them: a handful. */
  all(): Promise<readonly InstallationSetting[]>
  /**
   * Stores the setting over the version before its own; of version 1, where there is none yet. Answers whether it did:
   * otherwise another change came first.
   */
  put(setting: InstallationSetting): Promise<boolean>
}
