import { type AdviceCode, type Given, sentencesOf } from '../values/advice.ts'

/** The sentences about a mail. A text may change, what its code means may not: others translate it. */
export const CHECK_SENTENCES = {
  size_clipped: 'The HTML has {kb} KB, and Gmail cuts off all beyond 102 KB: make the mail shorter.',
  size_near_clipping: 'The HTML has {kb} KB, and Gmail cuts off all beyond 102 KB: there is little room left.',

  subject_empty: 'The subject is empty once it is filled in: write one.',
  subject_long:
    'The subject has {count} characters, and phones show about {limit}: say the most important thing at its start.',
  subject_capitals: 'The subject is in capitals, which spam filters and readers dislike: write it as usual.',
  preheader_missing:
    'There is no preheader, so that inboxes show the first words of the mail after the subject: write one.',
  spam_words: 'Spam filters weigh some of these words: {words}. Others may say the same.',

  text_empty: 'The plain-text part is empty, since the mail has no words: add some beside the pictures.',
  text_only_pictures:
    'The mail has hardly any words beside its pictures: spam filters distrust that, and readers without pictures see nothing.',

  unsubscribe_missing:
    'The mail shows no unsubscribe link. This server needs its public address (publicUrl) to add one.',
  unsubscribe_missing_in_text: 'The plain-text part shows no way to unsubscribe: add one.',
  unsubscribe_added:
    'The mail itself has no link to unsubscribe: one is added below it. With the variable unsubscribeUrl it stands where you want it.',
  postal_missing:
    'The postal address of the project is not in the mail, and the law of many countries asks for it: add it.',
  postal_unset:
    'The project has no postal address, and the law of many countries asks for it in each mail: set it in the settings of the project.',

  image_without_alt:
    'Picture {number} ({address}) has no description. People who cannot see pictures get nothing: add one (alt).',
  image_without_address: 'Picture {number} has no address: choose a picture, or take it out.',
  image_relative:
    'Picture {number} is at "{address}", which only a web page could complete: write the whole address, with https://.',
  image_by_http: 'Picture {number} ({address}) comes over http, and many mail programs do not show that: use https.',
  image_inline_data:
    'Picture {number} is written into the HTML as data, and Gmail and Outlook do not show that: upload it and use its address.',
  image_gone: 'Picture {number} ({address}) is no longer among the images of the project: upload it again.',
  image_large: 'Picture {number} ({address}) has {mb} MB, which phones load slowly: make it smaller than {limit} MB.',
  images_large: 'The pictures have {mb} MB together, which phones load slowly: keep them below {limit} MB.',
  image_broken: 'Picture {number} ({address}) is not there: its server answers {status}.',
  image_unreachable: 'Picture {number} ({address}) cannot be loaded: {reason}.',

  link_empty: 'Link {number} ("{text}") leads nowhere: give it an address.',
  link_relative:
    'Link {number} ("{text}") leads to "{address}", which only a web page could complete: write the whole address, with https://.',
  link_invalid: 'Link {number} ("{text}") leads to "{address}", which is not an address: correct it.',
  link_local: 'Link {number} ("{text}") leads to {address}, which other people cannot open: use a public address.',
  link_odd_scheme:
    'Link {number} ("{text}") begins with "{scheme}:", which mail programs do not follow: use a web address.',
  link_broken: 'Link {number} ({address}) is broken: its server answers {status}.',
  link_failing: 'Link {number} ({address}) fails now: its server answers {status}. Try it again later.',
  link_unreachable: 'Link {number} ({address}) cannot be opened: {reason}.',
  link_redirects: 'Link {number} ({address}) leads on more than {limit} times: link the page it ends at.',
  address_forbidden:
    'The address {address} was not checked, since it leads into a private network or cannot be requested: make sure that your readers can open it.',
  link_unchecked: 'Link {number} ({address}) could not be checked: its server answers programs {status}. Open it once.',
  links_over_limit:
    'The links were not checked: a project may check them {limit} times a minute. Try again in a minute.',
  links_cannot_be_asked: 'The links were not checked: this server cannot do that now.',
  links_left_out: '{count} more addresses of links and pictures were not checked: the limit is {limit}.',
  links_out_of_time: '{count} addresses of links and pictures were not checked: others took too long.',

  variable_unknown: 'No contact has "{name}", so its place stays empty: correct the name, or give it a default.',
  variable_of_request:
    'No contact has "{name}", so that its place stays empty unless the request brings it: give it a default.',
  variable_lacking: '{count} of {total} contacts have no "{name}", so that its place stays empty: give it a default.',

  variable_similar:
    '{count} of {total} contacts have no "{name}": its place stays empty for them, or has its default. They may have it as {similar}: write that name if it is meant.',
  variable_default:
    '{count} of {total} contacts have no "{name}": they get the mail with its default, or without the part that asks for it.',

  filter_unable:
    'The filter {filter} cannot work with "{value}", which is printed unchanged: look at the value and at the numbers and names that the filter is given.',
  zone_unknown: 'There is no time zone "{value}", so that the time is in UTC: write a name such as Europe/Berlin.',

  feature_unsupported: '"{feature}" does not work in {clients}: see that the mail is readable without it.',
  style_large: 'The style sheets have {kb} KB, and Gmail ignores those of more than {limit} KB: shorten them.',

  project_test: 'The project is for tests: the sandbox catches the mail, and its recipients do not get it.',
  project_members:
    'The project only mails its members and allowed recipients: the sandbox catches the mail to all others.',
  server_folder:
    'This server has no mail server to send by: the mail is written to a folder, and its recipients do not get it.',
  server_address:
    'Links in the mail begin with {address}, which only this machine can open: set the public address of the server.',

  more_alike: '{count} more like the one before.',
} as const

