/** A place of a text in words: `line 3, column 7`. */
export function placeIn(text: string, at: number): string {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return `line ${line}, column ${before.length - before.lastIndexOf('\n')}`
}
