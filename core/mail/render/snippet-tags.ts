import {
  type Context,
  type Emitter,
  Hash,
  type Liquid,
  type Parser,
  Tag,
  type TagToken,
  type Template,
  Tokenizer,
  type TopLevelToken,
} from 'liquidjs'
import { readRenderTag } from './render-tag.ts'
import type { TemplateMode } from './template.ts'

/** The block that a snippet with its own values becomes when it is put into a source; it is not written by hand. */
export const SNIPPET_TAG = 'mailwright_snippet'
export const SNIPPET_END = 'endmailwright_snippet'

/** A context that keeps what a snippet is given, and what it assigns, inside the snippet. */
export interface SnippetScopes {
  enterSnippet(given: object): void
  leaveSnippet(): void
}

/** The tags about snippets, by name. */
export function snippetTags(mode: TemplateMode): Readonly<Record<string, TagClass>> {
  return { render: mode === 'html' ? RenderTag : NoRenderTag, include: IncludeTag, [SNIPPET_TAG]: SnippetTag }
}
type TagClass = Parameters<Liquid['registerTag']>[1]

const HOW = "write {% render 'name' %}, with values as in {% render 'name', title: firstName %}"

/**
 * `{% render 'footer' %}` as an author wrote it: it is parsed to find mistakes at their place. Before a mail is made its
 * snippets are put in, so that it is never rendered.
 */
class RenderTag extends Tag {
  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid)
    if (!token.getText().startsWith('{%')) throw new Error(`render must be a separate tag: ${HOW}`)
    const read = readRenderTag(token.args)
    if (read === undefined) throw new Error(`render needs the name of a snippet in quotes: ${HOW}`)
    readGiven(read.given)
  }

  render(): void {
    throw new Error('has a snippet that was not put in')
  }
}

class NoRenderTag extends Tag {
  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid)
    throw new Error('render works in HTML bodies only: snippets are HTML')
  }

  render(): void {}
}

class IncludeTag extends Tag {
  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid)
    throw new Error(`include reads files, and a mail has none; for a snippet ${HOW}`)
  }

  render(): void {}
}

class SnippetTag extends Tag {
  readonly given: Hash
  readonly templates: Template[] = []

  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid, parser: Parser) {
    super(token, remaining, liquid)
    this.given = readGiven(token.args)
    const stream = parser.parseStream(remaining)
    stream
      .on(`tag:${SNIPPET_END}`, () => stream.stop())
      .on('template', (template: Template) => void this.templates.push(template))
      .on('end', () => {
        throw new Error('a snippet does not end')
      })
    stream.start()
  }

  *render(context: Context, emitter: Emitter): Generator<unknown, void, object> {
    const given = yield this.given.render(context)
    if (!hasScopes(context)) throw new Error('a snippet needs a scope of its own')
    context.enterSnippet(given)
    yield this.liquid.renderer.renderTemplates(this.templates, context, emitter)
    context.leaveSnippet()
  }
}

/** Throws when there is more than names with values. */
function readGiven(written: string): Hash {
  const tokenizer = new Tokenizer(written)
  const given = new Hash(tokenizer)
  tokenizer.skipBlank()
  const rest = tokenizer.remaining().trim()
  const bare = Object.entries(given.hash).find(([, value]) => value === undefined)?.[0]
  if (bare === 'with' || bare === 'for') throw new Error(`render knows no "${bare}": ${HOW}`)
  if (bare !== undefined) throw new Error(`the value of "${bare}" is missing: ${HOW}`)
  if (rest.startsWith('|')) throw new Error('render takes values without filters: write the filter into the snippet')
  if (rest !== '') throw new Error(`"${rest}" cannot be read: ${HOW}`)
  return given
}

function hasScopes(context: object): context is SnippetScopes {
  return 'enterSnippet' in context
}
