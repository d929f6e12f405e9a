import * as v from 'valibot'
import { headerText } from './header-text.ts'
import { hasNoUser } from './no-user.ts'

const PICTURE =
  'must be an https URL without a user name or a password, with blanks, quotes, <, >, commas and semicolons in it written as %20, %22 …'
const PROFILE =
  'must be an https URL without a user name or a password, with blanks, quotes, <, > and braces in it written as %20, %22 …'

/** How many profiles a footer leads to. */
const MAX_LINKS = 8

/** Fonts that most computers and phones have; mail programs load no others. */
export const FONTS = ['sans', 'arial', 'verdana', 'trebuchet', 'georgia', 'times', 'courier'] as const
export type Font = (typeof FONTS)[number]

/** The least and the most pixels a drawn mail is wide on a desk. */
const MAIL_WIDTH = { least: 400, most: 800 } as const

/** A profile of the sender, such as its page on a social network. */
const ProfileLink = v.object({
  /** The text of the link. */
  name: v.pipe(
    v.string(),
    v.trim(),
    headerText(1, 40),
    // footers are templates
    v.check((text) => !/[{}]/.test(text), 'must not contain braces'),
  ),
  url: v.pipe(v.string(), v.maxLength(2000), v.check(isProfile, PROFILE), v.metadata({ format: 'uri' })),
})
export interface ProfileLink extends v.InferOutput<typeof ProfileLink> {}

/** As its record has them, which cannot be changed. */
const ProfileLinks: v.GenericSchema<readonly ProfileLink[], readonly ProfileLink[]> = v.pipe(
  v.array(ProfileLink),
  v.maxLength(MAX_LINKS),
)

/** How a project looks to its readers: in the footer of marketing mail and on the pages that mails lead to. */
export const Look = v.object({
  /** Where the sender can be reached by post; the law of many countries asks for it. Line ends become commas. */
  postalAddress: v.nullish(
    v.pipe(
      v.string(),
      // before the line ends are looked for, which takes long in a long text
      v.maxLength(1000, 'must have at most 300 characters'),
      v.transform((text) => text.trim().replace(/[\s,]*[\r\n]+\s*/g, ', ')),
      headerText(1, 300),
    ),
  ),
  /** A picture at an https address. */
  logoUrl: v.nullish(v.pipe(v.string(), v.maxLength(2000), v.check(isPicture, PICTURE), v.metadata({ format: 'uri' }))),
  /** The colour of buttons. */
  color: v.nullish(v.pipe(v.string(), v.toLowerCase(), v.regex(/^#[0-9a-f]{6}$/, 'must be a colour such as #0b7285'))),
  /** The font of mails drawn in the dashboard, of footers, pages and confirmation mails. */
  font: v.nullish(v.picklist(FONTS)),
  /** How wide these mails are on a desk, in pixels. */
  width: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(MAIL_WIDTH.least), v.maxValue(MAIL_WIDTH.most))),
  /** Profiles that footers and pages lead to. */
  links: v.nullish(ProfileLinks),
})

/** The same without what is not set. */
export interface Look {
  /** Shown in the footer of marketing mail, which the law wants in many countries. */
  readonly postalAddress?: string
  /** A picture at an address of the web. */
  readonly logoUrl?: string
  /** Of buttons and links, such as `#0a7cff`. */
  readonly color?: string
  /** The font of pages and of layouts that use it. */
  readonly font?: Font
  /** Of layouts, in pixels. */
  readonly width?: number
  /** Profiles elsewhere, in the order in which they are shown. */
  readonly links?: readonly ProfileLink[]
}

/** The fields of it that are set; undefined when none is. */
export function lookOf(given: v.InferOutput<typeof Look> | Look | null | undefined): Look | undefined {
  const set = Object.entries(given ?? {}).filter(
    ([, value]) => value !== null && value !== undefined && !isEmptyList(value),
  )
  return set.length === 0 ? undefined : Object.fromEntries(set)
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function isProfile(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:' && hasNoUser(text) && !/["'<>\s{}`\\]/.test(text)
}

function isPicture(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:' && hasNoUser(text) && !/["'<>\s;,]/.test(text)
}

/** The colour of buttons of a project that has none. */
export const ACCENT = '#0b7285'

/** Black or white, whichever has more contrast on this colour: at least 4.5 (WCAG 2.2, relative luminance). */
export function readableOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff'
}
