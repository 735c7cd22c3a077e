// Makes an executable of the program in dist/ and the Node that runs this script: `node scripts/build-sea.mjs [folder]`. Beside it
// come the files that a copy for other people needs. `--node <file>` uses the Node of another system, of the same version: those for
// Windows and Linux on another CPU can be made on Linux. Signing for macOS follows Node's documentation, needs macOS, and has not been run yet.
import { execFile } from 'node:child_process'
import { access, copyFile, cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { inject } from 'postject'

const run = promisify(execFile)
const { platform } = process
const { values, positionals } = parseArgs({ options: { node: { type: 'string' } }, allowPositionals: true })
const { node = process.execPath } = values
const [folder = 'sea'] = positionals
const program = await readFile(node)
const executable = join(folder, program.subarray(0, 2).toString() === 'MZ' ? 'tug.exe' : 'tug')

// The fuse by which Node finds out that it has a program in it.
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

const main = `${await readFile('dist/load.cjs', 'utf8')}
const { getRawAsset } = require('node:sea')
const { execPath } = process
exports.startCopy({
  read: (file) => Buffer.from(getRawAsset(file)).latin1Slice(),
  folder: require('node:path').dirname(execPath),
  self: [execPath],
}, process)
`

if (!program.includes(sentinelFuse)) {
  throw new Error(
    `${node} cannot hold a program. Use Node from nodejs.org or from npm: npx -y node@24 scripts/build-sea.mjs`,
  )
}
// Node contains the address of its own release. The blob is only for the version that made it.
if (values.node !== undefined && !program.includes(`/v${process.versions.node}/`))
  throw new Error(`${node} is not Node ${process.versions.node}`)
await mkdir(folder, { recursive: true })
await rm(executable, { force: true })
const blob = await programBlob()
await copyFile(node, executable)
if (platform === 'darwin') await run('codesign', ['--remove-signature', executable])
await quietly(() => inject(executable, 'NODE_SEA_BLOB', blob, { sentinelFuse, machoSegmentName: 'NODE_SEA' }))
if (platform === 'darwin') await run('codesign', ['--sign', '-', executable])

for (const name of ['man', 'completions']) await cp(name, join(folder, name), { recursive: true })
await copyFile('LICENSE', join(folder, 'LICENSE'))
await copyFile('dist/THIRD_PARTY_LICENSES.txt', join(folder, 'THIRD_PARTY_LICENSES.txt'))
// The license is the same on every system.
const nodeLicense = await firstThatExists(
  [node, process.execPath].flatMap((file) => ['LICENSE', '../LICENSE'].map((name) => join(dirname(file), name))),
)
if (nodeLicense !== undefined) await copyFile(nodeLicense, join(folder, 'NODE_LICENSE.txt'))
console.log(
  `${executable}: tug with Node ${process.versions.node}${nodeLicense === undefined ? ', whose license file was not found' : ''}`,
)

/** The program as Node reads it from the executable. */
async function programBlob() {
  // Its path is in the blob: a fixed one makes the same executable twice.
  const scratch = join('node_modules', '.cache', 'tug-executable')
  await mkdir(scratch, { recursive: true })
  try {
    const names = (await readdir('dist'))
      .toSorted()
      .filter((name) => name === 'texts.json' || /(?<!^load)\.cjs$/.test(name))
    const output = join(scratch, 'program.blob')
    const config = {
      main: join(scratch, 'main.cjs'),
      output,
      disableExperimentalSEAWarning: true,
      // Node warns where a code cache was made with other flags (NODE_OPTIONS); the program has a cache of its own.
      useCodeCache: false,
      assets: Object.fromEntries(names.map((name) => [name, join('dist', name)])),
    }
    await writeFile(config.main, main)
    await writeFile(join(scratch, 'sea.json'), JSON.stringify(config))
    await run(process.execPath, ['--experimental-sea-config', join(scratch, 'sea.json')])
    return await readFile(output)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** postject warns of sections without names, which Node's executables have. */
async function quietly(work) {
  const { warn, log } = console
  Object.assign(console, { warn: () => undefined, log: () => undefined })
  try {
    await work()
  } finally {
    Object.assign(console, { warn, log })
  }
}

async function firstThatExists(paths) {
  for (const path of paths) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return undefined
}
