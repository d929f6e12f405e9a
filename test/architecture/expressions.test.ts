import { pathToFileURL } from 'node:url'
import { analyse } from 'scslre'
import ts from 'typescript-5'
import { expect, it } from 'vitest'
import { OUTPUT } from '../../server/dashboard/parts/mail-editor/liquid.ts'
import { sourceFiles } from './source-files.ts'

/*
 * Every regular expression sees input from outside sooner or later, and one that takes quadratic time holds the process for
 * an hour at a few megabytes. So all of them are found by parsing the code. Each is analysed for ways to match one text
 * that trade with each other, and tried with texts made of its own characters and words, repeated up to its longest input.
 */

/** How long the longest input is where nothing says otherwise, in characters: beyond, a linear one takes longer in proportion. */
const LONGEST = 16_000
const MOST_MS = 50
/** One that takes no longer for a text of this length is linear. */
const FIRST = 4_000
const LINEAR_MS = 0.5
/** One that grows faster than its text is tried with one that is so many times as long, too. */
const GROWN = 4

/** Expressions whose input is shorter, by file and beginning, and what bounds it. */
const SHORTER: readonly (readonly [file: string, beginning: string, longest: number, why: string])[] = [
  ['core/bounces/judge.ts', '/', 4_000, 'MAX_LENGTH of the same file'],
  ['core/bounces/refusal-meaning.ts', '/', 2_000, 'MAX_LENGTH of the same file'],
  ['core/values/look.ts', '/[\\s,]*', 1_000, 'the schema before it'],
  ['core/values/quoted-name.ts', '/[a-z]', 1_000, 'names of projects and topics, by their schemas'],
  ['core/mails/search-words.ts', '/', 500, 'the schema of the search'],
  ['core/bounces/parse/named-recipients.ts', '/(?:RCPT', 200, 'MAX_BEFORE of the same file'],
  ['core/mail/mime/attachment-fields.ts', '/', 500, 'MAX_TYPE_LENGTH of the same file'],
  ['core/mail/formats/inline-css.ts', '/', 1_000, 'the time of its thread, which is ended after it'],
  ['core/mail/formats/mjml.ts', '/', 1_000, 'the time of its thread, which is ended after it'],
  ['core/mail/formats/check-mjml.ts', '/', 1_000, 'the time of its thread, which is ended after it'],
]

/**
 * Expressions built from data, by file and beginning of their source, with one as it is built. Why it is harmless: what is
 * put in is one of the texts of this code, or bounded and escaped.
 */
