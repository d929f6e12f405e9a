import { renamedRenders } from '../mail/render/renamed-renders.ts'
import type { Rename } from './renamed.ts'

/** The fields of a stored mail: only these render snippets, and those that bodies are made from. */
const CONTENT = ['body', 'source', 'design'] as const

/** Fields of a mail, as they were typed or read. */
interface Content extends Readonly<Partial<Record<(typeof CONTENT)[number], unknown>>> {}

/**
 * The content with the snippet's new name in its body and in what that was made of; undefined when it does not render the
 * snippet. A design is the editor's business: each text in it is taken for a piece of HTML.
 */
export function renamedContent<Of extends Content>(content: Of, { from, to }: Rename): Of | undefined {
  let isOther = false
  const change = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value
    const text = renamedRenders(value, from, to)
    isOther ||= text !== value
    return text
  }
  // what is plain JSON stays what it is
  const part = CONTENT.flatMap((name) => (content[name] == null ? [] : [[name, content[name]] as const]))
  const other: Partial<Of> = JSON.parse(JSON.stringify(Object.fromEntries(part), change))
  return isOther ? { ...content, ...other } : undefined
}

/** The same for what may have variants, each with a body of its own. */
export function renamedVariants<Variant extends Content>(
  variants: readonly Variant[],
  rename: Rename,
): readonly Variant[] | undefined {
  const others = variants.map((variant) => renamedContent(variant, rename))
  if (others.every((other) => other === undefined)) return undefined
  return variants.map((variant, i) => others[i] ?? variant)
}
