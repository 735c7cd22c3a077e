// Makes an executable of the program in dist/ and the Node that runs this script: `node scripts/build-sea.mjs [folder]`. Beside it
// come the files that a copy for other people needs. Signing for macOS follows Node's documentation and has not been run yet.
import { execFile } from 'node:child_process'
import { access, copyFile, cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'postject'

const run = promisify(execFile)
const { execPath: node, platform } = process
const [folder = 'sea'] = process.argv.slice(2)
const executable = join(folder, platform === 'win32' ? 'tug.exe' : 'tug')

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

if (!(await readFile(node)).includes(sentinelFuse)) {
  throw new Error(
    `${node} cannot hold a program. Use Node from nodejs.org or from npm: npx -y node@24 scripts/build-sea.mjs`,
  )
}
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
const nodeLicense = await firstThatExists(['LICENSE', '../LICENSE'].map((name) => join(dirname(node), name)))
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
    await run(node, ['--experimental-sea-config', join(scratch, 'sea.json')])
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
