import { EngineError } from '../../errors.ts'

/** A template took too long; where there is more time it may still be rendered. */
export class SlowRender extends EngineError {
  constructor(field: string) {
    const message = 'takes too long to render'
    super('VALIDATION_ERROR', `${field}: ${message}`, { fields: [{ field, code: 'too_big', message }] })
  }
}