const FROM_DATA: readonly (readonly [file: string, beginning: string, example: RegExp, why: string])[] = [
  ['core/bounces/judge.ts', '`(?<![', /(?<![\d.])550[ -]/, 'three digits'],
  ['core/bounces/parse/mime.ts', '`;', /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i, 'names in this code'],
  ['core/feedback/counted.ts', '`(?<![', /(?<![\w-])ada\.lee\+x(?![\w-])/gi, 'an address of 254 characters, escaped'],
  ['core/inbound/readable-mime.ts', '`;', /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i, 'names in this code'],
  ['core/inbound/test-arrival.ts', '`^', /^subject:((?:[^\r\n]|\r\n[ \t])*)/im, 'names in this code'],
  ['core/inbound/unreadable.ts', '`^', /^subject:[ \t]*([^\r\n]{0,900})/im, 'names in this code'],
  ['core/mail/formats/inline-css.ts', '`<!--', /<!--a0q(\d+)z-->/g, 'a mark made by this code'],
  ['core/mail/formats/inline-css.ts', '` ', / a0q(\d+)z=""/g, 'a mark made by this code'],
  ['core/mail/formats/liquid-tokens.ts', '`${this', /a0q(\d+)z/g, 'a mark made by this code'],
  [
    'core/mail/formats/liquid-tokens.ts',
    '`<!--',
    /<!--a0q(\d+)z-->|&lt;!--a0q(\d+)z--&gt;|a0q(\d+)z/g,
    'a mark made by this code',
  ],
  ['core/mail/formats/liquid-tokens.ts', '`(?:<', /(?:<!--)?a0q(\d+)z(?:-->)?/g, 'a mark made by this code'],
  ['core/mail/formats/markdown.ts', '`^[', /^[ \t]*(?:a0q\d+z[ \t]*)+$/gm, 'a mark made by this code'],
  ['core/mail/html/mentions.ts', '`(?<![', /(?<![\w.?-])unsubscribeUrl(?![\w?-])/, 'names in this code'],
  ['core/mail/links/signed-addresses.ts', '`^', /^bounce\+([0-9a-v]{50})$/, 'words in this code'],
  ['core/mail/render/scan-template.ts', 'ENDS', /\{%-?\s*endraw(?![\w?-])(?:(?!\{%)[\s\S])*?%\}/g, 'a literal'],
  ['plugins/queue-redis/connections.ts', '`^', /^redis_version:(.*)$/m, 'names in this code'],
  ['server/commands/plugin.ts', '`\\\\b${maker', /\bmakeSink\b/g, 'a name in the examples'],
  ['server/commands/plugin.ts', '`\\\\b${camel', /\bacmeMail\b/, 'letters and digits of an argument'],
  ['server/dashboard/parts/mail-editor/nodes.ts', '`${OUTPUT', new RegExp(`${OUTPUT.source}$`), 'a literal'],
  ['server/dashboard/parts/mail-editor/nodes.ts', 'OUTPUT', OUTPUT, 'a literal'],
  ['server/dashboard/parts/mail-editor/nodes.ts', '`${TAG', /(\{\{[^{}]*\}\}|\{%[^{}]*%\})$/, 'a literal'],
  ['server/dashboard/parts/mail-editor/nodes.ts', 'TAG', /(\{\{[^{}]*\}\}|\{%[^{}]*%\})/g, 'a literal'],
  ['server/dashboard/parts/mail-editor/convert.ts', 'HELD', /\ufdd0(\d+)\ufdd1/g, 'a literal'],
  ['server/dashboard/parts/mail-editor/read-styles.ts', '`(?:^', /(?:^|;)\s*width:\s*(\d+)/i, 'names in this code'],
  ['server/dashboard/texts/reworded.ts', '`^', /^(.+) is not possible here; use (.+)\.$/, 'texts of the dashboard'],
  ['server/http/unmatched.ts', '`^', /^\/contacts\/[^/]+\/events(?:\/.*)?\/?$/, 'paths of routes'],
]

interface Expression {
  readonly file: string
  readonly line: number
  readonly text: string
}

interface Found {
  /** As they stand there. */
  readonly literals: readonly Expression[]
  /** The expressions that are built with `new RegExp`. */
  readonly built: readonly Expression[]
}

/** A file without this has no expression, and is not parsed. */
const MAY_HAVE = /RegExp|(?:^|[\s=(,:[!&|?{};])\/(?![/*])/m

function expressions(): Found {
  const literals: Expression[] = []
  const built: Expression[] = []
  for (const { path, text } of sourceFiles()) {
    if (!/^(?:core|plugins|server|config)\//.test(path) || !MAY_HAVE.test(text)) continue
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    const at = (node: ts.Node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) literals.push({ file: path, line: at(node), text: node.text })
      const isBuilt = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp'
      if (isBuilt) built.push({ file: path, line: at(node), text: node.arguments?.[0]?.getText() ?? '' })
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return { literals, built }
}

/** The expressions that a file builds while it is loaded. */
async function builtAtStart(file: string): Promise<readonly Expression[]> {
  const before = globalThis.RegExp
  const texts: string[] = []
  globalThis.RegExp = new Proxy(before, {
    construct(target, given: [string | RegExp, string?]) {
      const made = new target(...given)
      texts.push(String(made))
      return made
    },
  })
  try {
    await import(/* @vite-ignore */ `${pathToFileURL(file).href}?built`)
  } finally {
    globalThis.RegExp = before
  }
  return texts.map((text) => ({ file, line: 0, text }))
}

function compiled(text: string): RegExp {
  const end = text.lastIndexOf('/')
  return new RegExp(text.slice(1, end), text.slice(end + 1).replace('g', ''))
}

/** Whether two parts of it can match the same text, so that it tries every way to share a long one between them. */
function trades(text: string): boolean {
  const { source, flags } = compiled(text)
  return analyse({ source, flags }, { reportTypes: { Move: false } }).reports.length > 0
}

/** Pieces that may be repeated: the signs and words of the expression, and a sign of each usual class. */
function piecesOf(text: string): readonly string[] {
  const plain = text.replace(/\\[bBdDsSwWpPkuxnrtfvc0-9]|\\(?=.)|\(\?<?[:=!]|\{\d+,?\d*\}/g, ' ')
  const words = plain.match(/[\w<>/@{}%&;:="'!.*#-]{2,12}/g) ?? []
  return [...new Set([...plain.replace(/[()[\]|?+^$]/g, ''), ...' \n\ra0A"\'<', ...words.slice(0, 8)])]
}

/** How long this thread has used a core, in milliseconds: others may want it, too. */
function used(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** How long a match takes, the best of three, or the first that takes no longer than this. */
function timeOf(pattern: RegExp, input: string, quick = LINEAR_MS): number {
  let took = Number.POSITIVE_INFINITY
  for (let time = 0; time < 3 && took > quick; time++) {
    const begun = used()
    pattern.test(input)
    took = Math.min(took, used() - begun)
  }
  return took
}

/** How long it takes at most, and for what. */
function slowest(text: string, longest: number): { readonly ms: number; readonly attack: string } {
  // where nothing is repeated, a match ends after as many characters as the expression has
  if (!/[*+{]/.test(text)) return { ms: 0, attack: '' }
  const pattern = compiled(text)
  const pieces = piecesOf(text)
  const words = ['', ...pieces.filter((piece) => piece.length > 1).slice(0, 3)]
  let [ms, attack] = [0, '']
  for (const piece of pieces) {
    for (const word of words) {
      const input = (size: number) => `${word}${piece.repeat(size / piece.length)}\0`
      // a quadratic one shows in a short text already
      const first = timeOf(pattern, input(Math.min(FIRST, longest)))
      if (first <= LINEAR_MS) continue
      const linear = (1.5 * first * longest) / Math.min(FIRST, longest)
      const took = timeOf(pattern, input(longest), Math.min(MOST_MS, linear))
      if (took > ms) [ms, attack] = [took, JSON.stringify(input(20))]
      if (took > MOST_MS) return { ms, attack: `${attack} × ${longest}` }
      // a quick search that is quadratic nevertheless
      if (longest < LONGEST || took <= linear) continue
      const grown = timeOf(pattern, input(GROWN * longest))
      const isQuadratic = grown > MOST_MS && grown > 2 * GROWN * timeOf(pattern, input(longest))
      if (isQuadratic) return { ms: grown, attack: `${attack} × ${GROWN * longest}` }
    }
  }
  return { ms, attack }
}

it('no regular expression holds the process, whatever it is given', async () => {
  const { literals, built } = expressions()
  expect(literals.length).toBeGreaterThan(1100)
  const isFromData = ({ file, text }: Expression) =>
    FROM_DATA.some(([in_, beginning]) => in_ === file && text.startsWith(beginning))
  const files = new Set(built.filter((each) => !isFromData(each)).map(({ file }) => file))
  const atStart: Expression[] = []
  for (const file of files) {
    const found = await builtAtStart(file)
    expect(found, `${file} builds an expression from data: list it in FROM_DATA`).not.toEqual([])
    atStart.push(...found)
  }
  const examples = FROM_DATA.map(([file, beginning, example]) => {
    const { line } = built.find((each) => each.file === file && each.text.startsWith(beginning)) ?? {}
    expect(line, `${file} has no ${beginning} any more`).toBeDefined()
    return { file, line: line ?? 0, text: String(example) }
  })
  const all = [...literals, ...atStart, ...examples]
  const nameOf = ({ file, line, text }: Expression) => `${file}:${line} ${text.slice(0, 60)}`
  expect(all.filter(({ text }) => trades(text)).map(nameOf)).toEqual([])
  const slow = all.flatMap((each) => {
    const { file, text } = each
    const [, , longest = LONGEST] = SHORTER.find(([in_, beginning]) => in_ === file && text.startsWith(beginning)) ?? []
    const { ms, attack } = slowest(text, longest)
    return ms > MOST_MS ? [`${nameOf(each)} takes ${Math.round(ms)} ms for ${attack}`] : []
  })
  expect(slow).toEqual([])
})
