import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonNumber, parseJson } from '../../src/core/json.ts'
import { guardCsv, createCsvWriter } from '../../src/output/csv.ts'

const base = { separator: ',', headers: undefined, safe: false, bom: false } as const

test('the header is printed once, even without rows', () => {
  const writer = createCsvWriter({ ...base, headers: ['id', 'a,b'] })
  expect(writer.rows([])).toBe('id,"a,b"\n')
  expect(writer.rows([['1', '2']])).toBe('1,2\n')
  expect(writer.rows([])).toBe('')
})

test('the byte order mark comes first, once', () => {
  const writer = createCsvWriter({ ...base, bom: true })
  expect([writer.rows([['a', 'b']]), writer.rows([['c', 'd']])]).toEqual(['\ufeffa,b\n', 'c,d\n'])
})

test('each type of value has one form', () => {
  const row = [
    null,
    undefined,
    true,
    false,
    0,
    -1.5,
    new JsonNumber('1763709321123456789'),
    ['a', 1, null, true],
    ['a', ['b']],
  ]
  expect(createCsvWriter(base).rows([[...row, parseJson('{"b":1.0,"a":"x"}'), []]])).toBe(
    ',,true,false,0,-1.5,1763709321123456789,"a, 1, , true","[""a"",[""b""]]","{""b"":1.0,""a"":""x""}",\n',
  )
})

test('quotes, separators and line ends are quoted', () => {
  expect(createCsvWriter(base).rows([['a"b', 'c,d', 'e\nf', 'g\rh', ' i ']])).toBe('"a""b","c,d","e\nf","g\rh", i \n')
})

test('a single empty cell is not a blank line', () => {
  expect(createCsvWriter({ ...base, headers: ['a'] }).rows([[null], [''], ['x']])).toBe('a\n""\n""\nx\n')
})

test('a cell is quoted if it is the only one of its line and empty', () => {
  const writer = createCsvWriter(base)
  expect([writer.rows([['']]), writer.rows([['', '']]), writer.rows([['x']])]).toEqual(['""\n', ',\n', 'x\n'])
})

test('only text is guarded against formulas, and only on request', () => {
  const row = ['=1+1', '+1', '-1', '@x', '\tx', '\rx', 'a=b', -1, new JsonNumber('-1763709321123456789'), ['=x', 'y']]
  expect(createCsvWriter({ ...base, safe: true }).rows([row])).toBe(
    "'=1+1,'+1,'-1,'@x,'\tx,\"'\rx\",a=b,-1,-1763709321123456789,\"'=x, y\"\n",
  )
  expect(createCsvWriter(base).rows([['=1+1', '-1']])).toBe('=1+1,-1\n')
})

test('tsv escapes instead of quoting', () => {
  const writer = createCsvWriter({ ...base, separator: '\t', headers: ['a', 'b'] })
  expect(
    writer.rows([
      ['x\ty\nz', 'c:\\d "e"'],
      [null, ['=1', 2]],
    ]),
  ).toBe('a\tb\nx\\ty\\nz\tc:\\\\d "e"\n\t=1, 2\n')
})

test('written rows can be read back', () => {
  const width = fc.integer({ min: 1, max: 4 })
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(',', '"', '\n', '\r', '\t', ' ', '\\', 'a', 'b') }),
  )
  const tables = width.chain((columns) => fc.array(fc.array(text, { minLength: columns, maxLength: columns })))
  fc.assert(
    fc.property(tables, (rows) => {
      expect(readCsv(createCsvWriter(base).rows(rows))).toEqual(rows)
      const tabbed = createCsvWriter({ ...base, separator: '\t' }).rows(rows)
      expect(readTsv(tabbed)).toEqual(rows)
    }),
  )
})

const riskyCell = fc.oneof(
  fc.string({ unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '1', '.', 'a', 'é', '😀', ',', '"', '\n') }),
  fc.constantFrom('-5', '+1.5', '=1', '-1e3', '--1', '1-1', '"=1"', ''),
)
const riskyRows = fc.array(fc.tuple(riskyCell, riskyCell), { minLength: 1 })

