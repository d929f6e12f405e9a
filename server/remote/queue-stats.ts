import { WAITING_WORK } from '../../core/ports/store/operations.ts'
import { type components, createClient, type MailwrightClient } from '../client/index.ts'
import { printRecords } from '../process/print-records.ts'
import { patientFetch } from './ask.ts'
import { findKey, findServer, readVariables, requireSettings, secretIn } from './find-server.ts'
import { campaignsOf } from './hold-campaigns.ts'
import { answered, tellingProblems } from './with-server.ts'

type OperatorState = components['schemas']['OperatorState']

/**
 * Prints what waits: by the operator's key of the whole installation, by lane; by a project's key what its list of mails
 * tells. With both keys, both. Answers the exit code.
 */
export function queueStats(url: string | undefined, json: boolean): Promise<number> {
  return tellingProblems(async () => {
    const env = await readVariables(['MAILWRIGHT_API_KEY', 'OPERATOR_KEY'])
    const operatorKey = secretIn(env, 'OPERATOR_KEY')
    const settings = requireSettings(url, env, { isOptional: operatorKey !== undefined })
    const server = await findServer(settings)
    const clientOf = (key: string) => createClient({ baseUrl: server.url, key, fetch: (asked) => patientFetch(asked) })
    const state = operatorKey === undefined ? undefined : await answered(clientOf(operatorKey).GET('/operator'))
    const project =
      settings.secret === '' ? undefined : await ofProject(clientOf((await findKey(server, settings.secret)).secret))
    if (json) {
      process.stdout.write(`${JSON.stringify({ installation: state && ofInstallation(state), project })}\n`)
      return 0
    }
    if (state) printInstallation(state)
    if (state && project) process.stdout.write('\n')
    if (project) printProject(project)
    return 0
  })
}

/** Every kind of work; zeros where none is waiting. */
function ofInstallation({ queues, transports, projects }: OperatorState) {
  const now = Date.now()
  return {
    queues: WAITING_WORK.map((queue) => {
      const own = queues.filter((one) => one.queue === queue)
      const due = sumOf(own.map((one) => one.due))
      const oldest = Math.min(now, ...own.map((one) => Date.parse(one.oldest)))
      // what has a time ahead is not late
      const oldestSeconds = due === 0 ? null : Math.round((now - oldest) / 1000)
      return { queue, waiting: sumOf(own.map(({ waiting }) => waiting)), due, oldestSeconds }
    }),
    byProject: queues.map((one) => ({
      ...one,
      project: projects.find(({ id }) => id === one.projectId)?.name ?? null,
    })),
    transports,
  }
}

function printInstallation(state: OperatorState): void {
  const { queues, transports } = ofInstallation(state)
  const rows = queues.map(({ oldestSeconds, ...row }) => ({ ...row, oldest: ageOf(oldestSeconds) }))
  printRecords(rows, ['queue', 'waiting', 'due', 'oldest'], false)
  for (const { name, state: how, pausedSeconds, lastError } of transports) {
    if (how === 'ok') continue
    const pause = pausedSeconds > 0 ? ` for ${pausedSeconds} s` : ''
    process.stdout.write(`\ntransport ${name} is ${how}${pause}${lastError ? `: ${lastError.reason}` : ''}\n`)
  }
}

/** The totals that a project's key may see. */
async function ofProject(client: MailwrightClient) {
  const countOf = async (status: 'QUEUED' | 'SENDING' | 'FAILED') =>
    (await answered(client.GET('/emails', { params: { query: { status, limit: 1 } } }))).total
  const [waiting, sending, failed] = [await countOf('QUEUED'), await countOf('SENDING'), await countOf('FAILED')]
  const found = [...(await campaignsOf(client, 'SENDING')), ...(await campaignsOf(client, 'PAUSED'))]
  const campaigns = found.map(({ id, name, status, queued, sent, failed }) => {
    return { id, name, status, waiting: queued, sent, failed }
  })
  return { mails: { waiting, sending, failed }, campaigns }
}

function printProject({ mails, campaigns }: Awaited<ReturnType<typeof ofProject>>): void {
  const { waiting, sending, failed } = mails
  process.stdout.write(`The project: ${waiting} mails wait, ${sending} are being sent, ${failed} have failed\n`)
  if (campaigns.length === 0) return
  process.stdout.write('\n')
  printRecords(campaigns, ['id', 'name', 'status', 'waiting', 'sent', 'failed'], false)
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}

/** An age in the largest unit of which it has two. */
function ageOf(seconds: number | null): string {
  if (seconds === null) return '-'
  const [size, unit] = UNITS.find(([size]) => seconds >= 2 * size) ?? [1, 's']
  return `${Math.floor(seconds / size)} ${unit}`
}

const UNITS = [
  [86_400, 'days'],
  [3_600, 'h'],
  [60, 'min'],
] as const
