import { describe, expect, it } from 'vitest'
import { cellOf, guarded, unguarded, valueInCell } from '../../core/contacts/csv-cells.ts'
import { ColumnCensus } from '../../core/contacts/csv-census.ts'
import { columnsOf } from '../../core/contacts/csv-columns.ts'
import { BrokenCsv, recogniseCsv, recordsOf } from '../../core/contacts/csv-file.ts'
import { readRow } from '../../core/contacts/csv-rows.ts'
import { similarFields } from '../../core/contacts/field-meanings.ts'
import type { GivenColumns } from '../../core/contacts/given-columns.ts'
import { previewImport } from '../../core/contacts/preview-import.ts'
import { refusedCsv } from '../../core/contacts/refused-rows.ts'
import type { Json } from '../../core/values/json.ts'
import { ownTime } from '../support/own-time.ts'

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
    ['addresses without a header', 'ada@example.com\nbob@example.com\n', 'custom'],
    ['people without a header', 'Ada;<ada@example.com>;Ulm\nBob;bob@example.com;Ulm\n', 'custom'],
  ])('is refused when it holds %s', (_what, text, code) => {
    expect(() => recogniseCsv(utf8(text))).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        fields: [expect.objectContaining({ field: 'file', code })],
      }),
    )
  })

  it('is refused when the first contact would be taken for the header', () => {
    const given = { 'ada@example.com': { key: 'email' } }
    expect(() => recogniseCsv(utf8('ada@example.com\nbob@example.com\n'), given)).toThrow(
      'has no names of columns in its first row, but an address ("ada@example.com")',
    )
  })

  it.each([
    ['a workbook', 'PK\x03\x04\x14\0\x06\0[Content_Types].xml', 'is a workbook'],
    ['a workbook of LibreOffice', 'PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet', 'is a workbook'],
    ['an old workbook', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'is a workbook'],
    ['the archive of an export', 'PK\x03\x04\x14\0subscribed_members.csv', 'is a ZIP archive'],
  ])('says what to do with %s', (_what, text, says) => {
    expect(() => recogniseCsv(Buffer.from(text, 'latin1'))).toThrow(says)
  })

  it('is refused when it is an image', () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
    expect(() => recogniseCsv(png)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }))
  })

  it.each([
    ['a quote that is never closed', 'email,name\na@example.com,a\nb@example.com,"b\nc@example.com,c\n', 3],
    ['text behind a closing quote', 'email,name\na@example.com,"a"b\n', 2],
    ['text behind a closing quote and a blank', 'email,name\n"Ann" <a@example.com>,a\n', 2],
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
      ...{ kind: 'contact', email: 'ada@example.com', subscribed: true, subscribedWhenNew: true, fields: {} },
      topics: { said: new Map(), listed: new Set(), texts: new Map() },
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

  it('may have too few cells, since empty ones are left out at the end, and is refused with too many that are not empty', () => {
    expect(readRow(columns, ['a@example.com', ''])).toMatchObject({ kind: 'contact', email: 'a@example.com' })
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
    expect(read(['email', 'Tracking'], 'a@example.com', cell)).toMatchObject({
      kind: 'contact',
      fields: tracking === undefined ? {} : { tracking },
    })
  })

  it('refuses any other word', () => {
    const error = 'tracking: must be full, anonymous, none'
    expect(read(['email', 'tracking'], 'a@example.com', 'yes')).toMatchObject({ kind: 'refused', error })
  })

  it('is data in the files that were exported before there was a consent', () => {
    const before = ['id', 'email', 'subscribed', 'createdAt', 'updatedAt', 'tracking']
    const row = read(before, '1', 'a@example.com', 'true', 'x', 'y', 'parcel 7')
    expect(row).toMatchObject({ fields: {}, change: { set: new Map([['tracking', 'parcel 7']]) } })
    const since = ['id', 'email', 'subscribed', 'tracking', 'createdAt', 'updatedAt', 'data.tracking']
    const later = read(since, '1', 'a@example.com', 'true', 'none', 'x', 'y', 'parcel 7')
    expect(later).toMatchObject({ fields: { tracking: 'none' }, change: { set: new Map([['tracking', 'parcel 7']]) } })
  })
})

describe('the columns of how much mail a contact wants', () => {
  const read = (...cells: string[]) => readRow(columnsOf(['email', 'pausedUntil', 'EveryDays']), cells)

  it('are read, and refused with the reason', () => {
    const until = new Date('2030-01-01T00:00:00.000Z')
    const row = read('a@example.com', until.toISOString(), '7')
    expect(row).toMatchObject({ fields: { pausedUntil: until, everyDays: 7 }, change: { set: new Map() } })
    expect(read('a@example.com', '', '')).toMatchObject({ kind: 'contact', fields: {} })
    expect(read('a@example.com', 'soon', '')).toMatchObject({ error: expect.stringMatching(/^pausedUntil: must be/) })
    expect(read('a@example.com', '', 'weekly')).toMatchObject({ error: expect.stringMatching(/^everyDays: must be/) })
    expect(read('a@example.com', '', '367')).toMatchObject({ error: expect.stringMatching(/^everyDays: must be/) })
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
      "'",
    ])
  })
})

