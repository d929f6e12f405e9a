import { addProjectsOf, requireFreeName } from '../../config/add-projects.ts'
import { type LoadedConfig, loadConfig } from '../../config/index.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import type { NewKeys } from '../../core/projects/projects.ts'
import { firstStartText } from '../process/first-start.ts'
import { ProgressLine } from '../process/progress.ts'
import { withEngine } from '../process/with-engine.ts'
import { DAYS, liveThrough } from './history.ts'

/** The options of the command line. */
export interface DemoOptions {
  readonly config: string | undefined
  readonly name: string
  readonly contacts: number
  readonly seed: number
  readonly json: boolean
}

/**
 * Makes the demo project in a database of its own and adds it to the configured one as a whole, so that nothing of the
 * others is touched and no worker ever sees mail of it that waits. Answers the exit code; after a signal nothing is left.
 */
export async function demo({ config, name, contacts, seed, json }: DemoOptions): Promise<number> {
  const loaded = await loadConfig({ path: config })
  await requireFreeName(loaded, name)
  const publicUrl = loaded.engine.publicUrl ?? 'http://localhost:3000'
  const stop = new AbortController()
  let exitCode = 0
  const signalled = (signal: keyof typeof SIGNALS) => {
    exitCode = SIGNALS[signal]
    stop.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, signalled)
  const line = new ProgressLine(process.stderr, 'days')
  const onDay = (done: number) => {
    if (!json) line.show({ what: 'living through the last days', done, total: DAYS })
  }
  const options = { name, contacts, seed, publicUrl, onDay, signal: stop.signal }
  try {
    const made = await liveThrough(options).finally(() => line.end())
    try {
      await makeFirst(loaded, config, publicUrl, json)
      await addProjectsOf(made.file, loaded)
    } finally {
      await made.remove()
    }
    const { project, keys } = made
    const record = { id: project.id, name, ...keys, url: publicUrl }
    process.stdout.write(json ? `${JSON.stringify(record)}\n` : textOf(project, keys, publicUrl))
    return 0
  } catch (error) {
    if (exitCode === 0) throw error
    return exitCode
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, signalled)
  }
}

/** The exit codes a shell expects after these signals. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Does what the first start of a server does, where there was none yet: otherwise it would take the demo for its own
 * first project, and give it the name and the domains of its settings.
 */
async function makeFirst(loaded: LoadedConfig, config: string | undefined, url: string, json: boolean): Promise<void> {
  const wished = loaded.engine.projects?.length ? {} : loaded.firstProject
  const first = await withEngine(config, ({ projects }) => projects.applyFirst(wished))
  // at once, since these keys are shown only now
  if (first) (json ? process.stderr : process.stdout).write(firstStartText(first, wished, url))
}

function textOf({ id, name }: Project, { secretKey, publicKey }: NewKeys, url: string): string {
  const lines = LOOKS.map(([path, what]) => `  curl -H "$A" '${url}${path}'    # ${what}`)
  return `
The project "${name}" was made. Its keys are shown this once; keep them. All its addresses are under example.com,
example.net and example.org, and nothing in it waits to be sent.

  project id  ${id}
  secret key  ${secretKey}
  public key  ${publicKey}

Start the server, then look around; ${url}/docs shows the rest:

  A='Authorization: Bearer ${secretKey}'
${lines.join('\n')}

`
}

const LOOKS = [
  ['/campaigns', 'campaigns with their figures'],
  ['/contacts?limit=5', 'contacts'],
  ['/segments', 'segments'],
  ['/workflows', 'workflows'],
  ['/emails?bounced=true&limit=5', 'mails that bounced'],
  ['/activity?limit=10', 'what happened last'],
  ['/analytics/timeseries', 'figures by day'],
] as const
