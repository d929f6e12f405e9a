/** The oldest Node this package runs on, as in `engines` in package.json. */
const MIN_NODE = [22, 19] as const

/** One sentence that says which Node is needed; undefined when this version (`22.19.0`) will do. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return undefined
  return `Mailwright needs Node ${MIN_NODE.join('.')} or newer, and this is Node ${version}.`
}
