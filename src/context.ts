import type { OpenService, TugContext } from './commands/tug/context.ts'
import { ignoredNamespace } from './config/profiles.ts'
import type { Resolved } from './config/resolve.ts'
import type { Session } from './config/session.ts'
import type { Flags } from './config/settings.ts'
import { settingRows } from './config/settings.ts'
import type { Context, Elsewhere } from './core/context.ts'
import { isYes } from './core/environment.ts'
import { DryRunEnd } from './core/errors.ts'
import { commandLine, flagText, shellQuote } from './core/shell.ts'
import { typedWords, withValues } from './cli/words.ts'
import { tree, version } from './commands/index.ts'
import { openHttp } from './connect.ts'
import { readOnlyError } from './http/pipe.ts'
import type { Invocation } from './invocation.ts'

/** Creates the context of a command. */
export function createContext(invocation: Invocation): TugContext {
  const { host, route, session, signal, io } = invocation
  const { words } = route
  const context: TugContext = {
    ...openedIn(invocation, session),
    ...placesOf(invocation, () => context),
    ...processOf(invocation),
    ...configurationOf(invocation),
    io,
    monotonic: host.monotonic,
    signal,
    commandPath: words,
    mountKey: 'mount',
    sleep: invocation.sleep,
    random: host.random,
    get user() {
      return host.user
    },
    commandLine: lineMaker(session),
    typedLine: (changes = {}) => ['tug', ...words, ...withValues(route.line, changes).map(shellQuote)].join(' '),
    lineWith(from, to, ...flags) {
      if (invocation.writes || to.startsWith('-')) return context.commandLine(words.join(' '), to, ...flags)
      const again = route.line.map((word) =>
        word.role === 'argument' && word.text.replace(/\/$/, '') === from ? { ...word, text: to } : word,
      )
      const typed = typedWords(again)
      const end = again.some(({ role }) => role === 'dashes') ? typed.indexOf('--') : typed.length
      return ['tug', ...words, ...typed.map(shellQuote).toSpliced(end, 0, ...flags.map(flagText))].join(' ')
    },
    async withholdMisplaced() {
      const { withholdMisplaced } = await import('./misplaced.ts')
      withholdMisplaced(route, invocation.redactor)
    },
    host,
    tree,
    version,
  }
  return context
}

function openedIn(invocation: Invocation, session: Session): OpenService {
  const http = openHttp(session, invocation)
  return { session, http, settings: session.commandSettings, now: () => http.memory.clock.now() }
}

/** Contexts for another profile, mount, namespace or service. */
function placesOf(invocation: Invocation, current: () => TugContext) {
  const { flags: typed, route, openSession } = invocation
  const open = (given: Parameters<Invocation['openSession']>[0]) => openedIn(invocation, openSession(given))
  const elsewhere = (place: Elsewhere): Context & OpenService => {
    const there = open({ entry: route.entry, flags: flagsElsewhere(typed, place) })
    return { ...current(), ...there, mountKey: place.mountKey, commandLine: lineMaker(there.session) }
  }
  return {
    elsewhere,
    async elsewhereToWrite(place) {
      const there = elsewhere(place)
      const { profile, namespace } = place
      // The profile of the line was confirmed already: elsewhere in it, only the warning is left.
      if (profile !== undefined || namespace !== undefined)
        await current().allowWrite(there.session, { isPlan: profile === undefined || !invocation.writes })
      return there
    },
    through(this: Context, layer) {
      return {
        ...this,
        http: this.http.through(layer),
        elsewhere: (place) => this.elsewhere(place).through(layer),
        elsewhereToWrite: async (place) => (await this.elsewhereToWrite(place)).through(layer),
      }
    },
    openService: (service, { newProfile = false, profile = typed.profile } = {}) =>
      open({ entry: { service }, newProfile, flags: profile === undefined ? typed : { ...typed, profile } }),
    openWith(service, { address, token, org, dialect }) {
      const flags = { ...typed, dialect, ...(org === undefined ? {} : { org }) }
      const given = { entry: { service }, flags, token, newProfile: true }
      // An address from a vendor's variable keeps their other variables in effect: certificates, namespace.
      const isConfigured = openSession(given).setting('address')?.value === address
      return open(isConfigured ? given : { ...given, flags: { ...flags, address } })
    },
  } satisfies Partial<TugContext>
}

