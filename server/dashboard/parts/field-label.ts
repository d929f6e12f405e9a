/** A field as people call it: `kundeSeit` and `first_name` are "Kunde seit" and "First name". */
export function fieldLabel(
  name: string,
  t: { readonly editor: { readonly fields: Readonly<Record<string, string>> } },
): string {
  return Object.hasOwn(t.editor.fields, name) ? (t.editor.fields[name] ?? name) : spoken(name)
}

function spoken(name: string): string {
  const words = name
    .replaceAll(/(\p{Ll}|\d)(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[\s_.-]+/g, ' ')
    .trim()
    .split(' ')
    // abbreviations stay as they are
    .map((word) => (/^\p{Lu}\p{Ll}/u.test(word) ? word.toLowerCase() : word))
    .join(' ')
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}
