import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { EngineError } from '../../core/errors.ts'
import { configFolder, loadJson, problemsOf } from './config-folder.ts'

const SAME = { server: { port: 4000 }, delivery: { retryDelays: [1, 2] } }

describe('a config file', () => {
  it.each([
    ['mailwright.config.json', JSON.stringify(SAME)],
    ['mailwright.config.yaml', 'server:\n  port: 4000\ndelivery:\n  retryDelays: [1, 2]\n'],
    ['mailwright.config.yml', 'server: { port: 4000 }\ndelivery: { retryDelays: [1, 2] }\n'],
    ['mailwright.config.js', `export default ${JSON.stringify(SAME)}`],
    ['mailwright.config.mjs', `export default () => (${JSON.stringify(SAME)})`],
    [
      'mailwright.config.ts',
      `const port: number = 4000\nexport default { server: { port }, delivery: { retryDelays: [1, 2] } }`,
    ],
  ])('is found in the working directory as %s', async (name, text) => {
    const cwd = await configFolder({ [name]: text, 'package.json': '{"type":"module"}' })
    const config = await loadConfig({ cwd, env: {} })
    expect(config.file).toBe(`${cwd}/${name}`)
    expect(config.server.port).toBe(4000)
    expect(config.engine.delivery?.retryDelays).toEqual([1, 2])
  })

  it('is taken by its path, relative to the working directory', async () => {
    const cwd = await configFolder({ 'deploy/mail.json': JSON.stringify(SAME), 'mailwright.config.json': '{}' })
    const config = await loadConfig({ cwd, env: {}, path: 'deploy/mail.json' })
    expect(config.server.port).toBe(4000)
  })

  it('prefers TypeScript when there are several', async () => {
    const cwd = await configFolder({
      'mailwright.config.yaml': 'server: { port: 1 }',
      'mailwright.config.ts': 'export default { server: { port: 2 } }',
      'package.json': '{"type":"module"}',
    })
    expect((await loadConfig({ cwd, env: {} })).server.port).toBe(2)
  })

  it.each([
    ['a promise', 'export default Promise.resolve({ server: { port: 4000 } })'],
    ['a function', 'export default () => ({ server: { port: 4000 } })'],
    ['an async function', 'export default async () => ({ server: { port: 4000 } })'],
  ])('may export %s', async (_, text) => {
    const cwd = await configFolder({ 'mailwright.config.mjs': text })
    expect((await loadConfig({ cwd, env: {} })).server.port).toBe(4000)
  })

  it('is not needed: then everything has its default', async () => {
    const config = await loadConfig({ cwd: await configFolder(), env: {} })
    expect(config).toMatchObject({
      file: undefined,
      server: { host: '127.0.0.1', port: 3000, trustProxy: false, corsOrigins: [] },
      limits: { requestsPerMinute: 1000 },
      engine: { projects: [], delivery: { retryDelays: [60, 120, 240, 480, 960, 1920, 3840, 7680] } },
    })
    expect(config.engine.store.name).toBe('store-sqlite')
  })

  it('may be empty', async () => {
    const cwd = await configFolder({ 'mailwright.config.yaml': '# nothing yet\n' })
    expect((await loadConfig({ cwd, env: {} })).server.port).toBe(3000)
  })
})

