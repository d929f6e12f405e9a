import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { knownKeys } from '../../config/unknown-keys.ts'
import { DOORS, ROOMS } from '../../core/start/make-rooms.ts'
import { entities } from '../../plugins/kit/sql/engine/tables.ts'
import { sourceFiles } from './source-files.ts'

/*
 * The figures that make the house large. Each figure may only go down: lower it here when you have made it smaller;
 * raising one needs its reason beside it. `test/programs/walk.test.ts` does the same for the walk of one mail.
 */
const MOST = {
  // 1 for what the operator sets while it runs, which the next three are for, too
  // 1 for dates of contacts that start workflows, which are looked for in the background
  // 1 for inboxes, their threads and their drafts
  // 1 for the assistant, 1 for the reports of receivers on domains
  // 1 for the simulator, which takes mail as a transport does
  // 1 for caught mails, which tests read
  // one for seed lists
  // 1 for the transports that requests may name, which are known before the ways of mail are
  // 1 for the mails that campaigns are about to write, which claims take
  injectables: 65,
  // 1 for topics, whose users are found as those of everything else
  // 3 for the secrets of webhooks, which are encrypted where they are set, shown and used
  // 2 for retention, which claims its rules, and for campaigns that pause when processes end with them
  // 2 for series and erasures, which are claimed like all that processes may end with
  // 1 for the check of mails, which knows that a server has no next hop
  // 4 for dates that start workflows, and for campaigns, which are not deleted while a workflow starts by them
  // 1 for the addresses that mail servers of projects may be at, which are judged as those of webhooks
  // 3 for the dialects of webhooks, which are checked when an endpoint is made, written and signed when events are sent
  // 4 for inboxes, whose mails are read and sent as others, and 1 for their events, which are dispatched as all are
  // 1 for the mails that hooks ask for, which the room of mails accepts
  // 1 for inboxes, whose agents are stopped by their keys
  // 1 for the links by which mailboxes agree to get the mail of inboxes
  // 5 for the assistant, which asks a model about threads of inboxes, within a budget that the store counts, and changes them;
  // 1 more for the messages that its drafts answer: draft and changes are one commit
  // 1 for mails of workflows, which join conversations of inboxes as those by the API do
  // 2 for the reports of receivers, which are read when mail comes in and go with their domain, and 2 of their own
  // 2 for the rules of routing, which know projects by their names and receivers by the DNS
  // 4 for the simulator, whose messages come in by the door for all mail, and 1 for the way that mail goes to it
  // 3 for the sandbox, which lists mails of the ledger, and 1 for the delivery that tells it of caught ones
  // 1 for the logos of domains, which are fetched by the guarded way to addresses of others
  // 4 for seed lists, which send tests of campaigns, and open what is sealed for the installation
  // 5 for the transports that requests name: mails, campaigns, workflows and the ways of mail ask for them, by the settings
  // 2 for the mails that campaigns are about to write: those who write them offer them to those who claim mail
  // 2 for the ramps of rules: feedback counts what is refused later, and accounts mail who runs the server
  'constructor edges': 297,
  // 1 for the requests of webhooks, which are signed with them
  // 1 for inboxes, which stop agents by their keys, and ask mailboxes by links
  // 1 for the ways of mail, whose rules know projects by their names and receivers by the DNS
  // 1 for accounts, which mail who runs the server when a ramp goes back
  'classes with seven or more parameters': 12,
  // one for inboxes, one for the assistant, one for reports of receivers, one for the simulator, one for the sandbox,
  // one for seed lists
  'rooms in core': 40,
  // one for the ramp, one for mails that trouble has put off
  // 3 for the ways of projects with mail servers of their own, and for claiming their mail apart
  // 1 for what is caught instead of sent
  // 6 for the rules of routing: what they are, their problems, what they see of a mail, who receives, the ways, explanations
  // 1 for the quotas of transports, which processes share, and 1 for the ramps of rules
  // 1 for the mails that campaigns are about to write, which claims take
  // 1 for the windows in which quotas count
  'files in delivery/': 35,
  // one for whole messages, which programs write themselves
  // one for inboxes, one for the assistant, one for the sandbox, one for seed lists
  "names at the top of 'engine'": 28,
  // 3 for the mails of a project that strangers cause, which an operator raises for a large launch
  // the socket of other services' APIs has five
  // 1 for whether projects may have mail servers of their own
  // the socket of the assistant has three
  // 2 for where the mail of a project goes, which a server for tests sets for all of its mail
  // 1 for the rules of routing, for installations with several relays
  // 1 for the host of the simulator, for those who get real mail at the name that follows from their public address
  // 2 for block lists: which are asked, and the addresses that mail leaves from, which this server cannot see
  // 1 for the transports that projects may name
  settings: 180,
  // a sum of all lines grew with every feature, and said nothing of how a table is written
  'lines of the SQL layer for each table': 197,
  'words of docs/decisions.md': 6000,
  'words of README.md': 720,
  // 911 before most records and answers had them; those of the store port are for its authors
  'fields and methods of exported types without a comment': 304,
}

const files = sourceFiles()
const core = files.filter(({ path }) => path.startsWith('core/'))
const linesOf = (folder: string) =>
  files.filter(({ path }) => path.startsWith(folder)).reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)

const wordsOf = (page: string) => readFileSync(page, 'utf8').match(/\S+/g)?.length ?? 0

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
    'lines of the SQL layer for each table': Math.round(linesOf('plugins/kit/sql/') / entities.length),
    'words of docs/decisions.md': wordsOf('docs/decisions.md'),
    'words of README.md': wordsOf('README.md'),
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

/** The text in the parentheses of the first constructor of a class; nothing when it has none. */
function constructorOf(text: string): string {
  const [own = ''] = text.split(/^}/m)
  return /\bconstructor\(([\s\S]*?)\n? *\) \{/.exec(own)?.[1] ?? ''
}
