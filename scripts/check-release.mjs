// Refuses a release whose tag, version, changelog or repository don't agree, or that still has placeholders. The release workflow runs it
// with the tag in GITHUB_REF_NAME and the repository in GITHUB_REPOSITORY.
import { readFile } from 'node:fs/promises'

const { GITHUB_REF_NAME: tag, GITHUB_REPOSITORY: repository = '' } = process.env
const manifest = JSON.parse(await readFile('package.json', 'utf8'))
const changelog = await readFile('CHANGELOG.md', 'utf8')
const problems = []

if (tag !== `v${manifest.version}`) problems.push(`the tag is ${tag}, the version in package.json ${manifest.version}`)
if (!changelog.includes(`\n## [${manifest.version}] - 2`))
  problems.push(`CHANGELOG.md has no section '## [${manifest.version}] - <date>'`)
// npm compares it with the repository that publishes.
if (manifest.repository?.url !== `git+https://github.com/${repository}.git`)
  problems.push(`"repository" in package.json is not git+https://github.com/${repository}.git`)
for (const file of ['package.json', 'action.yml', 'install.sh', 'install.ps1', '.github/CODEOWNERS', 'README.md']) {
  const lines = (await readFile(file, 'utf8')).split('\n')
  const places = lines.flatMap((line, index) => (line.includes('OWNER') ? [index + 1] : []))
  if (places.length > 0) problems.push(`${file} has the placeholder OWNER in line ${places.join(', ')}`)
}
for (const problem of problems) console.error(`check-release: ${problem}`)
if (problems.length > 0) process.exitCode = 1
