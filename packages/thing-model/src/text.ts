type WellFormedString = string & { isWellFormed(): boolean }

/**
 * True when PostgreSQL can keep the text exactly: no NUL and no half of a surrogate pair
 * (`isWellFormed`: ECMAScript 2024, in Node 20 and every browser we serve).
 */
export function isStorableText(text: string): boolean {
  return (text as WellFormedString).isWellFormed() && !text.includes('\0')
}
