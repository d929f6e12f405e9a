import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BrokenCsv } from '../../core/contacts/csv-file.ts'
import type { Encoding } from '../../core/contacts/csv-text.ts'
import { givenColumns } from '../../core/contacts/given-columns.ts'
import { type CsvPart, type CutCsv, cutCsv } from '../../core/contacts/split-contacts.ts'
import { EngineError } from '../../core/errors.ts'
import type { components, MailwrightClient, operations } from '../client/index.ts'
import { interruptible } from '../process/interrupt.ts'
import { ProgressLine } from '../process/progress.ts'
import { RemoteProblem } from './problem.ts'
import { readInput } from './read-input.ts'
import { answered, patiently } from './with-server.ts'

type ImportJob = components['schemas']['ImportJob']
type ImportResult = NonNullable<ImportJob['result']>

/** The import, as the API takes it beside the file. */
interface ImportForm {
  /** The meaning of columns, as JSON. */
  readonly columns?: string | undefined
  /** The id or slug of a topic that all contacts get. */
  readonly topic?: string | undefined
  /** The words they agreed to. */
  readonly consentText?: string | undefined
  /** The encoding of the file, where it is not detected. */
  readonly encoding?: Encoding | undefined
  /** Whether who left here comes back by the file. */
  readonly resubscribe?: boolean | undefined
  /** Whether topics that the file lists are made where the project has not got them. */
  readonly makeTopics?: boolean | undefined
}

/** A file to import. */
export interface WantedImport extends ImportForm {
  readonly file: string
  readonly json: boolean
}

/**
 * Imports the contacts of a file, shows the progress, and answers the exit code: 1 when rows were refused. What is too
 * large for one import goes in parts. A signal ends the watching, and not the import of the part that is under way.
 * Throws RemoteProblem when the file cannot be read, or the server refuses it.
 */
export async function importContacts(client: MailwrightClient, wanted: WantedImport): Promise<number> {
  const { file, json, ...form } = wanted
  const blob = await readInput(file, MEGABYTES, 'split it, each part with the header')
  const cut = blob.size > PART_BYTES ? await cutOf(blob, form) : undefined
  const name = file === '-' ? 'stdin.csv' : basename(file)
  return interruptible(async (signal, exitCode) => {
    const line = new ProgressLine(process.stderr, 'rows')
    const show = (done: number, total: number) => {
      if (!json && total > 0) line.show({ what: basename(file), done, total })
    }
    let told: Told
    try {
      told = cut
        ? await importParts(client, { cut, name, form, show }, signal)
        : await importWhole(client, { blob, name, form, show }, signal)
    } finally {
      line.end()
    }
    if (json) process.stdout.write(`${JSON.stringify(told.job)}\n`)
    if (!told.isOver) {
      process.stderr.write(`The import ${told.job.id} goes on without this command.${told.rest ?? ''}\n`)
      return exitCode()
    }
    if (!json) tell(told.job)
    return Number(told.job.state === 'failed' || (told.job.result?.failureCount ?? 0) > 0)
  })
}

const POLL_MS = 300

/** As much may a file have, all of which is held in memory. */
const MEGABYTES = 500
/** As much may one import have; the rest of its 5 MB is left for the form around it. */
const PART_BYTES = 5 * 1024 * 1024

/** How far an import is known. */
interface Told {
  readonly job: Pick<ImportJob, 'id'> & Partial<Pick<ImportJob, 'state' | 'result' | 'failedReason'>>
  readonly isOver: boolean
  /** The part that will not be done without this command. */
  readonly rest?: string
}

type Show = (done: number, total: number) => void

async function cutOf(blob: Blob, { columns, encoding }: ImportForm): Promise<CutCsv> {
  try {
    return await cutCsv(new Uint8Array(await blob.arrayBuffer()), givenColumns(columns), encoding)
  } catch (error) {
    if (error instanceof BrokenCsv) {
      throw new RemoteProblem(`The file cannot be read; nothing was imported. ${error.message}.`, 1)
    }
    if (EngineError.is(error)) throw new RemoteProblem(error.message, 1)
    throw error
  }
}

async function importWhole(
  client: MailwrightClient,
  { blob, name, form, show }: { blob: Blob; name: string; form: ImportForm; show: Show },
  signal: AbortSignal,
): Promise<Told> {
  const job = await importOne(client, { blob, name, ...form }, signal, ({ result }) =>
    show(doneIn(result), result?.totalRows ?? 0),
  )
  return { job, isOver: isOver(job) }
}

