// The repository's address comes from "repository" in package.json, and whether there is a release from CHANGELOG.md. This writes both
// into the files that can't read them: `npm run generate` runs it, and `check-release.mjs` compares.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The files with what they must contain, and what these are made of. */
export async function repositoryFiles(folder = '.') {
  const read = (file) => readFile(join(folder, file), 'utf8')
  const manifest = JSON.parse(await read('package.json'))
  const { version, repository } = manifest
  const home = repository.url.replace(/^git\+|\.git$/g, '')
  const slug = new URL(home).pathname.slice(1)
  const [owner] = slug.split('/')
  const isReleased = (await read('CHANGELOG.md')).includes(`\n## [${version}] - 2`)
  const withAddress = (text) => text.replaceAll(/https:\/\/github\.com\/[^/\s]+\/[^/\s]+(?=\/releases\b)/g, home)
  const withActions = (text) => text.replaceAll(/(uses: )[^/\s]+\/[^/\s@]+((?:\/logout)?@v1\b)/g, `$1${slug}$2`)
  const rows = [
    [
      'package.json',
      `${JSON.stringify({ ...manifest, homepage: `${home}#readme`, bugs: `${home}/issues` }, null, 2)}\n`,
    ],
    ['install.sh', withAddress(await read('install.sh'))],
    ['install.ps1', withAddress(await read('install.ps1'))],
    ['action.yml', withActions(await read('action.yml'))],
    ['logout/action.yml', withActions(await read('logout/action.yml'))],
    ['docs/recipes.md', withActions(await read('docs/recipes.md'))],
    ['.github/CODEOWNERS', (await read('.github/CODEOWNERS')).replace(/^\* @.*$/m, `* @${owner}`)],
    ['README.md', readme(await read('README.md'), { isReleased, home, slug, version })],
  ]
  return { isReleased, files: rows.map(([file, text]) => ({ file, text })) }
}

/** The page with its lines of installation between `<!-- first -->` and `<!-- /first -->`, and `install` likewise. */
function readme(page, facts) {
  const parts = facts.isReleased ? releasedLines(facts) : checkoutLines
  return Object.entries(parts).reduce((text, [name, lines]) => {
    const [start, end] = [`<!-- ${name} -->\n`, `\n<!-- /${name} -->`]
    const from = text.indexOf(start)
    const to = text.indexOf(end)
    if (from < 0 || to < from) throw new Error(`README.md has no lines between ${start.trim()} and ${end.trim()}`)
    return `${text.slice(0, from)}${start}\n${lines}\n${text.slice(to)}`
  }, page)
}

const checkoutLines = {
  first: `Node 20.18.1 or newer and npm are all it needs. In a checkout:

\`\`\`sh
npm ci && npm install --global .
\`\`\``,
  install: `There is no release yet.

- **With Node**: \`npm ci && npm install --global .\` in a checkout that you keep: it is linked, not copied. npm runs its \`prepare\` script,
  which builds it. For a copy, or a tarball for other machines: \`npm ci && npm install --global "$(npm pack --silent)"\`.
- **Without Node**: \`npm ci && npm run build:sea\` makes an executable, \`sea/tug\`, for machines with the same system.
  [CONTRIBUTING.md](CONTRIBUTING.md#release) shows how to make executables for other systems.`,
}

function releasedLines({ home, slug, version }) {
  const [owner] = slug.split('/')
  const latest = `${home}/releases/latest/download`
  return {
    first: `\`\`\`sh
npm install --global tug                       # with Node 20.18.1 or newer
curl -fsSL ${latest}/install.sh | sh           # without Node
\`\`\``,
    install: `- **npm**: \`npm install --global tug\`. The package runs no script when it is installed.
- **Executable** for Linux, macOS and Windows, checked against the release's SHA256SUMS: \`install.sh\` as above, or
  \`irm ${latest}/install.ps1 | iex\`.
- **Homebrew**: \`brew install ${owner}/tap/tug\`. **Scoop** and **winget**: their manifests are files of each release.
- **Container**, by digest: \`docker run --rm "$(curl -fsSL ${latest}/image.txt)" version\`.
- **GitHub Actions**: \`uses: ${slug}@v1\`, see [action.yml](action.yml).
- **From a checkout**: \`npm ci && npm install --global .\` builds it and links it.

Every file of a release is attested. This shows that the repository's workflow has made it:

\`\`\`sh
gh attestation verify tug-${version}-linux-x64.tar.gz --repo ${slug}
npm audit signatures                           # where the package is a dependency
\`\`\``,
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const { file, text } of (await repositoryFiles()).files) await writeFile(file, text)
