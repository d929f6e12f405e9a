import { setTimeout as pause } from 'node:timers/promises'
import type { AudienceClient, Watched } from './audience-client.ts'
import { addressOf, plainDataOf } from './audience-data.ts'
import type { Figure } from './figure.ts'

const FILES = 2
/** Nearly the largest file an import accepts, in bytes. */
const FILE_BYTES = 4_950_000

interface ImportJob {
  readonly state: 'waiting' | 'active' | 'completed' | 'failed'
  readonly failedReason?: string
  readonly result: { readonly createdCount: number; readonly updatedCount: number; readonly failureCount: number }
}

/**
 * Imports and exports. Aims: 15,000 rows/s of an import, from the upload until the job is completed; memory within 100
 * MB of what it was before. The files are imported one after the other.
 */
export async function measureFiles(client: AudienceClient, contacts: number): Promise<readonly Figure[]> {
  const fresh: CsvFile[] = []
  for (let n = 0, from = contacts; n < FILES; n++) {
    const file = csvFile(from)
    fresh.push(file)
    from += file.rows
  }
  const again = fresh.map(({ from, rows }) => csvFile(from, { rows, more: 1 }))
  const rows = fresh.reduce((sum, file) => sum + file.rows, 0)
  const made = await client.watch(() => importAll(client, fresh))
  if (made.answer.createdCount !== rows) throw new Error(`${made.answer.createdCount} of ${rows} were created`)
  const known = await client.watch(() => importAll(client, again))
  if (known.answer.updatedCount !== rows) throw new Error(`${known.answer.updatedCount} of ${rows} were updated`)
  const out = await client.watch(() => exportAll(client))
  if (out.answer !== contacts + rows) throw new Error(`${out.answer} of ${contacts + rows} were exported`)
  const size = `${FILES} files of 5 MB, ${rows.toLocaleString('en')} rows in all`
  return [
    { what: 'import of new contacts', value: perSecond(rows, made), unit: 'rows/s', note: size },
    {
      what: 'import of known contacts',
      value: perSecond(rows, known),
      unit: 'rows/s',
      note: 'the same, one field changed',
    },
    ...strain('imports', made, known),
    {
      what: 'export',
      value: perSecond(out.answer, out),
      unit: 'rows/s',
      note: `${out.answer.toLocaleString('en')} rows`,
    },
    ...strain('the export', out),
  ]
}

function perSecond(rows: number, { ms }: Watched<unknown>): number {
  return (rows / ms) * 1000
}

function strain(what: string, ...watched: readonly Watched<unknown>[]): readonly Figure[] {
  const longest = Math.max(...watched.map(({ longestWait }) => longestWait))
  const grown = Math.max(...watched.map(({ grownBy }) => grownBy))
  return [
    { what: `longest wait for /health/live during ${what}`, value: longest, unit: 'ms' },
    { what: `RSS growth over ${what}`, value: grown, unit: 'MB' },
  ]
}

interface CsvFile {
  readonly from: number
  readonly rows: number
  readonly text: string
}

/**
 * A file with the contacts from this index on, as large as allowed or with this many rows. Their visits
 * are `more` than they were.
 */
function csvFile(from: number, { rows = Number.POSITIVE_INFINITY, more = 0 } = {}): CsvFile {
  const lines = ['email,company,plan,visits,score,signedUpOn,beta']
  for (let i = from, bytes = 0; i < from + rows && bytes < FILE_BYTES; i++) {
    const { company, plan, visits, score, signedUpOn } = plainDataOf(i)
    const line = `${addressOf(i)},"${company}",${plan},${visits + more},${score},${signedUpOn},${i % 3 === 0}`
    lines.push(line)
    if (rows === Number.POSITIVE_INFINITY) bytes += line.length + 1
  }
  return { from, rows: lines.length - 1, text: `${lines.join('\n')}\n` }
}

async function importAll(client: AudienceClient, files: readonly CsvFile[]): Promise<ImportJob['result']> {
  const sum = { createdCount: 0, updatedCount: 0, failureCount: 0 }
  for (const { text } of files) {
    const form = new FormData()
    form.append('file', new File([text], 'contacts.csv', { type: 'text/csv' }))
    const { jobId } = await client.json<{ jobId: string }>('POST', '/contacts/import', form)
    const { createdCount, updatedCount, failureCount } = await completed(client, jobId)
    if (failureCount > 0) throw new Error(`${failureCount} rows failed`)
    sum.createdCount += createdCount
    sum.updatedCount += updatedCount
  }
  return sum
}

async function completed(client: AudienceClient, jobId: string): Promise<ImportJob['result']> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const job = await client.json<ImportJob>('GET', `/contacts/import/${jobId}`)
    if (job.state === 'completed') return job.result
    if (job.state === 'failed') throw new Error(`the import failed: ${job.failedReason}`)
    if (performance.now() > deadline) throw new Error(`the import is still ${job.state}`)
    await pause(25)
  }
}

/** Reads the whole export. Answers how many rows follow the header; no value here has a line break. */
async function exportAll(client: AudienceClient): Promise<number> {
  const { body } = await client.ask('GET', '/contacts/export')
  let lines = 0
  for await (const chunk of body ?? []) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
  }
  return lines - 1
}
