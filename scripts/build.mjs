// Bundles src/ into dist/: ES modules split into a small main and cold chunks, then each file turned into CommonJS (which
// starts faster and whose chunks are loaded by `require` at use). TypeScript only checks; this is what runs.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { build, transform } from 'esbuild'

const { version } = JSON.parse(await readFile('package.json', 'utf8'))
await rm('dist', { recursive: true, force: true })
await mkdir('dist')

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
  external: ['@lydell/node-pty'],
  plugins: [unusedParts()],
  metafile: true,
  write: false,
  logLevel: 'warning',
})

for (const file of result.outputFiles) {
  const { code } = await transform(file.text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    supported: { 'dynamic-import': false },
  })
  await writeFile(`dist/${file.path.split(/[\\/]/).at(-1)}`, code)
}
await writeFile('dist/meta.json', JSON.stringify(result.metafile))

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
