/** The program and the system of a browser, as people call them; null where the field does not say. */
export interface Device {
  /** The name of the browser. */
  readonly browser: string | null
  /** The name of the system. */
  readonly system: string | null
}

type Signs = readonly (readonly [sign: RegExp, name: string])[]

/** In this order: most browsers also call themselves by the names of those after them. */
const BROWSERS: Signs = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/\S+ (?:Mobile\/\S+ )?Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^(?:node|undici)\b/, 'Node.js'],
]

const SYSTEMS: Signs = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

/** The device that a `User-Agent` field names. */
export function deviceOf(agent: string | undefined): Device {
  const named = (signs: Signs) => signs.find(([sign]) => agent !== undefined && sign.test(agent))?.[1] ?? null
  return { browser: named(BROWSERS), system: named(SYSTEMS) }
}
