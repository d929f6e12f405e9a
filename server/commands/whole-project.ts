import type { Imported } from '../../config/moving/import-project.ts'
import { EngineError } from '../../core/errors.ts'
import { programName } from '../../core/values/program-name.ts'
import type { Common } from './begin.ts'

/** The options of `export --all`. */
export interface WholeExport extends Common {
  readonly out?: string
  readonly force?: true
}

/** Writes all of a project into a zip. Answers the exit code. */
export async function exportWhole({ config, project, out, force, json }: WholeExport): Promise<number> {
  if (out === undefined) throw new EngineError('CONFIG_INVALID', '--out: name the file to create: --out project.zip')
  const [{ exportProject }, { loadConfig }, { withProject }, { interruptible }] = await Promise.all([
    import('../../config/moving/export-project.ts'),
    import('../../config/index.ts'),
    import('../process/with-engine.ts'),
    import('../process/interrupt.ts'),
  ])
  return interruptible(async (signal, exitCode) => {
    const loaded = await loadConfig({ path: config })
    const options = { force: force === true, signal }
    try {
      const exported = await exportProject(out, loaded, (work) => withProject(config, project, work, 'kept'), options)
      const { rows, files, missing } = exported
      const text = `Exported "${exported.project.name}" with ${rows} rows and ${files} uploaded files: ${out}\n`
      process.stdout.write(json ? `${JSON.stringify({ file: out, ...exported })}\n` : text)
      if (missing > 0) process.stderr.write(`${missing} uploaded files are named by the database and were not found.\n`)
      return 0
    } catch (error) {
      if (signal.aborted) return exitCode()
      throw error
    }
  })
}

/** The options of `import --all`. */
export interface WholeImport extends Common {
  readonly name?: string
  readonly resume?: true
}

/** Brings the project of a zip into the configured database. Answers the exit code. */
export async function importWhole(file: string, { config, project, name, resume, json }: WholeImport): Promise<number> {
  const [{ importProject }, { loadConfig }, { ProgressLine }] = await Promise.all([
    import('../../config/moving/import-project.ts'),
    import('../../config/index.ts'),
    import('../process/progress.ts'),
  ])
  const line = new ProgressLine(process.stderr, 'lines')
  const onProgress = (done: number, total: number) => {
    if (!json) line.show({ what: done * 2 <= total ? 'looked at' : 'written', done, total })
  }
  const wish = { project, name, resume: resume === true, onProgress }
  const imported = await importProject(file, await loadConfig({ path: config }), wish).finally(() => line.end())
  process.stdout.write(json ? `${JSON.stringify(imported)}\n` : textOf(imported, resume === true))
  return 0
}

function textOf({ project, files, uploads }: Imported, isResumed: boolean): string {
  const sum = (which: 'lines' | 'added' | 'held') => files.reduce((all, file) => all + file[which], 0)
  const [lines, added, held] = [sum('lines'), sum('added'), sum('held')]
  const text = [`Imported "${project.name}" (${project.id}): ${added} rows and ${uploads} uploaded files.`]
  if (added < lines) text.push(`${lines - added} rows were here already and stayed as they are.`)
  if (held > 0) {
    const each = files.filter((file) => file.held > 0).map((file) => `${file.held} in ${file.file}`)
    text.push(`${held} rows waited for something, which does not happen here: ${each.join(', ')}.`)
  }
  const where = `${programName()} projects enable --project ${project.id}`
  if (!isResumed && added > 0) {
    text.push(
      `The project is disabled, so that no workflow goes on in two places. When the other one has ended: ${where}`,
    )
  }
  if (added > 0)
    text.push('Make its API keys anew, and rotate the keys of its domains: docs/leaving.md lists what stays behind.')
  return `${text.join('\n')}\n`
}
