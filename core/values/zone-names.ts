import { RecentlyUsed } from './recently-used.ts'
import { isTimeZone } from './time-zone.ts'

/** How long a name of a zone may be. */
const LONGEST = 64
/** How many names are remembered: to look one up takes longer. */
const KEPT = 2_000

/** Where cities lie, as the IANA database has them. */
const REGIONS = ['Africa', 'America', 'Asia', 'Atlantic', 'Australia', 'Europe', 'Indian', 'Pacific']
/** Names in a region that are no cities, and mean something else elsewhere. */
const NO_CITY = /^(?:act|east|north|south|west|victoria)$/

const OFFSET = /^(?:GMT|UTC)? ?([+-])(\d{1,2})(?::?(00|15|30|45))?$/i
/** No clock is further ahead of UTC, in hours. */
const MOST_HOURS = 14

const ZONES = new RecentlyUsed<{ readonly zone: string | undefined }>(KEPT, KEPT, () => 1)

/**
 * The time zone that data names, as `Intl` takes it: by its name in the IANA database, its city (`Berlin`, `New York`) or its
 * distance from UTC (`GMT+2`, `UTC+02:00`, `+0530`). Undefined when there is none, or several.
 */
export function zoneNamed(written: string): string | undefined {
  if (written.length > LONGEST) return undefined
  const known = ZONES.get(written)
  if (known !== undefined) return known.zone
  const zone = lookedUp(written.trim())
  ZONES.set(written, { zone })
  return zone
}

function lookedUp(name: string): string | undefined {
  if (isTimeZone(name)) return name
  const [, sign, hours, minutes = '00'] = OFFSET.exec(name.replaceAll('\u2212', '-')) ?? []
  if (hours !== undefined) return Number(hours) > MOST_HOURS ? undefined : `${sign}${hours.padStart(2, '0')}:${minutes}`
  return zoneOfCity(name)
}

/** The zone with this city, also without its accents; several names of one zone are no doubt. */
function zoneOfCity(name: string): string | undefined {
  const city = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll(' ', '_')
  if (!/^[a-z][a-z_'-]{2,}$/.test(city) || NO_CITY.test(city)) return undefined
  const zones = new Map<string, string>()
  for (const region of REGIONS) {
    const zone = `${region}/${city}`
    if (isTimeZone(zone)) zones.set(new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone, zone)
  }
  const [only, ...others] = zones.keys()
  return others.length === 0 ? only : undefined
}
