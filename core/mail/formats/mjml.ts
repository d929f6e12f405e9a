import { invalidField } from '../../errors.ts'
import { checkMjml } from './check-mjml.ts'
import { LiquidTokens } from './liquid-tokens.ts'

type Mrml = typeof import('mrml')
type Refusal = Extract<ReturnType<InstanceType<Mrml['Engine']>['toHtml']>, { readonly type: 'error' }>

const ROOT = /^([\s\S]*?)(<mjml\b[\s\S]*<\/mjml\s*>)([\s\S]*)$/

/** HTML made of MJML, and what is odd in it. */
export interface CompiledMjml {
  readonly html: string
  readonly warnings: readonly string[]
}

/**
 * Compiles MJML. Its Liquid stands in the HTML as it was written, also before and after `<mjml>`. Throws EngineError
 * `VALIDATION_ERROR` with line and column.
 */
export function compileMjml(source: string, { Engine }: Mrml): CompiledMjml {
  const liquid = new LiquidTokens(source)
  const [, before = '', root, after = ''] = ROOT.exec(liquid.text) ?? []
  if (
    root === undefined ||
    [before, after].some((part) => part.replace(liquid.pattern, '').replace(COMMENTS, '').trim())
  )
    throw refused('must be one <mjml> element, with nothing but Liquid before and after it')
  checkMjml(root, liquid, (at) => liquid.placeOf(liquid.text, before.length + at))
  const engine = new Engine()
  // a font is fetched by every reader's mail program: only what mj-font names
  engine.setRenderOptions({ disableComments: false, socialIconOrigin: null, fonts: {} })
  const result = engine.toHtml(root)
  engine.free()
  const placeOf = (byte: number) =>
    liquid.placeOf(liquid.text, before.length + Buffer.from(root).subarray(0, byte).toString().length)
  if (result.type === 'error') throw refused(wordsOf(result, placeOf, lines(liquid.text, before.length, liquid)))
  const html = before + result.content + after
  const lost = liquid.lostFrom(html)
  if (lost !== undefined)
    throw refused(`${lost}: Liquid would be lost here, since MJML takes no such value in this place`)
  const warnings = result.warnings.map(
    ({ kind, span }) =>
      `${placeOf(span.start)}: ${kind === 'unexpected-attributes' ? 'MJML knows no such attribute here' : 'inline styles need inlineCss'}`,
  )
  return { html: liquid.restored(html.replace(/^\s+/, '')), warnings }
}

const COMMENTS = /<!--[\s\S]*?-->/g

function refused(message: string) {
  return invalidField('source.text', 'custom', message)
}

function wordsOf(
  { message, ...problem }: Refusal,
  placeOf: (byte: number) => string,
  placeOfLine: (line: number, column: number) => string,
): string {
  const details = problem.origin === 'parser' ? problem.details : undefined
  switch (details?.type) {
    case 'unexpected-element':
      return `${placeOf(details.position.start)}: this element cannot stand here`
    case 'unexpected-token':
      return `${placeOf(details.position.start)}: text cannot stand here; put it into mj-text or mj-raw`
    case 'missing-attribute':
      return `${placeOf(details.position.start)}: the attribute ${details.name} is missing`
    case 'invalid-attribute':
      return `${placeOf(details.position.start)}: this attribute has a value that MJML cannot read`
    case 'parser-error': {
      // such as "invalid attribute at 1:102 cause expected quote mark not 'x' at 1:108"
      const [, line, column] = /^.* at (\d+):(\d+)/s.exec(details.source) ?? []
      const cause = /cause (.+?)(?: at \d+:\d+)?$/s.exec(details.source)?.[1] ?? details.source
      return line === undefined ? cause : `${placeOfLine(Number(line), Number(column))}: ${cause}`
    }
    default:
      return `is no MJML: ${message}`
  }
}

/** Finds the place of a line and column of a text's part. */
function lines(text: string, from: number, liquid: LiquidTokens): (line: number, column: number) => string {
  return (line, column) => {
    let at = from
    for (let passed = 1; passed < line; passed++) at = text.indexOf('\n', at) + 1
    return liquid.placeOf(text, at + column - 1)
  }
}
