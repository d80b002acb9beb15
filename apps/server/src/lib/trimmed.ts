/**
 * The text without characters of a set at its end: a step for each of them. An expression that ends in `+$` begins anew at
 * every place of a run that does not reach the end, which of a long text from outside costs minutes.
 * @param set matches one character
 */
export function trimmedEnd(text: string, set: RegExp): string {
  let end = text.length
  while (end > 0 && set.test(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** The same at both ends. */
export function trimmed(text: string, set: RegExp): string {
  let start = 0
  while (start < text.length && set.test(text.charAt(start))) start++
  return trimmedEnd(text.slice(start), set)
}
