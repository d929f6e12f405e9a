export { type BlobStoreSubject, blobStoreContract } from './blob-store.ts'
export { type DnsResolverSubject, dnsResolverContract, type Zone } from './dns-resolver.ts'
export { FORBIDDEN_URLS } from './forbidden-urls.ts'
export { type HookEvent, type HttpHookSubject, httpHookContract } from './http-hook.ts'
export { type InboundMailSubject, inboundMailContract, type SentMessage } from './inbound-mail.ts'
export {
  type MailTransportSubject,
  mailTransportContract,
  type ReceivedFields,
  type ReceivedMail,
} from './mail-transport.ts'
export { type MailToSend, outgoingMail } from './outgoing-mail.ts'
export { type QueueSubject, queueContract } from './queue.ts'
export { type SchedulerSubject, schedulerContract } from './scheduler.ts'
export { type SenderIdentitySubject, senderIdentityContract } from './sender-identity.ts'
export { type StoreSubject, storeContract } from './store/store.ts'
export { type SubmissionMailSubject, submissionMailContract } from './submission-mail.ts'
export { type WebhookSenderSubject, webhookSenderContract } from './webhook-sender.ts'
