const COPY = ' (Copy)'

/** The name of a copy: "… (Copy)", cut to `longest` characters without splitting one. */
export function copyName(name: string, longest: number): string {
  return `${name.slice(0, longest - COPY.length).replace(/[\ud800-\udbff]$/, '')}${COPY}`
}
