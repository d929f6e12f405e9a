import { describe, expect, it } from 'vitest'
import { cellOf, guarded, unguarded, valueInCell } from '../../core/contacts/csv-cells.ts'
import { columnsOf, readRow } from '../../core/contacts/csv-columns.ts'
import { BrokenCsv, recogniseCsv, recordsOf } from '../../core/contacts/csv-file.ts'
import type { Json } from '../../core/values/json.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)

async function read(bytes: Uint8Array): Promise<string[][]> {
  const records: string[][] = []
  for await (const record of recordsOf(bytes, recogniseCsv(bytes))) records.push(record)
  return records
}

function utf16(text: string, littleEndian: boolean, bom: boolean): Uint8Array {
  const units = bom ? `\ufeff${text}` : text
  const view = new DataView(new ArrayBuffer(units.length * 2))
  for (let i = 0; i < units.length; i++) view.setUint16(i * 2, units.charCodeAt(i), littleEndian)
  return new Uint8Array(view.buffer)
}

describe('a CSV file of contacts', () => {
  it.each([
    [',', 'comma'],
    [';', 'semicolon'],
    ['\t', 'tab'],
    ['|', 'bar'],
  ])('is read with %j between the cells (%s)', async (delimiter) => {
    const lines = [
      ['email', 'full name', 'note'],
      ['a@example.com', 'Ann, "A"; x\ty|z', ''],
      ['b@example.com', '', 'n'],
    ]
    const cell = (text: string) => (/[",;\t|]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
    for (const end of ['\n', '\r\n', '\r']) {
      const text = lines.map((cells) => cells.map(cell).join(delimiter)).join(end)
      expect(await read(utf8(text))).toEqual(lines)
      expect(await read(utf8(text + end))).toEqual(lines)
    }
  })

  it('is read in UTF-8 and UTF-16 with and without a byte order mark, and else in Windows-1252', async () => {
    const text = 'email,name\r\na@example.com,Žofie 🙂\r\nb@example.com,"Zoë\r\n– €"\r\n'
    const rows = [
      ['email', 'name'],
      ['a@example.com', 'Žofie 🙂'],
      ['b@example.com', 'Zoë\r\n– €'],
    ]
    for (const bytes of [
      ...[utf8(text), utf8(`\ufeff${text}`), utf16(text, true, true), utf16(text, true, false)],
      ...[utf16(text, false, true), utf16(text, false, false)],
    ]) {
      expect(await read(bytes)).toEqual(rows)
    }
    const western = Uint8Array.from('email,name\na@example.com,Zo\xeb \x80 \x96\n', (char) => char.charCodeAt(0))
    expect(recogniseCsv(western)).toEqual({ encoding: 'windows-1252', delimiter: ',' })
    expect((await read(western))[1]).toEqual(['a@example.com', 'Zoë € –'])
  })

  it('has at most 500 columns, and nothing is made of the cells behind them', async () => {
    const names = Array.from({ length: 499 }, (_, i) => `c${i}`)
    const cells = names.map(() => '"1"')
    const file = (...lines: readonly (readonly string[])[]) => utf8(lines.map((line) => line.join(',')).join('\n'))
    expect((await read(file(['email', ...names], ['a@example.com', ...cells])))[1]).toHaveLength(500)
    const tooMany = /more than 500 columns/
    for (const header of [
      ['email', ...names, 'last'],
      [...names, 'last', 'email'],
      ['email', ...names, '"last"', '"x"'],
    ])
      expect(() => recogniseCsv(file(header))).toThrow(tooMany)
    // a spreadsheet may write thousands of empty cells behind what it holds
    const empty = ','.repeat(40_000)
    const [header, row] = await read(utf8(`email,a${empty}\na@example.com,1${empty}\n`))
    expect([header?.length, row?.length]).toEqual([501, 501])
    expect(readRow(columnsOf(header ?? []), row ?? [])).toMatchObject({ kind: 'contact', email: 'a@example.com' })
    const [, wide] = await read(utf8(`email,a\na@example.com,1${',1'.repeat(400_000)}\n`))
    expect(wide).toHaveLength(501)
    expect(readRow(columnsOf(['email', 'a']), wide ?? [])).toMatchObject({
      error: expect.stringContaining('more than 500'),
    })
    const quoted = read(utf8(`email,a\na@example.com,1${',"1"'.repeat(600)}\n`))
    await expect(quoted).rejects.toThrow('Row 2: it has more than 500 cells')
  })

  it('is refused with the reason when its header is longer than what is looked at', () => {
    const names = Array.from({ length: 400 }, (_, i) => `c${i}_`.padEnd(199, 'y'))
    for (const header of [
      ['email', ...names],
      [...names, 'email'],
      ['email', '"never closed', ...names],
    ]) {
      const bytes = utf8(`${header.join(',')}\n${'x'.repeat(70_000)}`)
      expect(() => recogniseCsv(bytes)).toThrow('header, of more than 64 KB')
    }
    expect(() => recogniseCsv(utf8(`email,${'x'.repeat(201)}\n`))).toThrow('200 characters')
    expect(recogniseCsv(utf8(`email,a\n${'x'.repeat(70_000)}`))).toBeDefined()
  })

  it('is read across the borders of the pieces it is decoded in', async () => {
    const name = `${'é🙂'.repeat(40_000)}"\n`
    const text = `email,name\na@example.com,"${name.replace('"', '""')}"\nb@example.com,b\n`
    for (const bytes of [utf8(text), utf8(`x${text}`.slice(1)), utf16(text, true, true)]) {
      expect(await read(bytes)).toEqual([
        ['email', 'name'],
        ['a@example.com', name],
        ['b@example.com', 'b'],
      ])
    }
  })

  it('loses blanks around cells that are not quoted', async () => {
    expect(await read(utf8(' email , name \n a@example.com ,  " kept "  \n'))).toEqual([
      ['email', 'name'],
      ['a@example.com', ' kept '],
    ])
    expect(await read(utf8('email\tname\tx\na@example.com\t\t y \n'))).toEqual([
      ['email', 'name', 'x'],
      ['a@example.com', '', 'y'],
    ])
  })

  it.each([
    ['nothing', '', 'too_small'],
    ['blanks', ' \r\n \n', 'too_small'],
    ['no header with email', 'name,phone\na,b\n', 'custom'],
    ['JSON', '{"email": "a@example.com"}', 'custom'],
    ['a page of HTML', '<!doctype html><html><body>email</body></html>', 'custom'],
    ['a NUL', 'email,name\n\u0000', 'custom'],
    ['a column twice', 'email,name,name\n', 'custom'],
    ['the address twice', 'email,Email\n', 'custom'],
    ['a header with a quote that is not closed', 'email,"name\na@example.com,b\n', 'custom'],
    ['a blank row before the header', '\nemail\n', 'custom'],
  ])('is refused when it holds %s', (_what, text, code) => {
    expect(() => recogniseCsv(utf8(text))).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        fields: [expect.objectContaining({ field: 'file', code })],
      }),
    )
  })

  it('is refused when it is an image', () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
    expect(() => recogniseCsv(png)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }))
  })

  it.each([
    ['a quote that is never closed', 'email,name\na@example.com,a\nb@example.com,"b\nc@example.com,c\n', 3],
    ['text behind a closing quote', 'email,name\na@example.com,"a"b\n', 2],
    ['a quote within a cell that is not quoted', 'email,name\n"a@example.com","x\ny"\nb@example.com,b"b"\n', 3],
  ])('tells the row of %s', async (_what, text, row) => {
    await expect(read(utf8(text))).rejects.toMatchObject({ row, problem: expect.stringContaining('quote') })
    await expect(read(utf8(text))).rejects.toBeInstanceOf(BrokenCsv)
  })
})

