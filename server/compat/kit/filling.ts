import { yieldToLoop } from '../../../core/values/yield-to-loop.ts'

/** A step in the tree of all names: what the characters so far stand for, and how they may go on. */
interface Node {
  value?: string
  readonly next: Map<string, Node>
}

/** As many characters are read before other work runs. */
const PIECE = 20_000

/**
 * Puts texts in place of names in other texts, all at once and the longest name first, as some services do it without a
 * language of placeholders. The work is bounded by the length of a text times that of the longest name.
 */
export class Filling {
  readonly #root: Node = { next: new Map() }
  readonly #isEmpty: boolean

  constructor(values: Readonly<Record<string, string>>) {
    const entries = Object.entries(values).filter(([name]) => name !== '')
    this.#isEmpty = entries.length === 0
    for (const [name, value] of entries) {
      let node = this.#root
      for (const character of name.split('')) {
        const known = node.next.get(character) ?? { next: new Map() }
        node.next.set(character, known)
        node = known
      }
      node.value = value
    }
  }

  /** The text filled in; `undefined` once it would be longer than `most` characters. */
  async fill(text: string, most: number): Promise<string | undefined> {
    if (this.#isEmpty) return text
    const parts: string[] = []
    let length = 0
    let kept = 0
    let pause = PIECE
    for (let at = 0; at < text.length; ) {
      if (at >= pause) {
        pause = at + PIECE
        await yieldToLoop()
      }
      const found = this.#at(text, at)
      if (found === undefined) {
        at++
        continue
      }
      parts.push(text.slice(kept, at), found.value)
      length += at - kept + found.value.length
      if (length > most) return undefined
      at += found.length
      kept = at
    }
    return parts.join('') + text.slice(kept)
  }

  #at(text: string, start: number): { readonly value: string; readonly length: number } | undefined {
    let node: Node | undefined = this.#root
    let found: { readonly value: string; readonly length: number } | undefined
    for (let at = start; at < text.length; at++) {
      node = node.next.get(text[at] ?? '')
      if (node === undefined) return found
      if (node.value !== undefined) found = { value: node.value, length: at + 1 - start }
    }
    return found
  }
}
