import { domainToASCII } from 'node:url'
import { getDomain } from 'tldts'
import * as v from 'valibot'
import { canonicalDomain, isDomain } from '../values/email-address.ts'
import { say } from '../values/parse.ts'

/** A DNS name has at most 253 characters (RFC 1035), and the longest record's name comes before the domain. */
const MAX_LENGTH = 220
/** Names that cannot be owned (RFC 6761, RFC 7686) or that send no mail. */
const UNOWNABLE = /(?:^|\.)(?:localhost|invalid|onion|arpa)$/

/** A sender domain in a request: one that can be owned, written as in addresses. */
export const DomainName = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.transform(canonicalDomain),
  v.check(fits, say('too_big', `must have at most ${MAX_LENGTH} characters (in ASCII): its records need longer names`)),
  v.check(
    isDomain,
    say('invalid_string', 'must be a domain name such as example.com: no address, no URL, no * and no dot at the end'),
  ),
  v.check(isRegistrable, say('invalid_string', 'must be a domain that can be registered, not a suffix such as co.uk')),
  v.check(
    isOneScript,
    say('invalid_string', 'must not mix letters of several scripts in one label: it would look like another domain'),
  ),
)

function fits(domain: string): boolean {
  return domain.length <= 4 * MAX_LENGTH && domainToASCII(domain).length <= MAX_LENGTH
}

/** Checks against the suffixes of registries only: the owner of a suffix such as github.io may send from it. */
function isRegistrable(domain: string): boolean {
  if (UNOWNABLE.test(domain)) return false
  return getDomain(domainToASCII(domain), { allowPrivateDomains: false }) !== null
}

/** Whether each label has one script, or scripts that are written together (UTS 39, "highly restrictive"). */
function isOneScript(domain: string): boolean {
  return domain.split('.').every((label) => WRITTEN_TOGETHER.some((scripts) => scripts.test(label)))
}

const WRITTEN_TOGETHER = [
  /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Bopomofo}\p{Script=Common}\p{Script=Inherited}]*$/u,
  // any other script by itself
  ...[
    'Greek',
    'Cyrillic',
    'Arabic',
    'Hebrew',
    'Devanagari',
    'Bengali',
    'Thai',
    'Armenian',
    'Georgian',
    'Tamil',
    'Telugu',
  ]
    .concat(['Kannada', 'Malayalam', 'Gujarati', 'Gurmukhi', 'Oriya', 'Sinhala', 'Khmer', 'Lao', 'Myanmar', 'Ethiopic'])
    .concat(['Mongolian', 'Tibetan', 'Thaana', 'Syriac', 'Cherokee', 'Canadian_Aboriginal'])
    .map((script) => new RegExp(`^[\\p{Script=${script}}\\p{Script=Common}\\p{Script=Inherited}]*$`, 'u')),
]