describe('a file that cannot be read', () => {
  it.each([
    ['is not there', 'missing.json', {}, /^missing\.json: there is no file \/.*missing\.json$/],
    ['is not there as a module', 'missing.ts', {}, /^missing\.ts: there is no file \/.*missing\.ts$/],
    [
      'has an unknown type',
      'a.toml',
      { 'a.toml': '' },
      /^a\.toml: must end in \.ts, \.js, \.mjs, \.json, \.yaml or \.yml$/,
    ],
    ['is bad JSON', 'a.json', { 'a.json': '{\n  "server": {},\n  oops\n}' }, /^a\.json: .*line 3/],
    ['has a comment', 'a.json', { 'a.json': '// mine\n{}' }, /^a\.json: line 1, column 1: JSON has no comments; /],
    [
      'has a comma too many',
      'a.json',
      { 'a.json': '{"a": "/*,]",\n "b": [1, ]}' },
      /line 2, column 9: a comma before /,
    ],
    ['has single quotes', 'a.json', { 'a.json': `{"a": "it's",\n 'b': 1}` }, /line 2, column 2: .* double quotes$/],
    ['is empty', 'a.json', { 'a.json': '' }, /^a\.json: is empty; it must hold an object, such as \{\}$/],
    [
      'is UTF-16',
      'a.json',
      { 'a.json': Buffer.from('\uFEFF{}', 'utf16le') },
      /^a\.json: is in UTF-16; save it as UTF-8$/,
    ],
    ['is a folder', 'a.yaml', { 'a.yaml/b': '' }, /^a\.yaml: \/.*a\.yaml is a folder; name the file in it$/],
    ['is bad YAML', 'a.yaml', { 'a.yaml': 'server:\n  port: 1\n  port: 2\n' }, /^a\.yaml: line 3, column 3: .*unique/],
    ['is a list', 'a.yaml', { 'a.yaml': '- 1' }, /^a\.yaml: must hold an object$/],
    ['exports nothing', 'a.mjs', { 'a.mjs': 'export const config = {}' }, /^a\.mjs: has no default export/],
    ['throws', 'a.mjs', { 'a.mjs': 'throw new Error("no\\nway")' }, /^a\.mjs: cannot load .*a\.mjs: no$/],
    [
      'has a failing function',
      'a.mjs',
      { 'a.mjs': 'export default () => { throw new Error("no") }' },
      /^a\.mjs: its function failed: no$/,
    ],
  ])('%s: told by its name', async (_, path, files, told) => {
    const cwd = await configFolder(files)
    const problems = await problemsOf(loadConfig({ cwd, env: {}, path }))
    expect(problems).toEqual([expect.stringMatching(told)])
  })

  it('tells every mistake of a YAML file', async () => {
    const cwd = await configFolder({ 'a.yaml': 'server:\n  host: a\n  host: b\nlimits: "open\n' })
    const problems = await problemsOf(loadConfig({ cwd, env: {}, path: 'a.yaml' }))
    expect(problems.map((line) => /^a\.yaml: line (\d+)/.exec(line)?.[1])).toEqual(['3', '5'])
  })
})

/** The answer to a limit by the minute. */
const PER_SECOND = 'is perSecond now, the sixtieth part: 30 a minute are 0.5'

