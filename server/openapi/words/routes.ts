import { prefixed, type Words } from './words.ts'

const RULE = {
  number: 'Its place among all rules, from 1.',
  name: 'Its name, or `rule` with its number.',
}
const PLACE = 'A key of `when`, or `tag.` or `header.` with a name.'

/** The way of a mail by the rules, wherever it is answered. */
export const EXPLAINED = {
  receiver:
    "Who takes the mail of the recipient's domain. Absent where no rule asks, and for a receiver without a name.",
  rule: 'The rule that decides. Absent: none fits, and the transports are tried in their usual order.',
  ...prefixed('rule', RULE),
  'rule.because': 'The conditions that fit, in a sentence.',
  'rule.fits': 'The same for programs.',
  'rule.fits.key': PLACE,
  'rule.fits.value': 'The value of the mail.',
  named: 'The transport that its request names. Absent: it names none.',
  'named.transport': 'Its name.',
  'named.counts':
    'Whether it goes there, and nowhere else. `false` while that is not there, or the project may not name it: then the rest of this answer decides.',
  shares: 'The shares of its transports in percent, where it has several.',
  ramp: 'The part that goes through another transport first, where the rule has a ramp.',
  'ramp.transport': 'The transport that takes the part.',
  'ramp.share': 'The part of today, in percent: 0 before it begins, and once it went back.',
  'ramp.isBack': 'Whether it went back, since too much was refused.',
  'ramp.from': 'When it begins.',
  'ramp.add': 'How many percentage points more each day.',
  'ramp.backAt': 'The percentage of refusals above which it goes back.',
  notFitting: 'The rules before it, the last first: at most 100.',
  ...prefixed('notFitting', RULE),
  'notFitting.because':
    'The first condition that does not fit, and the value of the mail, in a sentence. The rest is the same for programs.',
  'notFitting.key': PLACE,
  'notFitting.value': 'The value of the mail. Absent: it has none, or it is not known.',
  'notFitting.wanted': 'The values of which the rule wants one: the first three.',
  'notFitting.wantedMore': 'How many more there are.',
  more: 'How many more there are before those.',
}

const WHEN = {
  when: 'Which mails it is for: every key has to fit, and of a list one value. Without any, it is for all.',
  'when.class': 'The kind of mail.',
  'when.project': 'The id or the name of the project.',
  'when.senderDomain': 'The domain of the sender, or `*.example.com` for all below it.',
  'when.recipientDomain': 'The domain of the recipient, likewise.',
  'when.receiver': "Who takes the mail of the recipient's domain, by its MX records.",
  'when.template': 'The id of the template.',
  'when.tag': 'Tags by name, each with the value that it has to have, or `*` for any.',
  'when.header': 'Header fields likewise.',
  to: 'The transport that takes them, or several with their shares.',
  ramp: 'A part that goes through another transport first, and grows day by day. Needs a `name` of the rule.',
  'ramp.to': 'The transport that takes the part.',
  'ramp.from':
    'When it begins: a day such as `2026-12-01` (UTC), or a moment such as `2026-12-01T14:30:00Z`. Another one begins it again.',
  'ramp.start': 'The percentage of the first day. By default 5.',
  'ramp.add': 'How many percentage points more each day. By default 10.',
  'ramp.backAt':
    'It goes back to nothing once more than this percentage is refused on a day, of at least 100 mails. By default 2.',
  fallback: 'Transports that are tried after those, in this order.',
  whenFull: 'Whether mail waits while the quotas of `to` are used up, or goes to `fallback`.',
}

const MAY_NAME =
  'Which projects may name a transport for a mail, by the transport: `true` for all, or the ids of those. Those of the configuration (`delivery.mayName`) may besides.'

const CHANGED = {
  mayName: `${MAY_NAME} Without it, it stays as it is.`,
  rules: 'All of them, in their order; at most 500.',
  'rules.name': 'What explanations call it. By default its number.',
  ...prefixed('rules', WHEN),
}

/** Rules of routing. */
export const routingWords: Words = {
  schemas: {
    RouteRules: 'The rules of routing, in their order.',
    RouteRule: 'A rule: which mails it is for, and where they go.',
    RouteExplained: 'Where a mail goes, and why.',
  },
  fields: {
    ...prefixed('changeRoutes', CHANGED),
    ...prefixed('changeMyRoutes', CHANGED),
    'RouteRule.name': 'What explanations call it. Absent: its number.',
    ...prefixed('RouteRule', WHEN),
    'RouteRules.version': 'Rises with each change of `rules`: send it back as `If-Match` or as `version`.',
    'RouteRules.rules': 'Those that were set by `PUT`.',
    'RouteRules.given': 'Those of the configuration (`delivery.routes`), which come first: at most 500.',
    'RouteRules.givenMore': 'How many more the configuration has.',
    'RouteRules.problems':
      'Why some of `rules` do not decide as they are written, such as a transport that is gone. A transport that is not there is left out of its rule; without any, so is the rule.',
    'RouteRules.problems.field': 'The place, such as `rules.0.to`.',
    'RouteRules.problems.message': 'The problem, in a sentence.',
    'RouteRules.transports': 'The transports that rules may name.',
    'RouteRules.mayName': MAY_NAME,
    'RouteRules.givenMayName': 'The same of the configuration.',
    'RouteRules.setBy': '`code`: the app around this server sets everything, so that no rules can be set here.',
    ...prefixed('RouteExplained', EXPLAINED),
    'RouteExplained.transports':
      'The transports that it would try, in this order. Of several with shares any may be the first.',
    'RouteExplained.toSimulator': 'True for mail to the simulator, which goes there whatever the rules are.',
    'RouteExplained.toOwn':
      'True for mail of a project with mail servers of its own, with which rules have nothing to do.',
    'explainRoute.from': 'The address of its sender.',
    'explainRoute.to': 'The address of its recipient.',
    'explainRoute.class': 'Its kind.',
    'explainRoute.project': 'The id or the name of its project, for rules by project.',
    'explainRoute.template': 'The id of its template.',
    'explainRoute.tags': 'Its tags.',
    'explainRoute.headers': 'Its header fields.',
    'explainRoute.transport': 'The transport that its request names.',
  },
}
