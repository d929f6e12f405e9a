/** A line of a text, and whether it is only in the one or the other. */
export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

/** The longest texts that are compared, in lines: the table has as many cells as their product. */
const MOST_LINES = 1500

/** The differences between two texts, line by line; undefined when they are too long to compare. */
export function lineDiff(before: string, after: string): readonly DiffLine[] | undefined {
  const [old, young] = [linesOf(before), linesOf(after)]
  if (old.length > MOST_LINES || young.length > MOST_LINES) return undefined
  const width = young.length + 1
  // the longest common rest from each pair of places on
  const common = new Uint16Array((old.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = young.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === young[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < young.length) {
    const [gone, added] = [old[i], young[j]]
    if (gone !== undefined && gone === added) {
      lines.push({ kind: 'same', text: gone })
      i++
      j++
    } else if (gone !== undefined && (added === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'gone', text: gone })
      i++
    } else {
      lines.push({ kind: 'new', text: added ?? '' })
      j++
    }
  }
  return lines
}

/** HTML in one line has a line for each tag. */
function linesOf(text: string): readonly string[] {
  return text.replace(/>(?=<)/g, '>\n').split(/\r?\n/)
}