describe('a header of another program', () => {
  const keysOf = (...header: string[]) => columnsOf(header).named.map(({ key }) => key)

  it.each([
    ...['Email', 'EMAIL', 'E-Mail', 'e_mail', 'Email Address', 'E-mail Address', 'email_address', 'E-mail 1 - Value'],
    ...[
      'Subscriber',
      'Email 1',
      'E-Mail (geschäftlich)',
      'Primary Email',
      'customer_email',
      'Mail',
      'E-Mail-Adresse',
      'Correo electrónico',
    ],
    ...[
      'Adresse e-mail',
      'Courriel',
      'Indirizzo e-mail',
      'Endereço de e-mail',
      'E-postadress',
      'メールアドレス',
      '이메일',
    ],
  ])('has the address under %s', (name) => {
    expect(columnsOf(['Name', 'E-mail 1 - Type', 'email_marketing_status', 'Email opens', name]).email).toBe(4)
  })

  it('with two columns of addresses says which is taken, and keeps the other as data', () => {
    const { email, named } = columnsOf(['Work Email', 'Email', 'E-mail 2 - Value'])
    expect(email).toBe(1)
    expect(named).toMatchObject([
      { key: 'workEmail' },
      { key: 'email', note: expect.stringContaining('"Work Email"') },
      { key: 'eMail2Value' },
    ])
    expect(columnsOf(['Work Email', 'Email'], { 'Work Email': { key: 'email' } }).email).toBe(0)
  })

  it('becomes keys that a template prints, each once', () => {
    expect(
      keysOf('email', 'First Name', 'firstName', 'first-name', 'FIRST  NAME', 'Order ID', '2nd name', '%', 'a.b'),
    ).toEqual(['email', 'firstName2', 'firstName', 'first-name', 'firstName3', 'orderId', '_2ndName', 'column8', 'aB'])
  })
})

describe('the key that mails usually print', () => {
  const usualOf = (given: GivenColumns, ...header: string[]) =>
    columnsOf(['email', ...header], given)
      .named.flatMap(({ usual = '-' }) => usual)
      .slice(1)

  it.each<[columns: string, usual: string]>([
    ['Vorname;Nachname;Firma;Ort;Geburtsdatum;Handy;Sprache', 'firstName;lastName;company;city;birthday;phone;locale'],
    [
      'first_name;Surname;Organisation;Town;D.O.B.;Cell phone;lang',
      'firstName;lastName;company;city;birthday;phone;locale',
    ],
    ['Prénom;NOM;Société;Ville;Date de naissance;Téléphone', 'firstName;lastName;company;city;birthday;phone'],
    ['Nombre;Apellidos;Empresa;Ciudad;Fecha de nacimiento;Móvil', 'firstName;lastName;company;city;birthday;phone'],
    ['Nome;Cognome;Azienda;Città;Data di nascita;Cellulare', 'firstName;lastName;company;city;birthday;phone'],
    ['Primeiro nome;Sobrenome;Empresa;Cidade;Aniversário;Telemóvel', 'firstName;lastName;company;city;birthday;phone'],
    ['Voornaam;Achternaam;Bedrijf;Woonplaats;Geboortedatum;Mobiel', 'firstName;lastName;company;city;birthday;phone'],
    ['Imię;Nazwisko;Firma;Miejscowość;Data urodzenia;Telefon', 'firstName;lastName;company;city;birthday;phone'],
    ['お名前;姓;会社名;市区町村;生年月日;電話番号', 'firstName;lastName;company;city;birthday;phone'],
    ['名字;姓氏;公司;城市;出生日期;手机号', 'firstName;lastName;company;city;birthday;phone'],
    // a last name beside a first one, else the whole
    ['Name;Vorname', 'lastName;firstName'],
    ['NAME;Plan', 'name;-'],
    ['Name;First name;Last name', 'name;-;-'],
    // once each, and not where a column has the key already
    ['Telefon;Mobil', 'phone;-'],
    ['firstName;Vorname', '-;-'],
    // of their own meaning, or about something else
    ['Vorname des Kindes;Ortsteil;Status;Newsletter', '-;-;-;-'],
  ])('%s is %s', (columns, usual) => {
    expect(usualOf({}, ...columns.split(';')).join(';')).toBe(usual)
  })

  it('is not suggested for a column that was given a key, or left out, or came from here', () => {
    expect(usualOf({ Vorname: { key: 'rufname' }, Ort: { key: null } }, 'Vorname', 'Ort', 'Firma')).toEqual([
      '-',
      '-',
      'company',
    ])
    expect(usualOf({ Anrede: { key: 'firstName' } }, 'Anrede', 'Vorname')).toEqual(['-', '-'])
    expect(columnsOf(['id', 'email', 'subscribed', 'createdAt', 'updatedAt', 'Vorname']).named.at(-1)?.usual).toBe(
      undefined,
    )
  })

  it('is that of a language only for its tags, and stands in the note', () => {
    const reportOf = (...cells: string[]) => {
      const census = new ColumnCensus(columnsOf(['email', 'Sprache']))
      for (const [index, cell] of cells.entries()) census.see(['a@example.com', cell], index + 2)
      return census.reports()[1]
    }
    expect(reportOf('de', '', 'pt-BR', 'zh_Hans_CN')).toMatchObject({
      key: 'Sprache',
      suggestedKey: 'locale',
      note: 'mails usually print this as {{ locale }}: columns={"Sprache":"locale"} stores it so',
    })
    for (const cells of [['de', 'Deutsch'], ['1'], []]) expect(reportOf(...cells)).not.toHaveProperty('suggestedKey')
  })
})

