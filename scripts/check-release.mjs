// Refuses a release whose tag, version, changelog or repository don't agree, or whose generated files are those of another one. The
// release workflow runs it with the tag in GITHUB_REF_NAME and the repository in GITHUB_REPOSITORY.
import { readFile } from 'node:fs/promises'
import { repositoryFiles } from './repository.mjs'

const { GITHUB_REF_NAME: tag, GITHUB_REPOSITORY: repository = '' } = process.env
const manifest = JSON.parse(await readFile('package.json', 'utf8'))
const { isReleased, files } = await repositoryFiles()
const problems = []

if (tag !== `v${manifest.version}`) problems.push(`the tag is ${tag}, the version in package.json ${manifest.version}`)
if (!isReleased) problems.push(`CHANGELOG.md has no section '## [${manifest.version}] - <date>'`)
// npm compares it with the repository that publishes.
if (manifest.repository?.url !== `git+https://github.com/${repository}.git`)
  problems.push(`"repository" in package.json is not git+https://github.com/${repository}.git`)
for (const { file, text } of files)
  if ((await readFile(file, 'utf8')) !== text) problems.push(`${file} is not what \`npm run generate\` writes`)
for (const problem of problems) console.error(`check-release: ${problem}`)
if (problems.length > 0) process.exitCode = 1
