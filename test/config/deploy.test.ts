import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { VARIABLES } from '../../config/from-env.ts'
import { loadConfig } from '../../config/load.ts'
import { OPTIONAL_PACKAGES } from '../../core/plugin/optional-packages.ts'
import { ROUTES } from '../../server/app.ts'
import { readCommand } from '../../server/command-line.ts'
import { configFolder } from './config-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, 'deploy', path), 'utf8')
const dockerfile = read('Dockerfile')
const unit = read('systemd/mailwright.service')
const COMPOSE = ['compose.yaml', 'compose.postgres.yaml']
const KUBERNETES = 'kubernetes/mailwright.yaml'

/** Variables of the containers' own programs, and those that the files themselves ask for. */
const FOREIGN = ['NODE_ENV', 'POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD', 'SMTP_PASS']

/** What deploy/ names of the program must exist there: nobody runs these files before somebody needs them. */
describe('the files of deploy/', () => {
  it('set only variables that are read', () => {
    const set = [
      ...keysIn(dockerfile.match(/^ENV (.*)$/m)?.[1]?.replaceAll(' ', '\n') ?? ''),
      ...keysIn(read('systemd/env.example')),
      ...COMPOSE.flatMap((file) => services(file).flatMap(({ environment = {} }) => Object.keys(environment))),
      ...[KUBERNETES, ...COMPOSE].flatMap((file) =>
        [...read(file).matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name),
      ),
    ]
    expect(set.length).toBeGreaterThan(20)
    const known = new Set([...Object.keys(VARIABLES), ...FOREIGN])
    expect(set.filter((name) => !known.has(name))).toEqual([])
  })

  it('start the program with arguments it knows, at the place where it is', () => {
    const [, started = ''] = unit.match(/^ExecStart=\S+ (?:--max\S+ )+\S+\/mailwright\/(.*)$/m) ?? []
    const [program = '', ...args] = started.split(' ')
    const image = JSON.parse(dockerfile.match(/^ENTRYPOINT (.*)$/m)?.[1] ?? '[]').at(-1)
    const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect([program, image]).toEqual([bin.mailwright, `/app/${bin.mailwright}`])
    const commands = [
      args,
      JSON.parse(dockerfile.match(/^CMD (.*)$/m)?.[1] ?? '[]'),
      ...COMPOSE.flatMap((file) => services(file).flatMap(({ command }) => (command ? [command] : []))),
      ...containers().map(({ args }) => args),
    ]
    expect(commands.map(readCommand)).toEqual(
      ['all', 'all', 'api', 'worker', 'api', 'worker'].map((role) =>
        expect.objectContaining({ command: 'serve', options: expect.objectContaining({ role }) }),
      ),
    )
  })

  it('make the image of files that are there, and add parts that there are', () => {
    const fromHere = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
      files.split(' '),
    )
    expect(fromHere.length).toBeGreaterThan(10)
    expect(fromHere.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
    const lines = read('Dockerfile.dockerignore').split('\n')
    const left = fromHere.filter((file) => !lines.includes(`!${file.split('/')[0]}`))
    expect(left).toEqual([])
    expect(dockerfile.match(/^RUN node .*add\.mjs (.*)$/m)?.[1]?.split(' ')).toEqual(Object.keys(OPTIONAL_PACKAGES))
    for (const file of COMPOSE)
      for (const { build } of services(file))
        if (build) expect(existsSync(join(ROOT, 'deploy', build.context, build.dockerfile))).toBe(true)
  })

  it('listen and ask where the program answers', () => {
    const port = dockerfile.match(/\bPORT=(\d+)/)?.[1]
    expect(dockerfile.match(/^EXPOSE (\d+)$/m)?.[1]).toBe(port)
    for (const file of ['proxy/nginx.conf', 'proxy/nginx-sub-path.conf', 'proxy/Caddyfile'])
      expect(read(file)).toContain(`127.0.0.1:${port}`)
    for (const { ports = [] } of COMPOSE.flatMap(services))
      expect(ports.every((text) => text.endsWith(`:${port}`))).toBe(true)
    const probes = containers().flatMap((container) => {
      expect(container.ports).toEqual([{ name: 'http', containerPort: Number(port) }])
      const { startupProbe, livenessProbe, readinessProbe } = container
      return [startupProbe, livenessProbe, readinessProbe].flatMap((probe) => (probe ? [probe.httpGet.path] : []))
    })
    const asked = [...probes, ...[...dockerfile.matchAll(/(\/health\S*?)`/g)].map(([, path]) => path)]
    expect(new Set(asked)).toEqual(new Set(['/health', '/health/live']))
    expect([...new Set(asked)].filter((path) => !ROUTES.some((route) => route.path === path))).toEqual([])
  })

  it('have a configuration without problems', async () => {
    const [{ data }] = parsed(KUBERNETES) as [{ data: Record<string, string> }]
    const env = { DATABASE_URL: 'postgres://a:b@c/d', SMTP_PASS: 'x', PROJECT_SECRET_KEY: 'sk_0123456789abcdef' }
    const { engine, server } = await loadConfig({ cwd: await configFolder(data), env, role: 'worker' })
    expect(engine).toMatchObject({ store: { name: 'store-postgres' }, blobs: { name: 'blobs-s3' } })
    expect(server).toMatchObject({ trustProxy: true })
  })
})

interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly command?: readonly string[]
  readonly ports?: readonly string[]
  readonly build?: { readonly context: string; readonly dockerfile: string }
}

interface Probe {
  readonly httpGet: { readonly path: string }
}

interface Container {
  readonly args: readonly string[]
  readonly ports: readonly unknown[]
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
}

function parsed(file: string): readonly unknown[] {
  return parseAllDocuments(read(file), { merge: true, uniqueKeys: true }).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })
}

function services(file: string): readonly Service[] {
  const [compose] = parsed(file) as [{ services: Readonly<Record<string, Service>> }]
  return Object.values(compose.services)
}

/** The containers of the deployments on Kubernetes: that of the api, then that of the worker. */
function containers(): readonly Container[] {
  const all = parsed(KUBERNETES) as readonly {
    kind: string
    spec: { template: { spec: { containers: Container[] } } }
  }[]
  return all.filter(({ kind }) => kind === 'Deployment').flatMap(({ spec }) => spec.template.spec.containers)
}

function keysIn(text: string): readonly string[] {
  return [...text.matchAll(/^#?(\w+)=/gm)].map(([, name = '']) => name)
}
