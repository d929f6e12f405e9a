import type { Command } from 'commander'
import type { Finding } from '../../config/doctor/finding.ts'
import { type Begin, type Common, configOption, jsonOption, urlOption } from './begin.ts'

/** `mailwright doctor`. */
export function addDoctor(program: Command, begin: Begin): void {
  program
    .command('doctor')
    .description(
      'check configuration, clock, store, disk, transports and DNS, and say what to do; nothing is changed or, without --test-mail, sent',
    )
    .option('--time-server <host>', 'what the clock is compared with, by NTP; "none" for none', 'pool.ntp.org')
    .option(
      '--test-mail [address]',
      'have the running server send a mail from each verified domain to this address or, without one, back to itself, and look at it there',
    )
    .addOption(urlOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .action((options: DoctorOptions, command: Command) => begin(command, () => doctor(options)))
}

interface DoctorOptions extends Common {
  readonly timeServer?: string
  readonly testMail?: string | true
  readonly url?: string
}

/** Ends with 1 when there is a problem; warnings are none. */
async function doctor({ config, json, timeServer, testMail, url }: DoctorOptions): Promise<number> {
  const { examine } = await import('../../config/doctor/examine.ts')
  const findings: Finding[] = []
  const told = (finding: Finding) => {
    findings.push(finding)
    if (!json) process.stdout.write(`${finding.state.padEnd(STATE_WIDTH)}${finding.part}: ${finding.says}\n`)
  }
  await examine({ config, timeServer }, told)
  const exitCode = testMail === undefined ? 0 : await tested(testMail === true ? undefined : testMail, url, told)
  if (json) process.stdout.write(`${JSON.stringify(findings)}\n`)
  return exitCode || Number(findings.some(({ state }) => state === 'problem'))
}

async function tested(
  to: string | undefined,
  url: string | undefined,
  told: (finding: Finding) => void,
): Promise<number> {
  const [{ withServer }, { testMails }, { interruptible }] = await Promise.all([
    import('../remote/with-server.ts'),
    import('../remote/test-mail.ts'),
    import('../process/interrupt.ts'),
  ])
  return withServer(url, (client) =>
    interruptible(async (signal, exitCode) => {
      await testMails(client, to, signal, told)
      return exitCode()
    }),
  )
}

const STATE_WIDTH = 9