describe('fields that may be meant', () => {
  it.each<[name: string, known: readonly string[], similar: readonly string[]]>([
    ['firstName', ['plan', 'Vorname', 'first_name', 'name'], ['Vorname', 'first_name', 'name']],
    ['Vorname', ['firstName'], ['firstName']],
    ['first name', ['firstName', 'lastName'], ['firstName']],
    ['frist', ['first', 'plan'], ['first']],
    ['ville', ['Ort', 'Firma'], ['Ort']],
    ['lastName', ['name', 'plan'], []],
    ['plan', ['visits', 'Straße'], []],
    ['phone', ['Telefon', 'Handy', 'Mobil', 'tel'], ['Telefon', 'Handy', 'Mobil']],
  ])('%s of %j', (name, known, similar) => {
    expect(similarFields(name, known)).toEqual(similar)
  })
})

describe('a status of another program', () => {
  const wish = (header: readonly string[], ...cells: string[]) => {
    const read = readRow(columnsOf(['email', ...header]), ['a@example.com', ...cells])
    return read.kind === 'contact' ? [read.subscribed, read.subscribedWhenNew] : read
  }
  const [LEFT, NOT_NEW, NEW] = [
    [false, false],
    [undefined, false],
    [undefined, true],
  ]

  it.each([
    ...[
      'unsubscribed',
      'Unsubscribed',
      'BLOCKLISTED',
      'blacklisted',
      'cleaned',
      'bounced',
      'Hard bounce',
      'complained',
    ],
    ...[
      'spam',
      'suppressed',
      'inactive',
      'opted out',
      'Opted-Out',
      'disabled',
      'deleted',
      'archived',
      'junk',
      'abgemeldet',
    ],
    ...['Désabonné', 'false', 'no', '0', 'marked as spam', 'unsubscribed_by_admin', 'removed'],
  ])('%s is that of somebody who left', (word) => {
    expect(wish(['status'], word)).toEqual(LEFT)
    expect(wish(['Subscription Status', 'subscribed'], word, 'true')).toEqual(LEFT)
  })

  it.each([
    ...[
      'never subscribed',
      'nonsubscribed',
      'Non-Subscribed',
      'not subscribed',
      'pending',
      'unconfirmed',
      'Not confirmed',
    ],
    ...['NEVER_SUBSCRIBED', 'transactional', 'gold', 'lead', '', '???'],
  ])('%j makes no subscribed contact', (word) => {
    expect(wish(['email_marketing_status', 'x'], word, 'x')).toEqual(NOT_NEW)
  })

  it.each([
    'subscribed',
    'Active',
    'confirmed',
    'enabled',
    'Opted in',
    'TRUE',
    'abonniert',
  ])('%s makes one of new ones', (word) => {
    expect(wish(['Status'], word)).toEqual(NEW)
  })

  it.each([
    ...['Abgemeldet', 'Abgemeldet am', 'Newsletter abbestellt', 'Désabonné le', 'Dado de baja', 'Disiscritto'],
    ...['Descadastrado', 'Uitgeschreven', 'Wypisany', '配信停止', '退订', 'Werbesperre', 'Pas de newsletter'],
    // HubSpot, Klaviyo, Brevo, AWeber, Mailjet, Intercom
    ...['Opted out of email: One to One', 'Email Suppressions', 'EMAIL_BLACKLIST', 'Stop Time'],
    ...['IsExcludedFromCampaigns', 'Marked email as spam', 'Date Unsubscribed', 'No email', 'DNC', 'Removed'],
    ...['Email: Unsubscribed', 'Newsletter: abgemeldet am', 'Von allen E-Mails abgemeldet', 'Sperrliste'],
    ...['Kontaktsperre', 'Do not allow Bulk Emails', 'Email Address Quarantined', 'Bounce-Kategorie', 'Liste Robinson'],
    ...['Data wypisania', 'Дата отписки', '退会日', '是否退订', 'No Bulk Emails (User Opt Out)', 'On Hold'],
    ...['unsubscribe_from_marketing_emails', 'Do Not Send', 'Deceased', 'Unsubscribed Lists', 'Fecha baja', 'Frameldt'],
    ...['Mailingsperre', 'Ne pas contacter', 'Niet mailen', 'Non contattare', 'Nie wysyłać', '受信拒否', 'Дата отказа'],
  ])('%s is a column of those who left', (name) => {
    for (const cell of ['yes', 'ja', '1', '2024-01-02']) expect(wish([name], cell)).toEqual(LEFT)
    for (const cell of ['no', 'nein', 'nie', 'いいえ', '0']) expect(wish([name], cell)).toEqual(NEW)
  })

  it.each([
    ...['Consent', 'Consent given', 'GDPR consent', 'Marketing-Einwilligung', 'Einwilligung zur Werbung', 'Zustimmung'],
    ...['Consentement', 'Consentement marketing', 'Consentimiento', 'Consenso al marketing', 'Consentimento'],
    ...['Toestemming voor e-mail', 'Zgoda', 'Zgoda marketingowa', '同意'],
    ...['Acepta comunicaciones comerciales', 'Согласие на рассылку', 'Ticari ileti izni', '接收营销邮件'],
    ...['Zgoda na newsletter', 'Odběr novinek', 'Aceita receber e-mails', 'メール配信', '邮件订阅', 'Permission'],
    ...['수신동의', '마케팅 수신 동의 여부', '配信希望', 'Markkinointilupa', 'Согласие'],
    ...['buyer_accepts_marketing', 'allow_email', 'Email OK', 'Can be emailed', 'mailable', 'Contact via email'],
  ])('%s is a column of consent', (name) => {
    for (const cell of ['yes', 'tak', 'はい', '2024-01-02']) expect(wish([name], cell)).toEqual(NEW)
    for (const cell of ['no', 'nein', 'nie', '否']) expect(wish([name], cell)).toEqual(LEFT)
    expect(wish([name], 'weekly')).toEqual(NOT_NEW)
  })

  it('may be a date or a sign in a column of its own', () => {
    expect(wish(['UNSUB_TIME'], '2024-01-02 03:04:05')).toEqual(LEFT)
    expect(wish(['CLEAN_TIME', 'UNSUB_TIME'], '2024-01-02 03:04:05', '')).toEqual(LEFT)
    expect(wish(['Unsubscribed from all email'], 'false')).toEqual(NEW)
    expect(wish(['email_disabled'], 'true')).toEqual(LEFT)
    expect(wish(['Accepts Email Marketing'], 'no')).toEqual(LEFT)
    expect(wish(['Subscribed?'], 'No')).toEqual(LEFT)
    expect(wish(['Newsletter: Subscribed'], 'No')).toEqual(LEFT)
    expect(wish(['Opt-out status'], 'Opted out')).toEqual(LEFT)
    expect(wish(['Opt-out status'], 'Subscribed')).toEqual(NEW)
    expect(wish(['Do not allow Emails'], 'Do Not Allow')).toEqual(LEFT)
    expect(wish(['Do not allow Emails'], 'Allow')).toEqual(NEW)
    expect(wish(['Link zum Abmelden'], 'https://x.example/u?id=1')).toEqual(NEW)
    expect(wish(['メルマガ希望'], '希望しない')).toEqual(LEFT)
    for (const none of ['N/A', 'NaT', 'not set']) expect(wish(['Unsubscribed at'], none)).toEqual(NEW)
    for (const name of ['Mailing: City', 'Newsletter: Source']) expect(wish([name], 'Ulm')).toEqual(NEW)
    expect(wish(['spam_reported'], '1')).toEqual(LEFT)
    expect(wish(['sub_status'], 'U')).toEqual(NOT_NEW)
    expect(wish(['Accepts Email Marketing'], 'yes')).toEqual(NEW)
    expect(wish(['Email Marketing Consent'], 'NEVER_SUBSCRIBED')).toEqual(NOT_NEW)
    expect(wish(['Subscribed', 'Unsubscribed'], '2024-01-02', '2024-05-06')).toEqual(LEFT)
    expect(wish(['order_status', 'MEMBER_RATING', 'OPTIN_TIME'], 'cancelled', '1', '2024-01-02')).toEqual(NEW)
    for (const name of [
      'Accepted',
      'Agreed terms',
      'News',
      'Marketing emails sent',
      'Contact',
      'Terms accepted',
      'Held at',
      'Baja California',
    ])
      expect(wish([name], 'no')).toEqual(NEW)
    for (const name of ['No of orders', 'Phone opt out', 'SMS Opt Out', 'Bounce rate', 'Last email opened', 'Country'])
      expect(wish([name], 'no')).toEqual(NEW)
  })

  // the column's name says nothing, or in a language that is not known
  it.each([
    ['subscription', 'unsubscribed'],
    ['メモ', '配信停止'],
    ['Reason', 'HARD_BOUNCE'],
    ['Reason', 'USER_SUPPRESSED'],
    ['Last action', 'Opted out'],
    ['Список', 'отписан'],
  ])('may stand in any column: %s, %s', (name, word) => {
    expect(wish([name], word)).toEqual(LEFT)
    expect(wish([`SMS ${name}`], word)).toEqual(NEW)
    expect(wish([name], `${word} 3 lists`)).toEqual(NEW)
    const census = new ColumnCensus(columnsOf(['email', name]))
    census.see(['a@example.com', word], 2)
    expect(census.reports()[1]).toMatchObject({ isConsent: true, note: expect.stringContaining(`"${word}" (row 2)`) })
  })

  it.each([
    ...['active', 'is_active', 'Enabled', 'confirmed', 'email_verified', 'Double Opt-In', 'E-Mail bestätigt'],
    ...['ZB Status', 'email_validation_status', 'email_notifications'],
  ])('is left open by a no in the column %s', (name) => {
    for (const cell of ['no', 'FALSE', '0', 'pending']) expect(wish([name], cell)).toEqual(NOT_NEW)
    for (const cell of ['yes', '1', '2024-01-02', '']) expect(wish([name], cell)).toEqual(NEW)
    expect(wish([name], 'invalid')).toEqual(LEFT)
    const given = columnsOf(['email', name], { [name]: { key: 'lamp' } })
    expect(readRow(given, ['a@example.com', 'no'])).toMatchObject({ subscribedWhenNew: true })
  })

  it('may stand in a column `state`, where a state of a country says nothing', () => {
    for (const word of ['cancelled', 'bounced', 'inactive']) expect(wish(['state'], word)).toEqual(LEFT)
    for (const word of ['Texas', 'NO', 'OK', 'active', '']) expect(wish(['State'], word)).toEqual(NEW)
    expect(wish(['Marketing contact status'], 'Marketing contact')).toEqual(NEW)
    expect(wish(['Marketing contact status'], 'Non-marketing contact')).toEqual(NOT_NEW)
  })

  it.each([
    ['Estado', 'Activo', 'De baja', 'Rebotado', 'Queja'],
    ['Situação', 'Inscrito', 'Descadastrado', 'Cancelado', 'Rejeitado'],
    ['Stato iscrizione', 'Iscritto', 'Disiscritto', 'Non attivo', 'Respinto'],
    ['Status des Marketingkontakts', 'Marketingkontakt', 'inaktiv', 'Beschwerde', 'nicht aktiv'],
    ['Statut de l’abonnement', 'Abonnée', 'Erreur permanente', 'Plainte', 'Bloqué'],
    ['Consentement RGPD', 'Accordé', 'Refusé', 'Retiré'],
    ['Consentimiento comercial', 'Acepta', 'No acepta', 'Rechazado'],
    ['Einwilligung', 'erteilt', 'nicht erteilt', 'verweigert'],
    ['Status', 'Aktywny', 'Nieaktywny', 'Zablokowany', 'Usunięty'],
    ['Status', 'Prenumererar', 'Avregistrerad', 'Studsad', 'Spärrad'],
    ['Stav', 'Přihlášen', 'Odhlášen', 'Neaktivní', 'Zrušen'],
    ['Durum', 'Aktif', 'Abonelikten çıktı', 'Pasif', 'İptal edildi'],
    ['Статус подписки', 'Активен', 'Отписан', 'Неактивный', 'Жалоба'],
    ['配信状態', '配信中', '配信停止', 'エラー停止', '退会'],
    ['状态', '正常', '已退订', '已拉黑', '无效'],
    ['구독 상태', '구독중', '수신거부', '해지', '반송'],
  ])('in a column %s is told in its language', (name, stays, ...left) => {
    expect(wish([name], stays)).toEqual(NEW)
    for (const word of left) expect(wish([name], word)).toEqual(LEFT)
  })

  it.each([
    ['Stato iscrizione', 'Non confermato'],
    ['Estado de la suscripción', 'Pendiente'],
    ['Status', 'Niepotwierdzony'],
    ['Статус', 'Не подтверждён'],
    ['状態', '仮登録'],
    ['Status des Marketingkontakts', 'Nicht-Marketingkontakt'],
  ])('in a column %s is not given yet by %s', (name, word) => {
    expect(wish([name], word)).toEqual(NOT_NEW)
  })

  it('of a column with a key given by the caller counts only where it is surely one', () => {
    const given = columnsOf(['email', 'status'], { status: { key: 'tier' } })
    expect(readRow(given, ['a@example.com', 'gold'])).toMatchObject({ subscribedWhenNew: true })
    expect(readRow(given, ['a@example.com', 'unsubscribed'])).toMatchObject({ subscribed: false })
  })
})

