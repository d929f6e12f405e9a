import * as v from 'valibot'
import { isHeaderName, isReservedHeader } from '../mail/mime/header-fields.ts'
import { describedBy } from '../values/described.ts'
import { isJsonObject, isStorableText, type JsonObject } from '../values/json.ts'
import { say } from '../values/parse.ts'

/** A limit that no useful mail reaches; each field is written, folded and signed. */
const MAX_HEADERS = 100

/** `headers`: names are field names (RFC 5322, section 3.6.8), values at most 998 characters on one line. */
export const Headers = describedBy(
  v.pipe(
    v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object of strings')),
    v.check(
      (given) => Object.keys(given).length <= MAX_HEADERS,
      say('too_big', `must have at most ${MAX_HEADERS} fields`),
    ),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const fields: [string, string][] = []
      const given = new Set<string>()
      let refusals = 0
      const refuse = (name: string, value: unknown, message: string) => {
        refusals++
        addIssue({ message, path: [{ type: 'object', origin: 'key', input: dataset.value, key: name, value }] })
      }
      for (const [name, value] of Object.entries(dataset.value)) {
        if (/[\r\n\0]/.test(name))
          refuse(name, value, say('header_injection', 'a name must not contain line breaks or NUL'))
        else if (!isHeaderName(name)) refuse(name, value, say('invalid_string', 'is not a header field name'))
        else if (isReservedHeader(name))
          refuse(name, value, say('custom', 'is set by the service and cannot be given here'))
        else if (given.has(name.toLowerCase()))
          refuse(name, value, say('custom', 'is given already: letter case makes no other field of it'))
        else if (typeof value !== 'string') refuse(name, value, say('invalid_type', 'must be a string'))
        else if (!isStorableText(value.replaceAll('\0', '')))
          refuse(name, value, say('invalid_string', 'must not contain unpaired surrogates'))
        else if (/[\r\n\0]/.test(value))
          refuse(name, value, say('header_injection', 'must not contain line breaks or NUL'))
        else if (value.length > 998) refuse(name, value, say('too_big', 'must have at most 998 characters'))
        else fields.push([name, value])
        given.add(name.toLowerCase())
      }
      return refusals > 0 ? NEVER : fields
    }),
  ),
  v.record(v.string(), v.pipe(v.string(), v.maxLength(998))),
)
