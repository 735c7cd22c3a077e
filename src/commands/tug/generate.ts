import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { commandsOf, loadProgram } from '../../cli/catalogue.ts'
import { settingFacts } from '../../config/profile-keys.ts'
import { manualPages } from '../../cli/manual.ts'
import { tableNames, referenceTables, replaceBetweenMarkers } from '../../cli/reference.ts'
import type { Tree } from '../../cli/route.ts'
import { findRoute } from '../../cli/route.ts'
import { helpOf } from '../../cli/help.ts'
import { skillPage } from '../../cli/skill.ts'
import { completionScripts, shells } from './completion.ts'
import { pageStyle } from '../../output/paint.ts'
import type { Host } from '../../process/host.ts'
import { writeAll } from '../../output/streams.ts'

/** The page with the generated tables. */
const referencePage = 'docs/reference.md'

/** The generated files by path: manual pages, completion scripts, the tables of the reference, the page for agents. */
async function generated(reference: string, tree: Tree, version: string): Promise<{ file: string; text: string }[]> {
  const program = await loadProgram(tree, version)
  const settings = settingFacts()
  const tables = referenceTables(program, settings)
  const scripts = shells.map((shell) => ({
    file: `completions/tug.${shell === 'powershell' ? 'ps1' : shell}`,
    text: completionScripts[shell],
  }))
  const pages = manualPages(program, settings).map(({ file, text }) => ({ file: `man/${file}`, text }))
  const filled = tableNames.reduce((text, name) => replaceBetweenMarkers(text, name, tables[name]), reference)
  const skill = { file: 'skills/tug/SKILL.md', text: skillPage(program) }
  return [...pages, ...scripts, { file: referencePage, text: filled }, skill]
}

/** `tug __generate <folder>`: writes them into a checkout. */
export async function generate([folder = '.']: readonly string[], tree: Tree, version: string): Promise<number> {
  const files = await generated(await readFile(join(folder, referencePage), 'utf8'), tree, version)
  // Removes the pages of removed commands.
  await rm(join(folder, 'man'), { recursive: true, force: true })
  for (const { file, text } of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  // npm installs the pages that the package lists, not those of a folder.
  const manifest = join(folder, 'package.json')
  const man = files.map(({ file }) => file).filter((file) => file.startsWith('man/'))
  const listed = { ...(JSON.parse(await readFile(manifest, 'utf8')) as object), man: man.toSorted() }
  await writeFile(manifest, `${JSON.stringify(listed, null, 2)}\n`)
  return 0
}

/**
 * `tug __texts`: the output of help, `--version` and `completion` in a pipe, by command line, as JSON. The build stores it beside the
 * program, which then prints it without loading any command.
 */
export async function printTexts(host: Host, tree: Tree, version: string): Promise<number> {
  const { entries } = await loadProgram(tree, version)
  const commands = entries.flatMap(commandsOf).map(([words]) => words.split(' '))
  const groups = commands.flatMap((words) => words.map((_, count) => words.slice(0, count)))
  const texts = new Map<string, string>()
  const style = await pageStyle({ isTTY: false } as Host['stdout'], { env: {} })
  for (const words of [...groups, ...commands]) {
    const line = [...words, '--help']
    const route = await findRoute(line, tree)
    texts.set(line.join(' '), helpOf(route, tree, style))
  }
  texts.set('--version', `${version}\n`)
  for (const shell of shells) texts.set(`completion ${shell}`, completionScripts[shell])
  await writeAll(host.stdout, JSON.stringify(Object.fromEntries(texts)), 'stdout')
  return 0
}
