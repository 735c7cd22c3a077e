import { argument, flag } from '../../../core/param.ts'

/** The arguments of `restore` and `verify`. */
export const sourceParams = {
  file: argument.text('file of kv backup (-: standard input)', {
    placeholder: 'file',
    required: true,
    complete: 'file',
  }),
  rest: argument.texts('incremental backups made on top of it, then the folder (default: where they came from)', {
    placeholder: 'path',
    complete: 'file',
  }),
  partial: flag.boolean('accept a file that ends early, and use the secrets it contains'),
}
