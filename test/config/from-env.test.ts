import { describe, expect, it } from 'vitest'
import { readDatabaseUrl } from '../../config/database-url.ts'
import { loadConfig } from '../../config/load.ts'
import { readSmtpUrl } from '../../config/smtp-url.ts'
import { configFolder, loadJson, problemsOf } from './config-folder.ts'

describe('the environment', () => {
  it('is enough', async () => {
    const env = {
      HOST: '0.0.0.0',
      PORT: '8080',
      PUBLIC_URL: 'https://mail.example.com/',
      TRUST_PROXY: 'true',
      DATABASE_URL: 'sqlite:./mail.db',
      SMTP_URL: 'smtp://ada:s3cret@smtp.example.com:2525',
      LOG_LEVEL: 'WARN',
      LOG_FORMAT: 'json',
      SECRET: 'a secret of some length',
    }
    const config = await loadConfig({ cwd: await configFolder(), env })
    expect(config).toMatchObject({
      server: { host: '0.0.0.0', port: 8080, publicUrl: 'https://mail.example.com', trustProxy: true },
      log: { level: 'warn', format: 'json' },
      engine: {
        secret: 'a secret of some length',
        store: { name: 'store-sqlite' },
        transports: [{ plugin: { name: 'mail-smtp' } }],
      },
    })
  })

  it('names a region of Amazon SES, unless it names an SMTP server', async () => {
    const cwd = await configFolder()
    const ses = await loadConfig({ cwd, env: { SES_REGION: 'eu-central-1' } })
    expect(ses.engine.transports).toMatchObject([{ plugin: { name: 'mail-ses', description: 'eu-central-1' } }])
    const smtp = await loadConfig({ cwd, env: { SES_REGION: 'eu-central-1', SMTP_URL: 'smtp://smtp.example.com' } })
    expect(smtp.engine.transports).toMatchObject([{ plugin: { name: 'mail-smtp' } }])
    expect(await problemsOf(loadConfig({ cwd, env: { SES_REGION: 'Frankfurt' } }))).toEqual([
      'transports[0].options.region: must be a region such as eu-central-1 (from SES_REGION)',
    ])
  })

  it('names a well-known relay and the login there', async () => {
    const cwd = await configFolder({ token: 're_123\n' })
    const relay = async (env: Record<string, string>) =>
      (await loadConfig({ cwd, env })).engine.transports?.map((each) => ('plugin' in each ? each.plugin : each))
    const env = { SMTP_PRESET: 'brevo', SMTP_USER: 'ada@acme.example', SMTP_PASS: 's3cret', SES_REGION: 'eu-west-1' }
    expect(await relay(env)).toMatchObject([{ name: 'mail-smtp', description: 'smtp-relay.brevo.com:587' }])
    expect(await relay({ SMTP_PRESET: 'resend', SMTP_PASS_FILE: 'token' })).toMatchObject([
      { description: 'smtp.resend.com:465' },
    ])
    expect(await relay({ ...env, SMTP_URL: 'smtp://own.example' })).toMatchObject([{ description: 'own.example:587' }])
    // of another program
    expect(await relay({ SMTP_USER: 'u', SMTP_PASS: 'p' })).toMatchObject([{ name: 'mail-outbox' }])
  })

  it.each([
    [{ SMTP_PRESET: 'brevvo' }, 'options.preset: is not a known preset (did you mean brevo?) (from SMTP_PRESET)'],
    [
      { SMTP_PRESET: 'ses' },
      'options.preset: needs the region of Amazon SES, such as ses-eu-central-1 (from SMTP_PRESET)',
    ],
    [{ SMTP_PRESET: 'brevo' }, 'options.auth: is required by Brevo: { user, pass } (from SMTP_USER and SMTP_PASS)'],
    [{ SMTP_PRESET: 'brevo', SMTP_PASS: 'p' }, 'options.auth.user: is required (from SMTP_USER)'],
    [{ SMTP_PRESET: 'brevo', SMTP_USER: 'u' }, 'options.auth.pass: is required (from SMTP_PASS)'],
  ])('says what is wrong with the preset in %j', async (env, problem) => {
    expect(await problemsOf(loadConfig({ cwd: await configFolder(), env }))).toEqual([`transports[0].${problem}`])
  })

  it('fills in what the file leaves out, and no more', async () => {
    const env = { PORT: '1', HOST: 'from-env', DATABASE_URL: 'postgres://x', SMTP_URL: 'nonsense', LOG_LEVEL: 'debug' }
    const config = await loadJson(
      {
        server: { port: 2 },
        log: { format: 'json' },
        store: { use: 'sqlite', options: { file: 'x.db' } },
        transports: [{ use: 'outbox', options: { directory: 'o' } }],
      },
      env,
    )
    expect(config.server).toMatchObject({ port: 2, host: 'from-env' })
    expect(config.log).toEqual({ level: 'debug', format: 'json', addresses: true })
    expect(config.engine.transports).toMatchObject([{ plugin: { name: 'mail-outbox' } }])
  })

  it('speaks of the only project where the file names none', async () => {
    const env = { TRUSTED_DOMAINS: 'a.example,b.example', PROJECT_NAME: 'Acme' }
    const config = await loadConfig({ cwd: await configFolder(), env })
    expect(config.firstProject).toEqual({ name: 'Acme', trustedDomains: ['a.example', 'b.example'] })
  })

  it('must say where links lead when the process is a worker, whose own address serves none', async () => {
    const env = { DATABASE_URL: 'postgres://127.0.0.1/x', HOST: '0.0.0.0' }
    const cwd = await configFolder()
    expect(await problemsOf(loadConfig({ cwd, env, role: 'worker' }))).toEqual([
      expect.stringMatching(/^server\.publicUrl: is required for the role worker \(PUBLIC_URL\)/),
    ])
    const { engine } = await loadConfig({ cwd, env })
    expect(engine.publicUrl).toBe('http://localhost:3000')
  })

  it('takes an empty variable for one that is not set', async () => {
    const config = await loadConfig({ cwd: await configFolder(), env: { PORT: '', SMTP_URL: ' ', DATABASE_URL: '' } })
    expect(config.server.port).toBe(3000)
    expect(config.engine.transports).toMatchObject([{ name: 'mail-outbox' }])
  })

  it('is named in every problem it causes, all at once', async () => {
    const env = {
      PORT: '70000',
      PUBLIC_URL: 'x',
      TRUST_PROXY: 'yes',
      DATABASE_URL: 'postgres://u:s3cret@h:port/db',
      SMTP_URL: 'smtp://u:s3cret@',
      LOG_LEVEL: 'loud',
    }
    const problems = await problemsOf(loadConfig({ cwd: await configFolder(), env }))
    expect(problems).toEqual([
      'TRUST_PROXY: must be true or false',
      expect.stringMatching(/^SMTP_URL: must look like smtp:/),
      'server.port: must be at most 65535 (from PORT)',
      'server.publicUrl: must be an http or https URL such as https://mail.example.com (from PUBLIC_URL)',
      'log.level: must be one of debug, info, warn, error, silent (from LOG_LEVEL)',
      expect.stringMatching(
        /^store\.options\.url: must be a URL such as postgres:.*percent-encoded.* \(from DATABASE_URL\)$/,
      ),
    ])
    expect(problems.join()).not.toContain('s3cret')
  })

  it('is refused in the quotes that another program left around it, but for names and secrets', async () => {
    const env = { PORT: '"3000"', DATABASE_URL: "'postgres://u:s3cret@h/db'", SECRET: '"a secret of some length"' }
    expect(await problemsOf(loadConfig({ cwd: await configFolder(), env }))).toEqual([
      expect.stringMatching(/^PORT: must be without the quotes /),
      expect.stringMatching(/^DATABASE_URL: must be without the quotes /),
    ])
  })

  it.each([
    's3#cret',
    '12#3',
    's3cret#',
    '1/2',
    '1?2',
    's3/cret',
  ])('a password %s that is not percent-encoded is explained', async (password) => {
    const env = { DATABASE_URL: `postgres://u:${password}@db.example:5432/name` }
    expect(await problemsOf(loadConfig({ cwd: await configFolder(), env }))).toEqual([
      expect.stringMatching(/^store\.options\.url: .*percent-encoded: # is %23/),
    ])
    const encoded = { DATABASE_URL: `postgres://u:${encodeURIComponent(password)}@db.example:5432/name` }
    await loadConfig({ cwd: await configFolder(), env: encoded })
  })

  it.each(['[::1]', '::1', ' [::] '])('HOST=%s is an address to listen on', async (HOST) => {
    const { server } = await loadConfig({ cwd: await configFolder(), env: { HOST } })
    expect(server.host).toBe(HOST.replace(/[[\] ]/g, ''))
  })

  it('is named when its value does not suit the plugin', async () => {
    const env = { SMTP_URL: 'smtp://localhost?maxConnections=many', PORT: 'x' }
    expect(await problemsOf(loadConfig({ cwd: await configFolder(), env }))).toEqual([
      'server.port: must be a number, not a string (from PORT)',
      expect.stringMatching(/^transports\[0\]\.options\.maxConnections: .* \(from SMTP_URL\)$/),
    ])
  })
})

describe('SMTP_URL', () => {
  it.each([
    ['smtp://localhost', { host: 'localhost' }],
    ['smtp://127.0.0.1:1025', { host: '127.0.0.1', port: 1025 }],
    ['smtp://[::1]:25/', { host: '::1', port: 25 }],
    ['smtps://smtp.example.com', { host: 'smtp.example.com', port: 465, secure: true }],
    ['smtps://smtp.example.com:2465', { host: 'smtp.example.com', port: 2465, secure: true }],
    ['smtp://u:p@h', { host: 'h', auth: { user: 'u', pass: 'p' } }],
    [
      'smtp://ada%40example.com:p%2Fw%3Ad%25@h:587',
      { host: 'h', port: 587, auth: { user: 'ada@example.com', pass: 'p/w:d%' } },
    ],
    ['smtp://ada@example.com:pw@h', { host: 'h', auth: { user: 'ada@example.com', pass: 'pw' } }],
    ['smtp://u:@h', { host: 'h', auth: { user: 'u', pass: '' } }],
    ['smtp://h?requireTls=true&maxConnections=5', { host: 'h', requireTls: true, maxConnections: 5 }],
    [
      'smtp://h?tls.servername=a.example&tls.rejectUnauthorized=false',
      { host: 'h', tls: { servername: 'a.example', rejectUnauthorized: false } },
    ],
    [' SMTP://H ', { host: 'H' }],
  ])('%s is read', (url, options) => {
    expect(readSmtpUrl(url)).toEqual({ options })
  })

  it.each([
    'smtp.example.com',
    'smtp.example.com:587',
    'http://smtp.example.com',
    'smtp://',
    'smtp://u:p/w@h',
    'smtp://u:p#w@h',
    'smtp://u:p?w@h:25',
    'smtp://u:12?w@h',
    'smtp://u:12?ssl=true&w@h',
    'smtp://h/path',
    'smtp://u:%zz@h',
    'smtp://h:99999',
  ])('%s is refused without repeating it', (url) => {
    const read = readSmtpUrl(url)
    expect(read).toEqual({ problem: expect.stringMatching(/^must look like smtp:\/\/user:password@host:587/) })
  })

  it('cannot reach a prototype', () => {
    const read = readSmtpUrl('smtp://h?__proto__.polluted=1&constructor.prototype.polluted=1')
    expect('options' in read && Object.hasOwn(read.options, '__proto__')).toBe(true)
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('DATABASE_URL', () => {
  it.each([
    ['./data/mail.db', './data/mail.db'],
    ['/var/lib/mail.db', '/var/lib/mail.db'],
    ['mail.db', 'mail.db'],
    [':memory:', ':memory:'],
    ['C:\\data\\mail.db', 'C:\\data\\mail.db'],
    ['sqlite:./mail.db', './mail.db'],
    ['sqlite::memory:', ':memory:'],
    ['sqlite:mail.db', 'mail.db'],
    ['sqlite:///var/lib/mail.db', '/var/lib/mail.db'],
    ['sqlite://mail.db', 'mail.db'],
    ['file:./mail.db', './mail.db'],
    ['file:///var/my%20mail.db', '/var/my mail.db'],
    ['file://localhost/var/mail.db', '/var/mail.db'],
  ])('%s is a file', (url, file) => {
    expect(readDatabaseUrl(url)).toEqual({ use: 'sqlite', options: { file } })
  })

  it.each([
    'postgres://u:p%40ss@h/db',
    'postgresql://h/db?sslmode=verify-full',
    'POSTGRES://h/db',
  ])('%s is a PostgreSQL database', (url) => {
    expect(readDatabaseUrl(` ${url}\n`)).toEqual({ use: 'postgres', options: { url } })
  })

  it('makes the PostgreSQL store', async () => {
    const config = await loadConfig({ cwd: await configFolder(), env: { DATABASE_URL: 'postgres://u:p@h/db' } })
    expect(config.engine.store).toMatchObject({ name: 'store-postgres' })
  })

  it.each([
    'mysql://u:s3cret@h/db',
    '=postgres://u:s3cret@h/db',
    '"postgres://u:s3cret@h/db"',
    'sqlite:',
    'sqlite:///x.db?mode=ro',
    'file:///%zz',
  ])('%s is refused', (url) => {
    expect(readDatabaseUrl(url)).toEqual({ problem: expect.stringContaining('must be a file') })
  })
})
