import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { components, MailwrightClient } from '../client/index.ts'
import { interruptible } from '../interrupt.ts'
import { ProgressLine } from '../progress.ts'
import { readInput } from './read-input.ts'
import { answered, patiently } from './with-server.ts'

type ImportJob = components['schemas']['ImportJob']

/**
 * Imports the contacts of a file, shows the progress, and answers the exit code: 1 when rows were refused. A signal ends
 * the watching, and not the import. Throws RemoteProblem when the file cannot be read, or the server refuses it.
 */
export async function importContacts(client: MailwrightClient, file: string, json: boolean): Promise<number> {
  const form = new FormData()
  form.set('file', await readInput(file, MEGABYTES, 'split it, each part with the header'), basename(file))
  // the document's type of a file is text; what is sent is the form
  const accepted = client.POST('/contacts/import', { body: { file: '' }, bodySerializer: () => form })
  const { jobId } = await answered(accepted)
  return interruptible(async (signal, exitCode) => {
    const params = { path: { jobId } }
    const line = new ProgressLine(process.stderr, 'rows')
    let job: ImportJob | undefined
    try {
      while (!signal.aborted) {
        job = (await patiently(() => client.GET('/contacts/import/{jobId}', { params }), signal)) ?? job
        if (job === undefined || job.state === 'completed' || job.state === 'failed') break
        const { totalRows = 0, successCount = 0, failureCount = 0 } = job.result ?? {}
        const done = successCount + failureCount
        if (!json && totalRows > 0) line.show({ what: basename(file), done, total: totalRows })
        await pause(POLL_MS, undefined, { signal }).catch(() => {})
      }
    } finally {
      line.end()
    }
    if (json) process.stdout.write(`${JSON.stringify(job ?? { id: jobId })}\n`)
    if (job?.state !== 'completed' && job?.state !== 'failed') {
      process.stderr.write(`The import ${jobId} goes on without this command.\n`)
      return exitCode()
    }
    if (!json) tell(job)
    return Number(job.state === 'failed' || (job.result?.failureCount ?? 0) > 0)
  })
}

const POLL_MS = 300

/** As much may one file have. */
const MEGABYTES = 5

/** Prints the result, and what was refused on stderr. */
function tell({ result, failedReason }: ImportJob): void {
  if (failedReason !== null) return void process.stderr.write(`${failedReason}\n`)
  const { totalRows = 0, createdCount = 0, updatedCount = 0, failureCount = 0, errors = [] } = result ?? {}
  process.stdout.write(
    `${totalRows} rows: ${createdCount} contacts made, ${updatedCount} changed, ${failureCount} rows refused\n`,
  )
  const lines = errors.map(({ row, email, error }) => `row ${row}${email === '' ? '' : ` (${email})`}: ${error}`)
  const more = failureCount - errors.length
  if (more > 0) lines.push(`and ${more} more rows`)
  if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`)
}
