import { globSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript-5'
import { expect, it } from 'vitest'

// An editor shows sentences from the declarations of the build, where a printed type has lost its comments unless
// `.ci/repeated-comments.mjs` gives them back.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FILE = `${ROOT}hovers.ts`

/** Members that anyone knows from the port or from another package. */
const KNOWN = /\.(?:provides|name|inThread\.options|totalCount|pool\.options|max|connect|isTTY|ended)$/

/** Members of types that differ elsewhere in what they say of them, so that no copy gets either sentence. */
const OPEN =
  /^createEngine\.(?:accounts\.oauth|dkim)\.|^createEngine\.projects\.(?:frequencyCap|look|utm)\.|^httpMail\.acceptedWhen\.|^imap\.after\.move$|\.tls\.(?:ca|rejectUnauthorized)$|^postmarkHook\.(?:password|secret)$/

it('has a sentence for each setting of createEngine and each option of a plugin', () => {
  const plugins = globSync('dist/plugins/*/index.d.ts', { cwd: ROOT }).map((path) => basename(dirname(path)))
  const imports = plugins.map((name, at) => `export * as plugin${at} from 'mailwright/plugins/${name}'`)
  const text = `export { createEngine } from 'mailwright'\n${imports.join('\n')}\n`
  const options = {
    ...{
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
    },
    ...{ strict: true, skipLibCheck: true, noEmit: true, types: ['node'] },
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile } = host
  host.fileExists = (path) => path === FILE || fileExists(path)
  host.getSourceFile = (path, language) =>
    path === FILE ? ts.createSourceFile(path, text, language) : getSourceFile(path, language)
  const program = ts.createProgram([FILE], options, host)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(FILE)
  if (source === undefined) throw new Error('the file is not read')
  const [seen, bare] = [new Set<string>(), new Set<string>()]

  const look = (type: ts.Type, path: string): void => {
    const parts = type.isUnion() ? type.types : [type]
    for (const part of parts) {
      if (checker.isArrayType(part)) {
        for (const each of checker.getTypeArguments(part as ts.TypeReference)) look(each, path)
      } else if (part.flags & ts.TypeFlags.Object && part.getCallSignatures().length === 0) {
        for (const member of part.getProperties()) lookAt(member, `${path}.${member.getName()}`)
      }
    }
  }
  const lookAt = (member: ts.Symbol, path: string): void => {
    const isOurs = member.declarations?.every((each) => !/node_modules/.test(each.getSourceFile().fileName))
    if (!isOurs || seen.has(path)) return
    seen.add(path)
    if (member.getDocumentationComment(checker).length === 0 && !KNOWN.test(path) && !OPEN.test(path)) bare.add(path)
    look(checker.getTypeOfSymbolAtLocation(member, source), path)
  }
  const lookIntoAll = (module: ts.Symbol): void => {
    for (const symbol of checker.getExportsOfModule(module)) lookInto(symbol)
  }
  const lookInto = (symbol: ts.Symbol): void => {
    const whole = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    if (whole.flags & ts.SymbolFlags.ValueModule) lookIntoAll(whole)
    if (!(whole.flags & ts.SymbolFlags.Variable) && !(whole.flags & ts.SymbolFlags.Function)) return
    const [call] = checker.getTypeOfSymbolAtLocation(whole, source).getCallSignatures()
    const [given] = call?.parameters ?? []
    if (given !== undefined) look(checker.getTypeOfSymbolAtLocation(given, source), symbol.getName())
  }
  const module = checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error('the file exports nothing')
  lookIntoAll(module)

  for (const path of ['createEngine.projects.trustedDomains', 'smtp.host', 'smtp.secure', 'sqlite.file'])
    expect(seen).toContain(path)
  expect([...bare].sort()).toEqual([])
})
