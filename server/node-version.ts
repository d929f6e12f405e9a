/** The oldest Node this package runs on; `engines` in package.json says the same. */
const OLDEST = [22, 19] as const

/** One line that says which Node is needed, or undefined when this version (`22.19.0`) will do. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined
  return `Mailwright needs Node ${OLDEST.join('.')} or newer, and this is Node ${version}. In a clone, "npm start" uses the one that "npm ci" brought.`
}
