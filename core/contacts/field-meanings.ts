import { nearest } from '../values/nearest.ts'
import { plainName } from './csv-names.ts'

/**
 * Names of columns and fields that mean the same, by the key that starters, recipes and the engine itself read. First
 * those of English, then German, French, Spanish, Italian, Portuguese, Dutch, Polish, Japanese and Chinese.
 */
const NAMES = {
  firstName: `First Name, FName, Given Name, Forename, Christian Name, Contact First Name | Vorname, Rufname | Prénom |
    Nombre, Nombre de pila, Primer nombre | Nome, Nome di battesimo | Primeiro nome, Nome próprio | Voornaam, Roepnaam |
    Imię, Pierwsze imię | お名前, 名, 下の名前 | 名字`,
  lastName: `Last Name, LName, Surname, Family Name, Contact Last Name | Nachname, Familienname, Zuname |
    Nom de famille, Patronyme | Apellido, Apellidos, Primer apellido | Cognome |
    Sobrenome, Apelido, Último nome | Achternaam, Familienaam | Nazwisko | 姓, 名字（姓）, 苗字 | 姓氏`,
  name: `Name, Full Name, Contact Name, Display Name | Vollständiger Name, Ganzer Name, Vor- und Nachname, Kontaktname |
    Nom, Nom complet, Nom et prénom, Prénom et nom | Nombre completo, Nombre y apellidos |
    Nome completo, Nome e cognome | Nome e sobrenome | Naam, Volledige naam | Imię i nazwisko |
    氏名, 名前, 姓名, フルネーム | 全名`,
  company: `Company, Company Name, Organization, Organisation, Organization Name, Employer, Business Name |
    Firma, Firmenname, Unternehmen, Unternehmensname | Entreprise, Société, Nom de l’entreprise |
    Empresa, Compañía, Organización, Nombre de la empresa | Azienda, Società, Ditta, Nome azienda |
    Companhia, Organização, Nome da empresa | Bedrijf, Bedrijfsnaam, Organisatie | Nazwa firmy, Organizacja |
    会社, 会社名, 企業名, 勤務先 | 公司, 公司名称, 企业, 单位`,
  city: `City, Town | Stadt, Ort, Wohnort | Ville | Ciudad, Localidad, Población | Città, Comune | Cidade, Localidade |
    Stad, Plaats, Woonplaats | Miasto, Miejscowość | 市, 都市, 市区町村 | 城市`,
  country: `Country, Country Code | Land, Länderkürzel, Ländercode | Pays | País | Paese, Nazione | Kraj | 国, 国名 |
    国家`,
  birthday: `Birthday, Birthdate, Birth Date, Date of Birth, DOB | Geburtstag, Geburtsdatum, Geb.-Datum, Geboren am |
    Anniversaire, Date de naissance, Date d’anniversaire | Cumpleaños, Fecha de nacimiento, Fecha de cumpleaños |
    Compleanno, Data di nascita | Aniversário, Data de nascimento, Data de aniversário |
    Verjaardag, Geboortedatum | Urodziny, Data urodzenia | 誕生日, 生年月日 | 生日, 出生日期, 出生年月`,
  phone: `Phone, Phone Number, Telephone, Telephone Number, Tel, Mobile, Mobile Phone, Mobile Number, Cell, Cell Phone |
    Telefon, Telefonnummer, Tel.-Nr., Rufnummer, Handy, Handynummer, Mobil, Mobiltelefon, Mobilnummer |
    Téléphone, Numéro de téléphone, Portable, Téléphone portable |
    Teléfono, Número de teléfono, Móvil, Celular | Telefono, Numero di telefono, Cellulare |
    Telefone, Número de telefone, Telemóvel | Telefoon, Telefoonnummer, Mobiel, Mobiel nummer |
    Numer telefonu, Nr telefonu, Komórka, Telefon komórkowy | 電話, 電話番号, 携帯, 携帯電話, 携帯番号 |
    电话, 电话号码, 手机, 手机号, 手机号码`,
  locale: `Locale, Language, Lang, Preferred Language, Language Code | Sprache, Bevorzugte Sprache, Korrespondenzsprache |
    Langue, Langue préférée | Idioma, Lengua, Idioma preferido | Lingua, Lingua preferita | Língua, Linguagem |
    Taal, Voorkeurstaal | Język | 言語 | 语言`,
  timezone: `Time Zone, Timezone, TZ | Zeitzone | Fuseau horaire | Zona horaria, Huso horario | Fuso orario |
    Fuso horário | Tijdzone | Strefa czasowa | タイムゾーン | 时区`,
} as const

/** The meaning of a field, as the key that mails print it by. */
type UsualKey = keyof typeof NAMES
const USUAL_KEYS = Object.keys(NAMES) as readonly UsualKey[]

const MEANING: ReadonlyMap<string, UsualKey> = new Map(
  USUAL_KEYS.flatMap((key) => NAMES[key].split(/[,|]/).map((name) => [plainName(name), key] as const)),
)

/** Words for a whole name that mean the last one beside a first name of the same language. */
const LAST_BESIDE: ReadonlyMap<string, readonly string[]> = new Map([
  ['name', ['vorname', 'rufname']],
  ['nom', ['prenom']],
  ['naam', ['voornaam', 'roepnaam']],
])

/** The key by which mails print what a column or field of this name holds; undefined for one of its own meaning. */
export function usualKey(name: string): UsualKey | undefined {
  return MEANING.get(plainName(name))
}

/** A column of a file that nothing was said about. */
interface Unsettled {
  readonly index: number
  readonly name: string
  readonly key: string
}

/**
 * The usual key of each column that has another one, by the column's place. Of two columns with one meaning the first
 * has it, unless a column has that key already.
 */
export function usualKeys(columns: readonly Unsettled[], taken: Iterable<string>): ReadonlyMap<number, UsualKey> {
  const used = new Set(taken)
  const plain = new Set(columns.map(({ name }) => plainName(name)))
  const found = new Map<number, UsualKey>()
  for (const { index, name, key } of columns) {
    const isLast = LAST_BESIDE.get(plainName(name))?.some((first) => plain.has(first))
    const usual = isLast ? 'lastName' : usualKey(name)
    if (usual === undefined || usual === key || used.has(usual)) continue
    used.add(usual)
    found.set(index, usual)
  }
  return found
}

/** How many fields are offered. */
const MOST_OFFERED = 3

/** Of these fields, in their order, those that another name may mean: of its meaning, or else written much like it. */
export function similarFields(name: string, known: readonly string[]): readonly string[] {
  const usual = usualKey(name)
  const plain = plainName(name)
  const others = known.filter((key) => key !== name)
  const alike = others.filter((key) => plainName(key) === plain || (usual !== undefined && usualKey(key) === usual))
  const whole = usual === 'firstName' ? others.filter((key) => usualKey(key) === 'name') : []
  const found = [...new Set([...alike, ...whole])].slice(0, MOST_OFFERED)
  if (found.length > 0) return found
  const near = nearest(name, others)
  return near === undefined ? [] : [near]
}

/** Whether a cell names a language as `locale` takes it, such as `de` or `pt-BR`. */
export function isLanguageTag(cell: string): boolean {
  return /^[a-z]{2,3}(?:[-_][a-z\d]{2,8}){0,3}$/i.test(cell)
}