export type CheckCode = keyof typeof CHECK_SENTENCES

/** All codes. */
export const CHECK_CODES = Object.keys(CHECK_SENTENCES) as readonly CheckCode[]

/** How much a finding matters: an error spoils the mail for its readers, a hint is only good to know. */
export const SEVERITIES = ['error', 'warning', 'hint'] as const
type Severity = (typeof SEVERITIES)[number]

/** The part of a mail that a finding is about. */
export const CHECKED_FIELDS = ['subject', 'preheader', 'body', 'project', 'server'] as const
type CheckedField = (typeof CHECKED_FIELDS)[number]

/** Something about a mail that is worth mending. */
export interface CheckFinding extends AdviceCode {
  /** The kind of finding, for programs. */
  readonly code: CheckCode
  /** How bad it is. */
  readonly severity: Severity
  /** In English. */
  readonly message: string
  /** Where it is mended. */
  readonly field: CheckedField
}

const ERRORS: ReadonlySet<CheckCode> = new Set<CheckCode>([
  ...(['size_clipped', 'subject_empty', 'unsubscribe_missing'] as const),
  ...(['image_without_address', 'image_relative', 'image_gone', 'image_broken'] as const),
  ...(['link_empty', 'link_relative', 'link_invalid', 'link_local', 'link_broken'] as const),
  ...(['project_test', 'project_members', 'server_folder', 'server_address'] as const),
])
const HINTS: ReadonlySet<CheckCode> = new Set<CheckCode>([
  ...(['subject_long', 'preheader_missing', 'spam_words', 'unsubscribe_added'] as const),
  ...(['link_unchecked', 'links_over_limit', 'links_cannot_be_asked', 'links_left_out', 'links_out_of_time'] as const),
  ...(['variable_of_request', 'variable_default', 'feature_unsupported'] as const),
])

const sentence = sentencesOf(CHECK_SENTENCES)

/** A finding with its sentence; the values are those in its braces. */
export function finding<Code extends CheckCode>(
  code: Code,
  field: CheckedField,
  ...given: Given<(typeof CHECK_SENTENCES)[Code]>
): CheckFinding {
  const { text, params } = sentence(code, ...given)
  const severity = ERRORS.has(code) ? 'error' : HINTS.has(code) ? 'hint' : 'warning'
  return { code, severity, message: text, field, params }
}

/** How many findings of one kind are listed. */
const MOST_ALIKE = 10

/** The findings with the worst first; of many alike the first ten, and how many more there are. */
export function inOrder(findings: readonly CheckFinding[]): readonly CheckFinding[] {
  const byCode = Map.groupBy(findings, ({ code }) => code)
  const listed = [...byCode.values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined || alike.length <= MOST_ALIKE) return alike
    const more = finding('more_alike', first.field, { count: alike.length - MOST_ALIKE })
    return [...alike.slice(0, MOST_ALIKE), { ...more, severity: first.severity }]
  })
  return listed.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
}
