// Looks whether a bundle has every file it reaches for. Code that is moved into a chunk no longer stands where its package had
// the file beside it, which shows only when the line runs: `createRequire(…)('./all.json')` made one endpoint fail for months.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/**
 * Packages that know their own folder for what is never asked of them here: pino's threads, since the log writes itself; BullMQ's
 * processes for jobs; and ioredis's nicer stack traces and its own version.
 */
const UNUSED = /\/node_modules\/(pino|thread-stream|bullmq|ioredis)\//

/** Programs of this repository, which find what they start from its root. */
const OF_REPOSITORY = /^(bench|test\/support)\//

/** Throws when a file of this output, which is written to dist/, reaches for one that is not there. */
export function requireWhole(output) {
  const chunks = output.filter(({ type }) => type === 'chunk')
  const missing = chunks.flatMap(({ fileName, code }) =>
    pathsIn(code, fileName)
      .filter((path) => path.startsWith('dist/') && !existsSync(path) && !existsSync(`${path}.js`))
      .map((path) => `dist/${fileName} reaches for ${path}, which is not there.`),
  )
  const lost = chunks.flatMap(({ modules }) =>
    Object.entries(modules)
      .filter(([id, { code }]) => !UNUSED.test(id) && knowsItsFolder(code ?? ''))
      .map(([id]) => `${id} reaches for files by __dirname or __filename, which a bundle does not have.`),
  )
  if (missing.length + lost.length === 0) return
  const what = 'Leave the package outside of the bundle (.ci/bundle.mjs), or import the file by its name.'
  throw new Error([...missing, ...lost, what].join('\n'))
}

/**
 * The files of this repository that code loads by a relative path: imports, `require('./a')` by whatever name,
 * `createRequire(…)('./a')`, `import.meta.resolve('./a')`, and `new URL('./a', base)` or another call with a base, where that
 * is `import.meta.url` or the place of a source.
 */
export function pathsIn(code, fileName) {
  const tree = parseAst(code)
  const requires = new Set(['require', '__require'])
  eachNode(tree, ({ type, id, init }) => {
    if (type === 'VariableDeclarator' && (makesRequire(init) || requires.has(init?.name))) requires.add(id.name)
  })
  const found = []
  eachNode(tree, (node) => {
    const [path, from = `dist/${fileName}`] = loadedBy(node, requires) ?? []
    if (typeof path?.value === 'string' && /^\.\.?\//.test(path.value)) found.push(join(dirname(from), path.value))
  })
  return found
}

/** The path that a node loads, and the file it is beside where that is not the one the node stands in. */
function loadedBy({ type, source, callee, arguments: [path, base] = [] }, requires) {
  if (type === 'ImportDeclaration' || type === 'ImportExpression' || /^Export(Named|All)Declaration$/.test(type))
    return [source]
  if (type !== 'CallExpression' && type !== 'NewExpression') return undefined
  if (/^placeOf(?:\$\d+)?$/.test(base?.callee?.name)) {
    const place = base.arguments[0]?.value
    return OF_REPOSITORY.test(place) ? undefined : [path, `dist/${place}`]
  }
  const isRequire = requires.has(callee.name) || requires.has(callee.object?.name) || makesRequire(callee)
  return isRequire || ofItself(callee) || ofItself(base) ? [path] : undefined
}

/** `createRequire(…)`, also as `module.createRequire(…)` and `(0, module.createRequire)(…)`. */
function makesRequire(node) {
  if (node?.type !== 'CallExpression') return false
  const made = node.callee.type === 'SequenceExpression' ? node.callee.expressions.at(-1) : node.callee
  return /createRequire$/i.test(made.name ?? made.property?.name)
}

/** `import.meta.url` and its like. */
const ofItself = (node) => node?.object?.type === 'MetaProperty'

/** Whether code asks for its own folder, without looking first by `typeof` whether it knows it. */
export function knowsItsFolder(code) {
  let asked = false
  const names = ['__dirname', '__filename'].filter((name) => code.includes(name) && !code.includes(`typeof ${name}`))
  if (names.length > 0 || /import\.meta\.(dirname|filename)/.test(code))
    eachNode(parseAst(code), (node) => {
      asked ||= node.type === 'Identifier' && names.includes(node.name)
      asked ||= ofItself(node) && /^(dirname|filename)$/.test(node.property?.name)
    })
  return asked
}

/** Visits each node of a tree. */
function eachNode(node, visit) {
  if (Array.isArray(node)) {
    for (const each of node) eachNode(each, visit)
  } else if (typeof node?.type === 'string') {
    visit(node)
    for (const part of Object.values(node)) if (typeof part === 'object') eachNode(part, visit)
  }
}
