import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { PortName } from '../../core/plugin/types.ts'
import type { Begin } from './begin.ts'

interface Template {
  readonly example: string
  /** The name of the example's plugin. */
  readonly plugin: string
  /** The function that makes it. */
  readonly maker: string
  /** Packages that its test uses. */
  readonly tools?: Readonly<Record<string, string>>
}

/**
 * The beginning of a plugin of each port that outsiders may write; the store is not one. Where a plugin of a few lines would not
 * keep the contract, it begins with the built-in one, whose methods are then replaced.
 */
const TEMPLATES: Readonly<Record<Exclude<PortName, 'store'>, Template>> = {
  transport: { example: 'http-transport', plugin: 'mail-acme', maker: 'acme' },
  queue: { example: 'redis-queue', plugin: 'queue-sorted-set', maker: 'sortedSetQueue' },
  blobs: { example: 'folder-blobs', plugin: 'blobs-folder', maker: 'folderBlobs' },
  hook: { example: 'http-hook', plugin: 'hook-acme', maker: 'acmeEvents' },
  scheduler: { example: 'own-scheduler', plugin: 'scheduler-own', maker: 'ownScheduler' },
  dns: { example: 'own-dns', plugin: 'dns-own', maker: 'ownDns' },
  webhooks: { example: 'own-webhooks', plugin: 'webhooks-own', maker: 'ownWebhooks' },
  identity: { example: 'own-identity', plugin: 'identity-own', maker: 'ownIdentity' },
  inbound: { example: 'own-inbound', plugin: 'inbound-own', maker: 'ownInbound', tools: { nodemailer: '>=7' } },
  compat: { example: 'own-compat', plugin: 'compat-acme', maker: 'acmeApi' },
  assistant: { example: 'own-assistant', plugin: 'assistant-own', maker: 'ownAssistant' },
  submission: { example: 'own-submission', plugin: 'submission-own', maker: 'ownSubmission' },
}
type TemplatePort = keyof typeof TEMPLATES

/** `mailwright plugin new`. */
export function addPlugin(program: Command, begin: Begin): void {
  program
    .command('plugin')
    .description('write plugins for this engine')
    .command('new')
    .description('begin a plugin: a working one, with a test that holds it to its contract')
    .addArgument(new Argument('<port>', 'what it is').choices(Object.keys(TEMPLATES)))
    .argument('<name>', 'its name, which is also that of its new folder: acme', readName)
    .action((port: TemplatePort, name: string, _options: object, command: Command) =>
      begin(command, () => write(port, name)),
    )
}

function readName(text: string): string {
  if (/^[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){0,5}$/.test(text)) return text
  throw new InvalidArgumentError('It must be small letters and digits, with - between words, such as acme-mail.')
}

async function write(port: TemplatePort, name: string): Promise<number> {
  const [{ mkdir, readFile, writeFile }, { createRequire }, { dirname, join }, { version }] = await Promise.all([
    import('node:fs/promises'),
    import('node:module'),
    import('node:path'),
    import('../version.ts'),
  ])
  const { example, plugin, maker, tools } = TEMPLATES[port]
  const examples = join(dirname(createRequire(import.meta.url).resolve('mailwright/package.json')), 'examples')
  const texts = await Promise.all(
    [`${example}.ts`, `plugin-tests/${port}.ts`].map((file) => readFile(join(examples, file), 'utf8')),
  )
  const [kind] = plugin.split('-', 1)
  const [code = '', test = ''] = texts.map((text) =>
    text
      .replaceAll(`../${example}.ts`, './plugin.ts')
      .replaceAll(plugin, `${kind}-${name}`)
      .replace(new RegExp(`\\b${maker}\\b`, 'g'), functionName(name, texts)),
  )
  const engine = `^${version()}`
  const manifest = {
    name: `mailwright-${name}`,
    version: '0.0.0',
    private: true,
    type: 'module',
    exports: './plugin.ts',
    scripts: { test: 'vitest run' },
    dependencies: { valibot: '^1.0.0' },
    peerDependencies: { mailwright: engine },
    devDependencies: { mailwright: engine, ...tools, vitest: '>=3' },
  }
  // fails when there is such a folder, so that nothing of it is overwritten
  const made = await mkdir(name).catch((error: NodeJS.ErrnoException) => error)
  if (made !== undefined) {
    process.stderr.write(`${made.code === 'EEXIST' ? `There is a folder ${name} already` : made.message}\n`)
    return 1
  }
  await writeFile(join(name, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  await writeFile(join(name, 'plugin.ts'), code)
  await writeFile(join(name, 'plugin.test.ts'), test)
  const use = `{ "use": "./${name}/plugin.ts" }`
  const begins = example.startsWith('own-') ? 'It passes on to the built-in one: replace its methods one by one.\n' : ''
  process.stdout.write(
    `${name}/ has ${/^[aeiou]/.test(port) ? 'an' : 'a'} ${port} plugin that passes its contract: plugin.ts, plugin.test.ts and package.json.\n${begins}` +
      `Change plugin.ts, and run in that folder: npm install && npm test\n` +
      `A config file names it: ${use}\n`,
  )
  return 0
}

/** `acme-mail` as a function, `acmeMail`; with a word behind it where the name is taken. */
function functionName(name: string, texts: readonly string[]): string {
  const camel = name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  const isTaken = KEYWORDS.has(camel) || texts.some((text) => new RegExp(`\\b${camel}\\b`).test(text))
  return isTaken ? `${camel}Plugin` : camel
}

/** Words of the language that are no names. */
const KEYWORDS = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield'.split(
    ' ',
  ),
)
