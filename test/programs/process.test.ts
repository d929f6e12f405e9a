import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { COMPILE_CACHE, freePort } from '../support/server-process.ts'
import { until } from '../support/until.ts'

/** The compiled program: `npm test` builds it first. */
const MAIN = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))
/** For a start; a busy machine takes its time. */
const LONG = 60_000

let folder: string
let running: ChildProcess[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-process-'))
  running = []
})

afterEach(async () => {
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the program in the test's folder. */
function run(args: readonly string[], env: Record<string, string> = {}) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { PATH, PORT: '0', LOG_FORMAT: 'pretty', ...COMPILE_CACHE, ...env },
  })
  running.push(child)
  const printed = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (printed.out += chunk))
  child.stderr.on('data', (chunk) => (printed.err += chunk))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const ready = () =>
    until(
      'the server is ready',
      () => /ready.*url=(http:\S+)/.exec(printed.out)?.[1] ?? (child.exitCode !== null && '-'),
      LONG,
    )
  return { child, printed, ended, ready }
}

const mail = () => readdirSync(join(folder, 'data', 'outbox'))

describe('mailwright', { timeout: 120_000 }, () => {
  it('traces a mail from its request to the next hop, within the trace of the caller, where the variables of OpenTelemetry say so', async () => {
    interface Span {
      readonly name: string
      readonly traceId: string
      readonly spanId: string
      readonly parentSpanId?: string
      readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
    }
    const spans: Span[] = []
    const services = new Set<unknown>()
    const collector = createHttpServer(async (request, response) => {
      expect(request.url).toBe('/v1/traces')
      for (const { resource, scopeSpans } of JSON.parse(await text(request)).resourceSpans) {
        services.add(resource.attributes.find(({ key }: { key: string }) => key === 'service.name')?.value.stringValue)
        for (const scope of scopeSpans) spans.push(...scope.spans)
      }
      response.setHeader('content-type', 'application/json').end('{}')
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void collector.close())
    await once(collector, 'listening')
    const { port } = collector.address() as AddressInfo
    const key = `sk_${'c'.repeat(48)}`
    const { child, ended, ready } = run([], {
      PROJECT_SECRET_KEY: key,
      TRUSTED_DOMAINS: 'acme.example',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    })
    const url = await ready()
    const [traceId, caller] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
    const answer = await fetch(`${url}/v1/send?secret=ada`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${caller}-01`,
      },
      body: JSON.stringify({ to: 'ada@example.org', from: 'hi@acme.example', subject: 'Hi', body: '<p>Hi</p>' }),
    })
    const { data } = (await answer.json()) as { data: { emails: readonly { email: string }[] } }
    await until('the mail is written', () => existsSync(join(folder, 'data', 'outbox')) && mail().length === 1)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    const [request] = spans.filter(({ name }) => name === 'POST /v1/send')
    const [handedOver] = spans.filter(({ name }) => name === 'hand over a mail')
    expect(request).toMatchObject({
      traceId,
      parentSpanId: caller,
      attributes: expect.arrayContaining([{ key: 'http.response.status_code', value: { intValue: 200 } }]),
    })
    expect(handedOver).toMatchObject({
      ...{ traceId, parentSpanId: request?.spanId },
      attributes: expect.arrayContaining([
        { key: 'mailwright.email.id', value: { stringValue: data.emails[0]?.email } },
      ]),
    })
    expect([...services]).toEqual(['mailwright'])
    expect(JSON.stringify(spans)).not.toMatch(/ada|sk_/)
  })

  it('reads its configuration anew at SIGHUP: keys and limits count at once, the rest is named, and a wrong one changes nothing', async () => {
    const [old, next] = ['a', 'b'].map((sign) => `sk_${sign.repeat(48)}`) as [string, string]
    const PUBLIC = `pk_${'c'.repeat(48)}`
    const config = {
      server: { port: 0 },
      limits: { requestsPerMinute: 500 },
      operator: { key: 'the-operator-of-yesterday' },
      metrics: { key: 'the-metrics-of-yesterday' },
      projects: [{ name: 'Acme', secretKey: old, publicKey: PUBLIC, trustedDomains: ['acme.example'] }],
    }
    const write = (text: string) => writeFileSync(join(folder, 'mailwright.config.json'), text)
    write(JSON.stringify(config))
    const { child, printed, ended, ready } = run([])
    const url = await ready()
    const ask = (path: string, key: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
    const said = (words: string, times: number) => until(words, () => printed.out.split(words).length > times)
    expect((await ask('/templates', old)).headers.get('ratelimit-limit')).toBe('500')

    write(
      JSON.stringify({
        ...config,
        server: { port: 0, trustProxy: true },
        limits: { requestsPerMinute: 7, trackPerMinutePerIp: 3 },
        operator: { key: 'the-operator-of-today' },
        metrics: { key: 'the-metrics-of-today' },
        projects: [{ ...config.projects[0], secretKey: next }],
      }),
    )
    child.kill('SIGHUP')
    await said('only after a restart', 1)
    expect(printed.out).toContain('applied=["limits","metrics","operator","projects"]')
    expect(printed.out).toMatch(/only after a restart keys=\["server"\]/)
    const answer = await ask('/templates', next)
    expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([200, '7'])
    expect((await ask('/templates', PUBLIC)).headers.get('ratelimit-limit')).toBe('3')
    // it was asked for before, and is counted on
    expect(answer.headers.get('ratelimit-remaining')).toBe('5')
    expect((await ask('/templates', old)).status).toBe(401)
    const statuses = async (path: string, ...keys: readonly string[]) =>
      Promise.all(keys.map(async (key) => (await ask(path, key)).status))
    expect(await statuses('/operator', 'the-operator-of-today', 'the-operator-of-yesterday')).toEqual([200, 401])
    expect(await statuses('/metrics', 'the-metrics-of-today', 'the-metrics-of-yesterday')).toEqual([200, 401])

    write('{ "limits": { "requestsPerMinute": 0 }')
    child.kill('SIGHUP')
    await said('the previous one stays in force', 1)
    write(JSON.stringify({ ...config, limits: { requestsPerMinute: 0 } }))
    child.kill('SIGHUP')
    await said('the previous one stays in force', 2)
    expect(printed.out).toContain('limits.requestsPerMinute')
    expect((await ask('/templates', next)).headers.get('ratelimit-limit')).toBe('7')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  it('first makes a project and prints its keys, a curl line that sends a mail, and a link that makes the first user; nobody else has its database; the next start prints none, and ends with 1 at once at the second signal', async () => {
    const first = run([])
    const url = await first.ready()
    const { out } = first.printed
    expect(out).toMatch(/project id {2}[0-9a-f-]{36}\n/)
    expect(out).toMatch(/public key {2}pk_[0-9a-f]{48}\n/)
    expect(out).toContain('mail-outbox')
    const curl = /^ *(curl .*)$/m.exec(out)?.[1] ?? ''
    expect(curl).toContain(`${url}/v1/send`)
    const pasted = spawn('sh', ['-c', `${curl} --silent --show-error`])
    let answer = ''
    pasted.stdout.on('data', (chunk) => (answer += chunk))
    await once(pasted, 'close')
    expect(JSON.parse(answer)).toMatchObject({
      success: true,
      data: { emails: [{ contact: { email: 'you@example.com' } }] },
    })
    await until('the mail is in the outbox', () => existsSync(join(folder, 'data', 'outbox')) && mail().length === 1)

    const link = /^ *(http:.*\/auth\/setup\/.*)$/m.exec(out)?.[1] ?? ''
    expect(link).toContain(`${url}/auth/setup/`)
    const form = { email: 'ada@example.org', password: 'correct horse battery' }
    const filled = { method: 'POST', headers: { origin: new URL(link).origin }, body: new URLSearchParams(form) }
    expect((await fetch(link)).status).toBe(200)
    expect(await (await fetch(link, filled)).text()).toContain('You own “My project”')
    expect((await fetch(link, filled)).status).toBe(404)

    const other = run([])
    expect(await other.ended).toBe(1)
    expect(other.printed.err).toMatch(
      /^The database file .*mailwright\.db is in use .*\nStop the other process first, .*\n$/,
    )
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    expect(first.printed.err).toBe('')

    const held = run(['serve'])
    const { hostname, port } = new URL(await held.ready())
    expect(held.printed.out).not.toMatch(/sk_|pk_|curl|auth\/setup/)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    // A request that does not end keeps the first signal waiting
    socket.write('POST /contacts HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n')
    await until('the request is refused', () => held.printed.out.includes('path=/contacts'))
    socket.write('x')
    held.child.kill('SIGTERM')
    await until('the first signal is heard', () => held.printed.out.includes('SIGTERM'))
    held.child.kill('SIGTERM')
    expect(await held.ended).toBe(1)
    socket.destroy()
  })

  it('says in one line that the port is in use, and has made no project whose keys nobody saw; takes the only project from the environment, and another key for a lost one; listens where --host and --port say, whatever file and environment say', async () => {
    const other: Server = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const PORT = String(typeof address === 'object' && address?.port)
    const env = { PORT, TRUSTED_DOMAINS: 'acme.example, acme.test', PROJECT_NAME: 'Acme' }
    const { ended, printed } = run([], env)
    expect(await ended).toBe(1)
    expect(printed.err).toContain(PORT)
    expect(printed.err.trim().split('\n')).toHaveLength(1)
    expect(printed.out).not.toContain('sk_')
    other.close()

    const lost = run([], env)
    await lost.ready()
    expect(lost.printed.out).toContain('"Acme"')
    expect(lost.printed.out).toContain('from acme.example, acme.test')
    expect(lost.printed.out).toContain('"from":"hello@acme.example"')
    const old = /secret key {2}(sk_[0-9a-f]{48})\n/.exec(lost.printed.out)?.[1]
    lost.child.kill('SIGTERM')
    expect(await lost.ended).toBe(0)

    const server = { host: '192.0.2.1', port: 1, publicUrl: 'https://mail.acme.test/mail' }
    const config = { server, log: { format: 'json' }, accounts: { signup: true } }
    writeFileSync(join(folder, 'mailwright.config.json'), JSON.stringify(config))
    const [key, port] = ['sk_a-key-of-my-own-choice', await freePort()]
    const again = run(['--port', String(port), '--host', '127.0.0.1'], { PROJECT_SECRET_KEY: key, PORT: '2' })
    await until('it is ready', () => again.printed.out.includes('is ready') || again.child.exitCode !== null, LONG)
    const send = (authorization: string) =>
      fetch(`http://127.0.0.1:${port}/v1/send`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ to: 'a@example.com', from: 'hi@acme.test', subject: 'Hi', body: '<p>Hi</p>' }),
      }).then(({ status }) => status)
    expect([await send(`Bearer ${key}`), await send(`Bearer ${old}`)]).toEqual([200, 401])
    again.child.kill('SIGINT')
    expect(await again.ended).toBe(0)
    const lines = again.printed.out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
    expect(lines.find(({ message }) => message === 'Mailwright is ready')).toMatchObject({
      ...{ version: expect.stringMatching(/^\d+\.\d+\.\d+/), role: 'all', url: `http://127.0.0.1:${port}` },
      store: 'store-sqlite at ./data/mailwright.db',
    })
    expect(lines.at(-1)).toMatchObject({ level: 'info', message: 'Mailwright has ended', exitCode: 0 })
    // a server that only programs have used waits for its first user all the same, and says what is open to strangers
    const links = [lost.printed.out, again.printed.err].map((text) => /^ *(http.*\/auth\/setup\/.*)$/m.exec(text)?.[1])
    expect(links).toEqual([expect.any(String), expect.stringContaining('https://mail.acme.test/mail/auth/setup/')])
    expect(new Set(links).size).toBe(2)
    expect(lost.printed.out).not.toContain('anybody may')
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'anybody may sign up on this server',
        settings: ['accounts.signup'],
      }),
    )
  })

  it('tells every problem of the config, ends with 78, and opens nothing', async () => {
    writeFileSync(
      join(folder, 'bad.json'),
      JSON.stringify({ server: { port: 'x' }, limits: { requestsPerMinute: 0 }, nope: 1 }),
    )
    const refused = [
      ['--config', 'bad.json'],
      ['check', '--config', 'missing.json'],
    ].map(async (args) => {
      const { ended, printed } = run(args)
      expect(await ended).toBe(78)
      expect(printed.out).toBe('')
      expect(printed.err).toMatch(
        args.includes('missing.json') ? /missing\.json/ : /server\.port[\s\S]*limits\.requestsPerMinute/,
      )
      expect(printed.err).not.toMatch(/^\s+at /m)
    })
    await Promise.all(refused)
    expect(readdirSync(folder)).toEqual(['bad.json'])
  })

  it('checks a config without opening anything', async () => {
    const { ended, printed } = run(['check'])
    expect(await ended).toBe(0)
    expect(printed.out).toContain('in order')
    expect(readdirSync(folder)).toEqual([])
  })

  it('tells its version and its usage, and 64 for what it does not know', async () => {
    const [version, help, unknown, verb] = [run(['--version']), run(['--help']), run(['--prot', '1']), run(['serv'])]
    expect([await version.ended, await help.ended, await unknown.ended, await verb.ended]).toEqual([0, 0, 64, 64])
    expect(version.printed.out).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(help.printed.out).toContain('rebuild-stats')
    expect(unknown.printed.err).toBe("unknown option '--prot'\n(Did you mean --port?)\n")
    expect(verb.printed.err).toBe("unknown command 'serv'\n(Did you mean serve?)\n")
    const wrong = [run(['--port', '70000']), run(['--port', 'x']), run(['--host', ' '])]
    expect(await Promise.all(wrong.map((one) => one.ended))).toEqual([64, 64, 64])
    expect(wrong.map((one) => one.printed.err.slice(0, 14))).toEqual(
      ['port', 'port', 'host'].map((name) => `option '--${name}`),
    )
  })

  it('prints nothing but JSON where JSON is asked for, and what people read beside it', async () => {
    for (const firstTime of [true, false]) {
      const { child, printed, ended } = run([], { LOG_FORMAT: 'json' })
      await until('the server is ready', () => printed.out.includes('Mailwright is ready'), LONG)
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
      const lines = printed.out.trim().split('\n')
      expect(lines.filter((line) => typeof JSON.parse(line).level !== 'string')).toEqual([])
      expect(printed.out).not.toMatch(/sk_|\/setup\//)
      expect(/sk_[0-9a-f]{48}/.test(printed.err)).toBe(firstTime)
      expect(printed.err).toContain('To make the first user')
    }
  })

  it('says in one line that the database cannot be opened', async () => {
    writeFileSync(join(folder, 'file'), 'not a folder')
    const { ended, printed } = run([], { DATABASE_URL: join(folder, 'file', 'x.db') })
    expect([1, 78]).toContain(await ended)
    expect(printed.err.trim().split('\n')).toHaveLength(1)
    expect(printed.err).toContain('x.db')
  })

  it('logs what nobody caught, stops as far as it can, and ends with 1', async () => {
    const config = `
      setTimeout(() => Promise.reject(new Error('nobody caught this')), 200)
      export default { log: { format: 'json' } }`
    writeFileSync(join(folder, 'mailwright.config.mjs'), config)
    const { ended, printed } = run([])
    expect(await ended).toBe(1)
    const line = printed.out.split('\n').find((text) => text.includes('nobody caught this')) ?? '{}'
    expect(JSON.parse(line)).toMatchObject({ level: 'error', error: { message: 'nobody caught this' } })
    // the first start's keys are there, and nothing else
    expect(printed.err).not.toMatch(/nobody caught this|Error|^ +at /m)
  })
})
