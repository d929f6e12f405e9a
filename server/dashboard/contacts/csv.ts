/** A file as text, in cells: what the server makes of them it says itself. */
export interface CsvText {
  /** The encoding and the separator as the server found them; UTF-8 and a guess until it has answered. */
  readonly encoding?: string
  readonly delimiter?: string
}

/** The rows of a file with the cells of each, blank rows included, so that they count as the server counts them. */
export function rowsOf(bytes: ArrayBuffer, { encoding = 'utf-8', delimiter }: CsvText = {}): readonly string[][] {
  const text = new TextDecoder(encoding).decode(bytes).replace(/^sep=.\r?\n/i, '')
  const separator = delimiter ?? separatorOf(text)
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endRow = () => {
    rows.push([...row, cell.trim()])
    row = []
    cell = ''
  }
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (isQuoted) {
      if (sign === '"' && text[at + 1] === '"') cell += text[++at]
      else if (sign === '"') isQuoted = false
      else cell += sign
    } else if (sign === '"' && cell.trim() === '') {
      isQuoted = true
      cell = ''
    } else if (sign === separator) {
      row.push(cell.trim())
      cell = ''
    } else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && text[at + 1] === '\n') at++
      endRow()
    } else cell += sign
  }
  if (cell !== '' || row.length > 0) endRow()
  return rows
}

/** The sign that occurs most in the first line. */
function separatorOf(text: string): string {
  const first = text.split(/[\r\n]/, 1)[0] ?? ''
  const count = (sign: string) => first.split(sign).length
  return [',', ';', '\t', '|'].toSorted((one, other) => count(other) - count(one))[0] ?? ','
}
