// Lists what is in the bundle: each package with its version and license (dist/sbom.cdx.json, CycloneDX 1.6), for
// operators who must know what they run, and the texts of the licenses (dist/LICENSES.txt), which must go along with
// copies.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Writes both, of the packages these modules are of. */
export function writeContents(modules) {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [])
  const packages = [...new Set(folders)]
    .filter((folder) => existsSync(`${folder}/package.json`))
    .sort()
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) }))
  writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(sbomOf(packages), null, 1)}\n`)
  writeFileSync('dist/LICENSES.txt', packages.map(licenseOf).join(`\n${'-'.repeat(80)}\n\n`))
}

function sbomOf(packages) {
  const { name, version, license } = JSON.parse(readFileSync('package.json', 'utf8'))
  const own = { type: 'library', 'bom-ref': purlOf({ name, version }), name, version, purl: purlOf({ name, version }) }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...own, licenses: [{ license: { id: license } }] } },
    components: packages.map((each) => ({
      type: 'library',
      'bom-ref': purlOf(each),
      name: each.name,
      version: each.version,
      ...(each.license === undefined ? {} : { licenses: licensesOf(String(each.license)) }),
      purl: purlOf(each),
    })),
  }
}

const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** An SPDX expression, or the name of one license. */
const licensesOf = (license) => (/[ ()]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }])

function licenseOf({ folder, name, version, license }) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const text = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim()).join('\n\n')
  return `${name} ${version}: ${license}\n\n${text}\n`
}
