import { Writable } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import type { LogFields } from '../../core/ports/log.ts'
import { type ConsoleLogOptions, consoleLog } from '../../plugins/log-console/index.ts'
import { logContract } from '../contracts/log.ts'

afterEach(() => vi.unstubAllEnvs())

describe('the console log as a log', () => {
  logContract(async () => {
    let written = ''
    let isBroken = false
    const stream = new Writable({
      write(chunk, _encoding, done) {
        if (!isBroken) written += chunk
        done(isBroken ? new Error('EPIPE') : undefined)
      },
    })
    return {
      log: consoleLog({ level: 'debug', format: 'json', stream }),
      written: () =>
        written
          .split('\n')
          .slice(0, -1)
          .map((line) => {
            const { level, message, ...fields } = JSON.parse(line)
            return { level, message, fields }
          }),
      breaks: () => {
        isBroken = true
      },
      close: async () => void stream.destroy(),
    }
  })
})

describe('the console log', () => {
  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['silent', []],
  ] as const)('writes at level %s the lines of %j', (level, expected) => {
    const { log, lines } = open({ level, format: 'json' })
    for (const method of ['debug', 'info', 'warn', 'error'] as const) log[method]('x')
    expect(lines().map((line) => JSON.parse(line).level)).toEqual(expected)
  })

  it('adds the fields of `with` to every line, and later ones stand for earlier ones', () => {
    const { log, lines } = open({ format: 'json' })
    const inner = log.with({ request: 'r1', part: 'http' }).with({ part: 'send' })
    inner.info('one', { count: 1 })
    inner.info('two', { request: 'r2' })
    log.info('three')
    expect(lines().map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ message: 'one', request: 'r1', part: 'send', count: 1 }),
      expect.objectContaining({ message: 'two', request: 'r2', part: 'send' }),
      { time: expect.any(String), level: 'info', message: 'three' },
    ])
  })

  it('outlives a stream that fails', async () => {
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
    const log = consoleLog({ stream: broken, format: 'json' })
    const closed = new Promise((done) => broken.once('close', done))
    log.info('lost')
    await closed
    expect(() => log.info('lost, too')).not.toThrow()
    const throwing = Object.assign(new Writable(), { write: raise })
    expect(() => consoleLog({ stream: throwing }).error('lost')).not.toThrow()
  })

  it.each(['json', 'pretty'] as const)('never throws as %s, whatever it is given', (format) => {
    const { log, lines } = open({ format })
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const hostile = new Error('hostile')
    for (const name of ['name', 'message', 'code', 'stack', 'cause']) {
      Object.defineProperty(hostile, name, { get: () => raise() })
    }
    const values: unknown[] = [
      circle(),
      10n,
      Symbol('s'),
      () => 1,
      Number.NaN,
      new Date(Number.NaN),
      Object.create(null),
      {
        get broken() {
          return raise()
        },
      },
      { toJSON: raise },
      { toString: raise },
      revoked.proxy,
      hostile,
      Object.assign(new Error('odd'), { stack: 7, cause: revoked.proxy, code: { toString: raise } }),
      new Map([[{}, 1]]),
      deep(50),
      undefined,
      null,
    ]
    for (const value of values) log.with({ value }).error('odd value', { value })
    log.info('top', {
      get broken() {
        return raise()
      },
      whole: 1,
    })
    log.info('proxy', revoked.proxy as LogFields)
    log.with(revoked.proxy as LogFields).info('proxy')
    expect(
      lines().filter((line) => / (odd value|top|proxy)|"message":"(odd value|top|proxy)"/.test(line)),
    ).toHaveLength(values.length + 3)
    expect(lines().find((line) => line.includes('top'))).toMatch(/whole"?[:=]1/)
  })

  describe.each(['json', 'pretty'] as const)('as %s', (format) => {
    const SECRETS = {
      'a key': 'sk_0123456789abcdef0123456789abcdef0123456789abcdef',
      'a webhook secret': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'a credential': 'Bearer b3BlbiBzZXNhbWU',
      'a basic credential': 'Basic YWxhZGRpbjpvcGVuc2VzYW1l',
      'an identity token': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlCg',
      'a password in a URL': 'postgres://mail:open-sesame@db.example:5432/mail',
      'a link of a mail': 'GET /unsubscribe/AZ4gBcdefghijklmnopqrstuvwxyz012345 404',
      'a session': '__Host-mailwright_session=0a1b2c3d4e5f60718293a4b5c6d7e8f9; Path=/',
    }
    it.each(Object.entries(SECRETS))('hides %s, wherever it stands', (_name, secret) => {
      const [hidden = ''] =
        secret.match(/(?<=_)[\w+]{20,}|(?<= )\w{15,}|open-sesame|(?<=be\/)\w+|(?<=on=)\w+|c2lnb\w+/) ?? []
      expect(hidden.length).toBeGreaterThan(8)
      const { log, text } = open({ format })
      const error = new Error(`550 said ${secret}`, { cause: new Error(secret) })
      log
        .with({ about: [secret] })
        .warn(`failed: ${secret}`, { deep: { er: new Map([[secret, 1]]) }, error, [secret]: 1 })
      expect(text()).toContain('[redacted]')
      expect(text()).not.toContain(hidden)
    })

    it('hides what the name of a field calls a secret, and no id', () => {
      const { log, text } = open({ format })
      const names = [
        'password',
        'secretKey',
        'Authorization',
        'Set-Cookie',
        'token',
        'client_secret',
        'privateKey',
        'pass',
      ]
      log.info('x', {
        ...Object.fromEntries(names.map((name) => [name, 'sesame'])),
        options: { auth: { pass: 'sesame' } },
      })
      expect(text()).not.toContain('sesame')
      log.info('y', {
        requestId: '01a20888-1031-7000-b249-87ad6cb1a271',
        passed: 3,
        url: 'https://a.example/subscribe/',
      })
      expect(text()).toMatch(/01a20888-1031-7000-b249-87ad6cb1a271.*https:\/\/a\.example\/subscribe\//)
    })

    it('hides addresses up to their domain when it is told to, in any form, and else does not', () => {
      const said = [
        'ada@example.org',
        'ada%40example.org',
        '<ada+x@[192.0.2.1]>',
        '"ada l"@example.org',
        'müller.ada@exämple.org',
      ]
      const [all, none] = [open({ format }), open({ format, addresses: false })]
      for (const { log } of [all, none]) {
        for (const address of said) log.info(`to ${address}`, { to: [address], error: new Error(address) })
      }
      expect(all.text()).toContain('to ada@example.org')
      expect(none.text()).not.toMatch(/ada|müller/)
      expect(none.text()).toContain('to [redacted]@example.org')
    })

    it('takes no longer for a text that is all but an address, or all but a secret', () => {
      const { log, text } = open({ format, addresses: false })
      const began = performance.now()
      for (const part of ['a.', '@', 'sk_', '://a:', 'Bearer ', '"', 'eyJaaaaaaaaa.', '/t/o/', '%40'])
        log.info(part.repeat(1_000_000), { part: part.repeat(100_000) })
      expect(performance.now() - began).toBeLessThan(8_000)
      expect(text().length).toBeLessThan(1_000_000)
    })
  })

  describe('as JSON', () => {
    it('writes an object per line with time, level, message and fields', () => {
      const { log, lines } = open({ format: 'json' })
      const before = Date.now()
      log.warn('slow', {
        ms: 12,
        mail: { to: ['a@example.com'] },
        at: new Date(0),
        bytes: Buffer.from('abc'),
        gone: undefined,
      })
      const [line] = lines().map((text) => JSON.parse(text))
      expect(line).toEqual({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: 'warn',
        message: 'slow',
        ms: 12,
        mail: { to: ['a@example.com'] },
        at: '1970-01-01T00:00:00.000Z',
        bytes: '[3 bytes]',
      })
      expect(Date.parse(line.time)).toBeGreaterThanOrEqual(before)
    })

    it('writes errors with name, message, code, stack and cause, and the errors of an aggregate', () => {
      const { log, lines } = open({ format: 'json' })
      const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', socket: { secret: 1 } })
      const error = new EngineError('SERVICE_UNAVAILABLE', 'no way out', { cause: new AggregateError([cause], '') })
      log.error('sending failed', { error })
      const [line] = lines().map((text) => JSON.parse(text))
      expect(line.error).toEqual({
        name: 'EngineError',
        message: 'no way out',
        code: 'SERVICE_UNAVAILABLE',
        stack: error.stack,
        cause: expect.objectContaining({
          name: 'AggregateError',
          errors: [{ name: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED', stack: cause.stack }],
        }),
      })
    })

    it('says in a word what cannot be written', () => {
      const { log, lines } = open({ format: 'json' })
      const twice = { a: 1 }
      log.info('x', {
        circle: circle(),
        big: 10n,
        twice: [twice, twice],
        broken: {
          get a() {
            return raise()
          },
          b: 2,
        },
      })
      expect(JSON.parse(lines()[0]!)).toMatchObject({
        circle: { self: '[circular]' },
        big: '10',
        twice: [{ a: 1 }, { a: 1 }],
        broken: { a: '[unreadable]', b: 2 },
      })
    })

    it('stays small for a value that is huge', () => {
      const { log, lines } = open({ format: 'json' })
      log.info('x', {
        deep: deep(50),
        wide: Array.from({ length: 50 }, () => Array.from({ length: 1000 }, () => 'word')),
      })
      expect(lines()[0]!.length).toBeLessThan(60_000)
      expect(lines()[0]).toContain('[deeper]')
      expect(lines()[0]).toContain('[more]')
    })

    it('keeps its own time, level and message apart from fields of those names', () => {
      const { log, lines } = open({ format: 'json' })
      log.info('real', { message: 'forged', level: 'error', time: 'never', ['__proto__']: 'own' })
      expect(JSON.parse(lines()[0]!)).toMatchObject({
        message: 'real',
        level: 'info',
        message_: 'forged',
        level_: 'error',
      })
      expect(lines()[0]).toContain('"__proto__":"own"')
    })

    it('lets no value begin a line, by any sign that ends one', () => {
      const { log, text } = open({ format: 'json' })
      const nasty = ['\n', '\r', '\v', '\f', '\x1c', '\x85', '\u2028', '\u2029'].join('{"level":"forged"}')
      log.info(nasty, { [nasty]: nasty, error: new Error(nasty) })
      expect(
        text()
          .trimEnd()
          .split(/[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/),
      ).toHaveLength(1)
      expect(JSON.parse(text())).toMatchObject({ message: nasty, [nasty]: nasty })
    })
  })

  describe('for people', () => {
    it('writes time, level, message and short fields', () => {
      const { log, lines } = open()
      log.info('Listening', {
        url: 'http://127.0.0.1:3000',
        pid: 7,
        name: 'two words',
        list: ['a', 1],
        none: undefined,
      })
      log.error('Bad')
      expect(lines()[0]).toMatch(
        /^\d\d:\d\d:\d\d\.\d{3} INFO {2}Listening url=http:\/\/127\.0\.0\.1:3000 pid=7 name="two words" list=\["a",1\]$/,
      )
      expect(lines()[1]).toMatch(/^\S+ ERROR Bad$/)
    })

    it('puts the further lines of a message below it, indented', () => {
      const { log, text } = open()
      log.info('First start\n  curl http://…\n00:00:00.000 ERROR forged', { a: 1 })
      expect(text().slice(13)).toBe(
        'INFO  First start a=1\n                     curl http://…\n                   00:00:00.000 ERROR forged\n',
      )
    })

    it('puts the stacks of an error and its causes below, indented', () => {
      const { log, lines } = open()
      const cause = Object.assign(new TypeError('deep'), { code: 'E1' })
      log.error('failed', { error: new Error('two\nlines', { cause }), id: 'x' })
      const [first, second, third, ...rest] = lines()
      expect(first).toMatch(/ERROR failed id=x$/)
      expect([second, third]).toEqual([`${' '.repeat(19)}error: Error: two`, `${' '.repeat(19)}lines`])
      expect(rest.some((line) => line === `${' '.repeat(19)}caused by TypeError: deep (E1)`)).toBe(true)
      expect(rest.filter((line) => /^ {19}\s+at .*log-console\.test/.test(line)).length).toBeGreaterThanOrEqual(2)
    })

    it('lets no value begin a line, colour it or move the cursor', () => {
      const { log, text, lines } = open()
      const nasty = 'a\r00:00:00.000 ERROR forged\n\x1b[2J\x1b[31m\x07\u202eb\u2028c\x9b31m'
      log.info(nasty, { [nasty]: nasty, error: new Error(nasty) })
      expect(text()).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]/)
      expect(
        lines()
          .slice(1)
          .every((line) => line.startsWith(' '.repeat(19))),
      ).toBe(true)
    })

    it('is coloured on a terminal only, and not when NO_COLOR is set', () => {
      vi.stubEnv('NO_COLOR', '')
      const [terminal, file] = [open({}, true), open()]
      vi.stubEnv('NO_COLOR', '1')
      const plain = open({}, true)
      for (const { log } of [terminal, file, plain]) log.warn('careful', { a: 1 })
      expect(terminal.text()).toContain('\x1b[33mWARN \x1b[39m')
      expect(file.text()).not.toContain('\x1b')
      expect(plain.text()).not.toContain('\x1b')
    })
  })
})

function open(options: Omit<ConsoleLogOptions, 'stream'> = {}, isTTY = false) {
  let written = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += chunk
      done()
    },
  })
  const log = consoleLog({ format: 'pretty', ...options, stream: Object.assign(stream, { isTTY }) })
  return { log, text: () => written, lines: () => written.split('\n').slice(0, -1) }
}

function raise(): never {
  throw new Error('not to be looked at')
}

function circle(): object {
  const one: Record<string, unknown> = {}
  one.self = one
  return one
}

function deep(levels: number): unknown {
  return levels === 0 ? 'bottom' : { below: deep(levels - 1) }
}
