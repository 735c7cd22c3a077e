// Dates the changelog's section of the version in package.json. `npm version` runs it.
import { readFile, writeFile } from 'node:fs/promises'

const { version } = JSON.parse(await readFile('package.json', 'utf8'))
const changelog = await readFile('CHANGELOG.md', 'utf8')
const heading = `\n## [${version}] - unreleased\n`
if (!changelog.includes(heading)) throw new Error(`CHANGELOG.md has no section '${heading.trim()}'`)
const today = new Date().toISOString().slice(0, 10)
await writeFile('CHANGELOG.md', changelog.replace(heading, `\n## [${version}] - ${today}\n`))
