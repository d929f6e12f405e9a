import { describe, expect, it } from 'vitest'
import { CreateForm } from '../../core/subscriptions/forms/form.ts'
import { parse } from '../../core/values/parse.ts'
import { FORM_STARTERS, formStarter } from '../../server/dashboard/forms/form-starters.ts'
import { inputOf, keyFor, newField } from '../../server/dashboard/forms/form-values.ts'

const LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'zh']

describe('what a new form begins with', () => {
  it.each(FORM_STARTERS)('is complete in the language of the project, and taken as it is: %s', (kind) => {
    const all = LANGUAGES.map((locale) => formStarter(kind, { name: 'Acme & Söhne', locale }))
    for (const values of all) {
      expect(values.consent).toContain('Acme & Söhne')
      expect(parse(CreateForm, inputOf(values))).toMatchObject({ doubleOptIn: true, consent: values.consent })
    }
    expect(new Set(all.map(({ consent, intro }) => consent + intro)).size).toBe(LANGUAGES.length)
    expect(formStarter(kind, { name: 'Acme', locale: 'de-AT' }).button).toBe(
      formStarter(kind, { name: 'Acme', locale: 'de' }).button,
    )
    expect(formStarter(kind, { name: 'Acme', locale: 'xx' }).button).toBe(
      formStarter(kind, { name: 'Acme', locale: null }).button,
    )
  })

  it('takes the address of a page for that of its origin, and leaves all else to be judged', () => {
    const typed =
      'www.acme.example\nhttps://acme.example/shop/?a=1\nhttp://localhost:8080/\nhttps://*.acme.example\nacme\nmailto:a@b.example'
    const values = { ...formStarter('newsletter', { name: 'Acme', locale: 'en' }), origins: typed }
    expect(inputOf(values).origins).toEqual([
      ...['https://www.acme.example', 'https://acme.example', 'http://localhost:8080', 'https://*.acme.example'],
      ...['acme', 'mailto:a@b.example'],
    ])
  })

  it('gives a field the key of its label, until it is given another by hand', () => {
    const first = { ...newField('text', []), label: 'Größe (cm)' }
    const fields = [{ ...first, key: 'grosseCm' }, newField('text', [first])]
    const [, second] = fields
    expect(keyFor('Favourite colour', second!, fields)).toBe('favouriteColour')
    expect(keyFor('Größe (cm)', second!, fields)).toBe('grosseCm2')
    expect(keyFor('Größe', { ...second!, key: 'grosseCm2', label: 'Größe (cm)' }, fields)).toBe('grosse')
    expect(keyFor('2. Vorname', second!, fields)).toBe('Vorname')
    // what mails usually print
    expect(
      ['Vorname', 'お名前', 'Date de naissance', 'Sprache'].map((label) => keyFor(label, second!, fields)),
    ).toEqual([...['firstName', 'firstName', 'birthday', 'sprache']])
    // nothing that a key may have
    expect(keyFor('お好み', second!, fields)).toBe('text2')
    expect(keyFor('Colour', { ...second!, key: 'mine', label: 'Favourite colour' }, fields)).toBe('mine')
  })
})
