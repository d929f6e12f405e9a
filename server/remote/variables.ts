import { readVariableFiles } from '../../config/variable-files.ts'
import { EX_CONFIG, RemoteProblem } from './problem.ts'

/** The environment, with what `X_FILE` names for these variables `X`. Throws RemoteProblem when a file cannot be read. */
export async function readVariables(names: readonly string[]): Promise<Readonly<Record<string, string | undefined>>> {
  const { env, problems } = await readVariableFiles(process.env, names, process.cwd())
  if (problems.length > 0) {
    throw new RemoteProblem(problems.map(({ field, message }) => `${field} ${message}.`).join('\n'), EX_CONFIG)
  }
  return env
}
