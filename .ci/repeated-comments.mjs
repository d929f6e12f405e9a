// The compiler prints a type that it has inferred anew wherever it is used, without the comments of its members: editors would show
// nothing of an option of a plugin, or of a project in `createEngine`. Two object types with the same members are one that was
// printed twice, so the copies get the comments of the original. One that has all members of another and more is made of it.
const COMMENT = /\/\*\*[\s\S]*?\*\//g
const MARK = /\/\*#(\d+)\*\//
const MEMBER = /^\s*(?:readonly )?(\w+)\??: /

/** Gives the members without a comment, in these declaration files by path, that of their original. */
export function repeatComments(files) {
  const read = new Map([...files].map(([path, code]) => [path, readBlocks(code)]))
  const every = [...read.values()].flatMap(({ blocks }) => blocks)
  const all = originals(every)
  const parts = partsOf(every)
  return new Map(
    [...read].map(([path, file]) => {
      const own = originals(file.blocks)
      const find = (block, key) =>
        own.get(nameOf(block, key)) ?? all.get(nameOf(block, key)) ?? fromPart(parts, block, key)
      return [path, withComments(file, find)]
    }),
  )
}

/** The lines of a file, whose comments are put aside, and its object types: what each member's line is, and its comment. */
function readBlocks(code) {
  const comments = []
  const lines = code.replaceAll(COMMENT, (comment) => `/*#${comments.push(comment) - 1}*/`).split('\n')
  const [blocks, open] = [[], []]
  let before
  lines.forEach((line, at) => {
    const text = line.replace(MARK, '').trimEnd()
    const own = MARK.exec(line)
    const ends = own !== null && line.trimEnd().endsWith(own[0]) && text.trim() !== ''
    if (/^\s*[})]/.test(text)) open.pop()
    const [, key] = MEMBER.exec(text) ?? []
    if (key !== undefined)
      open.at(-1)?.set(key, { at, comment: even(comments[(ends ? undefined : own?.[1]) ?? before]) })
    if (text.endsWith('{')) {
      open.push(new Map())
      blocks.push(open.at(-1))
    }
    if (own !== null && (ends || text.trim() === '')) before = own[1]
    else if (text.trim() !== '') before = undefined
  })
  return { lines, comments, blocks }
}

/** A comment without the indentation of its lines. */
const even = (comment) => comment?.replaceAll(/\n\s*\*/g, '\n *')

const nameOf = (block, key) => `${[...block.keys()].sort().join(' ')} ${key}`

/** The comment of each member, by all members of its type; none where two types differ. */
function originals(blocks) {
  const found = new Map()
  for (const block of blocks) {
    for (const [key, { comment }] of block) {
      const name = nameOf(block, key)
      if (comment !== undefined) found.set(name, (found.get(name) ?? comment) === comment ? comment : undefined)
    }
  }
  return found
}

/** Types of three members or more, by those that have a comment: what a larger one may be made of. */
function partsOf(blocks) {
  const parts = new Map()
  for (const block of blocks.filter(({ size }) => size > 2)) {
    for (const [key, { comment }] of block) {
      if (comment !== undefined) parts.set(key, [...(parts.get(key) ?? []), { keys: [...block.keys()], comment }])
    }
  }
  return parts
}

function fromPart(parts, block, key) {
  const fitting = (parts.get(key) ?? []).filter(({ keys }) => keys.every((each) => block.has(each)))
  return new Set(fitting.map(({ comment }) => comment)).size === 1 ? fitting[0].comment : undefined
}

function withComments({ lines, comments, blocks }, find) {
  const added = new Map()
  for (const block of blocks) {
    for (const [key, { at, comment }] of block) {
      const given = comment === undefined ? find(block, key) : undefined
      if (given !== undefined) added.set(at, given)
    }
  }
  const commented = (line, at) => {
    const indent = /^\s*/.exec(line)[0]
    return added.has(at) ? `${indent}${added.get(at).replaceAll('\n', `\n${indent}`)}\n${line}` : line
  }
  const whole = lines.map(commented).join('\n')
  return whole.replaceAll(new RegExp(MARK, 'g'), (_mark, at) => comments[at])
}