describe('the address in a cell', () => {
  it.each([
    ['"Lee, Ann" <Ann@Example.com>', 'ann@example.com'],
    ['"ann@home" <ann@example.com>', 'ann@example.com'],
    ['mailto:ann@example.com?subject=Hi', 'ann@example.com'],
    ['<mailto:ann@example.com>', 'ann@example.com'],
    ["'ann@example.com'", 'ann@example.com'],
    ['\u2060ann\u200b@example.com\u00a0\u200e', 'ann@example.com'],
  ])('%j is read', (cell, email) => {
    expect(readRow(columnsOf(['email']), [cell])).toMatchObject({ kind: 'contact', email })
  })

  it.each([
    ['a@example.com, b@example.com', 'more than one'],
    ['a@example.com b@example.com', 'more than one'],
    ['A <a@example.com>; B <b@example.com>', 'more than one'],
    ['a@example.com/b@example.com', 'more than one'],
    ['a@example.com.', 'ends with a dot'],
    ['Ann <a@example.com.>', 'ends with a dot'],
    ['a\ufffd@example.com', 'no text in the encoding'],
    ['nobody', 'it has no @'],
    ['müller@example.com', 'it has "ü" before the @'],
    ['ada lovelace@example.com', 'it has a space'],
    ['ada@examplecom', 'no dot after the @'],
    ['ada@example,com', 'a comma after the @'],
    ['ada..lovelace@example.com', 'two dots in a row'],
    ['.ada@example.com', 'a dot at the beginning'],
    ['ada@-example.com', 'a hyphen next to'],
    ['ada@exam_ple.com', 'it has "_" after the @'],
    ['ada@1.2.3.4', 'ends with a number'],
    [`${'a'.repeat(65)}@example.com`, 'too long'],
    [`${'n'.repeat(989)} <a@b.example`, 'has 1002 characters'],
  ])('%j is refused', (cell, error) => {
    expect(readRow(columnsOf(['email']), [cell])).toMatchObject({
      kind: 'refused',
      error: expect.stringContaining(error),
    })
  })
})