test('with --csv-safe no text is a formula, and nothing but an apostrophe is added', () => {
  fc.assert(
    fc.property(riskyRows, (rows) => {
      const read = readCsv(createCsvWriter({ ...base, safe: true }).rows(rows))
      for (const cell of read.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/)
      expect(read.map((row) => row.map((cell) => cell.replace(/^'(?=[=+\-@\t\r])/, '')))).toEqual(rows)
    }),
  )
})

test("a server's CSV is guarded alike however it is cut into pieces, and numbers stay numbers", async () => {
  await fc.assert(
    fc.asyncProperty(riskyRows, fc.array(fc.nat(40)), async (rows, cuts) => {
      const bytes = Buffer.from(createCsvWriter(base).rows(rows))
      async function* pieces(): AsyncGenerator<Uint8Array> {
        let from = 0
        for (const length of cuts) yield bytes.subarray(from, (from += length))
        yield bytes.subarray(from)
      }
      const guarded: Uint8Array[] = []
      for await (const piece of guardCsv(pieces(), { safe: true, bom: false })) guarded.push(piece)
      const isNumber = (cell: string) => /^[+-]?\d+(?:\.\d+)?$/.test(cell)
      const expected = rows.map((row) =>
        row.map((cell) => (/^[=+\-@\t\r]/.test(cell) && !isNumber(cell) ? `'${cell}` : cell)),
      )
      expect(readCsv(Buffer.concat(guarded).toString())).toEqual(expected)
    }),
  )
})

test.each([
  // Lines end with CR and LF, also after an empty cell.
  ['a,b\r\n1,\r\n=1,-2\r\n', "a,b\r\n1,\r\n'=1,-2\r\n"],
  // A quotation mark inside a cell is text.
  ['a"b,=1,"c"",=2"\n=3,"=4"', `a"b,'=1,"c"",=2"\n'=3,"'=4"`],
  ['\ufeff=1,\uff1d2', "\ufeff'=1,'\uff1d2"],
  ['\ufeff"=1,=2"', `\ufeff"'=1,=2"`],
])('%j is guarded as %j', async (csv, expected) => {
  for (const length of [1000, 1]) {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      const bytes = Buffer.from(csv)
      for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
    }
    let guarded = ''
    for await (const piece of guardCsv(pieces(), { safe: true, bom: false })) guarded += Buffer.from(piece).toString()
    expect(guarded).toBe(expected)
  }
})

/** RFC 4180 with LF and a final line end. */
function readCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\n\r]*))([,\n])/y
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text)
    if (found === null) throw new Error('no CSV')
    row.push(found[1]?.replaceAll('""', '"') ?? (found[2] as string))
    if (found[3] === '\n') {
      rows.push(row)
      row = []
    }
  }
  return rows
}

function readTsv(text: string): string[][] {
  const letters: Record<string, string> = { t: '\t', n: '\n', r: '\r', '\\': '\\' }
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) =>
    line.split('\t').map((cell) => cell.replace(/\\(.)/g, (_, letter: string) => letters[letter] as string)),
  )
}

const guardedText = async (options: { safe: boolean; bom: boolean }, ...pieces: (string | Uint8Array)[]) => {
  async function* arriving(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield Buffer.from(piece)
  }
  const guarded: Uint8Array[] = []
  for await (const piece of guardCsv(arriving(), options)) guarded.push(piece)
  return Buffer.concat(guarded).toString()
}

test.each([
  ['=1+1', "'=1+1"],
  ['a,=1+1', "a,'=1+1"],
  ['a\n=1+1\n', "a\n'=1+1\n"],
  ['"=1,1"\n', `"'=1,1"\n`],
  ['="x"\n', `'="x"\n`],
  ['a,-5,+1.5,"-2"\r\n', 'a,-5,+1.5,"-2"\r\n'],
  ['-5x,1.\n', "'-5x,1.\n"],
  ['-1.,-1.5.2\n', "'-1.,'-1.5.2\n"],
  ['a=1,"b=1"\n', 'a=1,"b=1"\n'],
  ['\ta,@b,\rc\n', "'\ta,'@b,'\rc\n"],
])("a server's CSV %j is %j for a spreadsheet, and only on request", async (text, expected) => {
  expect(await guardedText({ safe: true, bom: false }, text)).toBe(expected)
  expect(await guardedText({ safe: true, bom: true }, text)).toBe(`\ufeff${expected}`)
  expect(await guardedText({ safe: false, bom: true }, text)).toBe(`\ufeff${text}`)
  expect(await guardedText({ safe: false, bom: false }, text)).toBe(text)
})

test("a server's byte order mark is kept, and not repeated", async () => {
  for (const safe of [true, false]) {
    expect(await guardedText({ safe, bom: true }, '\ufeffa')).toBe('\ufeffa')
    expect(await guardedText({ safe, bom: false }, '\ufeffa')).toBe('\ufeffa')
  }
})

test('a character that is cut off at the end is replaced', async () => {
  for (const safe of [true, false])
    expect(await guardedText({ safe, bom: false }, 'a,', Buffer.from('é').subarray(0, 1))).toBe('a,\ufffd')
})
