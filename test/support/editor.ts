import { join } from 'node:path'
import ts from 'typescript-5'

/** A name that an editor offers after a dot. */
export interface Offered {
  readonly name: string
  /** As it is shown beside the name: `(method) send(project: Project, …): …`. */
  readonly shown: string
  readonly comment: string
}

/** An editor of a program in this folder, which begins with `head`: answers what it offers after an expression and a dot. */
export function editorIn(folder: string, head: string): (expression: string) => readonly Offered[] {
  const file = join(folder, 'typed.ts')
  const options = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, strict: true, types: ['node'] }
  let code = head
  let version = 0
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: (path) => (path === file ? `${version}` : '0'),
    getScriptSnapshot: (path) => {
      const text = path === file ? code : ts.sys.readFile(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => folder,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  })
  return (expression) => {
    version++
    code = `${head}\n${expression}.`
    const { entries = [] } = service.getCompletionsAtPosition(file, code.length, {}) ?? {}
    return entries.map(({ name }) => {
      const details = service.getCompletionEntryDetails(file, code.length, name, {}, undefined, {}, undefined)
      const [shown, comment] = [details?.displayParts, details?.documentation].map((parts) =>
        ts.displayPartsToString(parts),
      )
      return { name, shown: shown ?? '', comment: comment ?? '' }
    })
  }
}