describe('numbers and dates as a file writes them', () => {
  /** A preview of one column, with the values that rows have in it. */
  async function column(cells: readonly string[], given: GivenColumns[string] = {}) {
    const bytes = utf8(`email;v\n${cells.map((cell, i) => `a${i}@example.com;${cell}`).join('\n')}\n`)
    const all = { v: given }
    const preview = await previewImport({ bytes, form: recogniseCsv(bytes, all), given: all }, async () => NOBODY)
    const { header: _, key: __, note, ...report } = preview.columns[1]!
    return {
      ...report,
      note,
      values: preview.rows.map(({ data }) => data.v),
      errors: preview.errors.map(({ error }) => error),
    }
  }

  it.each([
    [
      'a date that is none',
      ['01.03.1950', '02.03.1951', '3.3.1952', '31.02.1980', '-'],
      '"31.02.1980" in row 5, which is no date',
    ],
    ['a word among numbers', ['1.200,50', '3,20', '0,99', 'k. A.'], '"k. A." in row 5, which is no number'],
    ['words', ['rot', '01.03.1950', 'blau'], undefined],
  ])('says which cell makes texts of a column: %s', async (_what, cells, because) => {
    const { type, note, values } = await column(cells)
    expect({ type, note, values }).toEqual({
      type: 'string',
      note: because && `texts, because of ${because}`,
      values: cells,
    })
  })

  it.each([
    [
      'decimal commas',
      ['3922,19', '12', '1.234,50', '1.234'],
      { type: 'number', format: 'comma' },
      [3922.19, 12, 1234.5, 1234],
    ],
    [
      'dates with dots',
      ['04.12.2021', '1.1.2022', '31.12.2020 13:05'],
      { type: 'date' },
      ['2021-12-04', '2022-01-01', '2020-12-31T13:05:00'],
    ],
    ['days first', ['12/04/2021', '13/04/2021'], { type: 'date', format: 'dmy' }, ['2021-04-12', '2021-04-13']],
    [
      'months first',
      ['12/04/2021', '12/31/2021 1:05 PM'],
      { type: 'date', format: 'mdy' },
      ['2021-12-04', '2021-12-31T13:05:00'],
    ],
    [
      'ISO 8601',
      ['2021-12-04', '2021-12-04T10:00:00Z', '2021/1/2'],
      { type: 'date' },
      ['2021-12-04', '2021-12-04T10:00:00Z', '2021-01-02'],
    ],
    ['postal codes', ['01234', '1.234,50'], { type: 'string' }, ['01234', '1.234,50']],
    ['versions', ['1.2.3', '10.11.12'], { type: 'string' }, ['1.2.3', '10.11.12']],
    ['years of two digits', ['04.12.21'], { type: 'string' }, ['04.12.21']],
    ['days that are none', ['31.02.2021', '04.12.2021'], { type: 'string' }, ['31.02.2021', '04.12.2021']],
    ['a cell that is neither', ['04.12.2021', 'soon'], { type: 'string' }, ['04.12.2021', 'soon']],
    ['plain numbers', ['1.5', '-3'], { type: 'number' }, [1.5, -3]],
  ])('%s are read', async (_, cells, report, values) => {
    const { note: __, errors, ...found } = await column(cells)
    expect({ ...found, errors }).toEqual({ ...report, values, errors: [] })
  })

  it.each([
    [['04/05/2021', '05/06/2021'], { type: 'date', formats: ['dmy', 'mdy'] }, '04/05/2021'],
    [['1,234', '5'], { type: 'number', formats: ['point', 'comma'] }, '1,234'],
    [['1,2', '3,45'], { type: 'number', formats: ['comma'] }, '1,2'],
    [['1,299.00', '5'], { type: 'number', formats: ['point'] }, '1,299.00'],
  ] as const)('%j stay text until somebody has said what they are', async (cells, asks, first) => {
    const found = await column(cells)
    expect(found).toMatchObject({
      type: 'string',
      asks: { ...asks, examples: [{ row: 2, cell: first }, ...Array(found.asks!.examples.length - 1).fill({})] },
    })
    expect(found.values).toEqual(cells)
    expect(found.note).toContain('"format"')
  })

  it('refuses what the format that was given does not allow, and takes the rest', async () => {
    expect(await column(['04/05/2021', '2021-12-04'], { type: 'date' })).toMatchObject({
      asks: { formats: ['dmy', 'mdy'] },
      values: ['2021-12-04'],
      errors: ['v: must be a date such as 2021-12-04, or the column needs a format: dmy or mdy'],
    })
    expect(await column(['04/05/2021', '13/05/2021'], { type: 'date', format: 'mdy' })).toMatchObject({
      values: ['2021-04-05'],
      errors: ['v: must be a date such as 2021-12-04'],
    })
    expect(await column(['1,234', '2,50'], { type: 'number', format: 'comma' })).toMatchObject({ values: [1.234, 2.5] })
    expect(await column(['1,234'], { type: 'number' })).toMatchObject({
      errors: ['v: must be a number, or the column needs a format: point or comma'],
    })
    // more digits than a number holds
    expect(await column(['1234567890123456,5'], { type: 'number', format: 'comma' })).toMatchObject({
      errors: ['v: must be a number'],
    })
  })
})

