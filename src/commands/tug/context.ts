import type { Tree } from '../../cli/route.ts'
import type { ConfigFile, CredentialsFile } from '../../config/profiles.ts'
import type { Session } from '../../config/session.ts'
import type { Command, CommandDeclaration } from '../../core/command.ts'
import { command } from '../../core/command.ts'
import type { CommandSettings, Context } from '../../core/context.ts'
import type { Http } from '../../core/http.ts'
import type { Params } from '../../core/param.ts'
import { argument } from '../../core/param.ts'
import { serviceNames } from '../../core/service.ts'
import type { Dialect, ServiceName } from '../../core/service.ts'
import type { Host } from '../../process/host.ts'

/** The context of commands about `tug` itself, which belong to no service and open those they need. */
export interface TugContext extends Context {
  readonly host: Host
  readonly session: Session
  /** The whole command line. */
  readonly tree: Tree
  /** The settings and the HTTP client of a service, with another `profile` than that of the line. With `newProfile`, it need not exist yet. */
  openService(
    service: ServiceName,
    options?: { readonly newProfile?: boolean; readonly profile?: string | undefined },
  ): OpenService
  /** The same with an address, a token, an organization and a dialect that are not saved yet (`login`). */
  openWith(
    service: ServiceName,
    given: { address: string; token: string; org: string | undefined; dialect: Dialect },
  ): OpenService
  /**
   * Before a write reads or asks anything: throws in read-only mode, asks for the profile's name if it is protected, and warns if the
   * server ignores the namespace. A plan only warns.
   */
  allowWrite(session: Session, options?: { readonly isPlan: boolean }): Promise<void>
  /** Asks for the name of a protected profile to `purpose` (`delete it`), unless `--confirm-profile` contains it. */
  confirmProfile(name: string, purpose: string): Promise<void>
  /** Withholds what may be a secret in the wrong place of the line, as usage errors do. */
  withholdMisplaced(): Promise<void>
  /** Changes the saved profiles. A dry run ends here. */
  updateConfig(change: (config: ConfigFile) => ConfigFile): Promise<void>
  /** Changes the stored tokens. A dry run ends here. */
  updateCredentials(change: (credentials: CredentialsFile) => CredentialsFile): Promise<void>
}

/** A configured service. */
export interface OpenService {
  readonly session: Session
  readonly http: Http
  readonly settings: CommandSettings
  readonly now: Context['now']
}

/** Declares a command about `tug` itself. */
export function tugCommand<const P extends Params>(declaration: CommandDeclaration<P, TugContext>): Command {
  return command(declaration)
}

/** Product names that may be typed for a service. */
const products: Readonly<Record<string, ServiceName>> = {
  vault: 'secrets',
  bao: 'secrets',
  openbao: 'secrets',
  kv: 'secrets',
  kmip: 'secrets',
  nomad: 'scheduler',
  job: 'scheduler',
  jobs: 'scheduler',
  terraform: 'explorer',
  tfe: 'explorer',
  hcp: 'explorer',
}

/** An argument that names a service. */
export const serviceArgument = argument.choice('service to use', serviceNames, { required: true, meant: products })

/** The same for `login`, which asks on a terminal. */
export const askedService = argument.choice('service to use; asked for on a terminal', serviceNames, {
  meant: products,
})

/** The same where it may be omitted. */
export const optionalService = argument.choice('the service; all of them by default', serviceNames, { meant: products })