describe('the check', () => {
  it('tells all problems at once, each with its key', async () => {
    const problems = await problemsOf(
      loadJson(
        {
          server: { port: 70_000, publicUrl: 'mail.example.com', corsOrigins: ['https://a.example', 'b.example/x'] },
          transport: [],
          transports: [
            { name: 'main', use: 'smtp', options: { port: 25 } },
            { name: 'main', use: 'outbox', options: { directory: 'o' } },
          ],
          limits: { requestsPerMinute: 0 },
          projects: [{ name: 'Acme', secretKey: 'short', trustedDomain: 'acme.example' }],
          delivery: { sendTimeout: '5' },
          log: { level: 'loud' },
          store: { options: {} },
        },
        { PORT: 'x', SMTP_URL: 'nonsense' },
      ),
    )
    expect(problems).toEqual([
      'transport: is not a known key (did you mean transports?)',
      'projects[0].trustedDomain: is not a known key (did you mean trustedDomains?)',
      'projects[0].secretKey: must start with sk_ and have at least 16 more characters',
      'delivery.sendTimeout: must be a number, not a string',
      'server.port: must be at most 65535',
      'server.publicUrl: must be an http or https URL such as https://mail.example.com',
      'server.corsOrigins[1]: must be an origin such as https://app.example.com',
      'limits.requestsPerMinute: must be at least 1',
      'log.level: must be one of debug, info, warn, error, silent',
      'store.use: is required',
      'transports[0].options.host: is required',
      'transports[1].name: is taken already: main',
    ])
  })

  it('finds what only several values together get wrong', async () => {
    expect(await problemsOf(loadJson({ transports: [] }))).toEqual(['transports: needs at least one'])
  })

  it('puts a line for each problem into the message', async () => {
    const error = await loadJson({ server: { prot: 1, hots: 'x' } }).catch((error: unknown) => error)
    expect(EngineError.is(error) && error.message.split('\n').slice(1)).toEqual([
      '  server.prot: is not a known key (did you mean port?)',
      '  server.hots: is not a known key (did you mean host?)',
    ])
  })

  it('refuses unknown keys', async () => {
    const document = { zebra: 1, auth: { login: true } }
    expect(await problemsOf(loadJson(document))).toEqual([
      'zebra: is not a known key',
      'auth.login: is not a known key',
    ])
  })

  it.each<readonly [document: object, problem: string]>([
    [{ auth: { signups: true } }, 'auth.signups: is called accounts.signup now'],
    [
      { auth: { secret: 'sixteen characters or more' } },
      'auth.secret: is called secret now: move its value there, beside server',
    ],
    [
      { firstProject: { name: 'Acme', secretKey: `sk_${'a'.repeat(48)}` } },
      'firstProject: is for variables alone now (PROJECT_NAME and others): in a file, put the project under projects, with the name it has had',
    ],
    [{ delivery: { throttle: { project: { perMinute: 30 } } } }, `delivery.throttle.project.perMinute: ${PER_SECOND}`],
    [
      { delivery: { throttle: { domains: { 'a.example': { perMinute: 30 } } } } },
      `delivery.throttle.domains.a.example.perMinute: ${PER_SECOND}`,
    ],
  ])('refuses %j, whose value belongs elsewhere, and says where', async (document, problem) => {
    expect(await problemsOf(loadJson(document))).toEqual([problem])
  })

  it('accepts keys that are settings no more, and names each with what applies now', async () => {
    const { engine, warnings } = await loadJson({
      ...{ limits: { pagesPerMinutePerIp: 5 }, verification: { timeout: 1 }, segments: {} },
      ...{ feedback: { softBounces: { count: 9 } }, reputation: { days: 3, bounceRate: { warn: false, stop: 20 } } },
      ...{ delivery: { lease: 5 }, campaigns: { brake: { share: 0.2 } }, retention: { campaignVariables: false } },
    })
    expect(engine.campaigns?.brake).toBe(true)
    expect(
      warnings.map((warning) => warning.replace(/ is no longer a setting and has no effect: .+\. Remove it\.$/, '')),
    ).toEqual([
      ...['campaigns.brake.share', 'delivery.lease', 'feedback.softBounces', 'limits.pagesPerMinutePerIp'],
      ...['reputation.bounceRate.warn', 'reputation.days', 'retention.campaignVariables', 'segments', 'verification'],
    ])
    expect(await problemsOf(loadJson({ limits: { trackPerMinutePerIP: 5 } }))).toEqual([
      'limits.trackPerMinutePerIP: is not a known key (did you mean trackPerMinutePerIp?)',
    ])
    const { limits, warnings: none } = await loadJson({ limits: { trackPerMinutePerIp: 500 } })
    expect([limits, none]).toEqual([{ requestsPerMinute: 1000, trackPerMinutePerIp: 500 }, []])
  })

  it('refuses a list where keys belong', async () => {
    const document = { server: [], store: [], projects: [[]], delivery: [1] }
    expect(await problemsOf(loadJson(document))).toEqual([
      'server: must be an object, not an array',
      'store: must be an object, not an array',
      'projects[0]: must be an object, not an array',
      'delivery: must be an object, not an array',
      'projects[0].name: is required',
    ])
  })

  it('refuses keys that only a prototype knows', async () => {
    const cwd = await configFolder({ 'mailwright.config.json': '{"__proto__": {}, "server": {"constructor": 1}}' })
    expect(await problemsOf(loadConfig({ cwd, env: {} }))).toEqual([
      '__proto__: is not a known key',
      'server.constructor: is not a known key',
    ])
  })

  it('takes the trailing slash from the public URL', async () => {
    const { server } = await loadJson({ server: { publicUrl: 'https://mail.example.com/app/' } })
    expect(server.publicUrl).toBe('https://mail.example.com/app')
  })
})