describe('a column of consent', () => {
  it.each([
    ['Newsletter', 'ja', 'nein'],
    ['Newsletter (ja/nein)', 'JA', 'Nein'],
    ['Opt-in', 'oui', 'non'],
    ['Recevoir la newsletter', 'Oui', 'Non'],
    ['Suscrito', 'sí', 'no'],
    ['Acepta publicidad', 'Sí', 'No'],
    ['Iscritto', 'sì', 'no'],
    ['Aceita receber newsletter', 'sim', 'não'],
    ['Nieuwsbrief', 'ja', 'nee'],
    ['Zgoda na newsletter', 'tak', 'nie'],
    ['Nyhetsbrev', 'ja', 'nej'],
    ['Uutiskirje', 'kyllä', 'ei'],
    ['Hírlevél', 'igen', 'nem'],
    ['Odběr newsletteru', 'ano', 'ne'],
    ['Рассылка', 'да', 'нет'],
    ['メルマガ', 'はい', 'いいえ'],
  ])('%s: %s and %s', (header, yes, no) => {
    const columns = columnsOf(['email', header])
    const of = (cell: string) => readRow(columns, ['a@example.com', cell])
    expect(of(yes)).toMatchObject({ subscribed: undefined, subscribedWhenNew: true })
    expect(of(no)).toMatchObject({ subscribed: false, subscribedWhenNew: false })
    // in doubt not subscribed
    expect([of(''), of('Weekly')].map((row) => 'subscribedWhenNew' in row && row.subscribedWhenNew)).toEqual([
      false,
      false,
    ])
  })

  it('is no other column, and costs no time whatever its name', () => {
    for (const header of ['Newsletter source', 'Marketing manager', 'News', 'Department', 'Letter'])
      expect(columnsOf(['email', header]).statuses).toEqual([])
    const begun = performance.now()
    for (const name of [
      'ala'.repeat(33),
      'emaildateashas'.repeat(14),
      'desdeladen'.repeat(10),
      `newsletter${'onsn'.repeat(22)}x`,
    ])
      columnsOf(['email', name])
    expect(performance.now() - begun).toBeLessThan(250)
  })
})

