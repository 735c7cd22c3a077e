import type { Json } from '../../../core/json.ts'
import type { Context } from '../../../core/context.ts'
import { shellQuote } from '../../../core/shell.ts'
import { flag } from '../../../core/param.ts'
import type { HttpResponse } from '../../../core/context.ts'
import { fillPath } from '../../../core/request.ts'
import { answered, wordedAbsence } from '../answer.ts'
import type { CertificateFormat } from './certificate.ts'
import { certificateFormats } from './certificate.ts'
import { roleParam } from '../role.ts'
import { scopeParam } from '../scope.ts'

/** The route above all credentials of a role. */
export const base = '/v1/{mount}/scope/{scope}/role/{role}/credential'

/** The arguments of every `kmip cred` command. */
export const place = { scope: scopeParam, role: roleParam }

/** The flags of commands that return a certificate. */
export const filing = {
  format: flag.choice('encoding of certificate, key and chain', certificateFormats, { defaultText: 'pem' }),
  outDir: flag.text('write certificate, chain and key into this folder (made 0700 when missing)', {
    placeholder: 'dir',
    complete: 'directory',
  }),
  force: flag.boolean('replace files in the folder'),
}

/** The role that a credential belongs to. */
export interface Role {
  readonly scope: string
  readonly role: string
}

/** The encoded path of the role's credentials, followed by `ending`. */
export function pathOf(ending: string, { scope, role }: Role, { settings }: Context): string {
  return fillPath(`${base}${ending}`, { mount: settings.route.mount, scope, role })
}

/** A command line about the role's credentials, for a shell. */
export function lineFor(action: string, { scope, role }: Role, { settings }: Context, more = ''): string {
  const mount = settings.route.mount === 'kmip' ? '' : ` --mount ${shellQuote(settings.route.mount ?? '')}`
  return `tug kmip cred ${action} ${shellQuote(scope)} ${shellQuote(role)}${more}${mount}`
}

/** One certificate by its serial number. Throws "not found" with its own message if the server has none. */
export async function lookUp(
  serial: string,
  format: CertificateFormat,
  role: Role,
  context: Context,
): Promise<{ response: HttpResponse; data: Json | undefined }> {
  const query = [
    ['serial_number', serial],
    ['format', format],
  ] as const
  const request = { method: 'GET', path: pathOf('/lookup', role, context), query }
  const response = await context.http.send(request).catch((error: unknown) => {
    const message = `role ${role.role} in ${role.scope} has no certificate ${serial}`
    throw wordedAbsence(error, message, `${lineFor('list', role, context)} shows those it has`)
  })
  return { response, data: answered(response, context.io) }
}