describe('variables in a file', () => {
  it('are read from the environment, anywhere in a text', async () => {
    const { server, engine } = await loadJson(
      { server: { host: '${A}.${B_2}' }, projects: [{ name: '$${HOME} costs $5 and ${EMPTY}nothing' }] },
      { A: 'mail', B_2: 'example.com', EMPTY: '' },
    )
    expect(server.host).toBe('mail.example.com')
    expect(engine.projects?.[0]?.name).toBe('${HOME} costs $5 and nothing')
  })

  it('that are not set are told with key and name', async () => {
    const document = {
      server: { port: '${PORT_OF_MAIL}', host: 'x.${DOMAIN}' },
      transports: [{ use: 'smtp', options: { host: 'h', port: 25, auth: { user: 'u', pass: '${SMTP_PASS}' } } }],
      projects: [{ name: 'a ${b-c} d' }],
    }
    expect(await problemsOf(loadJson(document))).toEqual([
      'server.port: ${PORT_OF_MAIL} is not set',
      'server.host: ${DOMAIN} is not set',
      'transports[0].options.auth.pass: ${SMTP_PASS} is not set',
      'projects[0].name: has a ${ without a variable name and }; write $${ for a plain ${',
    ])
  })

  it('become numbers and booleans where those belong, and stay text where text belongs', async () => {
    const use = './transport.mjs'
    const cwd = await configFolder({
      'mailwright.config.yaml': `
        server: { port: "\${PORT_A}", trustProxy: "\${PROXY}", host: "\${DIGITS}" }
        transports: [{ use: ${use}, options: { port: "\${PORT_B}", secure: "\${PROXY}", pass: "\${DIGITS}" } }]`,
      'transport.mjs': `
        export default ({ port, secure, pass }) => ({
          name: JSON.stringify({ port, secure, pass }),
          provides: ['transport'],
          problems: () => typeof port === 'number' && typeof secure === 'boolean' ? [] : [
            { field: 'port', code: 'custom', message: 'Expected number but received "587"' },
            { field: 'secure', code: 'custom', message: 'Expected boolean but received "true"' },
          ],
          open: async () => ({}),
        })`,
    })
    const { server, engine } = await loadConfig({
      cwd,
      env: { PORT_A: '8080', PORT_B: '587', PROXY: 'true', DIGITS: '12345' },
    })
    expect(server).toMatchObject({ port: 8080, trustProxy: true, host: '12345' })
    expect(engine.transports).toMatchObject([{ plugin: { name: '{"port":587,"secure":true,"pass":"12345"}' } }])
  })

  it('that are no number where one belongs are refused', async () => {
    const load = (PORT_A: string) => problemsOf(loadJson({ server: { port: '${PORT_A}' } }, { PORT_A }))
    expect(await load('many')).toEqual(['server.port: must be a number, not a string'])
    expect(await load('99999')).toEqual(['server.port: must be at most 65535'])
  })

  it('become numbers whatever the words of the refusal, and each plugin without such a field is made once', async () => {
    const cwd = await configFolder({
      'mailwright.config.yaml': `
        retention: { events: "\${FOREVER}" }
        transports:
          - { name: first, use: ./transport.mjs, options: { label: a, lanes: [{ port: "\${PORT_A}", pause: "\${PAUSE}" }] } }
          - { name: second, use: ./transport.mjs, options: { label: b, lanes: [] } }`,
      'transport.mjs': `
        const made = []
        export default ({ label, lanes }) => {
          made.push(label)
          const [wrong] = lanes.flatMap((lane, i) => ['pause', 'port']
            .filter((key) => typeof lane[key] !== 'number')
            .map((key) => ({ field: 'lanes.' + i + '.' + key, code: 'custom', message: 'muss eine Zahl sein' })))
          const problems = () => wrong === undefined ? [] : [wrong]
          return { name: JSON.stringify(lanes), made, provides: ['transport'], problems, open: async () => ({}) }
        }`,
    })
    const { engine } = await loadConfig({ cwd, env: { PORT_A: '587', PAUSE: '-0.5', FOREVER: 'false' } })
    expect(engine.retention?.events).toBe(false)
    const plugins = engine.transports.map((each) => ('plugin' in each ? each.plugin : each))
    expect(plugins.map(({ name }) => name)).toEqual(['[{"port":587,"pause":-0.5}]', '[]'])
    const made: unknown = Reflect.get(plugins[0] ?? {}, 'made')
    expect(made).toEqual(['a', 'a', 'a', 'b'])
  })

  it.each([
    ['of a rule for texts', 'invalid_string'],
    ['of any rule', 'custom'],
  ])('stay text where the refusal %s only happens to say number', async (_, code) => {
    const cwd = await configFolder({
      'mailwright.config.yaml': `
        secret: "\${SHORT}"
        transports: [{ use: ./transport.mjs, options: { account: "\${SHORT}", port: "\${PORT_B}" } }]`,
      'transport.mjs': `
        const refuse = (field, code, message) => [{ field, code, message }]
        const account = (given) => typeof given !== 'string' ? refuse('account', 'invalid_type', 'must be a string') :
          given.length === 6 ? [] : refuse('account', '${code}', 'must be an account number of six digits')
        const port = (given) => typeof given !== 'number' ? refuse('port', 'invalid_type', 'must be a number') :
          given < 65536 ? [] : refuse('port', 'too_big', 'must be at most 65535')
        export default (given) => ({
          name: 'acme',
          provides: ['transport'],
          problems: () => [...account(given.account), ...port(given.port)],
          open: async () => ({}),
        })`,
    })
    expect(await problemsOf(loadConfig({ cwd, env: { SHORT: '12345', PORT_B: '99999' } }))).toEqual([
      'secret: must have at least 16 characters',
      'transports[0].options.account: must be an account number of six digits',
      'transports[0].options.port: must be at most 65535',
    ])
  })

  it('stay text where a factory cannot bear a number', async () => {
    const cwd = await configFolder({
      'mailwright.config.yaml': 'transports: [{ use: ./transport.mjs, options: { account: "${ACCOUNT}" } }]',
      'transport.mjs': `
        export default ({ account }) => {
          const problem = { field: 'account', code: 'custom', message: 'must be a number that begins with 7' }
          const problems = account.startsWith('7') ? [] : [problem]
          return { name: 'acme', provides: ['transport'], problems: () => problems, open: async () => ({}) }
        }`,
    })
    expect(await problemsOf(loadConfig({ cwd, env: { ACCOUNT: '12345' } }))).toEqual([
      'transports[0].options.account: must be a number that begins with 7',
    ])
  })
})