const NOBODY = { contacts: new Map(), suppressed: new Set<string>(), choices: [] }

// each reads its file up to three times: a few of every list here, all of them with `npm run test:all`
const THOROUGH = process.env.THOROUGH === '1'

describe('a file of five megabytes', () => {
  const MOST = 250
  const BYTES = 4_900_000
  const header = 'email,note,status,left out'
  const given = { 'left out': { key: null } }

  /** The longest stretch in which nothing else ran while it was previewed, and its first rows as they are kept when refused. */
  async function longestStall(text: string) {
    const bytes = utf8(text)
    // on a busy machine the clock goes on while others have the core
    const used = ownTime()
    let [last, longest] = [used(), 0]
    const beat = () => {
      const now = used()
      longest = Math.max(longest, now - last)
      last = now
    }
    const timer = setInterval(beat, 1)
    const form = recogniseCsv(bytes, given)
    beat()
    const preview = await previewImport({ bytes, form, given }, async () => NOBODY)
    beat()
    clearInterval(timer)
    const lines = text.split('\n', 4).slice(1)
    const rows = lines.map((line) => ({ cells: line.split(',', 501), error: 'too long' }))
    last = used()
    const kept = rows.map((row) => refusedCsv([row], { header: ['email'], delimiter: ',' }, true))
    beat()
    return { longest, preview, kept }
  }

  async function leastStall(text: string): Promise<number> {
    let least = Number.POSITIVE_INFINITY
    for (let time = 0; time < 3 && least > MOST; time++) least = Math.min(least, (await longestStall(text)).longest)
    return least
  }

  const inEachColumn = (cell: string) => [cell, `a@b.example,${cell}`, `a@b.example,,${cell}`]

  // what takes more time than its text is long takes more than a moment for a third of the file
  const CELLS = ['""', 'a@b ', '?cc=', 'ﷺ']
  const ALL_CELLS = [...CELLS, ' ', '@', '<', '0', '\u200b']
  it.each(
    THOROUGH ? ALL_CELLS : CELLS,
  )('in three cells of %j, one in each column, holds the loop for no longer than a moment', async (piece) => {
    const cell = `"${piece.repeat(BYTES / 3 / Buffer.byteLength(piece))}"`
    expect(await leastStall(`${header}\n${inEachColumn(cell).join('\n')}\n`)).toBeLessThan(MOST)
  })

  if (THOROUGH)
    it('in one cell holds the loop for no longer than a moment, in whichever column', async () => {
      for (const row of inEachColumn(`"${'a@b '.repeat(BYTES / 4)}"`))
        expect(await leastStall(`${header}\n${row}\n`)).toBeLessThan(MOST)
    })

  const LINES = ['\n', ',']
  const ALL_LINES = [...LINES, 'a\n', '\t\n']
  it.each(THOROUGH ? ALL_LINES : LINES)('of %j holds the loop for no longer than a moment', async (piece) => {
    // parsing more takes longer in all, but no longer at once
    expect(await leastStall(`${header}\n${piece.repeat(300_000)}\n`)).toBeLessThan(MOST)
  })

  it('makes a row with too long a cell one with an error that names the field; in a column that is left out it harms nobody', async () => {
    const long = 'x'.repeat(65_537)
    const rows = [`a@b.example,${long}`, `b@b.example,,,${long}`, `c@b.example,${long.slice(1)}`, long]
    const { preview, kept } = await longestStall(`${header}\n${rows.join('\n')}\n`)
    expect(preview).toMatchObject({
      createdCount: 1,
      errors: [
        { row: 2, email: 'a@b.example', error: 'note: has more than 65536 characters, the most that a cell may have' },
        { row: 4, email: 'c@b.example', error: expect.stringContaining('64 KB') },
        { row: 5, error: 'email: has 65537 characters; an address with a name has at most 1000' },
      ],
    })
    for (const row of kept) expect(row.length).toBeLessThan(70_000)
  })
})

