// Finishes a file of the bundle: addresses of files become what tools that trace or bundle can read, code of packages loses its
// white space (a quarter of all code), and the map says for each line of our code where it stood.
import { dirname, join, relative } from 'node:path'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { minifySync } from 'rolldown/utils'

/** A line that the bundler puts before the code of a module. */
const BEGIN = /^\/\/ (?:#region )?((?:\.\.\/)*[\w@./-]+\.(?:tsx?|[mc]?js|json))$/

/** The code of a file of the bundle and its map. */
export function finished({ type, fileName, code, map, modules }) {
  const lines = withPlainUrls(code, fileName).split('\n')
  const starts = lines.flatMap((line, at) => (BEGIN.test(line) ? [at] : []))
  const old = decode(map?.mappings ?? '')
  const written = []
  const mappings = []
  const keep = (from, to) => {
    for (let at = from; at < to; at++) {
      written.push(lines[at])
      mappings.push(thinned(old[at] ?? [], map?.sources))
    }
  }
  keep(0, starts[0] ?? lines.length)
  for (const [at, start] of starts.entries()) {
    const end = starts[at + 1] ?? endOf(lines)
    const file = BEGIN.exec(lines[start])[1]
    if (file.includes('node_modules/')) {
      written.push(lines[start], ...shrunk(file, lines.slice(start + 1, end).join('\n')).split('\n'))
      mappings.length = written.length
    } else keep(start, end)
  }
  if (starts.length > 0) keep(endOf(lines), lines.length)
  return { type, fileName, modules, code: written.join('\n'), map: mapOf(fileName, map?.sources ?? [], mappings) }
}

/** `new URL('./a.ts', import.meta.url)` of a source, which stands elsewhere now. */
function withPlainUrls(code, fileName) {
  return code.replace(
    /new URL\((["'`])([^"'`$\n]+)\1, placeOf(?:\$\d+)?\("((?!bench|test)[^"]+)"\)\)/g,
    (_, _quote, path, place) => `new URL(${JSON.stringify(fromHere(fileName, place, path))}, import.meta.url)`,
  )
}

function fromHere(fileName, place, path) {
  const target = join(dirname(place), path).replace(/\.ts$/, '.js')
  const there = relative(dirname(fileName), target).replaceAll('\\', '/') + (path.endsWith('/') ? '/' : '')
  return there.startsWith('.') ? there.replace(/\/\/$/, '/') : `./${there}`.replace(/\/\/$/, '/')
}

/** Where what a file exports begins: after the last module. */
function endOf(lines) {
  const at = lines.findLastIndex((line) => line.startsWith('export {'))
  return at < 0 ? lines.length : at
}

/** Whole statements, so that they may be read on their own. Names stay: they stand in stack traces, and some are looked at. */
function shrunk(file, code) {
  const options = { compress: false, mangle: false, codegen: { removeWhitespace: true } }
  const { code: small, errors } = minifySync(`${file}.mjs`, code, { ...options, module: true })
  return errors.length > 0 || small.length >= code.length ? code : small.trimEnd()
}

/** One place for each line of a source: for what happens further on in it, too. */
function thinned(segments, sources) {
  let last
  return segments.flatMap((segment) => {
    const [column, source, line] = segment
    if (source === undefined || sources[source].includes('node_modules/') || `${source}:${line}` === last) return []
    last = `${source}:${line}`
    return [[column, source, line, segment[3]]]
  })
}

/** Only with the sources it names: relative to the root of this repository, as stack traces should show them. */
function mapOf(fileName, sources, mappings) {
  const used = [...new Set(Array.from(mappings, (line) => line ?? []).flatMap((line) => line.map(([, at]) => at)))]
  const place = new Map(used.map((at, index) => [at, index]))
  const moved = Array.from(mappings, (line) =>
    (line ?? []).map(([column, at, ...rest]) => [column, place.get(at), ...rest]),
  )
  const names = used.map((at) => relative(process.cwd(), join('dist', dirname(fileName), sources[at])))
  const root = relative(dirname(join('dist', fileName)), '.')
  return { version: 3, sources: names.map((name) => `${root}/${name}`), names: [], mappings: encode(moved) }
}
