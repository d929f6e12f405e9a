import { isIP } from 'node:net'
import type { Plugin } from '../../core/plugin/types.ts'
import { tryToListen } from '../../plugins/kit/net/try-to-listen.ts'
import { asSystemError, listenText } from '../listen-text.ts'
import type { Found } from './finding.ts'

/** How long a server that has the port may take to say what it is. */
const PATIENCE_MS = 2_000

/** The result at the port where the server is to listen. */
export interface FoundPort extends Found {
  /** A Mailwright listens there: that of this configuration, which then has the other ports, too. */
  readonly isRunning?: boolean
}

/** Looks whether the server can listen for HTTP, or does so already. */
export async function atHttp({ host, port }: { readonly host: string; readonly port: number }): Promise<FoundPort> {
  const place = `port ${port} of ${host}`
  try {
    await tryToListen(host, port)
    return { state: 'ok', says: `${place} is free` }
  } catch (error) {
    const problem = asSystemError(error)
    if (problem?.code === 'EADDRINUSE' && (await isMailwright(host, port)))
      return { state: 'ok', says: `a Mailwright server has ${place}`, isRunning: true }
    if (problem === undefined) throw error
    return { state: 'problem', says: listenText(problem) }
  }
}

/** Looks whether a plugin that receives can listen. */
export async function atReceiver(
  { name, description, reach }: Plugin<'inbound'> | Plugin<'submission'>,
  isRunning: boolean,
): Promise<Found> {
  const what = description === undefined ? name : `${name} at ${description}`
  if (isRunning) return { state: 'ok', says: `${what}: the running server has it` }
  if (reach === undefined) return { state: 'unknown', says: `${what}: it can only be tried by starting the server` }
  await reach()
  return { state: 'ok', says: `${what}: its port is free` }
}

async function isMailwright(host: string, port: number): Promise<boolean> {
  const at = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const url = `http://${isIP(at) === 6 ? `[${at}]` : at}:${port}/health/live`
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) })
    const body: unknown = await answer.json()
    return answer.headers.has('x-request-id') && JSON.stringify(body) === '{"status":"ok"}'
  } catch {
    return false
  }
}
