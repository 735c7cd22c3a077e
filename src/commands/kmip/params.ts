import { path } from '../../core/param.ts'

export const scopeParam = path.name('the scope', { complete: 'kmip-scope' })

export const roleParam = path.name('the role', { complete: 'kmip-role' })
