import * as kmip from '../../../api/kmip.ts'
import type { Work } from '../../../write/work.ts'
import { write } from '../../../write/write.ts'
import { roleParam, scopeParam, noSuchRole } from '../params.ts'
import { deletionWork, unlisted } from '../scope.ts'

export const roleDelete = write({
  name: 'delete',
  endpoint: kmip.deleteRole,
  also: [kmip.listRoles],
  summary: 'Delete a role',
  description: `The roles are listed first: one that doesn't exist is exit status 3 and nothing is sent. ${unlisted}`,
  params: { scope: scopeParam, role: roleParam },
  examples: [{ line: 'kmip role delete storage backup', note: 'asks first' }],
  async open({ scope, role }, context): Promise<Work> {
    const checkCommand = context.commandLine('kmip role list', scope)
    return deletionWork(context, {
      action: 'role delete',
      target: 'role',
      item: `${scope}/${role}`,
      data: { scope, role },
      list: kmip.listRoles({ scope }),
      name: role,
      request: kmip.deleteRole({ scope, role }, { checkCommand }),
      what: `role ${role} in scope ${scope}`,
      missing: noSuchRole(scope, role, context),
      question: `Delete role ${role} of scope ${scope}? Its certificates stop working.`,
    })
  },
})
