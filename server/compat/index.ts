export { type Answer, type TypedApi, typedApi } from './kit/typed-api.ts'
export { resendApi } from './resend/resend-api.ts'