describe('a row', () => {
  const header = ['Email', 'subscribed', 'name', '', 'id', '__proto__', 'constructor']
  const columns = columnsOf(header)
  const row = (...cells: string[]) => readRow(columns, [...cells, ...Array(header.length).fill('')].slice(0, 7))
  const data = (...cells: string[]) => {
    const one = row(...cells)
    return one.kind === 'contact' ? [...one.change.set] : one
  }

  it('is a contact, its cells by the names of the columns', () => {
    expect(row(' Ada@Example.COM ', 'YES', 'Ada', 'x', 'y', 'p', 'c')).toEqual({
      ...{ kind: 'contact', email: 'ada@example.com', subscribed: true, tracking: undefined },
      change: {
        set: new Map([
          ['name', 'Ada'],
          ['__proto__', 'p'],
          ['constructor', 'c'],
        ]),
        ...{ unset: new Set(), variables: {} },
      },
    })
  })

  it.each([
    ['1', 1],
    ['0', 0],
    ['-1', -1],
    ['1.5', 1.5],
    ['0.5', 0.5],
    ['-0.25', -0.25],
    ['9007199254740991', 9007199254740991],
    ['true', true],
    ['FALSE', false],
    ['007', '007'],
    ['00', '00'],
    ['-01', '-01'],
    ['1.0', '1.0'],
    ['1e5', '1e5'],
    ['+1', '+1'],
    ['-0', '-0'],
    ['.5', '.5'],
    ['0x10', '0x10'],
    ['1_000', '1_000'],
    ['1,000', '1,000'],
    ['12345678901234567890', '12345678901234567890'],
    ['Infinity', 'Infinity'],
    ['-Infinity', '-Infinity'],
    ['NaN', 'NaN'],
    ['null', 'null'],
    ['yes', 'yes'],
    ['{"a":1}', '{"a":1}'],
    ["'=1+1", '=1+1'],
    ["'-5", '-5'],
    ["''=1", "'=1"],
    ["'tis", "'tis"],
    ["'true", 'true'],
    ["'42", '42'],
    ["'007", "'007"],
    ["'[1]", '[1]'],
  ])('takes %j as %j', (cell, value) => {
    expect(data('a@example.com', '', cell)).toEqual([['name', value]])
  })

  it('changes nothing by empty cells, and is blank without any other', () => {
    expect(row('a@example.com')).toMatchObject({ subscribed: undefined, change: { set: new Map() } })
    expect(row()).toEqual({ kind: 'blank' })
    expect(readRow(columns, [''])).toEqual({ kind: 'blank' })
  })

  it.each([
    ['no address', ['', 'true', 'x'], 'email: is required'],
    ['an address that is none', ['nobody', '', 'x'], 'email: must be'],
    ['another word for subscribed', ['a@example.com', 'maybe'], 'subscribed: must be'],
    ['NUL', ['a@example.com', '', 'a\u0000b'], 'name: must not contain NUL'],
  ])('is refused with %s', (_what, cells, error) => {
    expect(row(...cells)).toMatchObject({ kind: 'refused', error: expect.stringContaining(error) })
  })

  it('is refused with too few cells or too many, unless those are empty', () => {
    expect(readRow(columns, ['a@example.com', ''])).toMatchObject({ error: 'has 2 cells, the header has 7' })
    const long = ['a@example.com', ...Array(6).fill(''), 'x']
    expect(readRow(columns, long)).toMatchObject({ error: 'has 8 cells, the header has 7' })
    expect(readRow(columns, [...long.slice(0, 7), '', ''])).toMatchObject({ kind: 'contact' })
  })

  it.each([
    ...([
      ['true', true],
      ['1', true],
      ['Yes', true],
      ['false', false],
      ['0', false],
      ['NO', false],
    ] as const),
  ])('reads subscribed %j as %j', (cell, subscribed) => {
    expect(row('a@example.com', cell)).toMatchObject({ subscribed })
  })
})

