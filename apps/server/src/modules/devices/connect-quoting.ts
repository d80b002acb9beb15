/** One argument for a shell, whatever it contains. */
export function shell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Argument of a shell's `printf`: `%` and `\` mean themselves. @param end escapes that printf turns into their bytes */
export function printf(text: string, end = ''): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll("'", `'\\''`)}${end}'`
}

/** A JSON string is a literal of JavaScript, Python and C at once. */
export const quoted = (text: string): string => JSON.stringify(text)
