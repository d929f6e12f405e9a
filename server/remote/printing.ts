/** Prints things that a server answered, a line for each, or as JSON; without any, that there is none. Answers the exit code. */
export function printAll<Item>(
  items: readonly Item[],
  json: true | undefined,
  line: (item: Item) => string,
  what: string,
): number {
  if (json) print(JSON.stringify(items))
  else if (items.length === 0) print(`There is no ${what}.`)
  else for (const item of items) print(line(item))
  return 0
}

/** Mails are written by strangers: an escape sequence could change what the terminal shows, and signs of direction what is read. */
export function print(text: string): void {
  process.stdout.write(`${text.replaceAll(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu, '�')}\n`)
}
