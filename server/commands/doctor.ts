import type { Command } from 'commander'
import type { Finding } from '../../config/examine.ts'
import { type Begin, type Common, configOption, jsonOption } from './begin.ts'

/** `mailwright doctor`. */
export function addDoctor(program: Command, begin: Begin): void {
  program
    .command('doctor')
    .description(
      'look at configuration, store, disk, transports and DNS, and say what to do; nothing is sent, but the database is brought to this version',
    )
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: Common, command: Command) => begin(command, () => doctor(options)))
}

/** Ends with 1 when there is a problem; warnings are none. */
async function doctor({ config, json }: Common): Promise<number> {
  const { examine } = await import('../../config/examine.ts')
  const findings: Finding[] = []
  await examine(config, (finding) => {
    findings.push(finding)
    if (!json) process.stdout.write(`${finding.state.padEnd(STATE_WIDTH)}${finding.part}: ${finding.says}\n`)
  })
  if (json) process.stdout.write(`${JSON.stringify(findings)}\n`)
  return Number(findings.some(({ state }) => state === 'problem'))
}

const STATE_WIDTH = 9
