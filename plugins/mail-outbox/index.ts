import * as v from 'valibot'
import { definePlugin } from '../../core/plugin.ts'
import { outboxFolder } from './outbox-folder.ts'

/** Where mail is written instead of being sent. */
export const OutboxOptions = v.strictObject({
  /** The folder, made when it is missing; a relative path starts where the process was started. */
  directory: v.optional(v.pipe(v.string(), v.nonEmpty('must not be empty')), './data/outbox'),
})
export type OutboxOptions = v.InferOutput<typeof OutboxOptions>

/**
 * Writes each mail as an `.eml` file, which any mail program opens, and says so in the log: for development, for tests
 * and for a first look. Nothing leaves the machine. `outbox({ directory: './data/outbox' })`.
 */
export const outbox = definePlugin({
  name: 'mail-outbox',
  provides: ['transport'],
  options: OutboxOptions,
  describe: ({ directory }) => directory,
  open: ({ directory }, { log }) => ({ transport: outboxFolder(directory, log) }),
})
