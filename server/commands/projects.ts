import type { Command } from 'commander'
import { type Begin, type Common, configOption, jsonOption } from './begin.ts'

/** `mailwright projects`. */
export function addProjects(program: Command, begin: Begin): void {
  const projects = program.command('projects').description('the projects of this installation')
  projects
    .command('list')
    .description('list the projects, oldest first')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: Common, command: Command) => begin(command, () => list(options)))
}

async function list({ config, json }: Common): Promise<number> {
  const [{ withEngine }, { printRecords }] = await Promise.all([
    import('../process/with-engine.ts'),
    import('../process/print-records.ts'),
  ])
  const found = await withEngine(config, ({ projects }) => projects.list(), 'kept')
  const records = found.map(({ id, name, disabled, trustedDomains, createdAt }) => {
    return { id, name, disabled, trustedDomains, createdAt }
  })
  printRecords(records, ['id', 'name', 'disabled', 'trustedDomains', 'createdAt'], json === true)
  return 0
}
