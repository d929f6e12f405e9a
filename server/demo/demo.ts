import { addProjectsOf, requireFreeName } from '../../config/add-projects.ts'
import { loadConfig } from '../../config/index.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import type { NewKeys } from '../../core/projects/projects.ts'
import { ProgressLine } from '../progress.ts'
import { DAYS, liveThrough } from './history.ts'

/** What the command line asks for. */
export interface DemoOptions {
  readonly config: string | undefined
  readonly name: string
  readonly contacts: number
  readonly seed: number
  readonly json: boolean
}

/**
 * Makes the demo project in a database of its own and adds it to the configured one as a whole, so that nothing of the
 * others is touched and no worker ever sees mail of it that waits. Answers the exit code.
 */
export async function demo({ config, name, contacts, seed, json }: DemoOptions): Promise<number> {
  const loaded = await loadConfig({ path: config })
  await requireFreeName(loaded, name)
  const publicUrl = loaded.engine.publicUrl ?? 'http://localhost:3000'
  const line = new ProgressLine(process.stderr, 'days')
  const onDay = (done: number) => line.show({ what: 'living through the last days', done, total: DAYS })
  const made = await liveThrough({ name, contacts, seed, publicUrl, onDay }).finally(() => line.end())
  try {
    await addProjectsOf(made.file, loaded)
  } finally {
    await made.remove()
  }
  const { project, keys } = made
  const { id } = project
  process.stdout.write(
    json ? `${JSON.stringify({ id, name, ...keys, url: publicUrl })}\n` : textOf(project, keys, publicUrl),
  )
  return 0
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
