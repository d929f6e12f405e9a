/** Tags of HTML, placeholders and tags of Liquid: what a model must neither change nor lose. */
const MARK = /\{\{[^{}]{0,1000}\}\}|\{%[^{}%]{0,1000}%\}|<[^<>]{1,2000}>/g
/** Elements that are never closed. */
const SINGLE = new Set(['br', 'img', 'hr', 'wbr'])

/**
 * Whether a changed text has the same tags and placeholders as the one it was made from, each as often, with all elements properly
 * closed. Their order may differ, as it does between languages.
 */
export function keepsMarks(before: string, after: string): boolean {
  const [own, changed] = [marksIn(before), marksIn(after)]
  return own.toSorted().join('\n') === changed.toSorted().join('\n') && isNested(changed) && !hasStray(before, after)
}

function marksIn(text: string): readonly string[] {
  return [...text.matchAll(MARK)].map(([mark]) => mark)
}

/** Whether signs are left that could open something, where there were none before. */
function hasStray(before: string, after: string): boolean {
  const rest = (text: string) => text.replace(MARK, '')
  return ['<', '>', '{{', '}}', '{%', '%}'].some((sign) => rest(after).includes(sign) && !rest(before).includes(sign))
}

function isNested(marks: readonly string[]): boolean {
  const open: string[] = []
  for (const mark of marks) {
    const [, slash, name] = /^<(\/?)([a-z][a-z0-9-]{0,50})/i.exec(mark) ?? []
    const tag = name?.toLowerCase()
    if (tag === undefined || SINGLE.has(tag) || mark.endsWith('/>')) continue
    if (slash === '') open.push(tag)
    else if (open.pop() !== tag) return false
  }
  return open.length === 0
}
