import { createPrivateKey } from 'node:crypto'
import { EngineError } from '../errors.ts'
import type { IdentityProof, IdentityRecord, SenderIdentity } from '../ports/sender-identity.ts'
import { isObject } from '../values/json.ts'

const TYPES: readonly unknown[] = ['TXT', 'CNAME', 'MX']
const isText = (given: unknown): given is string => typeof given === 'string' && given.trim() !== ''

/**
 * The identity, whose answers are checked before any of them is stored or shown. Throws EngineError `PLUGIN_INVALID`, which
 * names the plugin and what is wrong with the answer.
 */
export function readableIdentity(identity: SenderIdentity, plugin: string): SenderIdentity {
  const require = (method: keyof SenderIdentity, problem: string | undefined) => {
    if (problem === undefined) return
    throw new EngineError('PLUGIN_INVALID', `identity: ${plugin}: ${method} answered ${problem}`)
  }
  return {
    ...(identity.rotatesItself === undefined ? {} : { rotatesItself: identity.rotatesItself }),
    async make(domain, taken) {
      const proof = await identity.make(domain, taken)
      require('make', proofProblem(proof))
      return proof
    },
    records(domain, proof) {
      const records = identity.records(domain, proof)
      require('records', recordsProblem(records))
      return records
    },
    async check(domain, proof, dns) {
      const findings = await identity.check(domain, proof, dns)
      if (!Array.isArray(findings)) require('check', 'no list of findings')
      return findings
    },
  }
}

function proofProblem(proof: IdentityProof): string | undefined {
  if (!isObject(proof)) return `${proof === undefined ? 'nothing' : typeof proof}: it must be { selector, publicData }`
  if (!isText(proof.selector)) return 'no selector: it must be a text, the name of the key'
  if (typeof proof.publicData !== 'string') return 'no publicData: it must be a text'
  if (proof.privateKey === undefined || isKey(proof.privateKey)) return undefined
  return 'a privateKey that is none: it must be PEM without a passphrase, or be left out'
}

function isKey(pem: unknown): boolean {
  try {
    return typeof pem === 'string' && createPrivateKey(pem).type === 'private'
  } catch {
    return false
  }
}

function recordsProblem(records: readonly IdentityRecord[]): string | undefined {
  if (!Array.isArray(records) || records.length === 0) return 'no records: it must be a list of at least one'
  const wrong = records.find((each) => !(isObject(each) && isText(each.name) && isText(each.value)))
  if (wrong !== undefined) return 'a record without a name or a value'
  const odd = records.find(({ type }) => !TYPES.includes(type))
  return odd && `a record of type ${String(odd.type)}: it must be TXT, CNAME or MX`
}
