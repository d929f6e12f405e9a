/** The part of html-to-text 10 that is used here; the package has no types. */
declare module 'html-to-text' {
  export interface TextBuilder {
    addInline(text: string): void
  }
  export interface HtmlElement {
    readonly name: string
    readonly children: readonly HtmlElement[]
  }
  export type Formatter = (
    element: HtmlElement,
    walk: (children: readonly HtmlElement[], builder: TextBuilder) => void,
    builder: TextBuilder,
    options: Readonly<Record<string, unknown>>,
  ) => void
  export interface Options {
    readonly wordwrap?: number | false
    readonly baseElements?: { readonly selectors: readonly string[]; readonly returnDomByDefault?: boolean }
    readonly formatters?: Readonly<Record<string, Formatter>>
    readonly limits?: { readonly maxDepth?: number; readonly maxInputLength?: number; readonly ellipsis?: string }
    readonly selectors?: readonly {
      readonly selector: string
      readonly format?: string
      readonly options?: Readonly<Record<string, unknown>>
    }[]
  }
  export function compile(options: Options): (html: string) => string
}
