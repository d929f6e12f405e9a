import { Option } from 'commander'
import { errorCode } from '../../core/values/error-code.ts'
import { programName } from '../../core/values/program-name.ts'

/** The examples for frameworks and languages: their files in `examples/`, and what each does. */
const EXAMPLES: Readonly<Record<string, readonly [file: string, does: string, page: string]>> = {
  'next-route': ['next-route.ts', 'a route handler of Next.js: app/api/contact/route.ts', 'next'],
  'next-action': ['next-action.ts', 'a server action of Next.js: app/actions.ts', 'next'],
  'better-auth': ['better-auth.ts', 'the mails of better-auth: verification, reset, magic link', 'auth'],
  'auth-js': ['auth-js.ts', 'a provider of Auth.js that sends magic links', 'auth'],
  nest: ['nest.ts', 'a module of NestJS with forRootAsync', 'nestjs'],
  payload: ['payload.ts', 'the email adapter of Payload', 'cms'],
  strapi: ['strapi.ts', 'the email provider of Strapi: config/plugins.ts', 'cms'],
  directus: ['directus.env', 'the variables of Directus, which sends by SMTP', 'cms'],
  ghost: ['ghost.json', 'the mail of Ghost, which sends by SMTP', 'cms'],
  supabase: ['supabase.yaml', 'the hook that sends the mails of Supabase Auth', 'supabase'],
  'cron.py': ['cron.py', 'a job of cron in Python', 'cron'],
  'cron.php': ['cron.php', 'a job of cron in PHP', 'cron'],
}

/** `--example`. Another name is refused with the list. */
export function exampleOption(): Option {
  return new Option(
    '--example [name]',
    'instead: write an example for a framework or a language here; without a name list them',
  ).choices(Object.keys(EXAMPLES))
}

/** Writes the example of this name into the current folder, where no file is replaced; `true` lists all. */
export async function writeExample(name: string | true): Promise<number> {
  const [file, , page] = (name !== true && EXAMPLES[name]) || []
  if (file === undefined) {
    const width = Math.max(...Object.keys(EXAMPLES).map(({ length }) => length))
    const lines = Object.entries(EXAMPLES).map(([each, [, does]]) => `  ${each.padEnd(width)}  ${does}\n`)
    process.stdout.write(`${lines.join('')}\nWrite one with \`${programName()} init --example NAME\`.\n`)
    return 0
  }
  const [{ copyFile, constants }, { createRequire }, { dirname, join }] = await Promise.all([
    import('node:fs/promises'),
    import('node:module'),
    import('node:path'),
  ])
  const home = dirname(createRequire(import.meta.url).resolve('mailwright/package.json'))
  try {
    await copyFile(join(home, 'examples', file), file, constants.COPYFILE_EXCL)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    process.stderr.write(`${file} exists already: rename it, or call this in another folder.\n`)
    return 1
  }
  process.stdout.write(`Written to ${file}. How to use it: ${join(home, 'docs/recipes', `${page}.md`)}\n`)
  return 0
}
