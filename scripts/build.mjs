// Bundles src/ into dist/: ES modules split into a small main and cold chunks, then each file turned into CommonJS (which
// starts faster and whose chunks are loaded by `require` at use). TypeScript only checks; this is what runs.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { build, transform } from 'esbuild'

const { version } = JSON.parse(await readFile('package.json', 'utf8'))
await rm('dist', { recursive: true, force: true })

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
  plugins: [lazyChildProcess()],
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
  const name = file.path.split(/[\\/]/).at(-1)
  await writeFile(`dist/${name}`, code, { flag: 'w' }).catch(async (error) => {
    if (error.code !== 'ENOENT') throw error
    const { mkdir } = await import('node:fs/promises')
    await mkdir('dist', { recursive: true })
    await writeFile(`dist/${name}`, code)
  })
}
await writeFile('dist/meta.json', JSON.stringify(result.metafile))

/** commander loads node:child_process at once and needs it for executable subcommands only, which there are none of. */
function lazyChildProcess() {
  return {
    name: 'lazy-child-process',
    setup(bundler) {
      bundler.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
        importer.includes('commander') ? { path: 'child-process-stub', namespace: 'stub' } : undefined,
      )
      bundler.onLoad({ filter: /.*/, namespace: 'stub' }, () => ({ contents: 'module.exports = {}', loader: 'js' }))
    },
  }
}
