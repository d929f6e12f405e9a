import type { JsonObject } from './json.ts'
import { zoneNamed } from './zone-names.ts'

/** The fields of a contact's data that may name its time zone, first to last. */
const ZONE_FIELDS = ['timezone', 'timeZone'] as const
/** The field that may name its country, by the two letters of ISO 3166. */
const COUNTRY_FIELD = 'country'

/** The fields that decide about a contact's time zone. */
export const FIELDS_OF_ZONE: readonly string[] = [...ZONE_FIELDS, COUNTRY_FIELD]

/** The source of a contact's time zone: its own field, its country, or the project, as it has neither. */
export const ZONE_SOURCES = ['contact', 'country', 'project'] as const
export type ZoneSource = (typeof ZONE_SOURCES)[number]

/** The time zone of the contact with this data, and what decided; `other` where the data names none that there is. */
export function zoneOfContact(data: JsonObject, other: string): { readonly zone: string; readonly by: ZoneSource } {
  for (const field of ZONE_FIELDS) {
    const own = data[field]
    const zone = typeof own === 'string' ? zoneNamed(own) : undefined
    if (zone !== undefined) return { zone, by: 'contact' }
  }
  const country = data[COUNTRY_FIELD]
  const zone = typeof country === 'string' && country.length === 2 ? zoneOfCountry(country.toUpperCase()) : undefined
  return zone === undefined ? { zone: other, by: 'project' } : { zone, by: 'country' }
}

/** The zone of a country with only one, or that of its capital. */
function zoneOfCountry(code: string): string | undefined {
  const known = COUNTRIES.get(code)
  if (known !== undefined) return known
  if (!/^[A-Z]{2}$/.test(code)) return undefined
  const region: Region = new Intl.Locale(`und-${code}`)
  const [only, ...others] = region.getTimeZones?.() ?? []
  const zone = others.length === 0 ? only : undefined
  // there are few codes of two letters
  if (zone !== undefined) COUNTRIES.set(code, zone)
  return zone
}

/** A method that the types of this version of TypeScript do not know yet. */
interface Region extends Intl.Locale {
  getTimeZones?(): readonly string[] | undefined
}

/** The zones of the capitals of countries with several, and those looked up since. */
const COUNTRIES = new Map([
  ['AR', 'America/Argentina/Buenos_Aires'],
  ['AU', 'Australia/Sydney'],
  ['BR', 'America/Sao_Paulo'],
  ['CA', 'America/Toronto'],
  ['CD', 'Africa/Kinshasa'],
  ['CL', 'America/Santiago'],
  ['CN', 'Asia/Shanghai'],
  ['CY', 'Asia/Nicosia'],
  ['DE', 'Europe/Berlin'],
  ['EC', 'America/Guayaquil'],
  ['ES', 'Europe/Madrid'],
  ['FM', 'Pacific/Pohnpei'],
  ['GL', 'America/Nuuk'],
  ['ID', 'Asia/Jakarta'],
  ['KI', 'Pacific/Tarawa'],
  ['KZ', 'Asia/Almaty'],
  ['MH', 'Pacific/Majuro'],
  ['MN', 'Asia/Ulaanbaatar'],
  ['MX', 'America/Mexico_City'],
  ['MY', 'Asia/Kuala_Lumpur'],
  ['NZ', 'Pacific/Auckland'],
  ['PF', 'Pacific/Tahiti'],
  ['PG', 'Pacific/Port_Moresby'],
  ['PS', 'Asia/Hebron'],
  ['PT', 'Europe/Lisbon'],
  ['RU', 'Europe/Moscow'],
  ['UA', 'Europe/Kyiv'],
  ['US', 'America/New_York'],
  ['UZ', 'Asia/Tashkent'],
])