describe('a variable in a file', () => {
  const SECRET = 'sixteen characters or more'

  it('has the value of the file, for variables of either kind, without the line end', async () => {
    const cwd = await configFolder({
      'mailwright.config.json': JSON.stringify({ projects: [{ name: 'x', secretKey: '${KEY}' }] }),
      secret: `${SECRET}\n`,
      key: 'sk_0123456789abcdef0123456789abcdef\r\n',
    })
    const config = await loadConfig({ cwd, env: { SECRET_FILE: 'secret', KEY_FILE: `${cwd}/key`, OTHER_FILE: 'gone' } })
    expect(config.engine.secret).toBe(SECRET)
    expect(config.engine.projects?.[0]).toMatchObject({ secretKey: 'sk_0123456789abcdef0123456789abcdef' })
  })

  it('is a problem when it cannot be read, is empty or endless, or the variable is set as well', async () => {
    const cwd = await configFolder({ empty: '\n', long: 'x'.repeat(64 * 1024 + 1) })
    const env = { SECRET, SECRET_FILE: 'empty', SMTP_URL_FILE: 'empty', DATABASE_URL_FILE: 'gone' }
    const more = { PROJECT_NAME_FILE: 'long', PUBLIC_URL_FILE: '/dev/zero', HOST_FILE: cwd }
    expect(await problemsOf(loadConfig({ cwd, env: { ...env, ...more } }))).toEqual([
      `HOST_FILE: ${cwd} cannot be read (EISDIR)`,
      'PUBLIC_URL_FILE: /dev/zero has more than 64 KB',
      `DATABASE_URL_FILE: there is no file ${cwd}/gone`,
      `SMTP_URL_FILE: ${cwd}/empty is empty`,
      'SECRET_FILE: must be left out beside SECRET',
      `PROJECT_NAME_FILE: ${cwd}/long has more than 64 KB`,
    ])
  })
})
