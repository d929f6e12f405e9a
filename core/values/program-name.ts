/** As much of a process as says how it was started. */
interface Started {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * How this program is called where it was started, for messages that name a command: `mailwright` where it is installed for all
 * folders, `npm start --` and `npx mailwright` in a clone and beside a package, else the file that Node was given, as in a
 * container. What is embedded says `npx mailwright`.
 */
export function programName({ argv, env }: Started = process): string {
  const path = argv[1] ?? ''
  const isFile = /[\\/]dist[\\/]server[\\/]bin\.js$/.test(path)
  const isInstalled = /(?:^|[\\/])mailwright$/.test(path)
  // of another package, "start" may be any command
  if (isFile && env.npm_lifecycle_event === 'start' && env.npm_package_name === 'mailwright') return 'npm start --'
  if (env.npm_command === 'exec') return 'npx mailwright'
  if (isFile) return `node ${/\s/.test(path) ? `"${path}"` : path}`
  return isInstalled && !/[\\/]node_modules[\\/]\.bin[\\/]/.test(path) ? 'mailwright' : 'npx mailwright'
}
