import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { VARIABLES } from '../../config/from-env.ts'
import { loadConfig } from '../../config/load.ts'
import { OPTIONAL_PACKAGES } from '../../core/plugin/optional-packages.ts'
import { ROUTES } from '../../server/app.ts'
import { readCommand } from '../../server/process/command-line.ts'
import { configFolder } from './config-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, 'deploy', path), 'utf8')
const dockerfile = read('Dockerfile')
const unit = read('systemd/mailwright.service')
const COMPOSE = ['compose.yaml', 'compose.postgres.yaml']
const KUBERNETES = 'kubernetes/mailwright.yaml'

/** Variables of the containers' own programs, and those that the files themselves ask for. */
const FOREIGN = [
  ...['NODE_ENV', 'POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD'],
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
]

/** The files of deploy/ may name only what the program has: they are run too seldom for a mistake to show. */
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

  it('pass every variable that is read on to the program', () => {
    const wanted = Object.keys(VARIABLES)
    const missing = (names: readonly string[], image: readonly string[] = []) =>
      wanted.filter((name) => !names.includes(name) && !image.includes(name))
    expect(missing(keysIn(read('systemd/env.example')))).toEqual([])
    for (const { build, environment = {} } of COMPOSE.flatMap(services)) {
      if (!build) continue
      expect(missing(Object.keys(environment), ['HOST', 'PORT'])).toEqual([])
      const own = Object.entries(environment).filter(([name]) => name !== 'SES_REGION' && name !== 'DATABASE_URL')
      for (const [name, text] of own) expect(text).toMatch(new RegExp(`^\\$\\{${name}:[-?]`))
    }
    for (const { envFrom } of containers()) expect(envFrom).toEqual([{ secretRef: { name: 'mailwright' } }])
  })

  it('hold the heap below the memory they allow, with room for what is outside it', () => {
    const heapIn = (text: string) => Number(/--max-old-space-size=(\d+)/.exec(text)?.[1])
    const image = heapIn(dockerfile.match(/^ENV NODE_OPTIONS="(.*)"$/m)?.[1] ?? '')
    const pairs = [
      [heapIn(unit.match(/^ExecStart=(.*)$/m)?.[1] ?? ''), megabytes(unit.match(/^MemoryMax=(.*)$/m)?.[1])],
      ...COMPOSE.flatMap((file) => services(file)).flatMap(({ build, mem_limit }) =>
        build ? [[image, megabytes(mem_limit)]] : [],
      ),
      ...containers().map(({ resources }) => [image, megabytes(resources.limits.memory)]),
    ]
    expect(pairs).toHaveLength(6)
    const shares = pairs.map(([heap = 0, limit = 0]) => heap / limit)
    expect(shares.filter((share) => !(share > 0.4 && share <= 0.75))).toEqual([])
  })

  it('have ports for mail that comes in, closed until they are asked for', async () => {
    const exposed = dockerfile.match(/^EXPOSE (.*)$/m)?.[1]?.split(' ')
    for (const file of COMPOSE) {
      const ports = withComments(read(file)).flatMap((document) =>
        Object.values((document as Compose).services).flatMap(({ ports = [] }) => ports),
      )
      expect(ports).toEqual(expect.arrayContaining(['25:2525', '587:2587']))
      expect(ports.map((text) => text.split(':').at(-1)).filter((port = '') => !exposed?.includes(port))).toEqual([])
      expect(services(file).flatMap(({ ports = [] }) => ports)).toEqual(['127.0.0.1:3000:3000'])
      const [inbound = '', submission = ''] = ['inbound', 'submission'].map(
        (key) => read(file).match(new RegExp(`${key}: \\[\\{.*?\\}\\]`))?.[0] ?? '',
      )
      const { engine } = await loadConfig({
        cwd: await configFolder({ 'mailwright.config.yaml': `${inbound}\n${submission}` }),
        env: {},
      })
      expect([engine.inbound?.length, engine.submission?.length]).toEqual([1, 1])
    }
    const documents = withComments(read(KUBERNETES)) as readonly {
      kind: string
      data: Record<string, string>
      spec: { ports: readonly { port: number; targetPort: string }[] }
    }[]
    const service = documents.find(({ kind, spec }) => kind === 'Service' && spec.ports.some(({ port }) => port === 25))
    expect(service?.spec.ports).toEqual([{ name: 'smtp', port: 25, targetPort: 'smtp' }])
    const [, worker] = containers()
    expect(worker?.ports).toContainEqual({ name: 'smtp', containerPort: 2525 })
    const env = { DATABASE_URL: 'postgres://a:b@c/d', SMTP_PASS: 'x', PROJECT_SECRET_KEY: 'sk_0123456789abcdef' }
    const cwd = await configFolder(documents[0]?.data ?? {})
    expect((await loadConfig({ cwd, env, role: 'worker' })).engine.inbound).toHaveLength(1)
  })

  it('let the service listen on port 25 by loosening what the unit has, and no more', () => {
    const settings = (text: string) =>
      new Map([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', is = '']) => [key, is]))
    const [whole, loosened] = [settings(unit), settings(read('systemd/port-25.conf'))]
    expect([...loosened]).toEqual([
      ['AmbientCapabilities', 'CAP_NET_BIND_SERVICE'],
      ['CapabilityBoundingSet', 'CAP_NET_BIND_SERVICE'],
      ['PrivateUsers', 'no'],
    ])
    expect([...loosened.keys()].map((key) => whole.get(key))).toEqual(['', '', 'yes'])
  })

  it('hide the figures and the operator from the world, however their paths are written', () => {
    const inside = ['/metrics', '/metrics/', '/Metrics', '/METRICS/x', '/operator', '/operator/', '/operator/queues']
    for (const [file, base] of [
      ['nginx.conf', ''],
      ['nginx-sub-path.conf', '/mail'],
    ] as const) {
      const pattern = read(`proxy/${file}`).match(/^\s*location ~\* (\S+) \{ return 404; \}$/m)?.[1]
      const hides = (path: string) => new RegExp(pattern ?? '$.', 'i').test(`${base}${path}`)
      expect([...inside.filter((path) => !hides(path)), hides('/metricsx'), hides('/app/')]).toEqual([false, false])
    }
    // the ingress has no pod behind these
    const ingress = (parsed(KUBERNETES) as readonly Ingress[]).find(({ kind }) => kind === 'Ingress')
    const led = ingress?.spec.rules[0]?.http.paths.filter(
      ({ backend }) => backend.service.name === 'mailwright-private',
    )
    expect(led?.map(({ path }) => path)).toEqual(['/metrics', '/operator'])
    // Caddy compares paths without their case
    const named = [...read('proxy/Caddyfile').matchAll(/^\s*@inside path (.*)$/gm)].map(([, paths]) => paths)
    expect(named).toEqual(Array.from({ length: 2 }, () => '/metrics /metrics/* /operator /operator/*'))
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
    expect(dockerfile.match(/^EXPOSE (\d+)/m)?.[1]).toBe(port)
    for (const file of ['proxy/nginx.conf', 'proxy/nginx-sub-path.conf'])
      expect(read(file)).toMatch(/^ +limit_conn mailwright_clients 100;$/m)
    for (const file of ['proxy/nginx.conf', 'proxy/nginx-sub-path.conf', 'proxy/Caddyfile'])
      expect(read(file)).toContain(`127.0.0.1:${port}`)
    for (const { ports = [] } of COMPOSE.flatMap(services))
      expect(ports.every((text) => text.endsWith(`:${port}`))).toBe(true)
    const probes = containers().flatMap((container) => {
      expect(container.ports[0]).toEqual({ name: 'http', containerPort: Number(port) })
      const { startupProbe, livenessProbe, readinessProbe } = container
      return [startupProbe, livenessProbe, readinessProbe].flatMap((probe) => (probe ? [probe.httpGet.path] : []))
    })
    const asked = [...probes, ...[...dockerfile.matchAll(/(\/health\S*?)`/g)].map(([, path]) => path)]
    expect(new Set(asked)).toEqual(new Set(['/health/live']))
    expect([...new Set(asked)].filter((path) => !ROUTES.some((route) => route.path === path))).toEqual([])
  })

  it('let through what the server takes, no more and no less', () => {
    const most = Math.max(...ROUTES.map((route) => ('bodyLimit' in route ? Number(route.bodyLimit) || 0 : 0)))
    const said = (file: string, pattern: RegExp) =>
      [...read(file).matchAll(pattern)].map(([, size = '', unit = '']) => ({
        file,
        bytes: Number(size) * (UNITS[unit] ?? 0),
      }))
    const limits = [
      ...said('proxy/nginx.conf', /client_max_body_size (\d+)(\w+);/g),
      ...said('proxy/nginx-sub-path.conf', /client_max_body_size (\d+)(\w+);/g),
      ...said('proxy/Caddyfile', /max_size (\d+)(\w+)/g),
      ...said(KUBERNETES, /proxy-body-size: (\d+)(\w+)/g),
    ]
    expect(new Set(limits.map(({ file }) => file)).size).toBe(4)
    expect(limits.filter(({ bytes }) => bytes !== most)).toEqual([])
    const page = readFileSync(join(ROOT, 'docs/production.md'), 'utf8')
    expect(page).toContain(`let ${most / 1024 ** 2} MB through`)
  })

  it('have a configuration without problems', async () => {
    const [{ data }] = parsed(KUBERNETES) as [{ data: Record<string, string> }]
    const env = { DATABASE_URL: 'postgres://a:b@c/d', SMTP_PASS: 'x', PROJECT_SECRET_KEY: 'sk_0123456789abcdef' }
    const { engine, server } = await loadConfig({ cwd: await configFolder(data), env, role: 'worker' })
    expect(engine).toMatchObject({ store: { name: 'store-postgres' }, blobs: { name: 'blobs-s3' } })
    expect(server).toMatchObject({ trustProxy: true })
  })
})

/** The units of sizes: those of nginx are powers of two, those of Caddy only with an i. */
const UNITS: Readonly<Record<string, number>> = { m: 1024 ** 2, MiB: 1024 ** 2, MB: 1000 ** 2 }

interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly command?: readonly string[]
  readonly ports?: readonly string[]
  readonly mem_limit?: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
}

interface Ingress {
  readonly kind: string
  readonly spec: { readonly rules: readonly { readonly http: { readonly paths: readonly IngressPath[] } }[] }
}

interface IngressPath {
  readonly path: string
  readonly backend: { readonly service: { readonly name: string } }
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
}

interface Probe {
  readonly httpGet: { readonly path: string }
}

interface Container {
  readonly args: readonly string[]
  readonly ports: readonly unknown[]
  readonly envFrom: unknown
  readonly resources: { readonly limits: { readonly memory: string } }
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
}

/** The documents as they are when the comments that are settings are taken for settings. */
function withComments(text: string): readonly unknown[] {
  const asked = text.replace(/^( *)# (?=-{3}$|- |[\w.]+:(?: |$)| {2})/gm, '$1')
  return parseAllDocuments(asked, { merge: true }).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })
}

function megabytes(text = ''): number {
  const [, count, unit] = /^(\d+)(M|G)(?:i|)$/i.exec(text) ?? []
  return Number(count) * (unit?.toUpperCase() === 'G' ? 1024 : 1)
}

function parsed(file: string): readonly unknown[] {
  return parseAllDocuments(read(file), { merge: true, uniqueKeys: true }).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })
}

function services(file: string): readonly Service[] {
  const [compose] = parsed(file) as [Compose]
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
