import { readFileSync } from 'node:fs'
import ts from 'typescript-5'
import { expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'

/*
 * Every regular expression sees input from outside sooner or later, and one that takes quadratic time holds the process for
 * an hour at a few megabytes. So all of them are found by parsing the code, and each is tried with texts made of its own
 * characters and words, repeated up to its longest input.
 */

/** How long the longest input is where nothing says otherwise, in characters: beyond, a linear one takes longer in proportion. */
const LONGEST = 16_000
const MOST_MS = 50
/** One that takes no longer for a text of this length is linear. */
const FIRST = 4_000
const LINEAR_MS = 1

/** Expressions whose input is shorter, by file and beginning, and what bounds it. */
const SHORTER: readonly (readonly [file: string, beginning: string, longest: number, why: string])[] = [
  ['core/bounces/judge.ts', '/', 4_000, 'MAX_LENGTH of the same file'],
  ['core/bounces/refusal-meaning.ts', '/', 2_000, 'MAX_LENGTH of the same file'],
  ['core/checks/address-checks.ts', '/^[^/]*', 300, 'the beginning of an address alone'],
  ['core/values/look.ts', '/[\\s,]*', 1_000, 'the schema before it'],
  ['core/values/quoted-name.ts', '/[a-z]', 1_000, 'names of projects and topics, by their schemas'],
  ['core/mails/search-words.ts', '/', 500, 'the schema of the search'],
  ['core/bounces/parse/named-recipients.ts', '/(?:RCPT', 200, 'MAX_BEFORE of the same file'],
  ['core/mail/mime/attachment-fields.ts', '/', 500, 'MAX_TYPE_LENGTH of the same file'],
  ['core/mail/formats/inline-css.ts', '/', 1_000, 'the time of its thread, which is ended after it'],
  ['core/mail/formats/mjml.ts', '/', 1_000, 'the time of its thread, which is ended after it'],
  ['core/mail/formats/check-mjml.ts', '/', 1_000, 'the time of its thread, which is ended after it'],
]

/** Runs in the browser of who typed the text. */
const isOfDashboard = (path: string) => path.startsWith('server/dashboard/')

interface Expression {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** Every literal of the product; of `new RegExp` those whose source is one text. */
function expressions(): readonly Expression[] {
  const found: Expression[] = []
  for (const { path } of sourceFiles()) {
    if (!/^(?:core|plugins|server|config)\//.test(path) || isOfDashboard(path)) continue
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
    const visit = (node: ts.Node): void => {
      if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart())
        found.push({ file: path, line: line + 1, text: node.getText() })
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return found
}

function compiled(text: string): RegExp {
  const end = text.lastIndexOf('/')
  return new RegExp(text.slice(1, end), text.slice(end + 1).replace('g', ''))
}

/** Pieces that may be repeated: the signs and words of the expression, and a sign of each usual class. */
function piecesOf(text: string): readonly string[] {
  const plain = text.replace(/\\[bBdDsSwWpPkuxnrtfvc0-9]|\\(?=.)|\(\?<?[:=!]|\{\d+,?\d*\}/g, ' ')
  const words = plain.match(/[\w<>/@{}%&;:="'!.*#-]{2,12}/g) ?? []
  return [...new Set([...plain.replace(/[()[\]|?+^$]/g, ''), ...' \n\ra0A"\'<', ...words.slice(0, 8)])]
}

/** How long it takes at most, and with which beginning of a text. */
function slowest(text: string, longest: number): { readonly ms: number; readonly attack: string } {
  const pattern = compiled(text)
  const pieces = piecesOf(text)
  const words = ['', ...pieces.filter((piece) => piece.length > 1).slice(0, 3)]
  let [ms, attack] = [0, '']
  for (const piece of pieces) {
    for (const word of words) {
      // a quadratic one shows in a short text already
      for (const size of [Math.min(FIRST, longest), longest]) {
        const input = `${word}${piece.repeat(size / piece.length)}\0`
        let took = Number.POSITIVE_INFINITY
        for (let time = 0; time < 3 && took > LINEAR_MS; time++) {
          const begun = performance.now()
          pattern.test(input)
          took = Math.min(took, performance.now() - begun)
        }
        if (took > ms) [ms, attack] = [took, JSON.stringify(input.slice(0, 20))]
        if (took > MOST_MS) return { ms, attack: `${attack} × ${size}` }
        if (took <= LINEAR_MS) break
      }
    }
  }
  return { ms, attack }
}

it('no regular expression holds the process, whatever it is given', () => {
  const all = expressions()
  expect(all.length).toBeGreaterThan(1000)
  const slow = all.flatMap(({ file, line, text }) => {
    const [, , longest = LONGEST] = SHORTER.find(([in_, beginning]) => in_ === file && text.startsWith(beginning)) ?? []
    const { ms, attack } = slowest(text, longest)
    return ms > MOST_MS ? [`${file}:${line} ${text.slice(0, 60)} takes ${Math.round(ms)} ms for ${attack}`] : []
  })
  expect(slow).toEqual([])
})
