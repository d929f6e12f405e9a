import type { Command } from 'commander'
import { type Begin, type Common, configOption, jsonOption } from './begin.ts'

/** `mailwright check`. */
export function addCheck(program: Command, begin: Begin): void {
  program
    .command('check')
    .description('check the configuration; nothing is opened')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: Common, command: Command) => begin(command, () => check(options)))
}

/** With `--json` the answer is on the standard output in any case, since what is wrong is the answer. */
async function check({ config: path, json }: Common): Promise<number> {
  const [{ loadConfig }, { accountMailProblem }] = await Promise.all([
    import('../../config/index.ts'),
    import('../../config/account-mail.ts'),
  ])
  try {
    const config = await loadConfig({ path })
    const { file = null } = config
    const problem = accountMailProblem(config)
    const warnings = [
      ...config.warnings,
      ...(problem === undefined ? [] : [`As far as this says, mail about accounts cannot be sent: ${problem}.`]),
    ]
    const text = `The configuration is in order (${file ?? 'no file; the environment and the defaults'}).`
    process.stdout.write(
      `${json ? JSON.stringify({ isValid: true, file, problems: [], warnings }) : [text, ...warnings].join('\n')}\n`,
    )
    return 0
  } catch (error) {
    if (!json) throw error
    const { startProblem } = await import('../process/start-problem.ts')
    const { text, exitCode } = startProblem(error)
    const fields = error instanceof Error && 'fields' in error && Array.isArray(error.fields) ? error.fields : []
    const problems = fields.length > 0 ? fields : [{ field: '', code: 'custom', message: text }]
    process.stdout.write(`${JSON.stringify({ isValid: false, file: path ?? null, problems })}\n`)
    return exitCode
  }
}
