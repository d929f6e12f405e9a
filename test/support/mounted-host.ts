import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './server-process.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(new URL('../../docs/mounting.md', import.meta.url), 'utf8')

/** The key of the project `Acme` of every host. */
export const HOST_KEY = `sk_${'c'.repeat(48)}`
/** Of its hook `bridge`, in the form of Standard Webhooks. */
export const HOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** A program that mounts the API, as docs/mounting.md shows, in a process of its own. */
export interface MountedHost {
  /** Of the API, with the prefix and without a slash at its end. */
  readonly url: string
  /** Everything it printed so far. */
  output(): string
  stop(): Promise<void>
}

interface EngineWishes {
  /** Where mail goes. */
  readonly smtpPort: number
  /** Where links lead. Default: to the host. */
  readonly publicUrl?: string
}

/** The code of the page, and what goes around it. */
export interface HostProgram extends EngineWishes {
  /** The paragraph above the code. */
  readonly under: string
  /** Changes the code, such as another parser before the mount. */
  readonly changed?: (code: string) => string
  /** Code after it, such as a server for the handlers that it exports. */
  readonly after?: string
}

/** The paragraphs above the handlers, and above the configuration of Next. */
export const HANDLERS =
  'Route handlers take a `Request` and answer a `Response`, in Next 16 (`app/mail/[...path]/route.js`) and elsewhere:'
/** The paragraph above Express with its sessions. */
export const SESSIONS =
  'With `caller`, people who are logged in at your app use the API and the dashboard without a second login. The function says who sends a\nrequest. Here it reads the session of `express-session`:'
const NEXT_CONFIG = 'and would open your store. `next.config.js` needs two settings:'

/** The code of docs/mounting.md below the paragraph that ends so. */
function codeOfPage(under: string): string {
  const at = PAGE.indexOf(`${under}\n\n\`\`\`js\n`)
  if (at === -1) throw new Error(`docs/mounting.md has no code under "${under}"`)
  const begins = PAGE.indexOf('```js\n', at) + '```js\n'.length
  return PAGE.slice(begins, PAGE.indexOf('```', begins))
}

/** Lets programs in this folder import the package as it is compiled here; without that they have one installed. */
export function linkProduct(folder: string): void {
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(ROOT, join(folder, 'node_modules/mailwright'))
}

/** Lets programs in this folder import packages of the repository's own. */
export function linkPackages(folder: string, packages: readonly string[]): void {
  for (const name of packages) {
    const place = join(folder, 'node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), place)
  }
}

/** Starts the program in this folder, and waits until it answers below `/mail`. */
export async function startHost(folder: string, program: HostProgram): Promise<MountedHost> {
  const port = await freePort()
  const { under, changed = (code) => code, after = '' } = program
  const made = under === HANDLERS ? '' : 'const engine = await makeEngine()'
  const code = `${ENGINE}\n${made}\n${changed(codeOfPage(under))}\n${after}\n`
  const file = join(folder, `host-${port}.mjs`)
  writeFileSync(file, code.replaceAll('3000', String(port)))
  return answering(spawn(process.execPath, [file], { cwd: folder, env: envOf(port, program) }), port)
}

/**
 * Builds and starts an app of Next in this folder, where Next and the package are installed, with the route handlers of
 * the page.
 */
export async function startNext(folder: string, smtpPort: number): Promise<MountedHost> {
  const port = await freePort()
  const env = { ...envOf(port, { smtpPort }), NEXT_TELEMETRY_DISABLED: '1' }
  const place = join(folder, 'app/mail/[...path]')
  mkdirSync(place, { recursive: true })
  writeFileSync(join(folder, 'engine.js'), `${ENGINE}\nexport { makeEngine }\n`)
  writeFileSync(join(place, 'route.js'), codeOfPage(HANDLERS))
  writeFileSync(join(folder, 'app/layout.js'), 'export default ({ children }) => children\n')
  writeFileSync(join(folder, 'next.config.js'), codeOfPage(NEXT_CONFIG))
  const next = (...args: readonly string[]) =>
    spawn(process.execPath, ['node_modules/next/dist/bin/next', ...args], { cwd: folder, env })
  const building = next('build')
  let said = ''
  for (const stream of [building.stdout, building.stderr]) stream.on('data', (chunk) => (said += chunk))
  const [code] = await once(building, 'exit')
  if (code !== 0) throw new Error(`the app of Next was not built:\n${said}`)
  return answering(next('start', '--port', String(port)), port)
}

function envOf(port: number, { smtpPort, publicUrl = `http://127.0.0.1:${port}/mail` }: EngineWishes) {
  return {
    ...{ PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, SESSION_SECRET: 'a secret of the host' },
    ...{ HOST_KEY, HOOK_SECRET, PUBLIC_URL: publicUrl, SMTP_PORT: String(smtpPort) },
  }
}

/** Waits until the program answers. */
async function answering(child: ChildProcessWithoutNullStreams, port: number): Promise<MountedHost> {
  const ended = once(child, 'exit')
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const url = `http://127.0.0.1:${port}/mail`
  while (!(await answers(`${url}/health/live`))) {
    if (child.exitCode !== null) throw new Error(`the host ended with ${child.exitCode}:\n${printed}`)
    await pause(50)
  }
  return {
    url,
    output: () => printed,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** The parts that the page takes as there: how the engine is made and started. */
const ENGINE = `
import { createEngine } from 'mailwright'
import { signedHook } from 'mailwright/plugins/hook-signed'
import { smtp } from 'mailwright/plugins/mail-smtp'
import { sqlite } from 'mailwright/plugins/store-sqlite'

const { HOST_KEY, HOOK_SECRET, PUBLIC_URL, SMTP_PORT } = process.env
const makeEngine = async () => {
  const engine = await createEngine({
  publicUrl: PUBLIC_URL,
  store: sqlite({ file: ':memory:' }),
  transports: [smtp({ host: '127.0.0.1', port: Number(SMTP_PORT), tls: { rejectUnauthorized: false } })],
  projects: [
    {
      id: '01900000-0000-7000-8000-00000000aaaa', name: 'Acme', secretKey: HOST_KEY,
      trustedDomains: ['acme.example'], from: 'hi@acme.example',
    },
    { id: '01900000-0000-7000-8000-00000000bbbb', name: 'Elsewhere' },
  ],
  hooks: [{ name: 'bridge', plugin: signedHook({ secret: HOOK_SECRET }) }],
})
await engine.start()
  return engine
}
`