/** The process for commands: child processes, exit handlers, terminal. */
function processOf({ host, interrupts, masks, dryRun, started }: Invocation) {
  const options = { host, interrupts, started }
  const loadChild = async () => {
    if (dryRun) throw new DryRunEnd()
    // Secrets that the child may print are first masked in the log of a GitHub workflow.
    masks?.announce()
    return import('./process/child.ts')
  }
  return {
    started,
    onExit: host.onExit,
    onResize: (call) => host.onSignal('SIGWINCH', call),
    terminalSize() {
      const shown = [host.stdout, host.stderr].find(({ isTTY }) => isTTY === true)
      return { rows: shown?.rows || 24, columns: shown?.columns || 80 }
    },
    runChild: async (words, env) => (await loadChild()).runChild(words, env, options),
    async runLine(line, argument, env) {
      const { runChild, wordsOfLine } = await loadChild()
      return runChild(wordsOfLine(line, argument, host.platform), env, options)
    },
  } satisfies Partial<TugContext>
}

/** Functions that change the saved configuration, or ask because of it. */
function configurationOf({ host, session, io, dryRun }: Invocation) {
  const { folder } = session.saved
  const confirm = async (given: Resolved<string> | undefined, name: string, purpose: string) => {
    const { confirmName } = await import('./confirm-name.ts')
    await confirmName(given, io, name, purpose)
  }
  return {
    async allowWrite({ saved, service, setting, sources, readOnlyBy }, { isPlan } = { isPlan: false }) {
      if (dryRun || service === undefined) return
      if (readOnlyBy !== undefined && !isPlan) throw readOnlyError(readOnlyBy, 'a write')
      const isCommunity = !sources.isOtherServer && saved.profile?.[service]?.edition === 'community'
      const namespace = setting('namespace')?.value
      if (isCommunity && namespace) io.warn(ignoredNamespace(namespace))
      // `--yes` doesn't confirm it.
      if (isYes(saved.profile?.protected) && !isPlan)
        await confirm(setting('confirmProfile'), saved.profileName, 'continue')
    },
    async confirmProfile(name, purpose) {
      if (!dryRun) await confirm(session.setting('confirmProfile'), name, purpose)
    },
    async updateConfig(change) {
      if (dryRun) throw new DryRunEnd()
      const { updateConfig } = await import('./config/write.ts')
      await updateConfig(folder, host, change)
    },
    async updateCredentials(change) {
      if (dryRun) throw new DryRunEnd()
      const { updateCredentials } = await import('./config/write.ts')
      await updateCredentials(folder, host, change)
    },
  } satisfies Partial<TugContext>
}

function lineMaker({ commandSettings }: Session): Context['commandLine'] {
  return (words, ...args) => commandLine(commandSettings.targetFlags, words, ...args)
}

/** The typed flags for another place. Typed addresses, tokens and namespaces don't apply to another profile. */
function flagsElsewhere(flags: Flags, { profile, mount, namespace }: Elsewhere): Flags {
  const ofServer = settingRows
    .filter(([key, { server }]) => server === true || key === 'dialect')
    .map(([key, { flagKey = key }]) => flagKey)
  const kept = Object.entries(flags).filter(([name]) => profile === undefined || !ofServer.includes(name))
  return {
    ...Object.fromEntries(kept),
    ...(profile === undefined ? {} : { profile }),
    ...(mount === undefined ? {} : { mount }),
    ...(namespace === undefined ? {} : { namespace }),
  }
}