describe('the column of the consent', () => {
  const read = (header: readonly string[], ...cells: string[]) => readRow(columnsOf(header), cells)

  it.each([
    ['full', 'full'],
    ['Anonymous', 'anonymous'],
    ['NONE', 'none'],
    ['', undefined],
  ])('reads %j as %j', (cell, tracking) => {
    expect(read(['email', 'Tracking'], 'a@example.com', cell)).toMatchObject({ kind: 'contact', tracking })
  })

  it('refuses any other word', () => {
    const error = 'tracking: must be full, anonymous, none'
    expect(read(['email', 'tracking'], 'a@example.com', 'yes')).toMatchObject({ kind: 'refused', error })
  })

  it('is data in the files that were exported before there was a consent', () => {
    const before = ['id', 'email', 'subscribed', 'createdAt', 'updatedAt', 'tracking']
    const row = read(before, '1', 'a@example.com', 'true', 'x', 'y', 'parcel 7')
    expect(row).toMatchObject({ tracking: undefined, change: { set: new Map([['tracking', 'parcel 7']]) } })
    const since = ['id', 'email', 'subscribed', 'tracking', 'createdAt', 'updatedAt', 'data.tracking']
    const later = read(since, '1', 'a@example.com', 'true', 'none', 'x', 'y', 'parcel 7')
    expect(later).toMatchObject({ tracking: 'none', change: { set: new Map([['tracking', 'parcel 7']]) } })
  })
})

describe('a cell of an export', () => {
  it.each(['=1', '+1', '-1', '@a', '\ta', '\ra', '\na', '＝1', "'=1", "''@"])('guards %j', (text) => {
    expect(guarded(text)).toBe(`'${text}`)
    expect(unguarded(guarded(text))).toBe(text)
  })

  it.each(['', 'a', '1', "'a", "'", ' =1', '{"a":1}'])('leaves %j as it is', (text) => {
    expect(guarded(text)).toBe(text)
    expect(unguarded(text)).toBeUndefined()
  })

  it.each<Json>([
    ...['true', 'FALSE', '42', '-5', '007', '1e+21', '{"a":1}', '[]', '{"a":', "'true", "''42", "'tis", '{{ name }}'],
    ...[true, false, 42, -5, 1e21, { a: [1, null, { b: '=1' }] }, [], ['x', true], { '\\': '"' }],
  ])('is read again as %j', (value) => {
    expect(valueInCell(cellOf(value), true)).toEqual(value)
  })

  it.each([
    ['larger than a contact may be', `["${'x'.repeat(64 * 1024)}"]`],
    ['too deep', `${'['.repeat(1000)}${']'.repeat(1000)}`],
    ['with NUL', '["\\u0000"]'],
    ['cut short', '{"a":'],
  ])('stays a text where its object is %s', (_what, cell) => {
    expect(valueInCell(cell, true)).toBe(cell)
  })

  it('says what a value is', () => {
    expect([-5, 0, true, null, undefined, { a: [1] }, [], '-5', ''].map((value) => cellOf(value))).toEqual([
      '-5',
      '0',
      'true',
      '',
      '',
      '{"a":[1]}',
      '[]',
      "'-5",
      '',
    ])
  })
})