describe('the encoding of a file', () => {
  it('stays UTF-8 where a byte or two are damaged, whose rows are named', () => {
    const bytes = Buffer.from('email,name\na@example.com,Jürgen\nb@example.com,Zoë\nc@example.com,X?\n')
    bytes[bytes.lastIndexOf('?')] = 0xfc
    expect(recogniseCsv(bytes).encoding).toBe('utf-8')
    const census = new ColumnCensus(columnsOf(['email', 'name']))
    census.see(['c@example.com', 'X\ufffd'], 4)
    expect(census.notes()).toEqual([expect.stringContaining('row 4 (name)')])
  })

  const named = (hex: string) =>
    Buffer.concat([utf8('email,name\na@example.com,'), Buffer.from(hex, 'hex'), utf8('\n')])
  it.each([
    ['windows-1251', 'c8e2e0ed20cfe5f2f0eee2'],
    ['koi8-r', 'e9d7c1ce20f0c5d4d2cfd7'],
    ['windows-1253', 'c3e9dcedede7f2'],
    ['shift_jis', '8e52936391be98592097e996d888ea9859'],
    ['cp850', '4a817267656e204d816c6c65722c204772816e'],
    ['gbk', 'cdf5d0a1c3f7b1b1bea9'],
    ['euc-kr', 'b1e8c3b6bcf620bcadbfef'],
    ['windows-1255', 'e9e5f1e920ebe4ef'],
    ['windows-1256', 'e3cde3cf20dae1ed'],
  ])('is asked for as UTF-8 where its letters are those of %s', (_charset, hex) => {
    expect(() => recogniseCsv(named(hex))).toThrow(/neither UTF-8 nor Windows-1252.*save it as UTF-8/)
  })

  it('is Windows-1252 where its letters are of Western Europe', () => {
    for (const hex of [
      '4afc7267656e204dfc6c6c65722c204772f6df65',
      'c96c6fef736520e0204f726ce9616e732c206c929c75767265',
      'abc761207661203fbb209620352080',
      'c4d6dc20e4f6fc20c4d6dc',
      '8e699e656b2026208a6172693f20849f93',
      // blanks and dashes in a row
      'a0a0a0a0204e205ba096a05d20979797',
      // a few letters that were UTF-8 in another file before
      `${'4dfc6c6c65722c20'.repeat(60)}41c381c38d42`,
    ])
      expect(recogniseCsv(named(hex)).encoding).toBe('windows-1252')
  })
})
