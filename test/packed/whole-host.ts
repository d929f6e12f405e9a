import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { OPTIONAL_PACKAGES } from '../../core/plugin/optional-packages.ts'
import { freePort } from '../support/server-process.ts'
import { hostWith, PLAIN_ENV } from './pack.ts'

/** The outcome of the program that uses everything: nothing failed, and so many things were done. */
export const ON_SQLITE = { failed: [], done: 18 }
export const ON_POSTGRES = { failed: [], done: 17 }

/** Makes a host with the package, that program, and the packages for PostgreSQL, MJML and CSS. Answers its path. */
export async function wholeHost(folder: string): Promise<string> {
  const { postgres, mjml, css } = OPTIONAL_PACKAGES
  const host = await hostWith(folder, 'host', [inject('tarball'), ...postgres, ...mjml, ...css])
  cpSync(fileURLToPath(new URL('./whole-host.mjs', import.meta.url)), join(host, 'whole-host.mjs'))
  return host
}

/** Runs the program with this command, mails in this database, and an SMTP server on this port. Answers what failed, and how much was done. */
export async function runWhole(
  command: readonly string[],
  cwd: string,
  { mails, smtpPort, env = {} }: { mails: string; smtpPort: number; env?: object },
): Promise<{ failed: readonly string[]; done: number }> {
  const [inPort, outPort] = [await freePort(), await freePort()]
  const ports = { SINK_PORT: String(smtpPort), IN_PORT: String(inPort), OUT_PORT: String(outPort) }
  const [program = '', ...args] = command
  const { stdout, stderr } = await promisify(execFile)(program, [...args, 'whole-host.mjs'], {
    cwd,
    env: { ...PLAIN_ENV, ...ports, MAILS: mails, ...env },
  })
  const { done, failed } = JSON.parse(stdout) as { done: string[]; failed: string[] }
  // one that died of itself would write there
  const errors = stderr.split('\n').filter((line) => /error|uncaught/i.test(line))
  return { failed: [...failed, ...errors], done: done.length }
}
