// Bundles src/ into dist/: a few CommonJS files (they start faster than ES modules), of which a command loads two or three.
// `scripts/chunks.mjs` decides what goes into which. TypeScript only checks; this is what runs.
// `node scripts/build.mjs --modules <folder>` makes a file of each module instead, for `bench/path.mjs`.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { face, planChunks } from './chunks.mjs'

const modulesFolder = process.argv[2] === '--modules' ? process.argv[3] : undefined
const target = modulesFolder ?? 'dist'
const { version } = JSON.parse(await readFile('package.json', 'utf8'))

// Replaced by a hash of the files, which are only known at the end.
const buildMark = '@build@'

const input = {
  platform: 'node',
  checks: { ineffectiveDynamicImport: false },
  treeshake: { moduleSideEffects: (id) => !face.test(id) },
  transform: {
    target: 'node20',
    define: { TUG_VERSION: JSON.stringify(version), TUG_BUILD: JSON.stringify(buildMark) },
  },
}
const form = {
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  dynamicImportInCjs: false,
  // Mangled names make the program start more slowly and stack traces useless.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  comments: false,
}

let chunkOf
const program = await rolldown({
  ...input,
  input: { main: 'src/main.ts' },
  preserveEntrySignatures: 'allow-extension',
  plugins: [
    unusedParts(),
    ownWidth(),
    {
      name: 'chunks',
      buildEnd() {
        const infoOf = (id) => this.getModuleInfo(id)
        chunkOf =
          modulesFolder !== undefined
            ? fileNameOf
            : planChunks({ start: resolve('src/main.ts'), commands: resolve('src/commands/index.ts'), infoOf })
      },
    },
  ],
})
const loader = await rolldown({ ...input, input: { load: 'src/process/load.ts' } })
const outputs = await Promise.all([
  program.generate({
    ...form,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'plan', name: (id) => chunkOf(id) }],
    },
  }),
  loader.generate(form),
])
const output = outputs.flatMap((each) => each.output)

const build = createHash('sha256')
for (const { fileName, code } of output) build.update(`${fileName}\n${code}\n`)
const stamp = `${version}-${build.digest('hex').slice(0, 16)}`
const files = new Map(output.map(({ fileName, code }) => [fileName, inAscii(code.replace(buildMark, stamp))]))
const contents = Object.fromEntries(output.map(({ fileName, modules }) => [fileName, sizesOf(modules)]))
files.set('meta.json', JSON.stringify(contents))
files.set('THIRD_PARTY_LICENSES.txt', await licencesOf(contents))

await rm(target, { recursive: true, force: true })
await mkdir(target)
for (const [name, text] of files) await writeFile(`${target}/${name}`, text)
if (modulesFolder === undefined) {
  // Help and completion scripts are printed from this, without the commands.
  const { stdout: fixedTexts } = await promisify(execFile)(process.execPath, ['bin/tug.js', '__texts'], {
    maxBuffer: 2 ** 26,
  })
  await writeFile('dist/texts.json', inAscii(fixedTexts))
  const { stdout: materials } = await promisify(execFile)(process.execPath, ['scripts/sbom.mjs'])
  await writeFile('dist/sbom.cdx.json', materials)
}

/** The file of a module in a build with `--modules`: `src+core+json.cjs`. */
function fileNameOf(id) {
  return relative('.', id)
    .replaceAll(/[\\/]/g, '+')
    .replace(/\.[a-z]+$/, '')
    .replaceAll('\0', '')
}

/** The loader reads files as Latin-1, which is faster than UTF-8. */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The bytes that each module takes in a file, by its path with `/` on every system. */
function sizesOf(modules) {
  const sizes = Object.entries(modules).map(([id, { renderedLength }]) => [
    relative('.', id).replaceAll('\\', '/'),
    renderedLength,
  ])
  return Object.fromEntries(sizes.filter(([, size]) => size > 0))
}

/** cli-table3 measures text as the program does, with `cells`, instead of with its own string-width. */
function ownWidth() {
  const id = '\0own-width'
  return {
    name: 'own-width',
    resolveId: (path, importer = '') =>
      path === 'string-width' && /[\\/]cli-table3[\\/]/.test(importer) ? id : undefined,
    load: (wanted) =>
      wanted === id ? `module.exports = require(${JSON.stringify(resolve('src/output/width.ts'))}).cells` : undefined,
  }
}

/** commander has executable subcommands, help and suggestions, cli-table3 colours for borders, undici everything from fetch to mocks: tug uses none of these. */
function unusedParts() {
  const unused = '\0unused'
  const ends =
    (...names) =>
    ({ path }) =>
      names.some((name) => path.endsWith(name))
  const poolParts = /[\\/](?:pool|dispatcher|errors|util|symbols)$/
  const isUnused = {
    commander: ends('node:child_process', '/help.js', './suggestSimilar'),
    'cli-table3': ends('@colors/colors/safe'),
    undici: ({ path, importer }) => /[\\/]undici[\\/]index\.js$/.test(importer) && !poolParts.test(path),
  }
  return {
    name: 'unused-parts',
    resolveId(path, importer = '') {
      const [, name] = /[\\/]node_modules[\\/](commander|cli-table3|undici)[\\/]/.exec(importer) ?? []
      return isUnused[name]?.({ path, importer }) ? unused : undefined
    },
    // undici makes a cache when it loads.
    load: (id) => (id === unused ? 'module.exports = { CacheStorage: class {} }' : undefined),
  }
}

/** The licences of the packages that have parts in the bundle. A package without a licence file ends the build. */
async function licencesOf(bundled) {
  const paths = Object.values(bundled).flatMap((modules) => Object.keys(modules))
  const folders = new Set(paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))
  if (folders.size === 0) throw new Error('no package was found among the modules')
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
