import { readFileSync } from 'node:fs'
import { EngineError, invalidField } from '../../errors.ts'
import { loadOptional, type OptionalPart } from '../../plugin/optional-packages.ts'
import { answerQuestions } from '../../work/answer-questions.ts'
import type { FormatAnswer, FormatQuestion } from './format-question.ts'
import { inlineCss } from './inline-css.ts'
import { markdownMail } from './markdown.ts'
import { compileMjml } from './mjml.ts'

/** The worker thread that makes HTML of other formats. Packages are loaded when they are first needed. */

/** How much HTML may become of a source: as much as a body with placeholders may have. */
const LONGEST_HTML = 2 * 1024 * 1024

answerQuestions(async (question: FormatQuestion) => {
  try {
    return { answer: await compiled(question) }
  } catch (error) {
    // its memory is of no more use: the next question gets another thread
    if (error instanceof Error && error.name === 'RuntimeError') process.exit(1)
    throw error
  }
})

async function compiled({ source, look, language }: FormatQuestion): Promise<FormatAnswer> {
  const { html, warnings } = await read(source, look, language)
  const made = source.inlineCss ? inlineCss(html, await cssInline()) : html
  if (made.length > LONGEST_HTML)
    throw invalidField('source.text', 'too_big', `becomes ${Math.ceil(made.length / 2 ** 20)} MB of HTML; at most 2 MB`)
  return { html: made, warnings }
}

async function read(
  { format, text }: FormatQuestion['source'],
  look: FormatQuestion['look'],
  language: string,
): Promise<FormatAnswer> {
  if (format === 'MJML') return compileMjml(text, await needed('mjml', 'source.format', mrml))
  return { html: format === 'HTML' ? text : markdownMail(text, look, language), warnings: [] }
}

async function mrml() {
  const { default: module } = await import('mrml')
  return module
}

const cssInline = () =>
  needed('css', 'source.inlineCss', async () => {
    const module = await import('@css-inline/css-inline-wasm')
    // literally, so that tools that trace files see it
    const code = new URL(import.meta.resolve('@css-inline/css-inline-wasm/index_bg.wasm'))
    ready ??= module.initWasm({ module_or_path: readFileSync(code) } as never)
    await ready
    return module
  })
let ready: Promise<void> | undefined

/**
 * The module of an optional part. Throws EngineError `VALIDATION_ERROR` with the line that installs it, or with the file that a
 * deployment has left out.
 */
async function needed<Module>(part: OptionalPart, field: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await loadOptional(part, part, load)
  } catch (error) {
    const isLeftOut = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!EngineError.is(error) && !isLeftOut) throw error
    const why = EngineError.is(error) ? error.fields[0]?.message : undefined
    throw invalidField(field, 'custom', `cannot be done by this server: ${why ?? error.message}`)
  }
}
