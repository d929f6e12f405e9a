import type { Command } from 'commander'
import type { Finding } from '../../config/doctor/finding.ts'
import { type Begin, type Common, configOption, jsonOption } from './begin.ts'

/** `mailwright doctor`. */
export function addDoctor(program: Command, begin: Begin): void {
  program
    .command('doctor')
    .description(
      'look at configuration, clock, store, disk, transports and DNS, and say what to do; nothing is sent or changed',
    )
    .option('--time-server <host>', 'what the clock is compared with, by NTP; "none" for none', 'pool.ntp.org')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: DoctorOptions, command: Command) => begin(command, () => doctor(options)))
}

interface DoctorOptions extends Common {
  readonly timeServer?: string
}

/** Ends with 1 when there is a problem; warnings are none. */
async function doctor({ config, json, timeServer }: DoctorOptions): Promise<number> {
  const { examine } = await import('../../config/doctor/examine.ts')
  const findings: Finding[] = []
  await examine({ config, timeServer }, (finding) => {
    findings.push(finding)
    if (!json) process.stdout.write(`${finding.state.padEnd(STATE_WIDTH)}${finding.part}: ${finding.says}\n`)
  })
  if (json) process.stdout.write(`${JSON.stringify(findings)}\n`)
  return Number(findings.some(({ state }) => state === 'problem'))
}

const STATE_WIDTH = 9
