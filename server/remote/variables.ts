import { readVariableFiles } from '../../config/variable-files.ts'
import { EX_CONFIG, RemoteProblem } from './problem.ts'

/** The environment, with what `X_FILE` names for these variables `X`. Throws RemoteProblem when a file cannot be read. */
export async function readVariables(names: readonly string[]): Promise<Readonly<Record<string, string | undefined>>> {
  const { env, problems } = await readVariableFiles(process.env, names, process.cwd())
  const [wrong] = problems
  if (wrong) throw new RemoteProblem(`${wrong.field} ${wrong.message}.`, EX_CONFIG)
  return env
}
