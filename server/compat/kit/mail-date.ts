const DATE =
  /^(?:[a-z]{3},\s+)?(\d{1,2})\s+([a-z]{3})\s+(\d{4})\s+(\d{2}):(\d{2})(?::(\d{2}))?\s+(?:([+-])(\d{2})(\d{2})|([a-z]{1,3}))$/i
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** Zones that have a name, as their hours ahead of UTC (RFC 2822, section 4.3). */
const ZONES: Readonly<Record<string, number>> = {
  ut: 0,
  utc: 0,
  gmt: 0,
  z: 0,
  edt: -4,
  est: -5,
  cdt: -5,
  cst: -6,
  mdt: -6,
  mst: -7,
  pdt: -7,
  pst: -8,
}

/**
 * Reads a date as mail has it (RFC 2822): `Fri, 14 Oct 2011 23:10:10 -0000`. Answers undefined for any other text, also for
 * a day that there is not, such as 31 February. Date takes five times as long to read one, and takes such days for others.
 */
export function readMailDate(text: string): Date | undefined {
  const found = DATE.exec(text)
  if (found === null) return undefined
  const [, day, name = '', year, hour, minute, second = 0, sign, hours, minutes, zone = ''] = found
  const month = MONTHS.indexOf(name.toLowerCase())
  const ahead =
    sign === undefined ? ZONES[zone.toLowerCase()] : Number(`${sign}1`) * (Number(hours) + Number(minutes) / 60)
  if (month < 0 || ahead === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return undefined
  const local = new Date(Date.UTC(Number(year), month, Number(day), Number(hour), Number(minute), Number(second)))
  return local.getUTCDate() === Number(day) ? new Date(local.getTime() - Math.round(ahead * 60) * 60_000) : undefined
}
