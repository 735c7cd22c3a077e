import { group } from '../../core/group.ts'

export const explorer = group('explorer', 'Query HCP Terraform: workspaces, versions, providers, modules', {
  query: async () => (await import('./query.ts')).query,
  export: async () => (await import('./export.ts')).exportRows,
  summary: async () => (await import('./summary.ts')).summary,
  usage: async () => (await import('./usage.ts')).usage,
  diff: async () => (await import('./diff/diff.ts')).diff,
  fields: async () => (await import('./fields.ts')).fields,
  views: async () =>
    group('views', 'Saved views: list, change, run and export them', {
      list: async () => (await import('./views/views.ts')).viewsList,
      get: async () => (await import('./views/views.ts')).viewsGet,
      create: async () => (await import('./views/create.ts')).viewsCreate,
      update: async () => (await import('./views/create.ts')).viewsUpdate,
      apply: async () => (await import('./views/apply.ts')).viewsApply,
      delete: async () => (await import('./views/delete.ts')).viewsDelete,
      results: async () => (await import('./views/views.ts')).viewsResults,
      export: async () => (await import('./views/export.ts')).viewsExport,
    }),
})
