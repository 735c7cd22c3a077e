// Prints a bill of materials (CycloneDX 1.6) of what is in dist/, and with `--node` of an executable, which has Node in it as well.
import { readFile } from 'node:fs/promises'

const { name, version, license } = JSON.parse(await readFile('package.json', 'utf8'))
const bundled = JSON.parse(await readFile('dist/meta.json', 'utf8'))
const paths = Object.values(bundled).flatMap((modules) => Object.keys(modules))
const folders = new Set(paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))
const packages = await Promise.all([...folders].toSorted().map(componentIn))
const node = process.argv.includes('--node')
  ? [
      {
        type: 'platform',
        name: 'node',
        version: process.versions.node,
        purl: `pkg:generic/node@${process.versions.node}`,
      },
    ]
  : []

console.log(
  JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      metadata: { component: { type: 'application', name, version, licenses: [{ license: { id: license } }] } },
      components: [...packages, ...node],
    },
    null,
    2,
  ),
)

async function componentIn(folder) {
  const found = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
  const [scope, own] = found.name.startsWith('@') ? found.name.split('/') : [undefined, found.name]
  const purl = `pkg:npm/${scope === undefined ? '' : `${encodeURIComponent(scope)}/`}${own}@${found.version}`
  return {
    type: 'library',
    name: found.name,
    version: found.version,
    purl,
    licenses: [/ /.test(found.license) ? { expression: found.license } : { license: { id: found.license } }],
  }
}
