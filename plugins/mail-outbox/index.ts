import { resolve } from 'node:path'
import * as v from 'valibot'
import { EngineError } from '../../core/errors.ts'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { warnOfOpenFiles } from '../kit/files/private-files.ts'
import { outboxFolder } from './outbox-folder.ts'

/** Where mails are written instead of being sent. */
export const OutboxOptions = v.strictObject({
  /** The folder, made if it is missing; a relative path starts at the working directory. */
  directory: v.optional(v.pipe(v.string(), v.nonEmpty('must not be empty')), './data/outbox'),
})
export type OutboxOptions = v.InferOutput<typeof OutboxOptions>

/**
 * Writes each mail as an `.eml` file, which any mail program opens, and logs it: for development, tests and a first
 * look. Nothing leaves the machine. `outbox({ directory: './data/outbox' })`.
 */
export const outbox = definePlugin({
  name: 'mail-outbox',
  provides: ['transport'],
  options: OutboxOptions,
  describe: ({ directory }) => directory,
  async open({ directory }, { log }) {
    const transport = outboxFolder(directory, log)
    try {
      await transport.check?.()
    } catch (cause) {
      const message = `${directory} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
      const fields = [{ field: 'directory', code: 'custom', message }] as const
      throw new EngineError('CONFIG_INVALID', `mail-outbox: directory: ${message}`, { fields, cause })
    }
    await warnOfOpenFiles(log, [resolve(directory)])
    return { transport }
  },
})
