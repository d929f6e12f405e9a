/** The text, at most this long: a longer one ends in `…`, which says that more is missing. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
}
