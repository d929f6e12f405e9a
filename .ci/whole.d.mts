export function requireWhole(output: readonly object[]): void
export function pathsIn(code: string, fileName: string): string[]
export function knowsItsFolder(code: string): boolean
