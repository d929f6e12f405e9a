/** The name of a copy: "… (Copy)", cut to `longest` characters without splitting one. */
export function copyName(name: string, longest: number, ending = ' (Copy)'): string {
  return `${name.slice(0, longest - ending.length).replace(/[\ud800-\udbff]$/, '')}${ending}`
}
