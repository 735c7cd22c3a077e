import type { Table } from '../core/output.ts'
import { escapeControl } from './safe.ts'

/** A table in GitHub-flavoured Markdown whose cells are literal: nothing in them is read as markup or HTML. */
export function renderMarkdownTable(table: Pick<Table, 'headers' | 'rows' | 'align'>): string {
  if (table.headers.length === 0) return ''
  return [
    table.headers.map(escapeMarkdown),
    table.headers.map((_, column) => (table.align[column] === 'right' ? '---:' : '---')),
    ...table.rows.map((row) => row.map((cell) => escapeMarkdown(cell.text))),
  ]
    .map((texts) => `| ${texts.join(' | ')} |\n`)
    .join('')
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Underscores inside words aren't markup and stay readable. */
const markup = /[\\|`*~[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu

function escapeMarkdown(text: string): string {
  return escapeControl(text.replaceAll('\r\n', '\n'), { newlines: true })
    .replace(markup, String.raw`\$&`)
    .replace(/[&<>]/g, (character) => entities[character] as string)
    .replaceAll('\n', '<br>')
}
