/** Escapes for characters that roff would change or cannot print. */
const special: Readonly<Record<string, string>> = {
  '\\': String.raw`\e`,
  '-': String.raw`\-`,
  "'": String.raw`\(aq`,
  '`': String.raw`\(ga`,
  '^': String.raw`\(ha`,
  '~': String.raw`\(ti`,
  '"': String.raw`\(dq`,
}

/** Text for a man page: nothing in it is a roff command, not even at the start of a line. */
export function roffText(text: string): string {
  const escaped = text.replace(/[\\\-'`^~"]|[^\x20-\x7e\n]/gu, (character) => special[character] ?? codeOf(character))
  return escaped.replace(/^\./gm, String.raw`\&.`)
}

function codeOf(character: string): string {
  const digits = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  return String.raw`\[u${digits}]`
}

/** Bold words within a line. */
export function bold(text: string): string {
  return String.raw`\fB${roffText(text)}\fR`
}

/** A placeholder, in italics. */
export function italic(text: string): string {
  return String.raw`\fI${roffText(text)}\fR`
}

/** Text in which `code` between back quotes is bold. */
export function roffProse(text: string): string {
  return text
    .split(/`([^`]+)`/)
    .map((piece, index) => (index % 2 === 1 ? bold(piece) : roffText(piece)))
    .join('')
    .replace(/^\./, String.raw`\&.`)
}

/** The date of the page format: pages change only when their content does. */
const formDate = '2026-11-21'

/** The head of a page. */
export function pageHead(name: string, version: string): string[] {
  return [`.TH "${roffText(name.toUpperCase())}" "1" "${formDate}" "${roffText(`tug ${version}`)}" "tug manual"`]
}

/** A section with its heading; nothing where it has no lines. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`.SH "${roffText(title.toUpperCase())}"`, ...withoutSpace(lines)]
}

/** A heading is followed by space of its own. */
function withoutSpace(lines: readonly string[]): readonly string[] {
  return lines[0] === '.PP' ? lines.slice(1) : lines
}

/** A term (roff already) with its meaning. */
export function tagged(term: string, meaning: string): string[] {
  return ['.TP', term, roffProse(meaning)]
}

/** Lines that stay as they are. */
export function verbatim(lines: readonly string[]): string[] {
  return ['.PP', '.RS 4', '.EX', ...lines.map(roffText), '.EE', '.RE']
}

/** Prose as help writes it: a paragraph for each line, indented lines stay as they are. */
export function paragraphs(text: string): string[] {
  const out: string[] = []
  let block: string[] = []
  const flush = () => {
    if (block.length > 0) out.push(...verbatim(block))
    block = []
  }
  for (const line of text.trim().split('\n')) {
    if (line.startsWith('  ')) {
      block.push(line.slice(2))
    } else {
      flush()
      if (line.trim() !== '') out.push('.PP', roffProse(line))
    }
  }
  flush()
  return out
}
