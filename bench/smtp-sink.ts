import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const PATHS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin']

/** Whether this Postfix tool is installed. */
export function hasPostfixTool(name: 'smtp-sink' | 'smtp-source'): boolean {
  return PATHS.some((folder) => existsSync(`${folder}/${name}`))
}

/** The path of a Postfix tool. Throws an error that says how to install it when it is missing. */
export function postfixTool(name: 'smtp-sink' | 'smtp-source'): string {
  const found = PATHS.map((folder) => `${folder}/${name}`).find((path) => existsSync(path))
  if (!found)
    throw new Error(
      `${name} is missing. On Debian: apt-get install --no-install-recommends postfix (its daemon is not needed)`,
    )
  return found
}

/** Starts Postfix's `smtp-sink`, a server that accepts and discards mail, on a loopback port. */
export async function startSmtpSink(port: number): Promise<{ readonly port: number; close(): Promise<void> }> {
  // it would share the port, and each sink would get a part of the mail
  if (await answers(port)) throw new Error(`another program answers on port ${port}, perhaps another measurement`)
  const asRoot = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(postfixTool('smtp-sink'), [...asRoot, '-c', `127.0.0.1:${port}`, '2000'], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  await untilAnswered(port)
  return {
    port,
    async close() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Waits until a server greets on this loopback port. */
export async function untilAnswered(port: number): Promise<void> {
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 200) throw new Error(`nobody answers on port ${port}`)
    await pause(50)
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => resolve(socket.end() !== undefined))
    socket.once('error', () => resolve(false))
  })
}
