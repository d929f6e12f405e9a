import type { Log } from '../core/ports/log.ts'
import type { ConfigValues } from './schema.ts'

/** The log that the configuration asks for, on the standard output or another stream. */
export async function configuredLog(
  values: ConfigValues['log'],
  stream: NodeJS.WritableStream = process.stdout,
): Promise<Log> {
  const { consoleLog } = await import('../plugins/log-console/index.ts')
  return consoleLog({ ...values, stream })
}
