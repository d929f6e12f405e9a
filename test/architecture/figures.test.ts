import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { knownKeys } from '../../config/unknown-keys.ts'
import { DOORS, ROOMS } from '../../core/start/make-rooms.ts'
import { sourceFiles } from './source-files.ts'

/*
 * What makes the house large, counted. Each figure may only go down: lower it here when you have made it smaller; raising
 * one needs its reason beside it. `test/programs/walk.test.ts` does the same for the walk of one mail.
 */
const MOST = {
  injectables: 55,
  // 1 for topics, whose users are found as those of everything else
  // 3 for the secrets of webhooks, which are encrypted where they are set, shown and used
  'constructor edges': 235,
  // 1 for the requests of webhooks, which are signed with them
  'classes with seven or more parameters': 9,
  'rooms in core': 33,
  // one for the ramp, one for mails that trouble has put off
  'files in delivery/': 21,
  "names at the top of 'engine'": 22,
  // seven for the time zone, the cap and the quotas of a project
  // 3: the profiles in the look of a project, which the file sets back with the rest of it
  // what public keys may do to the data of known contacts
  settings: 172,
  // 200 for topics, what contacts chose, pauses, and rules by topic: two tables, and who is left out of a mail
  // 40 for what became of a campaign's mail, and for the folders of campaigns
  // 148 for forms and what was sent by them: two tables
  // 40 for the plan of campaigns, what waits of them, and shares of mails that processes have in common
  // 57 for replies and public archives: their columns and lists
  // 100 for series of campaigns and the items they have seen
  // 15 for how often contacts were mailed, and what is given back of a share
  // the figures of each variant of a campaign, counted and listed, took 105
  // 2 for the field that says how often a contact wants mail
  // 93 for writing inside a transaction of the host, 10 for tables that are another program's
  // 103 for those whom a campaign left out: a table, and the list of it and of skipped mails
  // 33 for the marketing mails of many contacts, each since a moment of its own, by one statement
  // 26 for loops that read a batch once, so that one mail runs 52 functions fewer
  // 126 for mails that other programs ask for by SQL: a table, its claims and results
  // 28 for a schema that an empty database gets at once
  // 12 for migrations through a pooler, whose connections keep no settings
  // 5 for segments whose filter is older than what its operators mean now
  // 16 for names that change: the drafts that have them, and the executions that wait for them
  // 5 for how contacts left, which no file undoes
  // 24 for mails that are brought forward
  // 37 for how often claimed work was interrupted, in six tables
  // 35 for contacts that come in: their event is stored where something waits for it
  // 6 for data that is erased from the files beside the database
  // 24 for the mail that asks about a submission, and what public keys may do to data
  // 12 for secrets of webhooks that are encrypted at start, and endpoints whose owners are told of a pause
  // 111 for contacts that are merged: a table, and all that moves
  'lines of the SQL layer': 12_381,
  'words of docs/decisions.md': 6000,
  // 911 before most records and answers had them; those of the store port are for its authors
  'fields and methods of exported types without a comment': 304,
}

const files = sourceFiles()
const core = files.filter(({ path }) => path.startsWith('core/'))
const linesOf = (folder: string) =>
  files.filter(({ path }) => path.startsWith(folder)).reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)

it('no figure of the house has grown', () => {
  const injectables = core.flatMap(({ code }) => code.split('@injectable()').slice(1))
  const edges = injectables.map((text) => constructorOf(text).match(/@inject\(/g)?.length ?? 0)
  const counted: Record<keyof typeof MOST, number> = {
    injectables: injectables.length,
    'constructor edges': edges.reduce((sum, count) => sum + count, 0),
    'classes with seven or more parameters': edges.filter((count) => count >= 7).length,
    'rooms in core': new Set(core.flatMap(({ path }) => /^core\/([^/]+)\//.exec(path)?.[1] ?? [])).size,
    'files in delivery/': core.filter(({ path }) => path.startsWith('core/delivery/')).length,
    "names at the top of 'engine'": Object.keys(DOORS).length,
    settings: knownKeys().length,
    'lines of the SQL layer': linesOf('plugins/kit/sql/'),
    'words of docs/decisions.md': readFileSync('docs/decisions.md', 'utf8').match(/\S+/g)?.length ?? 0,
    'fields and methods of exported types without a comment': uncommented().length,
  }
  const grown = Object.entries(counted).filter(([name, count]) => count > MOST[name as keyof typeof MOST])
  expect(grown).toEqual([])
})

it('every injectable class is on the lists of core/start/make-rooms.ts', () => {
  const listed = new Set(Object.values(ROOMS).map(({ name }) => name))
  const classes = core.flatMap(({ code }) =>
    [...code.matchAll(/@injectable\(\)\n(?:export )?class (\w+)/g)].map(([, name]) => name),
  )
  expect(classes.filter((name) => !listed.has(name ?? ''))).toEqual([])
})

/** The members of interfaces that the package exports, without the repositories of stores, that an editor says nothing of. */
function uncommented(): readonly string[] {
  const library = files.find(({ path }) => path === 'config/library.ts')?.code ?? ''
  const lists = [...library.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) => names.split(','))
  const exported = new Set(lists.map((name) => name.trim().replace(/^type | as .*$/g, '')))
  const interfaces = core.flatMap(({ text }) => [...text.matchAll(/^export interface (\w+)[^{]*\{\n(.*?)^\}/gms)])
  return interfaces.flatMap(([, name = '', members = '']) => {
    if (!exported.has(name) || /Repositor(y|ies)$/.test(name)) return []
    const lines = members.split('\n').filter((line) => line.trim() !== '')
    const bare = lines.filter(
      (line, i) => /^ {2}(readonly )?\w+\??(<[^(]*)?[:(]/.test(line) && !lines[i - 1]?.trimEnd().endsWith('*/'),
    )
    return bare.map((line) => `${name}: ${line.trim()}`)
  })
}

/** What stands in the parentheses of the first constructor of a class; nothing when it has none. */
function constructorOf(text: string): string {
  const [own = ''] = text.split(/^}/m)
  return /\bconstructor\(([\s\S]*?)\n? *\) \{/.exec(own)?.[1] ?? ''
}
