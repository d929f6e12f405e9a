/** The name that bodies render a snippet by, made of what people call it: "Fußzeile, kurz" is `fusszeile-kurz`. */
export function keyOf(title: string): string {
  const plain = title
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
  const key = (plain.match(/[a-z0-9]+/g) ?? []).join('-').slice(0, 64).replace(/-$/, '')
  // letters of other scripts make no such name
  return key === '' ? `snippet-${Date.now().toString(36)}` : key
}
