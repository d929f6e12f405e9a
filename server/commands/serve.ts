import module from 'node:module'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { ROLES, type Role } from '../../core/settings/role.ts'
import { End } from '../process/signals.ts'
import { type Begin, configOption } from './begin.ts'

interface ServeOptions {
  readonly config?: string
  readonly role: Role
  readonly host?: string
  readonly port?: number
}

/** `mailwright serve`, which is also what happens without a command. */
export function addServe(program: Command, begin: Begin): void {
  program
    .command('serve', { isDefault: true })
    .description('serve the HTTP API and deliver mail, until stopped')
    .addOption(configOption())
    .addOption(
      new Option(
        '--host <host>',
        'the address to listen on, whatever the configuration says; 0.0.0.0 for all',
      ).argParser(readHost),
    )
    .addOption(
      new Option(
        '--port <port>',
        'the port to listen on, whatever the configuration says; 0 takes a free one',
      ).argParser(readPort),
    )
    .addOption(
      new Option(
        '--role <role>',
        'all, api: serve the HTTP API only, or worker: deliver mail and serve /health only; several processes need a database they share, such as PostgreSQL',
      )
        .choices(ROLES)
        .default('all'),
    )
    .action((options: ServeOptions, command: Command) => begin(command, () => serve(options)))
}

function readHost(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must be an address such as 127.0.0.1.')
  return text.trim()
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError('It must be a number from 0 to 65535.')
}

/** Serves until a signal or a fatal error. */
async function serve({ config: path, role, ...listen }: ServeOptions): Promise<number> {
  const end = new End()
  const [{ loadConfig }, { startServer }] = await Promise.all([
    import('../../config/index.ts'),
    import('../process/running-server.ts'),
  ])
  const load = () => loadConfig({ path, role, listen })
  const config = await load()
  end.log = config.engine.log
  // with JSON, a program reads every line of stdout
  const said = config.log.format === 'json' ? process.stderr : process.stdout
  const server = await startServer(config, (text) => said.write(text))
  end.onHangUp = () => void server.reload(load)
  // kept now, since a server is often killed; Deno keeps nothing
  module.flushCompileCache?.()
  const exitCode = await end.come
  await server.stop()
  end.log?.info('Mailwright has ended', { exitCode, seconds: Math.round(process.uptime()) })
  return exitCode
}
