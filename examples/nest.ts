// A module of NestJS: `MailwrightModule.forRootAsync({ useFactory, inject })`, then `@Inject(MAILWRIGHT)` where mail is sent.
import { createClient, type MailwrightClientOptions } from 'mailwright/client'

/** The token by which the client is injected. */
export const MAILWRIGHT = Symbol('mailwright')

/** How the options of the client are found, as in other modules of NestJS. */
export interface MailwrightAsyncOptions<Imported, Token> {
  /** Modules that have what `inject` names. */
  readonly imports?: Imported[]
  /** The tokens of the parameters of `useFactory`. */
  readonly inject?: Token[]
  useFactory(...needed: unknown[]): MailwrightClientOptions | Promise<MailwrightClientOptions>
}

/** Has one client for the whole application. */
// biome-ignore lint/complexity/noStaticOnlyClass: NestJS knows a module by its class
export class MailwrightModule {
  static forRootAsync<Imported, Token>(options: MailwrightAsyncOptions<Imported, Token>) {
    const client = {
      provide: MAILWRIGHT,
      inject: options.inject ?? [],
      useFactory: async (...needed: unknown[]) => createClient(await options.useFactory(...needed)),
    }
    const imports = options.imports ?? []
    return { module: MailwrightModule, global: true, imports, providers: [client], exports: [client] }
  }
}