/** One part after the other, since a later row of an address is the one that counts. */
async function importParts(
  client: MailwrightClient,
  { cut, name, form, show }: { cut: CutCsv; name: string; form: ImportForm; show: Show },
  signal: AbortSignal,
): Promise<Told> {
  const columns = JSON.stringify(cut.given)
  const { encoding, notes } = cut
  const known = { encoding, columns: [...cut.columns], notes: [...notes], totalRows: cut.totalRows }
  let sum: ImportResult = { ...known, successCount: 0, createdCount: 0, updatedCount: 0, failureCount: 0, errors: [] }
  for await (const part of cut.parts(PART_BYTES)) {
    const blob = new Blob([part.text])
    if (blob.size > PART_BYTES) {
      throw new RemoteProblem(`Row ${part.firstRow} has more than 5 MB; the rows from it on are not imported.`, 1)
    }
    const before = doneIn(sum)
    // parts are written in UTF-8
    const job = await importOne(client, { blob, name, ...form, columns, encoding: undefined }, signal, ({ result }) =>
      show(before + doneIn(result), cut.totalRows),
    )
    sum = added(sum, job.result ?? undefined, part)
    if (isOver(job) && job.state === 'completed' && !signal.aborted) continue
    const rest = ` The rows from ${part.firstRow} on may not all be imported; the import may be run again.`
    const failed = `${job.failedReason ?? ''}${rest}`.trim()
    return {
      job: { ...job, result: sum, ...(job.state === 'failed' ? { failedReason: failed } : {}) },
      isOver: isOver(job),
      rest,
    }
  }
  return { job: { id: '', state: 'completed', result: sum, failedReason: null }, isOver: true }
}

/** Rows of a part are reported with their numbers in the file. */
function added(sum: ImportResult, part: ImportResult | undefined, { firstRow }: CsvPart): ImportResult {
  if (part === undefined) return sum
  const errors = part.errors.map((error) => ({ ...error, row: error.row + firstRow - 2 }))
  return {
    ...sum,
    successCount: sum.successCount + part.successCount,
    createdCount: sum.createdCount + part.createdCount,
    updatedCount: sum.updatedCount + part.updatedCount,
    failureCount: sum.failureCount + part.failureCount,
    keptUnsubscribed: (sum.keptUnsubscribed ?? 0) + (part.keptUnsubscribed ?? 0),
    resubscribed: (sum.resubscribed ?? 0) + (part.resubscribed ?? 0),
    errors: [...sum.errors, ...errors].slice(0, MAX_ERRORS_LISTED),
  }
}

/** As many as an import lists. */
const MAX_ERRORS_LISTED = 100

/** Uploads a file and waits until its import has ended, or the signal is aborted. */
export async function importOne(
  client: MailwrightClient,
  {
    blob,
    name,
    columns,
    topic,
    consentText,
    encoding,
    resubscribe,
    makeTopics,
  }: ImportForm & { readonly blob: Blob; readonly name: string },
  signal: AbortSignal,
  look: (job: ImportJob) => void,
): Promise<Told['job']> {
  const body = {
    file: new File([blob], name),
    ...(columns === undefined ? {} : { columns }),
    ...(topic === undefined ? {} : { topic }),
    ...(consentText === undefined ? {} : { consentText }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(resubscribe === true ? { resubscribe } : {}),
  }
  if (makeTopics === true) await makeMissing(client, body)
  const { jobId } = await answered(client.POST('/contacts/import', { body }))
  const params = { path: { jobId } }
  let job: ImportJob | undefined
  while (!signal.aborted) {
    job = (await patiently(() => client.GET('/contacts/import/{jobId}', { params }), signal)) ?? job
    if (job === undefined || isOver(job)) break
    look(job)
    await pause(POLL_MS, undefined, { signal }).catch(() => {})
  }
  return job ?? { id: jobId }
}

/** Makes the topics that the file lists and the project has not got; each tells of up to a hundred. */
async function makeMissing(client: MailwrightClient, body: ImportBody): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { missingTopics } = await answered(client.POST('/contacts/import/preview', { body }))
    if (missingTopics.length === 0) return
    for (const { name } of missingTopics) {
      await answered(client.POST('/topics', { body: { name } }))
      process.stderr.write(`made the topic ${name}\n`)
    }
  }
}

/** As many hundreds of topics a project does not have. */
const MOST_ROUNDS = 3

type ImportBody = operations['previewImport']['requestBody']['content']['multipart/form-data']

function isOver({ state }: Told['job']): boolean {
  return state === 'completed' || state === 'failed'
}

function doneIn(result: ImportJob['result'] | undefined): number {
  return (result?.successCount ?? 0) + (result?.failureCount ?? 0)
}

/** Prints the result, and what was refused or should be known on stderr. */
function tell({ result, failedReason }: Told['job']): void {
  if (failedReason) return void process.stderr.write(`${failedReason}\n`)
  const { totalRows = 0, createdCount = 0, updatedCount = 0, failureCount = 0, errors = [] } = result ?? {}
  process.stdout.write(
    `${totalRows} rows: ${createdCount} contacts made, ${updatedCount} changed, ${failureCount} rows refused\n`,
  )
  const { keptUnsubscribed = 0, resubscribed = 0 } = result ?? {}
  if (resubscribed > 0) process.stdout.write(`${resubscribed} contacts that had left were subscribed again\n`)
  if (keptUnsubscribed > 0) {
    process.stdout.write(
      `${keptUnsubscribed} contacts that had left stay unsubscribed; --resubscribe would subscribe them again\n`,
    )
  }
  const columns = result?.columns ?? []
  const lines = columns.flatMap(({ header, note }) => (note === undefined ? [] : [`column ${header}: ${note}`]))
  lines.push(...(result?.notes ?? []))
  lines.push(...errors.map(({ row, email, error }) => `row ${row}${email === '' ? '' : ` (${email})`}: ${error}`))
  const more = failureCount - errors.length
  if (more > 0) lines.push(`and ${more} more rows`)
  if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`)
}
