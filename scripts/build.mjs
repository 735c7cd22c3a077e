// Bundles src/ into dist/: ES modules split into a small main and cold chunks, then each file turned into CommonJS (which
// starts faster and whose chunks are loaded by `require` at use). TypeScript only checks; this is what runs.
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { build, transform } from 'esbuild'

const { version } = JSON.parse(await readFile('package.json', 'utf8'))

const result = await build({
  entryPoints: { tug: 'src/start.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  define: { TUG_VERSION: JSON.stringify(version) },
  plugins: [unusedParts()],
  metafile: true,
  write: false,
  logLevel: 'warning',
})

const files = new Map()
for (const { path, text } of result.outputFiles) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    supported: { 'dynamic-import': false },
  })
  files.set(path.split(/[\\/]/).at(-1), code)
}
files.set('meta.json', JSON.stringify(result.metafile))
files.set('THIRD_PARTY_LICENSES.txt', await licencesOf(result.metafile))

await rm('dist', { recursive: true, force: true })
await mkdir('dist')
for (const [name, text] of files) await writeFile(`dist/${name}`, text)

/**
 * Leaves out what is loaded at once and never used: commander wants node:child_process for executable subcommands, which
 * there are none of; undici wants node:http2, which is not spoken.
 */
function unusedParts() {
  const parts = [
    { path: /^node:child_process$/, importer: /[\\/]commander[\\/]/ },
    { path: /client-h2(?:\.js)?$/, importer: /[\\/]undici[\\/]/ },
    { path: /h2c-client(?:\.js)?$/, importer: /[\\/]undici[\\/]/ },
  ]
  return {
    name: 'unused-parts',
    setup(bundler) {
      for (const { path, importer } of parts) {
        bundler.onResolve({ filter: path }, (found) =>
          importer.test(found.importer) ? { path: found.path, namespace: 'unused' } : undefined,
        )
      }
      bundler.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}', loader: 'js' }))
    },
  }
}

/** The licences of the packages of which something is in the bundle. A package without one ends the build. */
async function licencesOf({ outputs }) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs))
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  const folders = new Set(used.flatMap(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))
  const parts = await Promise.all([...folders].toSorted().map(licenceOf))
  return `The program contains parts of the following packages.\n\n${parts.join('\n')}`
}

async function licenceOf(folder) {
  const { name, version: number, license, repository } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
  const names = (await readdir(folder)).filter((entry) => /^(?:licen[cs]e|copying|notice|copyright)/i.test(entry))
  if (names.length === 0) throw new Error(`${folder} has no licence file`)
  const texts = await Promise.all(names.toSorted().map((entry) => readFile(`${folder}/${entry}`, 'utf8')))
  const source = typeof repository === 'string' ? repository : repository?.url
  const title = `${name} ${number} (${license})${source === undefined ? '' : `\nsource: ${source}`}`
  return [`${'-'.repeat(80)}\n${title}`, ...texts.map((text) => text.replaceAll('\r\n', '\n').trim()), ''].join('\n\n')
}
