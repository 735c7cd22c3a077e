import type { Host, OutputStream } from '../host.ts'
import { colorLevel, createPaint } from '../output/paint.ts'
import { widthOf, writeAll } from '../output/io.ts'
import { summary, tree } from '../program.ts'
import { aliasesOf } from './habits.ts'
import type { HelpPage } from './help.ts'
import type { Route } from './route.ts'

/** Prints the help that a route asks for. A group without a command is a mistake: its help goes to stderr, status 2. */
export async function showHelp(route: Route, host: Host): Promise<number> {
  const mistaken = route.target?.kind === 'group' && !route.help
  const stream = mistaken ? host.stderr : host.stdout
  await writeAll(stream, await helpText(route, host, stream), mistaken ? 'stderr' : 'stdout')
  return mistaken ? 2 : 0
}

/** The help of what a route leads to, as the stream can show it. */
export async function helpText(route: Route, host: Host, stream: OutputStream): Promise<string> {
  const { words, target, entry, siblings } = route
  const { commandHelp, groupHelp, rootHelp } = await import('./help.ts')
  const page: HelpPage = {
    words,
    aliases: aliasesOf(words, siblings),
    globals: tree.globals,
    groupParams: entry === undefined ? {} : (tree.groupParams[entry.name] ?? {}),
    paint: await createPaint(colorLevel({ flag: undefined, env: host.env, isTerminal: stream.isTTY === true })),
    width: Math.min(widthOf(stream, host.env) ?? 100, 120),
  }
  if (target === undefined) return rootHelp(tree.entries, summary, page)
  return target.kind === 'group' ? groupHelp(target, page) : commandHelp(target, page)
}
