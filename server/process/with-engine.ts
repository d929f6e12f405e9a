import { loadConfig } from '../../config/index.ts'
import { requireDatabase } from '../../config/require-database.ts'
import { createEngine, type Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Project } from '../../core/ports/store/projects.ts'

/**
 * Does a piece of work with the configured engine, which delivers nothing meanwhile, and closes it. Throws EngineError,
 * `STORE_LOCKED` while a server has a file of SQLite open, and with `kept` `CONFIG_INVALID` when there is none.
 */
export async function withEngine<T>(
  config: string | undefined,
  work: (engine: Engine) => Promise<T>,
  database: 'kept' | 'made' = 'made',
): Promise<T> {
  const { engine: settings } = await loadConfig({ path: config })
  if (database === 'kept') await requireDatabase(settings)
  // the standard output belongs to the command, and what went wrong is thrown
  const engine = await createEngine({ ...settings, log: silentLog })
  try {
    return await work(engine)
  } finally {
    await engine.stop()
  }
}

/**
 * The same for one project: by its id or its name; without that, the only one there is. Throws EngineError
 * `PROJECT_NOT_FOUND`, which names those there are.
 */
export function withProject<T>(
  config: string | undefined,
  named: string | undefined,
  work: (engine: Engine, project: Project) => Promise<T>,
  database: 'kept' | 'made' = 'made',
): Promise<T> {
  return withEngine(config, async (engine) => work(engine, chosen(await engine.projects.list(), named)), database)
}

function chosen(projects: readonly Project[], named: string | undefined): Project {
  const fitting = projects.filter(({ id, name }) => named === undefined || id === named || name === named)
  const [first, ...more] = fitting
  if (first && more.length === 0) return first
  if (projects.length === 0)
    throw new EngineError('PROJECT_NOT_FOUND', 'There is no project yet: the first start of the server makes one.')
  const all = projects.slice(0, 20).map(({ id, name }) => `${id} ${name}`)
  const why = first ? 'There are several projects' : `There is no project ${named}`
  throw new EngineError('PROJECT_NOT_FOUND', `${why}: give --project the id of one of these.\n${all.join('\n')}`)
}
