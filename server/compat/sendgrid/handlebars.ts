import { invalidField } from '../../../core/errors.ts'

/*
 * The Handlebars of SendGrid's dynamic templates, as the Liquid of ours: values, conditions and lists. Names within
 * `{{#each}}` are those of the entry.
 */

/** A placeholder or a tag, with two braces or three. */
const TAG = /\{\{(\{?)([^{}]{0,500})\}?\}\}/g
/** A path or a literal: `order.total`, `this.name`, `../name`, `@root.name`, `"text"`, `12`. */
const OPERAND = /"[^"]*"|'[^']*'|[^\s"']+/g
const PATH = /^[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}_][\p{L}\p{N}_-]*)*$/u
const LITERAL = /^(?:-?\d+(?:\.\d+)?|true|false|"[^"]*"|'[^']*')$/
const BINARY: Readonly<Record<string, string>> = {
  equals: '==',
  notEquals: '!=',
  greaterThan: '>',
  lessThan: '<',
  and: 'and',
  or: 'or',
}

/** A block that is open, with the tag that closes it. */
interface Block {
  readonly name: string
  readonly close: string
  /** Within a list: the name of its entry. */
  readonly entry?: string
}

/** A text of theirs as one of ours. Throws EngineError `VALIDATION_ERROR` for what it does not understand. */
export function toLiquid(text: string, field: string): string {
  const open: Block[] = []
  const refuse = (tag: string) =>
    invalidField(field, 'custom', `has ${tag.slice(0, 100)}, which is not understood here: write it in Liquid`)
  const written = text.replace(TAG, (tag, third: string, inner: string) => {
    const [name = '', ...given] = inner.trim().match(OPERAND) ?? []
    // what is Liquid already
    if (inner.includes('|')) return tag
    if (name.startsWith('!')) return ''
    if (name.startsWith('#')) return begin(name.slice(1), given, open) ?? fail(refuse(tag))
    if (name.startsWith('/')) {
      const block = open.pop()
      if (block?.name !== name.slice(1)) throw refuse(tag)
      return block.close
    }
    if (name === 'else') return elseOf(given, open) ?? fail(refuse(tag))
    const value = printed(name, given, open)
    if (value === undefined) throw refuse(tag)
    return `{{ ${value}${third === '{' ? ' | raw' : ''} }}`
  })
  const [left] = open
  if (left !== undefined) throw refuse(`{{#${left.name}}} without its end`)
  return written
}

function fail(error: Error): never {
  throw error
}

function begin(name: string, given: readonly string[], open: Block[]): string | undefined {
  const operands = given.map((each) => operandOf(each, open))
  const [first, second, third] = operands
  if (first === undefined || operands.some((each) => each === undefined)) return undefined
  if (name === 'each' && second === undefined) {
    const entry = `item${open.filter((block) => block.entry !== undefined).length + 1}`
    open.push({ name, entry, close: '{% endfor %}' })
    return `{% for ${entry} in ${first} %}`
  }
  const condition = conditionOf(name, first, second)
  if (condition === undefined || third !== undefined) return undefined
  const isUnless = name === 'unless'
  open.push({ name, close: isUnless ? '{% endunless %}' : '{% endif %}' })
  return isUnless ? `{% unless ${condition} %}` : `{% if ${condition} %}`
}

function conditionOf(name: string, first: string, second: string | undefined): string | undefined {
  // an empty text counts as false there
  if (name === 'if' || name === 'unless') return second === undefined ? `${first} and ${first} != blank` : undefined
  const sign = Object.hasOwn(BINARY, name) ? BINARY[name] : undefined
  return sign === undefined || second === undefined ? undefined : `${first} ${sign} ${second}`
}

function elseOf(given: readonly string[], open: readonly Block[]): string | undefined {
  if (open.length === 0) return undefined
  const [kind, ...operands] = given
  if (kind === undefined) return '{% else %}'
  const [first, second, third] = operands.map((each) => operandOf(each, open))
  const condition = first === undefined || third !== undefined ? undefined : conditionOf(kind, first, second)
  return condition === undefined || open.at(-1)?.close !== '{% endif %}' ? undefined : `{% elsif ${condition} %}`
}

function printed(name: string, given: readonly string[], open: readonly Block[]): string | undefined {
  if (given.length === 0) return operandOf(name, open)
  const [first = '', second] = given
  const value = operandOf(first, open)
  if (value === undefined) return undefined
  if (name === 'length' && second === undefined) return `${value} | size`
  if (name !== 'insert') return undefined
  const usual = /^(?:"default=([^"{}]*)"|'default=([^'{}]*)'|default=([^\s"{}]*))$/.exec(given.slice(1).join(''))
  if (second === undefined) return value
  return usual === null ? undefined : `${value} | default: "${usual[1] ?? usual[2] ?? usual[3] ?? ''}"`
}

/** A value as Liquid has it, seen from within the blocks that are open. */
function operandOf(given: string, open: readonly Block[]): string | undefined {
  if (LITERAL.test(given)) return given
  const entries = open.flatMap(({ entry }) => entry ?? [])
  const entry = entries.at(-1)
  if (entry !== undefined) {
    if (given === '@index') return 'forloop.index0'
    if (given === '@first') return 'forloop.first'
    if (given === '@last') return 'forloop.last'
    if (given === 'this') return entry
  }
  if (given.startsWith('@root.')) return pathIn(undefined, given.slice('@root.'.length))
  if (given.startsWith('../')) return pathIn(entries.at(-2), given.slice('../'.length))
  return pathIn(entry, given.replace(/^this[./]/, ''))
}

function pathIn(owner: string | undefined, path: string): string | undefined {
  if (!PATH.test(path)) return undefined
  return owner === undefined ? path : `${owner}.${path}`
}
