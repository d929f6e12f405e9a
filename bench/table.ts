import type { Figure } from './figure.ts'

/** Prints the figures as a table in Markdown. */
export function printTable(figures: readonly Figure[]): void {
  const rows = figures.map(({ what, value, unit, note }) => [what, `${format(value)} ${unit}`, note ?? ''])
  const head = ['what', 'figure', 'note']
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  console.log([line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n'))
}

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 2)
}
