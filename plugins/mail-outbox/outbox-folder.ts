import { createHash, randomBytes } from 'node:crypto'
import { access, constants, open, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Log } from '../../core/ports/log.ts'
import type { MailTransport, OutgoingMail, Refused, SendResult } from '../../core/ports/mail-transport.ts'
import { makeFolder } from '../kit/files/make-folder.ts'
import { FILE_MODE } from '../kit/files/private-files.ts'

/** Files written at the same time; more would only wait for the disk. */
const CONCURRENCY = 16

/**
 * A transport that writes each mail into `directory` as `<time>-<id>.eml`. The file appears whole or not at all, and is
 * on the disk when the mail is accepted. Its name depends only on the mail's id, so another try overwrites it.
 */
export function outboxFolder(directory: string, log: Log): MailTransport {
  const folder = resolve(directory)
  return {
    concurrency: CONCURRENCY,
    reach: 'nobody',

    async send(mail, signal): Promise<SendResult> {
      const message = await mail.raw()
      const name = fileName(mail.id)
      const file = join(folder, name)
      try {
        signal.throwIfAborted()
        await makeFolder(folder)
        await writeWhole(folder, name, message, signal)
      } catch (problem) {
        return refusal(folder, signal, problem)
      }
      tell(log, mail, file)
      return { outcome: 'accepted', id: name, response: `written to ${file}` }
    },

    async check() {
      await makeFolder(folder)
      await access(folder, constants.W_OK)
    },
  }
}

const TIMED_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/

/**
 * The engine's ids contain their time (UUIDv7, RFC 9562). Any other id is the whole name,
 * hashed when it is no file name.
 */
function fileName(id: string): string {
  if (TIMED_ID.test(id)) {
    const time = new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toISOString()
    return `${time.replace(/\.\d+|[-:]/g, '')}-${id}.eml`
  }
  return PLAIN_ID.test(id) ? `${id}.eml` : `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.eml`
}

async function writeWhole(folder: string, name: string, message: Uint8Array, signal: AbortSignal): Promise<void> {
  const draft = join(folder, `.${name}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const handle = await open(draft, 'wx', FILE_MODE)
    try {
      await handle.writeFile(message)
      await handle.sync()
    } finally {
      await handle.close()
    }
    signal.throwIfAborted()
    await rename(draft, join(folder, name))
  } catch (problem) {
    await rm(draft, { force: true }).catch(() => {})
    throw problem
  }
  await syncFolder(folder)
}

/** Makes the new name durable, where the system lets a folder be synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  if (!handle) return
  try {
    await handle.sync().catch(() => {})
  } finally {
    await handle.close()
  }
}

function refusal(folder: string, signal: AbortSignal, problem: unknown): Refused {
  const message = problem instanceof Error ? problem.message : String(problem)
  const reason = signal.aborted ? 'given up before the file was written' : `cannot write to ${folder}: ${message}`
  return { outcome: 'refused', permanent: false, stage: 'data', reason }
}

function tell(log: Log, { envelope, subject }: OutgoingMail, file: string): void {
  log.info('Mail written to the outbox', { to: envelope.to.join(', '), subject, file })
}
