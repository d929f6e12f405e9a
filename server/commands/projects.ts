import type { Command } from 'commander'
import type { Engine } from '../../core/engine.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import { type Begin, type Common, configOption, jsonOption, projectOption } from './begin.ts'

/** `mailwright projects`. */
export function addProjects(program: Command, begin: Begin): void {
  const projects = program.command('projects').description('the projects of this installation')
  projects
    .command('list')
    .description('list the projects, oldest first')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: Common, command: Command) => begin(command, () => list(options)))
  for (const [name, description, isDisabled] of SWITCHES) {
    projects
      .command(name)
      .description(description)
      .addOption(projectOption())
      .addOption(configOption())
      .addOption(jsonOption())
      .action((options: Common, command: Command) => begin(command, () => turn(options, isDisabled)))
  }
}

const SWITCHES = [
  ['enable', 'let a disabled project work again, such as one that was imported', false],
  ['disable', 'let a project be read only: no mail is accepted, and its workflows stand still', true],
] as const

async function turn({ config, project, json }: Common, isDisabled: boolean): Promise<number> {
  const { withProject } = await import('../process/with-engine.ts')
  const change = (engine: Engine, found: Project) => engine.projects.setDisabled(found, isDisabled)
  const { id, name, disabled } = await withProject(config, project, change, 'kept')
  if (json) process.stdout.write(`${JSON.stringify({ id, name, disabled })}\n`)
  else process.stdout.write(`The project "${name}" is ${disabled ? 'disabled' : 'enabled'}.\n`)
  return 0
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
