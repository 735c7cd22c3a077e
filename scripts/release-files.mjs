// Completes a folder of release archives: `node scripts/release-files.mjs <folder>` adds the install scripts, a Homebrew formula, a Scoop
// manifest and winget manifests for the archives in it, and SHA256SUMS of everything.
import { createHash } from 'node:crypto'
import { copyFile, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: node scripts/release-files.mjs <folder>')
const { version, description, license, repository } = JSON.parse(await readFile('package.json', 'utf8'))
const home = repository.url.replace(/^git\+|\.git$/g, '')
const [owner] = new URL(home).pathname.slice(1).split('/')
const downloads = `${home}/releases/download/v${version}`

const hashes = await hashesOf(folder)
const mac = archive('darwin-arm64.tar.gz')
const linux = { intel: archive('linux-x64.tar.gz'), arm: archive('linux-arm64.tar.gz') }
const windows = archive('win32-x64.zip')

for (const name of ['install.sh', 'install.ps1']) await copyFile(name, join(folder, name))
if (mac !== undefined || linux.intel !== undefined) await write('tug.rb', formula())
if (windows !== undefined) {
  await write('tug.json', `${JSON.stringify(scoopManifest(windows), null, 2)}\n`)
  for (const [name, text] of Object.entries(wingetManifests(windows))) await write(name, text)
}
const sums = Object.entries(await hashesOf(folder)).map(([name, hash]) => `${hash}  ${name}\n`)
await write('SHA256SUMS', sums.join(''))

async function hashesOf(path) {
  const names = (await readdir(path)).filter((name) => name !== 'SHA256SUMS').toSorted()
  const rows = names.map(async (name) => {
    const content = await readFile(join(path, name))
    return [name, createHash('sha256').update(content).digest('hex')]
  })
  return Object.fromEntries(await Promise.all(rows))
}

/** The archive for a system, if it is in the folder. */
function archive(ending) {
  const name = `tug-${version}-${ending}`
  return hashes[name] === undefined ? undefined : { name, url: `${downloads}/${name}`, hash: hashes[name] }
}

async function write(name, text) {
  await writeFile(join(folder, name), text)
}

function formula() {
  const source = ({ url, hash }) => `      url "${url}"\n      sha256 "${hash}"\n`
  const onLinux = Object.entries(linux)
    .filter(([, found]) => found !== undefined)
    .map(([cpu, found]) => `    on_${cpu} do\n${source(found)}    end\n`)
  const onMac = mac === undefined ? [] : [`    depends_on arch: :arm64\n    on_arm do\n${source(mac)}    end\n`]
  const system = (name, parts) => (parts.length === 0 ? '' : `  on_${name} do\n${parts.join('')}  end\n\n`)
  return `class Tug < Formula
  desc "${description}"
  homepage "${home}"
  version "${version}"
  license "${license}"

${system('macos', onMac)}${system('linux', onLinux)}  def install
    bin.install "tug"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/tug.bash" => "tug"
    zsh_completion.install "completions/tug.zsh" => "_tug"
    fish_completion.install "completions/tug.fish"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/tug --version").strip
  end
end
`
}

function scoopManifest({ name, url, hash }) {
  return {
    version,
    description,
    homepage: home,
    license,
    architecture: { '64bit': { url, hash, extract_dir: name.replace(/\.zip$/, '') } },
    bin: 'tug.exe',
    checkver: 'github',
    autoupdate: {
      architecture: {
        '64bit': {
          url: url.replaceAll(version, '$version'),
          extract_dir: 'tug-$version-win32-x64',
        },
      },
      hash: { url: '$baseurl/SHA256SUMS' },
    },
  }
}

function wingetManifests({ name, url, hash }) {
  const id = `${owner}.tug`
  const manifest = (type, lines) =>
    [
      `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.1.6.0.schema.json`,
      `PackageIdentifier: ${id}`,
      `PackageVersion: ${version}`,
      ...lines,
      `ManifestType: ${type}`,
      'ManifestVersion: 1.6.0\n',
    ].join('\n')
  return {
    [`${id}.yaml`]: manifest('version', ['DefaultLocale: en-US']),
    [`${id}.installer.yaml`]: manifest('installer', [
      'InstallerType: zip',
      'NestedInstallerType: portable',
      'NestedInstallerFiles:',
      `  - RelativeFilePath: ${name.replace(/\.zip$/, '')}\\tug.exe`,
      '    PortableCommandAlias: tug',
      'Installers:',
      '  - Architecture: x64',
      `    InstallerUrl: ${url}`,
      `    InstallerSha256: ${hash.toUpperCase()}`,
    ]),
    [`${id}.locale.en-US.yaml`]: manifest('defaultLocale', [
      'PackageLocale: en-US',
      `Publisher: ${owner}`,
      'PackageName: tug',
      `PackageUrl: ${home}`,
      `License: ${license}`,
      `ShortDescription: ${JSON.stringify(description)}`,
    ]),
  }
}
